/**
 * Patterns with `*` (any run of characters) and `?` (one character), for names, URIs and values in rules: how the SDK's
 * wildcards are used here, and what one pattern says about another.
 */

import { createWildcard, type Wildcard } from '@portico/sdk/internal'

export const MAX_GLOB_LENGTH = 512

export function createGlob(pattern: string): Wildcard {
  return createWildcard(pattern, '*?')
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
