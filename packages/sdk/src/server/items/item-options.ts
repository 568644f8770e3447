/**
 * What an author says of one tool, resource or prompt: the options that `definition.ts` takes, and that lists, rules and
 * the compiled items (`resource-entry.ts`, `prompt-entry.ts`) read.
 */

import type { Principal } from '../../auth/principal.ts'
import { type Defined, withoutUndefined } from '../../jsonrpc/members.ts'
import type { OptionTable } from '../../jsonrpc/option-table.ts'
import type { Annotations, Icon, MetaObject } from '../../protocol/content.ts'
import type { PromptArgument } from '../../protocol/prompts.ts'
import type { AnySchema } from '../../schema/schema.ts'
import type { RequestContext } from '../context.ts'

/** Who may see and use an item. What a principal may not see, it cannot call, read, complete or subscribe to. */
export interface Access {
  /** Scopes that the principal must hold, all of them. */
  readonly scopes?: readonly string[]
  /**
   * Shows the item to those who lack its scopes, too, and answers its use with what they need (HTTP 403), so that
   * clients can ask the user for more. Without it, such an item does not exist for them.
   */
  readonly challenge?: 'step-up'
  /** A rule over the principal alone; lists may not vary by anything else. */
  readonly visible?: (principal: Principal | undefined) => boolean
}

export interface Described extends Access {
  readonly title?: string
  readonly description?: string
  readonly icons?: Icon[]
  readonly meta?: MetaObject
}

const DESCRIBED: OptionTable<Described> = {
  title: 'text',
  description: 'text',
  icons: 'any',
  meta: 'record',
  scopes: 'texts',
  challenge: 'text',
  visible: 'function',
}

export const TOOL_OPTIONS = {
  ...DESCRIBED,
  input: 'any',
  output: 'any',
  readOnly: 'flag',
  destructive: 'flag',
  idempotent: 'flag',
  openWorld: 'flag',
  annotations: 'record',
  task: 'any',
} as const

/** Proposes values for an argument while it is typed; `chosen` are the arguments settled already. */
export type Completer = (
  value: string,
  chosen: { readonly [name: string]: string },
  ctx: RequestContext,
) => Completions | Promise<Completions>

/** What a completer proposes: the values alone, or with `total` and `hasMore` where there are more than those given. */
export type Completions = readonly string[] | { values: readonly string[]; total?: number; hasMore?: boolean }

/** How long a result stays good, and whether one client may share it with another. */
export interface CacheHint {
  /** How long a client may keep the result, in milliseconds. */
  readonly ttlMs?: number
  /**
   * Whether caches may share the result between users. `private` unless given, but `public` for a list that is the same
   * for everybody and that no middleware has altered. What an access rule restricts is `private` whatever is set here.
   */
  readonly scope?: 'public' | 'private'
}

/** What a resource or template is, besides its handler. */
export interface ResourceOptions<U extends string> extends Described {
  /** A URI, or an RFC 6570 template when it has `{braces}`. */
  readonly uri: U
  readonly mimeType?: string
  readonly size?: number
  readonly annotations?: Annotations
  readonly complete?: { readonly [variable: string]: Completer }
  readonly cache?: CacheHint
  /** Lists the concrete resources behind a template, so that clients find them. */
  readonly list?: (ctx: RequestContext) => ResourceListing[] | Promise<ResourceListing[]>
}

export const RESOURCE_OPTIONS: OptionTable<ResourceOptions<string>> = {
  ...DESCRIBED,
  uri: 'text',
  mimeType: 'text',
  size: 'bound',
  annotations: 'record',
  complete: 'record',
  cache: 'record',
  list: 'function',
}

/** One resource that a template lists. */
export interface ResourceListing {
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  readonly size?: number
}

/** What a prompt is, besides its handler. */
export interface PromptOptions<I extends AnySchema | undefined> extends Described {
  /** A schema whose properties are the arguments; values arrive as strings. */
  readonly input?: I
  /** Arguments by hand, where no schema is wanted. */
  readonly arguments?: readonly PromptArgument[]
  readonly complete?: { readonly [argument: string]: Completer }
}

export const PROMPT_OPTIONS: OptionTable<PromptOptions<undefined>> = {
  ...DESCRIBED,
  input: 'any',
  arguments: 'any',
  complete: 'record',
}

/** What lists show of any item beside its name. */
export function describe({ title, description, icons, meta }: Described): Defined<{
  title: string | undefined
  description: string | undefined
  icons: Icon[] | undefined
  _meta: MetaObject | undefined
}> {
  return withoutUndefined({ title, description, icons, _meta: meta })
}
