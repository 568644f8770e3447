/** Cuts text where one character ends and the next begins: half of one is none, and becomes another on its way. Needs no package. */

/** At most this many characters from the beginning. */
export function cutText(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, wholeBefore(text, length))
}

/** At most this many characters from the end. */
export function cutStart(text: string, length: number): string {
  if (text.length <= length) return text
  return text.slice(wholeAfter(text, text.length - length))
}

/** As many characters as fit into this many bytes of UTF-8. */
export function cutBytes(text: string, maxBytes: number): string {
  // No character has fewer bytes than code units.
  const head = cutText(text, maxBytes)
  const bytes = Buffer.from(head, 'utf8')
  if (bytes.length <= maxBytes) return head
  let end = maxBytes
  while (end > 0 && isContinuation(bytes[end])) end--
  return bytes.toString('utf8', 0, end)
}

/** At most this many characters, with a mark where something is missing. */
export function toExcerpt(text: string, length: number): string {
  return text.length <= length ? text : `${cutText(text, length)}…`
}

/** All of a text in pieces of at most this many characters, two or more. */
export function toPieces(text: string, length: number): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = wholeBefore(text, at + length)
    pieces.push(text.slice(at, end))
    at = end
  }
  return pieces
}

/** The last place at or before this one that is not within a character. */
export function wholeBefore(text: string, at: number): number {
  if (at >= text.length) return text.length
  return isInside(text, at) ? at - 1 : at
}

/** The first place at or after this one that is not within a character. */
export function wholeAfter(text: string, at: number): number {
  if (at >= text.length) return text.length
  return isInside(text, at) ? at + 1 : at
}

function isInside(text: string, at: number): boolean {
  return at > 0 && /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1))
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
