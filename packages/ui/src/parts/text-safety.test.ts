import { describe, expect, it } from 'vitest'
import { parseJson, withMember } from './json.ts'
import { cutText, toAudioSource, toByteCount, toImageSource, toSafeLink } from './text-safety.ts'

describe('toSafeLink (sec-125)', () => {
  it.each([
    ['https://example.com/a?b=c', 'example.com'],
    ['http://localhost:3000/', 'localhost:3000'],
    ['mailto:ada@example.com', 'ada@example.com'],
    ['https://exämple.com/', 'xn--exmple-cua.com'],
  ])('%s shows %s', (address, host) => expect(toSafeLink(address)?.host).toBe(host))

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://example.com/1',
    '/api/servers.remove',
    '//evil.example',
    'https://bank.example@evil.example/',
    'https://bank.example/\u202Egpj.exe',
    'java\u0000script:alert(1)',
    '',
  ])('%j is no link', (address) => expect(toSafeLink(address)).toBeUndefined())
})

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe('toImageSource (sec-125)', () => {
  it('shows a picture that is what it says', () => {
    expect(toImageSource('image/png; charset=x', PNG)).toBe(`data:image/png;base64,${PNG}`)
  })

  it.each([
    ['a drawing, which may hold scripts', 'image/svg+xml', 'PHN2Zz48L3N2Zz4='],
    ['a page that claims to be a picture', 'image/png', 'PGh0bWw+PC9odG1sPg=='],
    ['a picture of another kind', 'image/jpeg', PNG],
    ['text after the picture', 'image/png', `${PNG}" onerror="alert(1)`],
  ])('refuses %s', (_what, type, data) => expect(toImageSource(type, data)).toBeUndefined())

  it('plays known sounds alone', () => {
    expect(toAudioSource('audio/wav', 'UklGRg==')).toBe('data:audio/wav;base64,UklGRg==')
    expect(toAudioSource('text/html', 'UklGRg==')).toBeUndefined()
  })
})

it('counts the bytes of base64', () => {
  expect(toByteCount('aGVsbG8=')).toBe(5)
  expect(toByteCount('')).toBe(0)
})

it('cuts long text without halving a character', () => {
  expect(cutText('ab😀', 3)).toEqual({ text: 'ab', isCut: true })
  expect(cutText('abc', 3)).toEqual({ text: 'abc', isCut: false })
})

it('takes __proto__ for an ordinary name (sec-122)', () => {
  const parsed = parseJson('{"__proto__":{"admin":true}}')
  expect(parsed.ok && JSON.stringify(withMember(parsed.value as never, 'a', 1))).toBe(
    '{"__proto__":{"admin":true},"a":1}',
  )
  expect(({} as { admin?: boolean }).admin).toBeUndefined()
})

it('says where JSON goes wrong', () => {
  expect(parseJson('{\n  "a": x\n}')).toMatchObject({ ok: false })
  expect(parseJson('')).toEqual({ ok: false, problem: expect.any(String) })
})
