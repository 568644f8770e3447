/**
 * JSON text to values and back, with a defined outcome for everything. Decoders hand `parseJson` the text of one
 * message; its value goes to message classification. The bounds are held on the text, before anything is built from
 * it, and only when the text is long enough to pass one.
 *
 * A member named `__proto__` becomes an ordinary own member, as `JSON.parse` makes it: nothing is dropped and no
 * prototype changes. Code that copies members by name must keep to that.
 */

import { FRAMING_LIMITS, toLimitReason } from './limits.ts'

export interface JsonLimits {
  readonly maxDepth?: number
  readonly maxKeys?: number
  readonly maxItems?: number
  readonly maxStringLength?: number
}

export type JsonParsed =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly kind: 'parse' | 'limit'; readonly reason: string }

export type JsonText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string; readonly cause?: unknown }

export function parseJson(text: string, limits: JsonLimits = FRAMING_LIMITS): JsonParsed {
  const reason = passedLimit(text, limits)
  if (reason !== undefined) return { ok: false, kind: 'limit', reason }
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    // The engine's message quotes the text, which may hold secrets; only the position is taken from it.
    const position = /at position (\d+)/.exec(String(error))?.[1]
    return { ok: false, kind: 'parse', reason: position ? `not valid JSON at position ${position}` : 'not valid JSON' }
  }
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

function passedLimit(text: string, limits: JsonLimits): string | undefined {
  const maxDepth = limits.maxDepth ?? FRAMING_LIMITS.maxDepth
  const maxKeys = limits.maxKeys ?? FRAMING_LIMITS.maxKeys
  const maxItems = limits.maxItems ?? FRAMING_LIMITS.maxItems
  const maxStringLength = limits.maxStringLength ?? FRAMING_LIMITS.maxStringLength
  const length = text.length
  // The shortest texts that pass each bound: `[[]]`, `{"":0,"":0}`, `[0,0]`, `"aa"` for a bound of 1.
  const wide = length > 5 * maxKeys + 5 || length > 2 * maxItems + 2 || length > maxStringLength + 2
  if (!wide && (length < 2 * maxDepth + 2 || !hasOpeners(text, maxDepth))) return undefined
  return scan(text, maxDepth, maxKeys, maxItems, maxStringLength)
}

/** Whether more than `count` brackets open in the text, those within strings included. */
function hasOpeners(text: string, count: number): boolean {
  let found = 0
  for (const opener of ['{', '[']) {
    for (let at = text.indexOf(opener); at !== -1; at = text.indexOf(opener, at + 1)) {
      if (++found > count) return true
    }
  }
  return false
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c

/** One pass that tells only strings, brackets and commas apart. Where the text is not JSON it stops: the parser will say so. */
function scan(
  text: string,
  maxDepth: number,
  maxKeys: number,
  maxItems: number,
  maxStringLength: number,
): string | undefined {
  const outer: number[] = []
  const outerIsObject: boolean[] = []
  let inObject = false
  let commasLeft = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const end = closingQuote(text, at + 1)
      if (end === -1) return undefined
      if (end - at - 1 > maxStringLength && decodedLength(text, at + 1, end) > maxStringLength) {
        return toLimitReason('maxStringLength', maxStringLength)
      }
      at = end
    } else if (code === COMMA) {
      if (--commasLeft < 0 && outer.length > 0) {
        return inObject ? toLimitReason('maxKeys', maxKeys) : toLimitReason('maxItems', maxItems)
      }
    } else if (code === 0x7b || code === 0x5b) {
      if (outer.length === maxDepth) return toLimitReason('maxDepth', maxDepth)
      outer.push(commasLeft)
      outerIsObject.push(inObject)
      inObject = code === 0x7b
      commasLeft = (inObject ? maxKeys : maxItems) - 1
    } else if (code === 0x7d || code === 0x5d) {
      const left = outer.pop()
      if (left === undefined) return undefined
      commasLeft = left
      inObject = outerIsObject.pop() === true
    }
  }
  return undefined
}

/** Short strings are walked; beyond that the engine's own search is faster than a call per character. */
function closingQuote(text: string, start: number): number {
  const near = Math.min(start + 24, text.length)
  let at = start
  for (; at < near; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at++
  }
  // An escape that straddles the border leaves `at` one further, past the escaped character.
  const from = at
  for (at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (at - slashes - 1 >= from && text.charCodeAt(at - slashes - 1) === BACKSLASH) slashes++
    if (slashes % 2 === 0) return at
  }
  return -1
}

function decodedLength(text: string, start: number, end: number): number {
  let length = end - start
  for (let at = text.indexOf('\\', start); at !== -1 && at < end; at = text.indexOf('\\', at)) {
    const isUnicode = text.charCodeAt(at + 1) === 0x75
    length -= isUnicode ? 5 : 1
    at += isUnicode ? 6 : 2
  }
  return length
}
