/**
 * How a value travels in a header: as itself where that is safe, otherwise as base64 between `=?base64?` and `?=`
 * (2026-07-28, Streamable HTTP, "Value Encoding"). `headers.ts` decides which values travel; this file knows none of them.
 */

const PREFIX = '=?base64?'
const SUFFIX = '?='

/** Writes a value so that no text can end a header early, be trimmed away or be taken for an encoded one (sec-20). */
export function encodeHeaderValue(value: string | number | boolean): string {
  const text = String(value)
  const lookalike = text.startsWith(PREFIX) && text.endsWith(SUFFIX)
  return isPlain(text) && !lookalike ? text : PREFIX + toBase64(new TextEncoder().encode(text)) + SUFFIX
}

/**
 * Reads a header's value, or says by `undefined` that it is not valid: characters that no header may hold, base64 that
 * is not exact, bytes that are not UTF-8 (sec-19). The markers are case-sensitive; without both, a text stands for itself.
 */
export function decodeHeaderValue(text: string): string | undefined {
  const value = trimHeaderValue(text)
  const encoded = value.length >= PREFIX.length + SUFFIX.length && value.startsWith(PREFIX) && value.endsWith(SUFFIX)
  if (!encoded) return isFieldValue(value) ? value : undefined
  const bytes = fromBase64(value.slice(PREFIX.length, -SUFFIX.length))
  if (bytes === undefined) return undefined
  try {
    return STRICT_UTF8.decode(bytes)
  } catch {
    return undefined
  }
}

/** The value without the spaces and tabs around it, which are not part of it (RFC 9110, section 5.5). */
export function trimHeaderValue(text: string): string {
  if (text.charCodeAt(0) > 0x20 && text.charCodeAt(text.length - 1) > 0x20) return text
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return start === 0 && end === text.length ? text : text.slice(start, end)
}

/** A byte order mark is part of a value like any other character. */
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

/** Visible ASCII, with spaces only inside. A tab is a control character, so it is encoded even where HTTP allows it. */
function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 0x20 || code > 0x7e) return false
  }
  return !text.startsWith(' ') && !text.endsWith(' ')
}

function isFieldValue(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if ((code < 0x20 && code !== 0x09) || code > 0x7e) return false
  }
  return true
}

function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** Exact base64 only: padded, and without stray bits at its end, so that one value has one spelling. */
function fromBase64(text: string): Uint8Array | undefined {
  if (!BASE64.test(text)) return undefined
  const binary = atob(text)
  if (text.endsWith('=') && btoa(binary) !== text) return undefined
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}
