import { describe, expect, it } from 'vitest'
import { spellHidden, spellLine, toPlainJson, toPlainText } from './plain-text.ts'

describe('sec-125: text from outside loses what cannot be seen', () => {
  it.each([
    ['escape sequences', '\u001b[31mred\u001b[0m \u001b]0;title\u0007x\u009b2J', 'red x'],
    ['control characters', 'a\u0000b\u0008c\u007fd\u0085e', 'abcde'],
    ['direction overrides', 'a\u202eb\u2066c\u2069\u200fd', 'abcd'],
    ['tag characters', `a${String.fromCodePoint(0xe0041, 0xe0042)}b`, 'ab'],
    ['zero width', 'a\u200bb\ufeffc\u2060d\u00ade', 'abcde'],
    ['runs of joiners', 'a\u200d\u200c\u200d\u200cb', 'ab'],
    ['line ends', 'a\r\nb\rc', 'a\nb\nc'],
    ['what is legitimate stays', '👩‍👩‍👧 ❤️ نامه‌ای\tx\ny', '👩‍👩‍👧 ❤️ نامه‌ای\tx\ny'],
  ])('%s', (_name, given, expected) => {
    expect(toPlainText(given)).toBe(expected)
  })

  it('a long unfinished escape sequence takes linear time', () => {
    const hostile = '\u001b]'.repeat(100_000)
    const start = performance.now()
    toPlainText(hostile)
    expect(performance.now() - start).toBeLessThan(2_000)
  })

  it('members are cleaned too, and __proto__ is one like others', () => {
    const value = toPlainJson(JSON.parse('{"__proto__": {"a\\u202eb": ["\\u001b[1mx"]}}'))
    expect(JSON.stringify(value)).toBe('{"__proto__":{"ab":["x"]}}')
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })
})

describe('sec-125: names and values show what cannot be seen', () => {
  it.each([
    ['escape sequences', '\u001b[31mred', '\\u{1B}[31mred'],
    ['direction overrides', 'a\u202eb', 'a\\u{202E}b'],
    ['tag characters', `a${String.fromCodePoint(0xe0041)}b`, 'a\\u{E0041}b'],
    ['zero width and soft hyphens', 'a\u200bb\u00adc', 'a\\u{200B}b\\u{AD}c'],
    ['line and paragraph separators', 'a\u2028b\u2029', 'a\\u{2028}b\\u{2029}'],
    ['what writes over a line on a terminal', 'evil\rgood\r\n\v\f\u0085', 'evil\\u{D}good\r\n\\u{B}\\u{C}\\u{85}'],
    ['runs of joiners', 'a\u200d\u200c\ufe0fb', 'a\\u{200D}\\u{200C}\\u{FE0F}b'],
    ['what is legitimate stays', '👩‍👩‍👧 ❤️ نامه‌ای\tx\r\ny', '👩‍👩‍👧 ❤️ نامه‌ای\tx\r\ny'],
  ])('%s', (_name, given, expected) => {
    expect(spellHidden(given)).toBe(expected)
  })

  it('sec-866: and make no lines of their own where they stand on one', () => {
    expect(spellLine('s\r\nBcc: evil@x.y\n\u2028\ttab')).toBe('s\\u{D}\\u{A}Bcc: evil@x.y\\u{A}\\u{2028}\ttab')
  })
})
