/** Notices of changed resources go to those who may see the resource when it changes, not only when they subscribed. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createPrincipal, type Principal } from '../src/auth/principal.ts'
import { type HttpServer, serveHttp } from '../src/serve/adapters/http.ts'
import { resource } from '../src/server/items/definition.ts'
import { createServer, type Server } from '../src/server/server.ts'
import { LEGACY, legacy, modern, type OpenStream, open, openSession, type Session, send } from './http-fixture.ts'

const OPEN = 'a://open'
const WIDE = { 'x-scopes': 'read' }
const NARROW = { 'x-scopes': 'none' }

let server: Server
let http: HttpServer
let allowed: boolean
beforeEach(async () => {
  allowed = true
  server = createServer({
    name: 's',
    version: '1',
    resources: {
      open: resource({ uri: OPEN }, () => 'open'),
      scoped: resource({ uri: 'a://scoped', scopes: ['read'] }, () => 'scoped'),
      stepUp: resource({ uri: 'a://step-up', scopes: ['read'], challenge: 'step-up' }, () => 'step-up'),
      template: resource({ uri: 'b://{id}', scopes: ['read'] }, () => 'template'),
      ruled: resource({ uri: 'a://ruled', visible: (principal) => allowed && mayRead(principal) }, () => 'ruled'),
    },
  })
  const authenticate = (head: { header(name: string): string | undefined }) =>
    createPrincipal('ada', [head.header('x-scopes') ?? ''])
  http = await serveHttp(server, { port: 0, graceMs: 100, authenticate })
})
afterEach(() => http.close())

const mayRead = (principal: Principal | undefined) => principal?.scopes.has('read') === true

const GUARDED = ['a://scoped', 'a://step-up', 'b://1', 'a://ruled']

/** Changes the resource and then an open one: by the time that is heard of, the first one would have been. */
async function heard(stream: OpenStream, uri: string): Promise<string[]> {
  server.changed(uri)
  server.changed(OPEN)
  return readTo(stream)
}

/** The resources that notices name, up to the open one. */
async function readTo(stream: OpenStream): Promise<string[]> {
  const uris: string[] = []
  while (!uris.includes(OPEN)) {
    const event = await stream.next()
    if (event === undefined) throw new Error('The stream has ended')
    const { method, params } = event.data === '' ? { method: '', params: {} } : JSON.parse(event.data)
    if (method === 'notifications/resources/updated') uris.push(params.uri)
  }
  stream.destroy()
  return uris
}

describe.each(LEGACY)('a session of %s', (version) => {
  async function subscribe(uri: string): Promise<Session> {
    const session = await openSession(http.port, version, WIDE)
    for (const [id, one] of [uri, OPEN].entries()) {
      const message = { jsonrpc: '2.0', id, method: 'resources/subscribe', params: { uri: one } }
      expect((await send(http.port, legacy(message, session))).status).toBe(200)
    }
    return session
  }

  const listen = (session: Session, headers: object) =>
    open(http.port, { method: 'GET', headers: { ...session.headers, accept: 'text/event-stream', ...headers } })

  it.each(GUARDED)(
    'hears of %s on a stream that may see it, and not on a narrower one (attack 10, sec-244)',
    async (uri) => {
      expect(await heard(await listen(await subscribe(uri), WIDE), uri)).toEqual([uri, OPEN])
      expect(await heard(await listen(await subscribe(uri), NARROW), uri)).toEqual([OPEN])
    },
  )

  it.each(GUARDED)(
    'keeps notices of %s from a narrower stream that is opened later (attack 10, sec-244)',
    async (uri) => {
      for (const [headers, expected] of [
        [WIDE, [uri, OPEN]],
        [NARROW, [OPEN]],
      ] as const) {
        const session = await subscribe(uri)
        server.changed(uri)
        server.changed(OPEN)
        // Announced after the work at hand.
        await Promise.resolve()
        expect(await readTo(await listen(session, headers))).toEqual(expected)
      }
    },
  )

  it('is not told any more of what it may no longer see (attack 10, sec-244)', async () => {
    const stream = await listen(await subscribe('a://ruled'), WIDE)
    allowed = false
    expect(await heard(stream, 'a://ruled')).toEqual([OPEN])
  })
})

describe('a listen of 2026-07-28', () => {
  const listen = (uri: string, headers: { readonly [name: string]: string }) =>
    open(http.port, modern('subscriptions/listen', { notifications: { resourceSubscriptions: [uri, OPEN] } }, headers))

  it.each(GUARDED)('hears of %s where it may see it (attack 10, sec-244)', async (uri) => {
    const wide = await listen(uri, WIDE)
    await wide.next()
    expect(await heard(wide, uri)).toEqual([uri, OPEN])
    const narrow = await listen(uri, NARROW)
    await narrow.next()
    expect(await heard(narrow, uri)).toEqual([OPEN])
  })

  it('is not told any more of what it may no longer see (attack 10, sec-244)', async () => {
    const stream = await listen('a://ruled', WIDE)
    await stream.next()
    allowed = false
    expect(await heard(stream, 'a://ruled')).toEqual([OPEN])
  })

  it('is told of a resource that is gone, as nobody keeps it from anybody (attack 10, sec-244)', async () => {
    const stream = await listen('a://scoped', WIDE)
    await stream.next()
    server.remove('resource', 'a://scoped')
    expect(await heard(stream, 'a://scoped')).toEqual(['a://scoped', OPEN])
  })
})
