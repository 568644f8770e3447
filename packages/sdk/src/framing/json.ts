/**
 * JSON text to values and back, with a defined outcome for everything. Decoders hand `parseJson` the text of one
 * message; its value goes to message classification. The bounds of a long text are held before anything is
 * built from it; a text too short to pass one is not looked at.
 *
 * A member named `__proto__` becomes an ordinary own member, as `JSON.parse` makes it: nothing is dropped and no
 * prototype changes. Code that copies members by name must keep to that.
 */

import { FRAMING_LIMITS, toLimitReason } from './limits.ts'
import { type FoundId, findId } from './message-id.ts'

/** Bounds on the shape of a JSON text. */
export interface JsonLimits {
  readonly maxDepth?: number
  readonly maxKeys?: number
  readonly maxItems?: number
  /** Arrays, objects and members of objects, all together. */
  readonly maxNodes?: number
  readonly maxStringLength?: number
}

/** A value that was read from JSON, or why none was. */
export type JsonParsed =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false
      readonly kind: 'parse' | 'limit'
      readonly reason: string
      /** The id of a message that passes a bound, where it has one: somebody waits for an answer under it. */
      readonly found?: FoundId
    }

type JsonText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string; readonly cause?: unknown }

/**
 * Reads JSON within limits. What is wrong with the text is returned, not thrown, and never quotes the text.
 *
 * @example
 * ```ts
 * import { parseJson } from '@portico/sdk/transport'
 *
 * const read = parseJson('{"jsonrpc":"2.0","id":1,"method":"ping"}', { maxDepth: 32 })
 * console.log(read.ok ? read.value : read.reason)
 * ```
 */
export function parseJson(text: string, limits: JsonLimits = FRAMING_LIMITS): JsonParsed {
  const maxDepth = limits.maxDepth ?? FRAMING_LIMITS.maxDepth
  const isScanned = needsScan(text.length, maxDepth, limits)
  const passed = isScanned ? scan(text, maxDepth, limits) : undefined
  if (passed !== undefined) return beyond(passed, text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    // The engine's message quotes the text, which may hold secrets; only the position is taken from it.
    const position = /at position (\d+)/.exec(String(error))?.[1]
    return { ok: false, kind: 'parse', reason: position ? `not valid JSON at position ${position}` : 'not valid JSON' }
  }
  // `[[]]` is the shortest text of depth 2.
  if (!isScanned && text.length > 2 * maxDepth + 1 && isDeeper(value, maxDepth)) {
    return beyond(toLimitReason('maxDepth', maxDepth), text)
  }
  return { ok: true, value }
}

/**
 * Why a value that somebody else has parsed is beyond the bounds, if it is. The members of an object are counted as they
 * are, so that repeated names have been lost.
 */
export function limitPassed(value: unknown, limits: JsonLimits = FRAMING_LIMITS): string | undefined {
  const bounds = { ...FRAMING_LIMITS, ...definedOf(limits) }
  // A level at a time, since the value may be deeper than the stack.
  let level: unknown[] = [value]
  let nodes = 0
  for (let depth = 0; level.length > 0; depth++) {
    const next: unknown[] = []
    for (const one of level) {
      const reason = shallowLimit(one, bounds, depth)
      if (reason !== undefined) return reason
      if (typeof one !== 'object' || one === null) continue
      const members = Object.values(one)
      nodes += Array.isArray(one) ? 1 : 1 + members.length
      if (nodes > bounds.maxNodes) return toLimitReason('maxNodes', bounds.maxNodes)
      for (const member of members) next.push(member)
    }
    level = next
  }
  return undefined
}

function shallowLimit(value: unknown, bounds: Required<JsonLimits>, depth: number): string | undefined {
  if (typeof value === 'string') return tooLong(value, bounds)
  if (typeof value !== 'object' || value === null) return undefined
  if (depth === bounds.maxDepth) return toLimitReason('maxDepth', bounds.maxDepth)
  if (Array.isArray(value)) {
    return value.length > bounds.maxItems ? toLimitReason('maxItems', bounds.maxItems) : undefined
  }
  const names = Object.keys(value)
  if (names.length > bounds.maxKeys) return toLimitReason('maxKeys', bounds.maxKeys)
  for (const name of names) if (name.length > bounds.maxStringLength) return tooLong(name, bounds)
  return undefined
}

function tooLong(text: string, { maxStringLength }: Required<JsonLimits>): string | undefined {
  return text.length > maxStringLength ? toLimitReason('maxStringLength', maxStringLength) : undefined
}

function definedOf(limits: JsonLimits): JsonLimits {
  return Object.fromEntries(Object.entries(limits).filter(([, bound]) => bound !== undefined))
}

function beyond(reason: string, text: string): JsonParsed {
  const found = findId(text)
  return found === undefined ? { ok: false, kind: 'limit', reason } : { ok: false, kind: 'limit', reason, found }
}

