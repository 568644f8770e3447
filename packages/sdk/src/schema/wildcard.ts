/**
 * Names, URIs and values with wildcards: `*` for any run of characters and, where it is wanted, `?` for one. Patterns and
 * texts may be hostile: nothing is ever tried again before the last `*` that was passed, so that a match takes at most
 * the length of the text times that of the longest piece. Paths of files have more signs (`servers/files/glob.ts`).
 */

/** Whether a text fits a pattern. */
export type Wildcard = (text: string) => boolean

/** Reads a pattern once, for any number of texts. `signs` are those of the pattern that are not taken literally. */
export function createWildcard(pattern: string, signs: '*' | '*?'): Wildcard {
  const matching = signs === '*?' && pattern.includes('?') ? WITH_SINGLES : LITERALLY
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return (text) => text.length === pattern.length && matching.fits(text, pattern, 0)
  const middle = rest.filter((piece) => piece !== '')
  return (text) => {
    const end = text.length - last.length
    if (end < first.length || !matching.fits(text, first, 0) || !matching.fits(text, last, end)) return false
    let at = first.length
    for (const piece of middle) {
      const found = matching.find(text, piece, at, end - piece.length)
      if (found < 0) return false
      at = found + piece.length
    }
    return true
  }
}

interface Matching {
  readonly fits: (text: string, piece: string, at: number) => boolean
  /** The first place from `from` to `last` where the piece fits, or -1. */
  readonly find: (text: string, piece: string, from: number, last: number) => number
}

const LITERALLY: Matching = {
  fits: (text, piece, at) => text.startsWith(piece, at),
  find(text, piece, from, last) {
    const found = text.indexOf(piece, from)
    return found <= last ? found : -1
  },
}

const WITH_SINGLES: Matching = {
  fits(text, piece, at) {
    for (let index = 0; index < piece.length; index++) {
      if (piece[index] !== '?' && piece[index] !== text[at + index]) return false
    }
    return true
  },
  find(text, piece, from, last) {
    for (let at = from; at <= last; at++) if (this.fits(text, piece, at)) return at
    return -1
  },
}
