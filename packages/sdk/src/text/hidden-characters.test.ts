import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replaceHidden, type Strictness, showHidden } from './hidden-characters.ts'

describe('the table of hidden characters', () => {
  it.each<[Strictness, string, string]>([
    ['text', 'a\tb\r\nc\rd', 'a\tb\r\nc⟦U+000D⟧d'],
    [
      'text',
      '\u001b[2J\u009b\u202e\u2066\u200b\ufeff\ufff0',
      '⟦U+001B⟧[2J⟦U+009B⟧⟦U+202E⟧⟦U+2066⟧⟦U+200B⟧⟦U+FEFF⟧⟦U+FFF0⟧',
    ],
    ['text', '👩‍👩‍👧 ❤️ نامه‌ای 🏴󠁧󠁢󠁳󠁣󠁴󠁿', '👩‍👩‍👧 ❤️ نامه‌ای 🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
    ['lines', 'a\tb\nc\u00a0d\ue000', 'a\tb\nc⟦U+00A0⟧d⟦U+E000⟧'],
    ['word', 'a\tb\n', 'a⟦U+0009⟧b⟦U+000A⟧'],
  ])('%s: shows %j (sec-220)', (strictness, given, shown) => {
    expect(showHidden(given, strictness)).toBe(shown)
  })

  it('stricter finds whatever the less strict finds, in any text', () => {
    const found = (text: string, strictness: Strictness): number => {
      let count = 0
      const counted = (hidden: string): string => {
        count += [...hidden].length
        return hidden
      }
      replaceHidden(text, counted, strictness)
      return count
    }
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(found(text, 'word')).toBeGreaterThanOrEqual(found(text, 'lines'))
        expect(found(text.replaceAll('\r', ''), 'lines')).toBeGreaterThanOrEqual(
          found(text.replaceAll('\r', ''), 'text'),
        )
      }),
    )
  })
})
