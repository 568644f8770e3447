import { expect, test } from 'vitest'
import { authFailureOf } from '../client/failure.ts'
import { browserCommand, openBrowser } from './open-browser.ts'
import { checkPageUrl, checkRedirectUri } from './user-agent.ts'
import { createLoopbackUserAgent } from './user-agent-loopback.ts'

const page = new URL('https://as.example/authorize?state=expected')
const { signal } = new AbortController()

test('the person comes back to the redirect URI, and the port is free afterwards', async () => {
  const agent = createLoopbackUserAgent({ openPage: async () => true })
  const uri = await agent.redirectUri()
  expect(uri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
  const answer = agent.open(page, signal)
  const shown = await fetch(`${uri}?code=c&state=expected&iss=x`)
  expect(shown.status).toBe(200)
  expect(shown.headers.get('referrer-policy')).toBe('no-referrer')
  expect(await shown.text()).not.toContain('expected')
  expect(Object.fromEntries(await answer)).toEqual({ code: 'c', state: 'expected', iss: 'x' })
  agent.close?.()
  await expect(fetch(uri)).rejects.toThrow()
})

test.each([
  ['another state', '?code=x&state=other', 'GET', 400],
  ['no state', '?code=x', 'GET', 400],
  ['another method', '?code=x&state=expected', 'POST', 404],
  ['another path', '/more?code=x&state=expected', 'GET', 404],
])('sec-78: a visit with %s is sent away, and the wait goes on', async (_, tail, method, status) => {
  const agent = createLoopbackUserAgent({ openPage: async () => true })
  const uri = await agent.redirectUri()
  const answer = agent.open(page, signal)
  expect((await fetch(`${uri}${tail}`, { method })).status).toBe(status)
  await fetch(`${uri}?code=right&state=expected`)
  expect((await answer).get('code')).toBe('right')
  // A second visit with the same state comes too late.
  expect((await fetch(`${uri}?code=again&state=expected`)).status).toBe(400)
  agent.close?.()
})

test('without a browser the address is printed', async () => {
  const printed: string[] = []
  const agent = createLoopbackUserAgent({ openPage: async () => false, print: (message) => printed.push(message) })
  const uri = await agent.redirectUri()
  const answer = agent.open(page, signal)
  await fetch(`${uri}?state=expected`)
  await answer
  agent.close?.()
  expect(printed.join()).toContain(page.href)
})

test('a sign-in that is given up ends', async () => {
  const agent = createLoopbackUserAgent({ openPage: async () => true })
  const controller = new AbortController()
  await agent.redirectUri()
  const answer = agent.open(page, controller.signal)
  controller.abort(new Error('enough'))
  await expect(answer).rejects.toThrow('enough')
  agent.close?.()
})

test.each([
  'javascript:alert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  'vbscript:x',
  'ftp://as.example/',
  'http://as.example/',
  'http://127.0.0.1.evil.example/',
  'https://user@as.example/',
  '-a Calculator',
])('sec-96: %s is never opened', async (url) => {
  expect(() => checkPageUrl(url)).toThrow()
  if (URL.canParse(url)) {
    const opened = await Promise.resolve()
      .then(() => openBrowser(new URL(url)))
      .catch((error) => authFailureOf(error)?.reason)
    expect(opened).toBe('insecure-url')
  }
})

test.each(['darwin', 'win32', 'linux', 'freebsd'])('sec-97: on %s a program is started, not a shell', (platform) => {
  expect(browserCommand(platform)[0]).toMatch(/^(open|rundll32|xdg-open)$/)
})

test.each<[string, boolean | undefined]>([
  ['http://127.0.0.1:3000/cb', true],
  ['http://localhost/cb', true],
  ['http://[::1]:1/cb', true],
  ['https://app.example/cb', false],
  ['com.example.app:/cb', true],
  ['http://app.example/cb', undefined],
  ['http://127.0.0.1@evil.example/', undefined],
  ['javascript:x', undefined],
  ['myapp:/cb', undefined],
])('sec-79: %s as a redirect URI is native: %s', (uri, native) => {
  let found: boolean | undefined
  try {
    found = checkRedirectUri(uri).native
  } catch {}
  expect(found).toBe(native)
})
