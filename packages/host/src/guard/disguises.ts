/**
 * Ways in which somebody would hide data in what is sent: turned around, rotated, packed, spelled in codes, cut into
 * pieces. Only what is about to leave is looked at like this, and only so much of it: what is longer, or retold, is
 * covered by the turn (`provenance.ts`).
 */

import { gunzipSync, inflateSync } from 'node:zlib'
import { decodingsOf, PIECE, readable } from './shingles.ts'

/** Characters of one text, and of all readings together, that are looked at. */
const MAX_TEXT = 20_000
const MAX_TOTAL = 400_000
const MAX_DEPTH = 4
const MAX_WORDS = 64
const MAX_UNPACKED = 100_000

/** Every further reading of some texts, as long as there are not too many. */
export function disguisesOf(texts: readonly string[], value: unknown): string[] {
  const found = new Set<string>()
  let left = MAX_TOTAL
  const take = (text: string, depth: number): void => {
    if (text.length < PIECE || text.length > MAX_TEXT || text.length > left || found.has(text)) return
    left -= text.length
    found.add(text)
    if (depth < MAX_DEPTH) for (const reading of readingsOf(text)) take(reading, depth + 1)
  }
  for (const text of [...texts, ...fragmentsOf(value)]) take(text, 0)
  return [...found].flatMap((text) => [text, reversed(text), rotated(text)])
}

function* readingsOf(text: string): Generator<string> {
  yield* decodingsOf(text)
  if (/&#?\w{2,8};/.test(text)) yield text.replace(/&#(?:x([0-9a-f]{1,6})|(\d{1,7}));/gi, fromEntity)
  if (/\\x[0-9a-f]{2}/i.test(text)) yield text.replace(/\\x([0-9a-f]{2})/gi, (_, code: string) => fromCode(code, 16))
  const spelled = text.trim().split(/[\s,;:|-]+/)
  if (spelled.every((one) => /^(?:0x)?[0-9a-f]{2}$/i.test(one))) {
    yield* readable(Buffer.from(spelled.map((one) => one.slice(-2)).join(''), 'hex'))
  }
  if (spelled.every((one) => /^\d{1,7}$/.test(one))) yield spelled.map((one) => fromCode(one, 10)).join('')
  for (const word of (text.match(/[A-Za-z0-9+/_-]{11,}={0,2}/g) ?? []).slice(0, MAX_WORDS)) yield* unpacked(word)
}

/** Base64 with something before it, and packed bytes in base64 or hexadecimal. */
function* unpacked(word: string): Generator<string> {
  for (const start of [1, 2, 3]) yield* readable(Buffer.from(word.slice(start), 'base64'))
  const isHex = /^(?:[0-9a-f]{2})+$/i.test(word)
  for (const bytes of [Buffer.from(word, 'base64'), ...(isHex ? [Buffer.from(word, 'hex')] : [])]) {
    const unpack = bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync : bytes[0] === 0x78 ? inflateSync : undefined
    try {
      if (unpack !== undefined) yield* readable(unpack(bytes, { maxOutputLength: MAX_UNPACKED }))
    } catch {
      // It only looked packed.
    }
  }
}

/** Values that are short by themselves, put together in their order: as letters, and as the codes of letters. */
function fragmentsOf(value: unknown): string[] {
  const parts: (string | number)[] = []
  let length = 0
  const walk = (one: unknown, depth: number): void => {
    if (length > MAX_TEXT || depth > MAX_FRAGMENT_DEPTH) return
    if (typeof one === 'number' || (typeof one === 'string' && one.length <= MAX_FRAGMENT)) {
      parts.push(one)
      length += String(one).length
    } else if (typeof one === 'object' && one !== null) for (const part of Object.values(one)) walk(part, depth + 1)
  }
  walk(value, 0)
  const codes = parts.filter((one) => typeof one === 'number')
  return [parts.join(''), codes.map((code) => fromCode(String(code), 10)).join('')].filter((text) => text !== '')
}

const MAX_FRAGMENT = 16
const MAX_FRAGMENT_DEPTH = 32

function reversed(text: string): string {
  return [...text].reverse().join('')
}

function rotated(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base)
  })
}

function fromEntity(_: string, hex: string | undefined, decimal: string | undefined): string {
  return hex === undefined ? fromCode(decimal ?? '', 10) : fromCode(hex, 16)
}

function fromCode(text: string, base: number): string {
  const code = Number.parseInt(text, base)
  return Number.isInteger(code) && code >= 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
}
