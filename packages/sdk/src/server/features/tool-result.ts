/** From what a tool handler returns to the result that goes out: strings, objects, blocks and full results all work. */

import { isOfKind, PorticoError } from '../../jsonrpc/errors.ts'
import { isObject } from '../../jsonrpc/message.ts'
import { onDemand } from '../../jsonrpc/on-demand.ts'
import type { ContentBlock } from '../../protocol/content.ts'
import type { CallToolResult } from '../../protocol/tools.ts'
import type { InferInput } from '../../schema/schema.ts'
import { andThen } from '../call/method.ts'

const FULL = Symbol('full tool result')

/**
 * A complete result as `result()` marks it: for tools with an `output` that also choose their content blocks or
 * `_meta`. The member `~wrap this in result()` does not exist when the program runs. It makes the compiler name the
 * remedy where a handler returns a result that is not marked.
 */
export interface FullResult extends CallToolResult {
  readonly '~wrap this in result()': true
}

/**
 * Marks a value as the whole result of a tool with `output`, rather than as its structured content.
 *
 * @example
 * ```ts
 * import { result, text, tool } from '@portico/sdk/server'
 * import { z } from 'zod'
 *
 * const now = tool({ description: 'The temperature', output: z.object({ celsius: z.number() }) }, () =>
 *   result({ content: [text('20 degrees')], structuredContent: { celsius: 20 } }),
 * )
 * ```
 */
export function result(value: CallToolResult): FullResult {
  // Marked by a symbol, which no value from elsewhere can carry by chance; the name in the type is for the compiler.
  return { ...value, [FULL]: true } as unknown as FullResult
}

/** With `output`: a value of that schema, `{ content, structuredContent }`, or `result(…)`. Without: anything that can be shown. */
export type ToolReturn<O> = O extends undefined
  ? // biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing has the return type void
    string | number | boolean | null | undefined | void | ContentBlock | ContentBlock[] | CallToolResult | object
  : InferInput<O> | ResultWith<InferInput<O>> | FullResult

/**
 * The whole result of a tool with `output`: content blocks that the handler chose, and structured content that fits the
 * schema.
 */
export interface ResultWith<Value> extends CallToolResult {
  structuredContent: Value
}

/** Tells the model what went wrong. Thrown by a handler, it becomes a result with `isError`, not a protocol error. */
export class ToolError extends PorticoError {
  static override [Symbol.hasInstance](value: unknown): boolean {
    const fits = ({ code, content }: { code?: unknown; content?: unknown }) =>
      code === 'tool-error' && Array.isArray(content)
    // biome-ignore lint/complexity/noThisInStatic: a class that is derived from this one is asked by itself
    return isOfKind<ToolError>(this, ToolError, value, fits)
  }

  readonly content: ContentBlock[]

  constructor(message: string, options: { content?: ContentBlock[]; cause?: unknown } = {}) {
    super('tool-error', message, { cause: options.cause })
    this.name = 'ToolError'
    const { content = [] } = options
    // The message is for the model too, unless the content says it already.
    const said = message === '' || content.some((block) => block.type === 'text' && block.text === message)
    this.content = said ? content : [{ type: 'text', text: message }, ...content]
  }
}

/** The result for a value returned by a tool without an `output` schema. */
export function toToolResult(value: unknown): CallToolResult | Promise<CallToolResult> {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] }
  if (value === undefined || value === null) return { content: [] }
  if (typeof value !== 'object') return { content: [{ type: 'text', text: String(value) }] }
  if (isFullResult(value)) return stripMark(value)
  if (isContentBlock(value)) return { content: [value] }
  if (Array.isArray(value)) {
    if (value.length === 0 || !value.every(isContentBlock)) return toStructuredResult(checkedBlocks(value))
    return { content: value }
  }
  if ('content' in value && Array.isArray(value.content) && value.content.every(isContentBlock)) {
    // A `content` array of blocks is what makes an object a full result.
    return value as CallToolResult
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === null || prototype === Object.prototype) return toStructuredResult(value)
  return andThen(loadFaults(), ({ unserializable }) => {
    const lost = unserializable(value)
    if (lost !== undefined) throw new PorticoError('invalid-result', `The handler returned ${lost}`)
    return toStructuredResult(value)
  })
}

export const loadFaults = onDemand(() => import('./tool-faults.ts'))

/** An array of data, unless some of it was plainly meant as content. */
function checkedBlocks(values: unknown[]): unknown[] {
  const meant = values.some((value) => isContentBlock(value) || isBrokenBlock(value))
  const wrong = meant ? values.findIndex((value) => !isContentBlock(value)) : -1
  if (wrong === -1) return values
  const known = Object.entries(BLOCK_MEMBERS).map(([type, member]) => `${type} with ${member}`)
  throw new PorticoError('invalid-result', `Block ${wrong} of the content is none; there are ${known.join(', ')}`)
}

function isBrokenBlock(value: unknown): boolean {
  if (!isObject(value) || typeof value.type !== 'string') return false
  const media = typeof value.data === 'string' && typeof value.mimeType === 'string'
  return media || (Object.hasOwn(BLOCK_MEMBERS, value.type) && Object.keys(value).length > 1)
}

/** Structured content with the same as text, for clients and models that read only text. */
export function toStructuredResult(value: unknown): CallToolResult {
  // Nothing at all is null in JSON, and a text block must have a text.
  return { content: [{ type: 'text', text: JSON.stringify(value) ?? 'null' }], structuredContent: value }
}

export function toErrorResult(error: ToolError): CallToolResult {
  return { content: error.content, isError: true }
}

export function textError(message: string): CallToolResult {
  return { content: [{ type: 'text', text: message }], isError: true }
}

export function isFullResult(value: unknown): value is FullResult {
  return typeof value === 'object' && value !== null && FULL in value
}

export function stripMark(value: FullResult): CallToolResult {
  const { [FULL]: _mark, ...rest } = value as FullResult & { readonly [FULL]?: true }
  return rest
}

const BLOCK_MEMBERS: { readonly [type: string]: string } = {
  text: 'text',
  image: 'data',
  audio: 'data',
  resource_link: 'uri',
  resource: 'resource',
}

export function isContent(value: unknown): value is ContentBlock[] {
  return Array.isArray(value) && value.every(isContentBlock)
}

function isContentBlock(value: unknown): value is ContentBlock {
  if (!isObject(value) || typeof value.type !== 'string' || !Object.hasOwn(BLOCK_MEMBERS, value.type)) return false
  const member = BLOCK_MEMBERS[value.type]
  return member !== undefined && member in value
}
