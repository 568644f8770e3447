import { describe, expect, it } from 'vitest'
import { isOpenable, splitAddress } from './address.ts'

describe('splitAddress finds the host (sec-106)', () => {
  it.each([
    ['a plain address', 'https://auth.example.com/start?x=1', 'auth.example.com', '/start?x=1'],
    ['a port', 'https://example.com:8443/', 'example.com:8443', '/'],
    ['words before the host', 'https://bank.com@evil.example/', 'evil.example', '/'],
    ['the host again in the path', 'https://a.example/https://a.example', 'a.example', '/https://a.example'],
    ['no path', 'https://a.example', 'a.example', ''],
  ])('%s', (_what, url, host, after) => {
    const pieces = splitAddress(url, host)
    expect(pieces).toMatchObject({ host, after })
    expect(pieces.before + pieces.host + pieces.after).toBe(url)
  })

  it('marks nothing when the host is not where it should be', () => {
    expect(splitAddress('https://a.example/b.example', 'b.example')).toMatchObject({ host: '' })
  })
})

it.each([
  ['https://example.com', true],
  ['http://localhost:3000', true],
  ['javascript:alert(1)', false],
  ['data:text/html,x', false],
  ['file:///etc/passwd', false],
  ['vbscript:x', false],
  ['no address', false],
])('opens only the web: %s (sec-96)', (url, openable) => expect(isOpenable(url)).toBe(openable))
