/**
 * How a server is described: plain records that `tool`, `resource` and `prompt` make and `createServer` reads once.
 * A definition holds no connection and no request; one of it serves everybody.
 */

import type { JsonObject } from '../../jsonrpc/message.ts'
import type { ResourceContents } from '../../protocol/content.ts'
import type { GetPromptResult, PromptMessage } from '../../protocol/prompts.ts'
import type { ReadResourceResult } from '../../protocol/resources.ts'
import type { ToolAnnotations } from '../../protocol/tools.ts'
import type { AnySchema, InferInput, InferOutput } from '../../schema/schema.ts'
import type { AskingContext } from '../context.ts'
import { toPromptEntry } from '../features/prompt-entry.ts'
import type { PromptEntry } from '../features/prompts.ts'
import { toResourceEntry } from '../features/resource-entry.ts'
import type { ResourceEntry, TemplateEntry } from '../features/resources.ts'
import type { ToolReturn } from '../features/tool-result.ts'
import type { TaskMode, TaskOptions } from '../tasks/task-options.ts'
import type { ToolAnswer } from '../tool-answer.ts'
import type { Described, PromptOptions, ResourceOptions } from './item-options.ts'

export type {
  Access,
  CacheHint,
  Completer,
  Completions,
  PromptOptions,
  ResourceListing,
  ResourceOptions,
} from './item-options.ts'

/** Under it a definition holds what serves it. A symbol that every copy of this package finds, and no author meets. */
export const ENTRY: unique symbol = Symbol.for('portico.entry') as never

/** What a tool is, besides its handler. */
export interface ToolOptions<I extends AnySchema | undefined, O extends AnySchema | undefined> extends Described {
  /** Zod, Valibot, ArkType or JSON Schema 2020-12; must describe an object. */
  readonly input?: I
  /** What the handler returns, checked at compile time and at run time. */
  readonly output?: O
  /** It changes nothing. Clients may call it again when an answer is lost, and hosts need not ask a person first. */
  readonly readOnly?: boolean
  /** It may overwrite or remove something; false for one that only adds. */
  readonly destructive?: boolean
  /** The same call again changes nothing more, so that clients may repeat it when an answer is lost. */
  readonly idempotent?: boolean
  /** It reaches beyond the server, into the web or another service. */
  readonly openWorld?: boolean
  /** Hints in the words of the specification, for those that have no option of their own. */
  readonly annotations?: ToolAnnotations
  /** Whether calls become tasks, which outlive their connection. Needs `tasks` on the server. */
  readonly task?: TaskMode | TaskOptions
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

/**
 * A tool with the types of its schemas and of what its handler returns. What a client passes and gets is computed from
 * them only where the tool is called: with hundreds of tools, to compute it for each definition would take much of the
 * compiler's time. `NoInfer`, here and in `tool`, says that the types of the schemas come from the options alone.
 */
export interface SchemaTool<I, O, Returned = unknown> extends ToolDefinition {
  readonly '~input'?: NoInfer<I extends undefined ? JsonObject : InferInput<I>>
  readonly '~output'?: O extends undefined ? ToolAnswer<Returned> : InferOutput<O>
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

/** A resource or template as `resource` makes it. */
export interface ResourceDefinition {
  readonly kind: 'resource'
  readonly options: ResourceOptions<string>
  readonly handler: (variables: never, ctx: never) => unknown
  /**
   * Used by the server that takes the definition. It brings the code that serves resources, so that a server without
   * resources does not contain it.
   */
  readonly [ENTRY]: (name: string) => ResourceEntry | TemplateEntry
}

export type PromptReturn = string | PromptMessage | PromptMessage[] | GetPromptResult

/** A prompt as `prompt` makes it. */
export interface PromptDefinition {
  readonly kind: 'prompt'
  readonly options: PromptOptions<AnySchema | undefined>
  readonly handler: (args: never, ctx: never) => unknown
  /**
   * Used by the server that takes the definition. It brings the code that serves prompts, so that a server without
   * prompts does not contain it.
   */
  readonly [ENTRY]: (name: string) => PromptEntry
}

/**
 * Declares a tool. The handler's arguments and return value take their types from `input` and `output`.
 *
 * @example
 * ```ts
 * import { tool } from '@portico/sdk/server'
 * import { z } from 'zod'
 *
 * const add = tool(
 *   { description: 'Adds two numbers', input: z.object({ a: z.number(), b: z.number() }), readOnly: true },
 *   ({ a, b }) => `${a + b}`,
 * )
 * ```
 */
export function tool<
  const I extends AnySchema | undefined = undefined,
  const O extends AnySchema | undefined = undefined,
  State = unknown,
  Returned extends ToolReturn<NoInfer<O>> | Promise<ToolReturn<NoInfer<O>>> = ToolReturn<O>,
>(
  options: ToolOptions<I, O>,
  handler: (args: NoInfer<Arguments<I>>, ctx: AskingContext<State>) => Returned,
): SchemaTool<I, O, Returned> {
  return { kind: 'tool', options, handler }
}

/**
 * Declares a resource, or a template of resources when `uri` has variables. The handler gets the variables, and returns
 * the contents.
 *
 * @example
 * ```ts
 * import { resource } from '@portico/sdk/server'
 *
 * const config = resource({ uri: 'app://config', mimeType: 'application/json' }, () => '{"theme":"dark"}')
 * const note = resource({ uri: 'note://{id}', description: 'One note' }, ({ id }) => `The text of note ${id}`)
 * ```
 */
export function resource<const U extends string, State = unknown>(
  options: ResourceOptions<U>,
  handler: (variables: TemplateVariables<U>, ctx: AskingContext<State>) => ResourceReturn | Promise<ResourceReturn>,
): ResourceDefinition {
  return { kind: 'resource', options, handler, [ENTRY]: (name) => toResourceEntry(name, options, handler) }
}

/**
 * Declares a prompt. The handler gets the arguments, and returns the text of one message or several messages.
 *
 * @example
 * ```ts
 * import { prompt } from '@portico/sdk/server'
 * import { z } from 'zod'
 *
 * const review = prompt(
 *   { description: 'Asks for a review of a text', input: z.object({ text: z.string() }) },
 *   ({ text }) => `Please review this text, and name its weakest sentence:\n\n${text}`,
 * )
 * ```
 */
export function prompt<const I extends AnySchema | undefined = undefined, State = unknown>(
  options: PromptOptions<I>,
  handler: (
    args: I extends AnySchema ? InferOutput<I> : { [name: string]: string },
    ctx: AskingContext<State>,
  ) => PromptReturn | Promise<PromptReturn>,
): PromptDefinition {
  return { kind: 'prompt', options, handler, [ENTRY]: (name) => toPromptEntry(name, options, handler) }
}
