import { array, assert, constantFrom, integer, property, string } from 'fast-check'
import { expect, test } from 'vitest'
import { toPages } from './pages.ts'

const size = { characters: 10, lines: 3 }

test.each([
  ['', ['']],
  ['short', ['short']],
  ['0123456789', ['0123456789']],
  ['0123456789a', ['0123456789', 'a']],
  ['a\nb\nc\nd', ['a\nb\nc\n', 'd']],
  ['12345\n67890123', ['12345\n', '67890123']],
  ['123456789😀x', ['123456789', '😀x']],
])('a text is divided at lines, and never within a character: %j', (text, pages) => {
  expect(toPages(text, size)).toEqual(pages)
})

test('a question shows the whole of what runs: pages hold every character, in order, and none is too large (security 16)', () => {
  const texts = array(constantFrom('word ', '\n', '😀', 'x'.repeat(25), '\r\n', '\ud83d'), { maxLength: 60 })
  assert(
    property(
      texts,
      string(),
      integer({ min: 2, max: 40 }),
      integer({ min: 1, max: 9 }),
      (words, more, characters, lines) => {
        const text = words.join('') + more
        const pages = toPages(text, { characters, lines })
        expect(pages.join('')).toBe(text)
        for (const page of pages) {
          expect(page.length).toBeLessThanOrEqual(characters)
          expect(page.split('\n').length - 1).toBeLessThanOrEqual(lines)
        }
      },
    ),
  )
})
