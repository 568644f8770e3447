/**
 * How a server is described: plain records that `tool`, `resource` and `prompt` make and `createServer` reads once.
 * A definition holds no connection and no request; one of it serves everybody.
 */

import type { Principal } from '../auth/principal.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import type { Annotations, Icon, MetaObject, ResourceContents } from '../protocol/content.ts'
import type { GetPromptResult, PromptArgument, PromptMessage } from '../protocol/prompts.ts'
import type { ReadResourceResult } from '../protocol/resources.ts'
import type { ToolAnnotations } from '../protocol/tools.ts'
import type { AnySchema, InferInput, InferOutput } from '../schema/schema.ts'
import type { AskingContext, RequestContext } from './context.ts'
import type { ToolReturn } from './tool-result.ts'

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

interface Described extends Access {
  readonly title?: string
  readonly description?: string
  readonly icons?: Icon[]
  readonly meta?: MetaObject
}

export interface ToolOptions<I extends AnySchema | undefined, O extends AnySchema | undefined> extends Described {
  /** Zod, Valibot, ArkType or JSON Schema 2020-12; must describe an object. */
  readonly input?: I
  /** What the handler returns, checked at compile time and at run time. */
  readonly output?: O
  readonly readOnly?: boolean
  readonly destructive?: boolean
  readonly idempotent?: boolean
  readonly openWorld?: boolean
  readonly annotations?: ToolAnnotations
}

export type Arguments<I> = I extends undefined ? JsonObject : InferOutput<I>

/** A tool as `tool` makes it. `~input` and `~output` exist for the compiler only. */
export interface ToolDefinition<Input = unknown, Output = unknown> {
  readonly kind: 'tool'
  readonly options: ToolOptions<AnySchema | undefined, AnySchema | undefined>
  readonly handler: (args: never, ctx: never) => unknown
  readonly '~input'?: Input
  readonly '~output'?: Output
}

/** Proposes values for an argument while it is typed; `chosen` are the arguments settled already. */
export type Completer = (
  value: string,
  chosen: { readonly [name: string]: string },
  ctx: RequestContext,
) => Completions | Promise<Completions>

export type Completions = readonly string[] | { values: readonly string[]; total?: number; hasMore?: boolean }

export interface CacheHint {
  /** How long a client may keep the result, in milliseconds. */
  readonly ttlMs?: number
  /** Whether caches may share it between users. Private unless said otherwise. */
  readonly scope?: 'public' | 'private'
}

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

export interface ResourceListing {
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  readonly size?: number
}

/**
 * The variables of a URI template, read from its text: `users://{id}{?tab}` gives `id`, and `tab` which may be absent.
 * Exploded ones (`{path*}`) may be several.
 */
export type TemplateVariables<U extends string> = string extends U
  ? { [name: string]: string | string[] | undefined }
  : Members<SplitNames<Exclude<Expressions<U>, QueryExpression>>> &
      Partial<Members<SplitNames<Extract<Expressions<U>, QueryExpression>>>>

type Expressions<U extends string> = U extends `${string}{${infer Expression}}${infer Rest}`
  ? Expression | Expressions<Rest>
  : never

/** Matching allows parts of a query to be absent. */
type QueryExpression = `${'?' | '&'}${string}`

type SplitNames<E extends string> = E extends `${infer First},${infer Rest}` ? First | SplitNames<Rest> : E

type Members<Names extends string> = {
  [Name in Names as CleanName<Name>]: Name extends `${string}*` ? string | string[] : string
}

type CleanName<N extends string> = N extends `${'+' | '#' | '.' | '/' | ';' | '?' | '&'}${infer Bare}`
  ? CleanName<Bare>
  : N extends `${infer Bare}*`
    ? Bare
    : N extends `${infer Bare}:${string}`
      ? Bare
      : N

/** What a resource handler may return: text, bytes, an object (as JSON), contents, a full result, or nothing when there is none. */
export type ResourceReturn =
  | string
  | Uint8Array
  | ResourceContents
  | ResourceContents[]
  | ReadResourceResult
  | object
  | null
  | undefined

export interface ResourceDefinition {
  readonly kind: 'resource'
  readonly options: ResourceOptions<string>
  readonly handler: (variables: never, ctx: never) => unknown
}

export interface PromptOptions<I extends AnySchema | undefined> extends Described {
  /** A schema whose properties are the arguments; values arrive as strings. */
  readonly input?: I
  /** Arguments by hand, where no schema is wanted. */
  readonly arguments?: readonly PromptArgument[]
  readonly complete?: { readonly [argument: string]: Completer }
}

export type PromptReturn = string | PromptMessage | PromptMessage[] | GetPromptResult

export interface PromptDefinition {
  readonly kind: 'prompt'
  readonly options: PromptOptions<AnySchema | undefined>
  readonly handler: (args: never, ctx: never) => unknown
}

/** Declares a tool. The handler's arguments and return value take their types from `input` and `output`. */
export function tool<
  const I extends AnySchema | undefined = undefined,
  const O extends AnySchema | undefined = undefined,
  State = unknown,
>(
  options: ToolOptions<I, O>,
  handler: (args: Arguments<I>, ctx: AskingContext<State>) => ToolReturn<O> | Promise<ToolReturn<O>>,
): ToolDefinition<I extends undefined ? JsonObject : InferInput<I>, O extends undefined ? undefined : InferOutput<O>> {
  return { kind: 'tool', options, handler }
}

/** Declares a resource, or a template of resources when `uri` has variables. */
export function resource<const U extends string, State = unknown>(
  options: ResourceOptions<U>,
  handler: (variables: TemplateVariables<U>, ctx: AskingContext<State>) => ResourceReturn | Promise<ResourceReturn>,
): ResourceDefinition {
  return { kind: 'resource', options, handler }
}

/** Declares a prompt. */
export function prompt<const I extends AnySchema | undefined = undefined, State = unknown>(
  options: PromptOptions<I>,
  handler: (
    args: I extends AnySchema ? InferOutput<I> : { [name: string]: string },
    ctx: AskingContext<State>,
  ) => PromptReturn | Promise<PromptReturn>,
): PromptDefinition {
  return { kind: 'prompt', options, handler }
}
