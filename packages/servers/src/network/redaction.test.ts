import { describe, expect, it } from 'vitest'
import { toPlainJson, toPlainText } from './plain-text.ts'
import { createRedactor } from './redaction.ts'

describe('sec-125: text from outside loses what cannot be seen', () => {
  it.each([
    ['escape sequences', '\u001b[31mred\u001b[0m \u001b]0;title\u0007x\u009b2J', 'red x'],
    ['control characters', 'a\u0000b\u0008c\u007fd\u0085e', 'abcde'],
    ['direction overrides', 'a\u202eb\u2066c\u2069\u200fd', 'abcd'],
    ['tag characters', `a${String.fromCodePoint(0xe0041, 0xe0042)}b`, 'ab'],
    ['zero width', 'a\u200bb\ufeffc\u2060d\u00ade', 'abcde'],
    ['runs of joiners', 'a\u200d\u200c\u200d\u200cb', 'a\u200db'],
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

describe('credentials do not come back', () => {
  const secret = 'k3y/with+signs&"quotes"'
  const redactor = createRedactor([secret])
  it.each([
    ['plain', secret],
    ['in a URL', encodeURIComponent(secret)],
    ['in a form', new URLSearchParams({ s: secret }).toString()],
    ['in JSON', JSON.stringify({ secret })],
    ['in Base64', Buffer.from(`user:${secret}`).toString('base64')],
    ['in Base64, shifted', Buffer.from(`us:${secret}!`).toString('base64')],
    ['in Base64, shifted again', Buffer.from(`use:${secret}!!`).toString('base64url')],
    ['around hidden characters', `${secret.slice(0, 4)}\u200b${secret.slice(4)}`],
  ])('%s', (_name, text) => {
    expect(redactor.text(`before ${text} after`)).toContain('[redacted]')
    expect(redactor.text(text)).not.toContain(secret.slice(0, 6))
  })

  it('in values and names of JSON', () => {
    expect(redactor.json({ [secret]: [secret] })).toEqual({ '[redacted]': ['[redacted]'] })
  })

  it('what is too short to be a secret does not blot out words', () => {
    expect(createRedactor(['a']).text('a banana')).toBe('a banana')
  })
})
