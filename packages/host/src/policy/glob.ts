/**
 * Patterns with `*` (any run of characters) and `?` (one character), for names, URIs and values in rules. Rules and
 * values may be hostile: a match takes time in proportion to the value, since nothing is ever tried again before the
 * last `*` that was passed.
 */

export type Glob = (text: string) => boolean

export const MAX_GLOB_LENGTH = 512

export function createGlob(pattern: string): Glob {
  if (!/[*?]/.test(pattern)) return (text) => text === pattern
  const pieces = pattern.split('*')
  const first = pieces[0]!
  const last = pieces.at(-1)!
  if (pieces.length === 1) return (text) => text.length === pattern.length && fits(text, pattern, 0)
  const middle = pieces.slice(1, -1).filter((piece) => piece !== '')
  return (text) => {
    const end = text.length - last.length
    if (end < first.length || !fits(text, first, 0) || !fits(text, last, end)) return false
    let at = first.length
    for (const piece of middle) {
      const found = find(text, piece, at, end - piece.length)
      if (found < 0) return false
      at = found + piece.length
    }
    return true
  }
}

/**
 * Whether everything that `inner` matches is matched by `outer`, as far as that can be read off the two patterns: true
 * is certain, false may be unknown.
 */
export function covers(outer: string, inner: string): boolean {
  // The inner pattern is walked like a text in which only the outer's `*` accepts a `*`.
  let reached = starsAfter(outer, new Set([0]))
  for (const character of inner) {
    const next = new Set<number>()
    for (const at of reached) {
      const sign = outer[at]
      if (sign === '*') next.add(at)
      if (character !== '*' && (sign === '?' || (sign === character && sign !== '*'))) next.add(at + 1)
    }
    reached = starsAfter(outer, next)
    if (reached.size === 0) return false
  }
  return reached.has(outer.length)
}

/** How many characters a pattern spells out. */
export function literalLength(pattern: string): number {
  return pattern.replace(/[*?]/g, '').length
}

export function isLiteral(pattern: string): boolean {
  return !/[*?]/.test(pattern)
}

function starsAfter(pattern: string, places: Set<number>): Set<number> {
  for (const at of places) if (pattern[at] === '*') places.add(at + 1)
  return places
}

function fits(text: string, piece: string, at: number): boolean {
  if (!piece.includes('?')) return text.startsWith(piece, at)
  for (let index = 0; index < piece.length; index++) {
    if (piece[index] !== '?' && piece[index] !== text[at + index]) return false
  }
  return true
}

function find(text: string, piece: string, from: number, last: number): number {
  if (!piece.includes('?')) {
    const found = text.indexOf(piece, from)
    return found <= last ? found : -1
  }
  for (let at = from; at <= last; at++) if (fits(text, piece, at)) return at
  return -1
}
