/**
 * `client.tools.forecast({ city })`: a tool as a function. Types come from the server's own type where it is known
 * (`connect<typeof server>()`), or from declarations that `declarations.ts` wrote; at run time there is one proxy.
 */

import { parseJson } from '../framing/json.ts'
import { PorticoError } from '../jsonrpc/errors.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import type { CallToolResult } from '../protocol/tools.ts'
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

/** A tool without required arguments may be called without any. */
type Arguments<Input> = unknown extends Input
  ? [args?: JsonObject, options?: RequestOptions]
  : {} extends Input
    ? [args?: Input, options?: RequestOptions]
    : [args: Input, options?: RequestOptions]

/** What a call gives: the structured content of a tool that declares it, otherwise text or the whole result. */
type Output<T> = unknown extends OutputOf<T> ? unknown : undefined extends OutputOf<T> ? ToolAnswer : OutputOf<T>

/** The text of a result that is text alone, the structured content where there is one, or else the whole result. */
export type ToolAnswer = string | CallToolResult | unknown

export type ToolCaller<S> = [ToolsOf<S>] extends [never]
  ? { readonly [name: string]: (args?: JsonObject, options?: RequestOptions) => Promise<unknown> }
  : {
      readonly [N in keyof ToolsOf<S>]: (...args: Arguments<InputOf<ToolsOf<S>[N]>>) => Promise<Output<ToolsOf<S>[N]>>
    }

export type CallTool = (name: string, args?: JsonObject, options?: RequestOptions) => Promise<CallToolResult>

/** `structured` tells whether the revision in use has structured content; before that, it comes as text. */
export function createToolCaller<S>(call: CallTool, structured: () => boolean): ToolCaller<S> {
  const functions = new Map<string, (args?: JsonObject, options?: RequestOptions) => Promise<unknown>>()
  const get = (_: object, name: string | symbol) => {
    if (typeof name !== 'string' || PROBED.has(name)) return undefined
    const known = functions.get(name)
    if (known !== undefined) return known
    const made = async (args?: JsonObject, options?: RequestOptions) => {
      const result = await call(name, args, options)
      return toAnswer(name, result, structured())
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

function toAnswer(name: string, result: CallToolResult, structured: boolean): unknown {
  const { content, structuredContent, isError } = result
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  if (isError) {
    throw new PorticoError('tool-error', texts.join('\n') || `The tool "${name}" failed`, { data: result })
  }
  if (structuredContent !== undefined) return structuredContent
  if (texts.length !== content.length) return result
  const [text = ''] = texts
  return structured || texts.length !== 1 ? texts.join('\n') : fromText(text)
}

/** Servers put structured content into a text block for those who know no better (2025-06-18, tools, "Structured Content"). */
function fromText(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return text
  const parsed = parseJson(text)
  return parsed.ok ? parsed.value : text
}
