import { describe, expect, it } from 'vitest'
import { toAgo, toCount, toDuration, toSize, toVisible } from './text.ts'

describe('toVisible', () => {
  it.each([
    ['a right-to-left override', 'pay\u202Eexe', 'pay⟦U+202E⟧exe'],
    ['a zero-width space', 'git\u200Bhub', 'git⟦U+200B⟧hub'],
    ['a tag character', `a${String.fromCodePoint(0xe0041)}`, 'a⟦U+E0041⟧'],
    ['an escape sequence', '\u001b[31mred', '⟦U+001B⟧[31mred'],
    ['a space that is none', 'a\u00A0b', 'a⟦U+00A0⟧b'],
    ['plain words with line ends', 'one\n\ttwo ✓ né 日本', 'one\n\ttwo ✓ né 日本'],
  ])('shows %s (sec-125)', (_what, text, shown) => {
    expect(toVisible(text)).toBe(shown)
  })
})

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_500, '1.5 kB'],
  [84_000_000, '84 MB'],
  [3_200_000_000, '3.2 GB'],
])('%d bytes are %s', (bytes, words) => expect(toSize(bytes)).toBe(words))

it.each([
  [0.4, '<1 ms'],
  [312.6, '313 ms'],
  [4_200, '4.2 s'],
  [120_000, '2 min'],
])('%d milliseconds are %s', (ms, words) => expect(toDuration(ms)).toBe(words))

it('tells how long ago, and in how long', () => {
  expect(toAgo(0, 60_000)).toBe('1 min ago')
  expect(toAgo(90_000, 30_000)).toBe('in 1 min')
  expect(toAgo(1_000, 2_000)).toBe('just now')
})

it('counts one and many', () => {
  expect(toCount(1, 'tool')).toBe('1 tool')
  expect(toCount(0, 'tool')).toBe('0 tools')
})
