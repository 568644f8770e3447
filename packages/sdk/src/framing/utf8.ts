/**
 * UTF-8 as both decoders of this folder read it: strictly, and with byte order marks left in place, since only the one
 * that opens a stream is to be dropped.
 */

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

export const BOM = 0xfeff

/** Undefined when the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}

/** For people to look at: bad bytes show as U+FFFD. */
export function toReadable(bytes: Uint8Array): string {
  return lenient.decode(bytes)
}

/** The bytes that well-formed text takes. */
export function utf8Length(text: string): number {
  let length = text.length
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    // A surrogate is half of four bytes.
    if (code > 0x7f) length += code > 0x7ff && (code < 0xd800 || code > 0xdfff) ? 2 : 1
  }
  return length
}
