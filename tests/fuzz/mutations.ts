/** Texts that are nearly right: one of a small collection, with pieces taken out, doubled, mixed with another, or made hostile. */

import fc from 'fast-check'
import { anyText } from './words.ts'

type Change = (text: string, other: string) => string

const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })
const change: fc.Arbitrary<Change> = fc
  .record({
    kind: fc.constantFrom('cut', 'double', 'insert', 'mix', 'repeat', 'flip'),
    from: place,
    to: place,
    word: anyText,
  })
  .map(
    ({ kind, from, to, word }): Change =>
      (text, other) => {
        const [start, end] = [from, to].map((part) => Math.floor(part * text.length)).sort((one, two) => one - two) as [
          number,
          number,
        ]
        const [before, piece, after] = [text.slice(0, start), text.slice(start, end), text.slice(end)]
        if (kind === 'cut') return before + after
        if (kind === 'double') return before + piece + piece + after
        if (kind === 'insert') return before + word + piece + after
        if (kind === 'mix') return before + other.slice(Math.floor(to * other.length))
        if (kind === 'repeat') return before + piece.slice(0, 20).repeat(200) + after
        return before + String.fromCharCode((text.charCodeAt(start) || 0) ^ 1) + text.slice(start + 1)
      },
  )

/** Mostly what comes of the given texts by a few changes; now and then anything. */
export function mutated(texts: readonly string[]): fc.Arbitrary<string> {
  const changed = fc
    .record({
      text: fc.constantFrom(...texts),
      other: fc.constantFrom(...texts),
      changes: fc.array(change, { maxLength: 5 }),
    })
    .map(({ text, other, changes }) => changes.reduce((found, alter) => alter(found, other).slice(0, MAX_LENGTH), text))
  return fc.oneof({ weight: 9, arbitrary: changed }, { weight: 1, arbitrary: anyText })
}

const MAX_LENGTH = 20_000