/** The text is one line: `JSON.stringify` escapes CR and LF, and lone surrogates too. */
export function stringifyJson(value: unknown): JsonText {
  try {
    // Typed as string, but undefined for undefined, functions and symbols.
    const text = JSON.stringify(value) as string | undefined
    if (text === undefined) return { ok: false, reason: `${typeof value} has no JSON form` }
    return { ok: true, text }
  } catch (cause) {
    return { ok: false, reason: 'the value cannot be written as JSON', cause }
  }
}

/** Texts up to this length are harmless to build, and finding their depth afterwards costs a fraction of a scan. */
const SMALL = 64 * 1024
/** `isDeeper` recurses as far as the bound allows. */
const SHALLOW = 1000

function needsScan(length: number, maxDepth: number, limits: JsonLimits): boolean {
  if (length > SMALL || maxDepth > SHALLOW) return true
  // The shortest texts that pass a bound of 1 are `{"":0,"":0}`, `[0,0]`, `[[]]` and `"aa"`.
  return (
    length > 5 * (limits.maxKeys ?? FRAMING_LIMITS.maxKeys) + 5 ||
    length > 2 * (limits.maxItems ?? FRAMING_LIMITS.maxItems) + 2 ||
    length > 2 * (limits.maxNodes ?? FRAMING_LIMITS.maxNodes) + 1 ||
    length > (limits.maxStringLength ?? FRAMING_LIMITS.maxStringLength) + 2
  )
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth === 0) return true
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (isDeeper(value[index], depth - 1)) return true
    return false
  }
  // Fresh from the parser, so every enumerable member is its own; the assertion is what typeof has shown above.
  const members = value as Record<string, unknown>
  for (const key in members) if (isDeeper(members[key], depth - 1)) return true
  return false
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
/** Characters of a string that are walked before it is searched. */
const WALKED = 64

/** One pass that tells only strings, brackets, commas and colons apart. Where the text is not JSON it stops: the parser will say so. */
function scan(text: string, maxDepth: number, limits: JsonLimits): string | undefined {
  const maxKeys = limits.maxKeys ?? FRAMING_LIMITS.maxKeys
  const maxItems = limits.maxItems ?? FRAMING_LIMITS.maxItems
  const maxNodes = limits.maxNodes ?? FRAMING_LIMITS.maxNodes
  const maxStringLength = limits.maxStringLength ?? FRAMING_LIMITS.maxStringLength
  // The commas so far in each container around the current one: as they are for arrays, below zero for objects.
  const outer: number[] = []
  let isObject = false
  let commas = 0
  let nodes = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const end = closingQuote(text, at + 1)
      if (end === -1) return undefined
      if (end - at - 1 > maxStringLength && isLonger(text, at + 1, end, maxStringLength)) {
        return toLimitReason('maxStringLength', maxStringLength)
      }
      at = end
    } else if (code === COMMA) {
      if (outer.length > 0 && ++commas >= (isObject ? maxKeys : maxItems)) {
        return isObject ? toLimitReason('maxKeys', maxKeys) : toLimitReason('maxItems', maxItems)
      }
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (outer.length === maxDepth) return toLimitReason('maxDepth', maxDepth)
      if (++nodes > maxNodes) return toLimitReason('maxNodes', maxNodes)
      outer.push(isObject ? -1 - commas : commas)
      isObject = code === OPEN_OBJECT
      commas = 0
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      const before = outer.pop()
      if (before === undefined) return undefined
      isObject = before < 0
      commas = isObject ? -1 - before : before
    } else if (code === COLON && ++nodes > maxNodes) {
      return toLimitReason('maxNodes', maxNodes)
    }
  }
  return undefined
}

/**
 * Short strings are walked; beyond that the engine's own search is faster than a step per character. What it finds may be an
 * escaped quote, and where there is one there may be millions: it is walked on from there.
 */
function closingQuote(text: string, start: number): number {
  for (let from = start; ; ) {
    for (const near = Math.min(from + WALKED, text.length); from < near; from++) {
      const code = text.charCodeAt(from)
      if (code === QUOTE) return from
      if (code === BACKSLASH) from++
    }
    // No escape straddles `from`: the walk steps over both of its characters.
    const at = text.indexOf('"', from)
    if (at === -1) return -1
    let slashes = 0
    while (at - slashes > from && text.charCodeAt(at - slashes - 1) === BACKSLASH) slashes++
    if (slashes % 2 === 0) return at
    from = at + 1
  }
}

/** Whether a string is longer than the bound once its escapes are read. A step per character: escapes may be all there is. */
function isLonger(text: string, start: number, end: number, max: number): boolean {
  let length = 0
  for (let at = start; at < end; at++) {
    if (text.charCodeAt(at) === BACKSLASH) at += text.charCodeAt(at + 1) === 0x75 ? 5 : 1
    if (++length > max) return true
  }
  return false
}
