/**
 * The headers that mirror a modern request's body, for both sides: clients take them from here, servers compare them
 * with the body (2026-07-28, Streamable HTTP, "Request Metadata"). How a value is spelled is in `headers-encoding.ts`,
 * which parameters of a tool are mirrored in `headers-annotation.ts`.
 */

import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { methodOf } from '../methods.ts'
import type { ParamHeader } from './headers-annotation.ts'
import { decodeHeaderValue, encodeHeaderValue, trimHeaderValue } from './headers-encoding.ts'

export { collectParamHeaders, type ParamHeader } from './headers-annotation.ts'

export const VERSION_HEADER = 'MCP-Protocol-Version'
const METHOD_HEADER = 'Mcp-Method'
const NAME_HEADER = 'Mcp-Name'
export const PARAM_HEADER_PREFIX = 'Mcp-Param-'

/** Reads a header by name, in any case. Headers that came twice read as one, joined by `, `. */
type ReadHeader = (name: string) => string | undefined

/** The parameter that `Mcp-Name` mirrors for a method of an extension. */
type NameSource = (method: string) => string | undefined

interface HeaderCheck {
  readonly head: { readonly header: ReadHeader }
  readonly method: string
  readonly params: JsonObject | undefined
  /** The version that `_meta` claims. */
  readonly version: string
  /** The mirrored parameters of the tool that is called. */
  readonly paramHeaders?: readonly ParamHeader[]
  readonly nameSource?: NameSource
}

/** The standard headers of a request: version, method and, where the method has one, name. */
export function standardHeaders(
  version: string,
  method: string,
  params: JsonObject | undefined,
  nameSource?: NameSource,
): { readonly [name: string]: string } {
  const name = nameOf(method, params, nameSource)
  if (name === undefined) return { [VERSION_HEADER]: version, [METHOD_HEADER]: method }
  return { [VERSION_HEADER]: version, [METHOD_HEADER]: method, [NAME_HEADER]: encodeHeaderValue(name) }
}

/** The `Mcp-Param-*` headers of a call. An argument that is absent or null has none. */
export function paramHeaders(
  list: readonly ParamHeader[],
  args: JsonObject | undefined,
): [name: string, value: string][] {
  const headers: [string, string][] = []
  for (const { header, path } of list) {
    const value = valueAt(args, path)
    if (isPrimitive(value)) headers.push([PARAM_HEADER_PREFIX + header, encodeHeaderValue(value)])
  }
  return headers
}

/** Why a request's headers do not fit its body, in words for the `-32020` that answers it; undefined if they do. */
export function checkHeaders(check: HeaderCheck): string | undefined {
  const { head, method, params, version, paramHeaders: list = [] } = check
  return (
    checkExact(VERSION_HEADER, head.header(VERSION_HEADER), version) ??
    checkExact(METHOD_HEADER, head.header(METHOD_HEADER), method) ??
    checkName(head.header(NAME_HEADER), nameOf(method, params, check.nameSource)) ??
    (list.length === 0 ? undefined : checkParamHeaders((name) => head.header(name), list, argumentsOf(params)))
  )
}

/** The part of `checkHeaders` that needs the tool: recognised `Mcp-Param-*` headers against the arguments (sec-22). */
function checkParamHeaders(
  header: ReadHeader,
  list: readonly ParamHeader[],
  args: JsonObject | undefined,
): string | undefined {
  for (const { header: name, path } of list) {
    const reason = checkParam(PARAM_HEADER_PREFIX + name, header(PARAM_HEADER_PREFIX + name), valueAt(args, path))
    if (reason !== undefined) return reason
  }
  return undefined
}

function checkExact(name: string, text: string | undefined, expected: string): string | undefined {
  if (text === expected) return undefined
  if (text === undefined) return isMissing(name)
  const value = trimHeaderValue(text)
  return value === expected ? undefined : differs(name, value, expected)
}

function checkName(text: string | undefined, expected: string | undefined): string | undefined {
  // A body without a usable name is refused for that, with a better message than a comparison could give.
  if (expected === undefined) return undefined
  if (text === undefined) return isMissing(NAME_HEADER)
  // Most names stand for themselves, and are sent as they are.
  if (text === expected && PLAIN_NAME.test(text)) return undefined
  const value = decodeHeaderValue(text)
  if (value === undefined) return isInvalid(NAME_HEADER)
  return value === expected || sameText(value, expected) ? undefined : differs(NAME_HEADER, value, expected)
}

const PLAIN_NAME = /^[\w./:-]{1,256}$/

function checkParam(name: string, text: string | undefined, expected: unknown): string | undefined {
  const absent = expected === undefined || expected === null
  if (text === undefined) return absent ? undefined : isMissing(name)
  const value = decodeHeaderValue(text)
  if (value === undefined) return isInvalid(name)
  if (absent) return `Header mismatch: ${name} header has no corresponding argument in the body`
  if (!isPrimitive(expected)) return `Header mismatch: the argument of the ${name} header is neither text nor number`
  if (typeof expected === 'number' && Number.isInteger(expected) && !Number.isSafeInteger(expected)) {
    return `Header mismatch: the argument of the ${name} header is beyond the safe integers`
  }
  return sameValue(value, expected) ? undefined : differs(name, value, String(expected))
}

function sameValue(value: string, expected: string | number | boolean): boolean {
  if (typeof expected === 'string') return sameText(value, expected)
  if (typeof expected === 'boolean') return value === String(expected)
  // "compare the header value and the body value numerically": `42.0` is 42.
  return value.length <= 64 && DECIMAL.test(value) && Number(value) === expected
}

const DECIMAL = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Half a surrogate pair cannot be sent as UTF-8, so a header shows U+FFFD where the body may still hold the half. */
function sameText(value: string, expected: string): boolean {
  if (value === expected) return true
  return (
    value.includes(REPLACEMENT) &&
    value === new TextDecoder('utf-8', { ignoreBOM: true }).decode(ENCODER.encode(expected))
  )
}

const ENCODER = new TextEncoder()
/** By number: a file in which every character is ASCII is read faster. */
const REPLACEMENT = String.fromCharCode(0xfffd)

function nameOf(method: string, params: JsonObject | undefined, nameSource?: NameSource): string | undefined {
  const source = methodOf(method)?.nameFrom ?? nameSource?.(method)
  const name =
    source !== undefined && params !== undefined && Object.hasOwn(params, source) ? params[source] : undefined
  return typeof name === 'string' ? name : undefined
}

function argumentsOf(params: JsonObject | undefined): JsonObject | undefined {
  return isObject(params?.arguments) ? params.arguments : undefined
}

/** The value at a chain of properties, none of them inherited. */
function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

function isPrimitive(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function isMissing(name: string): string {
  return `Header mismatch: required ${name} header is missing`
}

function isInvalid(name: string): string {
  return `Header mismatch: ${name} header value is not validly encoded`
}

function differs(name: string, value: string, expected: string): string {
  return `Header mismatch: ${name} header value '${cut(value)}' does not match body value '${cut(expected)}'`
}

function cut(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}...` : text
}
