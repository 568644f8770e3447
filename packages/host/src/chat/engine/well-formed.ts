/** A text without halves of surrogate pairs, which a chat may refuse to take. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\u{FFFD}')
}
