import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutBytes, cutStart, cutText, toExcerpt, toPieces } from './cut.ts'

const isWhole = (text: string): boolean => !/\p{Surrogate}/u.test(text)
const anyText = fc.string({ unit: fc.constantFrom('a', 'ä', '€', '😀', '\u200d', ' ') })

describe('text is cut between characters', () => {
  it.each([
    [cutText('a😀b', 2), 'a'],
    [cutText('a😀b', 3), 'a😀'],
    [cutStart('a😀b', 2), 'b'],
    [toExcerpt('a😀b', 2), 'a…'],
    [toExcerpt('a😀', 3), 'a😀'],
    [cutBytes('ä😀', 5), 'ä'],
    [cutBytes('ä😀', 6), 'ä😀'],
    [cutBytes('😀', 3), ''],
    [toPieces('', 5).join(), ''],
  ])('%j', (cut, expected) => {
    expect(cut).toBe(expected)
  })

  it('within its bound, whatever the text', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 2, max: 20 }), (text, length) => {
        for (const part of [cutText(text, length), cutStart(text, length), ...toPieces(text, length)]) {
          expect(part.length).toBeLessThanOrEqual(length)
          expect(isWhole(part)).toBe(true)
        }
        expect(toPieces(text, length).join('')).toBe(text)
        expect(text.startsWith(cutText(text, length))).toBe(true)
        expect(text.endsWith(cutStart(text, length))).toBe(true)
        const bytes = cutBytes(text, length)
        expect(text.startsWith(bytes) && isWhole(bytes)).toBe(true)
        expect(Buffer.byteLength(bytes)).toBeLessThanOrEqual(length)
      }),
    )
  })
})
