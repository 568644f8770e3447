/**
 * Names, URIs and values with wildcards: `*` for any run of characters and, where it is wanted, `?` for one. Patterns and
 * texts may be hostile: nothing is ever tried again before the last `*` that was passed, so that a match takes at most
 * the length of the text times that of the longest piece. Paths of files have more signs (`servers/files/glob.ts`).
 */

/** Whether a text fits a pattern. */
export type Wildcard = (text: string) => boolean

/** Reads a pattern once, for any number of texts. `signs` are those of the pattern that are not taken literally. */
export function createWildcard(pattern: string, signs: '*' | '*?'): Wildcard {
  const fits = signs === '*?' && pattern.includes('?') ? fitsWithSingles : fitsLiterally
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return (text) => text.length === pattern.length && fits(text, pattern, 0)
  const middle = rest.filter((piece) => piece !== '')
  return (text) => {
    const end = text.length - last.length
    if (end < first.length || !fits(text, first, 0) || !fits(text, last, end)) return false
    let at = first.length
    for (const piece of middle) {
      const found = find(text, piece, at, end - piece.length, fits)
      if (found < 0) return false
      at = found + piece.length
    }
    return true
  }
}

type Fits = (text: string, piece: string, at: number) => boolean

const fitsLiterally: Fits = (text, piece, at) => text.startsWith(piece, at)

const fitsWithSingles: Fits = (text, piece, at) => {
  for (let index = 0; index < piece.length; index++) {
    if (piece[index] !== '?' && piece[index] !== text[at + index]) return false
  }
  return true
}

function find(text: string, piece: string, from: number, last: number, fits: Fits): number {
  if (fits === fitsLiterally || !piece.includes('?')) {
    const found = text.indexOf(piece, from)
    return found <= last ? found : -1
  }
  for (let at = from; at <= last; at++) if (fits(text, piece, at)) return at
  return -1
}
