/** Wildcards mean what a regular expression of the same signs means, and no pattern makes them slow (house 4). */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createWildcard } from './wildcard.ts'

/** The plain meaning, exponential for some patterns: only for short ones. */
function isMatch(pattern: string, text: string, signs: '*' | '*?'): boolean {
  const source = pattern.replace(/[\\^$.*+?()[\]{}|]/g, (sign) => {
    if (sign === '*') return '[^]*'
    return sign === '?' && signs === '*?' ? '[^]' : `\\${sign}`
  })
  return new RegExp(`^${source}$`).test(text)
}

const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?', '.'), maxLength: 7 })
const text = fc.string({ unit: fc.constantFrom('a', 'b', '?', '.', '*'), maxLength: 9 })

describe('wildcards', () => {
  test.each(['*', '*?'] as const)('with the signs %s mean what an expression means', (signs) => {
    fc.assert(
      fc.property(pattern, text, (one, other) => {
        expect(createWildcard(one, signs)(other)).toBe(isMatch(one, other, signs))
      }),
      { numRuns: 2_000 },
    )
  })

  test.each([
    ['*.example.com', 'a.example.com', true],
    ['*.example.com', 'example.com', false],
    ['*/search?q=*', 'https://x/search?q=1', true],
    ['*/search?q=*', 'https://x/searchXq=1', false],
    ['', '', true],
    ['*', '', true],
    ['a*a', 'a', false],
  ])('%s takes %s: %s', (one, other, fits) => {
    expect(createWildcard(one, '*')(other)).toBe(fits)
  })

  test('take no pattern that does not end: a hundred stars and ten thousand characters', () => {
    const hostile = createWildcard(`${'*a?'.repeat(100)}*b`, '*?')
    expect(hostile('a'.repeat(10_000))).toBe(false)
  })
})
