/**
 * `client.tools.forecast({ city })`: a tool as a function. Types come from the server's own type where it is known
 * (`connect<typeof server>()`), or from declarations that `declarations.ts` wrote; at run time there is one proxy.
 */

import { parseJson } from '../framing/json.ts'
import { PorticoError } from '../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import type { Revision } from '../protocol/revision.ts'
import { type CallToolResult, WRAPPED_VALUE } from '../protocol/tools.ts'
import type { RequestOptions } from './options.ts'

/** The part of a server's type that says what its tools take and give. It exists for the compiler only. */
export interface ToolTypes {
  readonly '~tools'?: { readonly [name: string]: ToolType }
}

interface ToolType {
  readonly '~input'?: unknown
  readonly '~output'?: unknown
}

type ToolsOf<S> = S extends { readonly '~tools'?: infer T } ? NonNullable<T> : never

type InputOf<T> = T extends { readonly '~input'?: infer Input } ? Input : unknown
type OutputOf<T> = T extends { readonly '~output'?: infer Output } ? Output : unknown

/** `client.callTool`: for any server, or checked by the type of the one that is known. */
export type CallTool<S> = [ToolsOf<S>] extends [never] ? CallAnyTool : CallKnownTool<ToolsOf<S>>

type CallAnyTool = (name: string, args?: JsonObject, options?: RequestOptions) => Promise<CallToolResult>

/** The names are there for editors to offer; a name that is known only when the program runs may be any text. */
type CallKnownTool<Tools> = <N extends (keyof Tools & string) | (string & {})>(
  name: CheckedName<Tools, N>,
  ...rest: Arguments<N extends keyof Tools ? InputOf<Tools[N]> : unknown>
) => Promise<ToolResult<N extends keyof Tools ? Output<Tools[N]> : unknown>>

type CheckedName<Tools, N> = N extends keyof Tools ? N : string extends N ? N : keyof Tools & string

/** The structured content is missing when the call failed, and before revision 2025-06-18. */
type ToolResult<Value> = unknown extends Value ? CallToolResult : CallToolResult & { structuredContent?: Value }

/** A tool without required arguments may be called without any. */
type Arguments<Input> = unknown extends Input
  ? [args?: JsonObject, options?: RequestOptions]
  : {} extends Input
    ? [args?: Input, options?: RequestOptions]
    : [args: Input, options?: RequestOptions]

/**
 * What a call gives: the structured content of a result that has one, the text of one that is text alone, or else the whole
 * result. Which of them is known where the server's type says it, and not from declarations of a tool without output schema.
 */
type Output<T> = undefined extends OutputOf<T> ? unknown : OutputOf<T>

/** The tools of a server as functions. */
export type ToolCaller<S> = [ToolsOf<S>] extends [never]
  ? { readonly [name: string]: (args?: JsonObject, options?: RequestOptions) => Promise<unknown> }
  : {
      readonly [N in keyof ToolsOf<S>]: (...args: Arguments<InputOf<ToolsOf<S>[N]>>) => Promise<Output<ToolsOf<S>[N]>>
    }

export function createToolCaller<S>(
  call: CallAnyTool,
  revision: () => Revision,
  hint: (name: string) => string,
): ToolCaller<S> {
  const functions = new Map<string, (args?: JsonObject, options?: RequestOptions) => Promise<unknown>>()
  const get = (_: object, name: string | symbol) => {
    if (typeof name !== 'string' || PROBED.has(name)) return undefined
    const known = functions.get(name)
    if (known !== undefined) return known
    const made = async (args?: JsonObject, options?: RequestOptions) => {
      const result = await call(name, args, options)
      if (result.isError) throw toError(name, result, hint(name))
      return toAnswer(result, revision())
    }
    functions.set(name, made)
    return made
  }
  // Every name is a function of the shape that the type promises; which names exist only the server knows.
  return new Proxy(Object.create(null), { get, getPrototypeOf: () => null }) as ToolCaller<S>
}

/**
 * What languages, loggers, test runners and user interface libraries look for on any object that they meet. A tool of
 * such a name is reached with `callTool`.
 */
const PROBED: ReadonlySet<string> = new Set([
  'then',
  'catch',
  'finally',
  'toJSON',
  'toString',
  'toLocaleString',
  'valueOf',
  'inspect',
  'constructor',
  'prototype',
  '__proto__',
  'hasOwnProperty',
  'isPrototypeOf',
  'propertyIsEnumerable',
  'asymmetricMatch',
  '$$typeof',
  'nodeType',
  '@@__IMMUTABLE_ITERABLE__@@',
  '@@__IMMUTABLE_RECORD__@@',
  '_isMockFunction',
])

/** Some servers report a tool that they do not have as one that failed: the name that was meant is then good to know. */
function toError(name: string, result: CallToolResult, hint: string): PorticoError {
  const message = textsOf(result).join('\n') || `The tool "${name}" failed`
  return new PorticoError('tool-error', message + hint, { data: result })
}

function textsOf({ content }: CallToolResult): string[] {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
}

function toAnswer(result: CallToolResult, revision: Revision): unknown {
  const { content, structuredContent } = result
  const texts = textsOf(result)
  const [text = ''] = texts
  if (structuredContent !== undefined) {
    // Said so by our own servers, also through a gateway that speaks a newer revision on this side.
    if (result._meta?.[WRAPPED_VALUE] === true && isObject(structuredContent)) return structuredContent.result
    return revision.era === 'legacy' ? unwrap(structuredContent, text) : structuredContent
  }
  if (texts.length !== content.length) return result
  // Before there was structured content, it came as text.
  return revision.traits.structuredContent || texts.length !== 1 ? texts.join('\n') : fromText(text)
}

/** Older revisions carry objects alone: what is none comes in one, `{ result }`, beside the text of what was meant. */
function unwrap(structured: unknown, text: string): unknown {
  if (!isObject(structured) || !('result' in structured) || Object.keys(structured).length > 1) return structured
  return JSON.stringify(structured.result) === text ? structured.result : structured
}

/** Servers put structured content into a text block for those who know no better (2025-06-18, tools, "Structured Content"). */
function fromText(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return text
  const parsed = parseJson(text)
  return parsed.ok ? parsed.value : text
}
