/** The bounds of serving over real HTTP, at the bound and beyond it, and the way down. */

import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import {
  begin,
  call,
  createFixture,
  type Fixture,
  initialize,
  legacy,
  META,
  modern,
  open,
  openSession,
  send,
} from './http-fixture.ts'

let fixture: Fixture
afterEach(async () => {
  fixture.gate.open()
  await fixture.http.close()
})

const authenticate = (head: { header(name: string): string | undefined }) => ({
  id: head.header('authorization') ?? 'nobody',
  scopes: new Set<string>(),
})

describe('requests in flight', () => {
  it('beyond maxInFlight are turned away with 503 and a time to come back', async () => {
    fixture = await createFixture({ limits: { maxInFlight: 1 } })
    const first = send(fixture.port, modern('tools/call', { name: 'slow', arguments: {} }))
    await fixture.gate.reached
    const second = await send(fixture.port, modern('tools/list', {}, {}, 'second'))
    expect([second.status, second.headers['retry-after'], second.json?.id]).toEqual([503, '1', 'second'])
    expect(second.json?.error.message).toContain('maxInFlight')
    fixture.gate.open()
    expect((await first).status).toBe(200)
    expect((await send(fixture.port, modern('tools/list'))).status).toBe(200)
  })

  it('beyond maxInFlightPerPrincipal are turned away with 429, for that principal alone', async () => {
    fixture = await createFixture({ authenticate, limits: { maxInFlightPerPrincipal: 1 } })
    const as = (authorization: string) => modern('tools/list', {}, { authorization })
    const first = send(fixture.port, modern('tools/call', { name: 'slow', arguments: {} }, { authorization: 'alice' }))
    await fixture.gate.reached
    const second = await send(fixture.port, as('alice'))
    expect([second.status, second.headers['retry-after']]).toEqual([429, '1'])
    expect(second.json?.error.message).toContain('maxInFlightPerPrincipal')
    expect((await send(fixture.port, as('bob'))).status).toBe(200)
    fixture.gate.open()
    await first
    expect((await send(fixture.port, as('alice'))).status).toBe(200)
  })

  it('do not include listeners, which have a bound of their own', async () => {
    fixture = await createFixture({ limits: { maxInFlight: 1, maxListeners: 1 } })
    const listen = modern('subscriptions/listen', { notifications: { toolsListChanged: true } })
    const stream = await open(fixture.port, listen)
    await stream.next()
    expect((await send(fixture.port, modern('tools/list'))).status).toBe(200)
    const second = await send(fixture.port, listen)
    expect([second.status, second.json?.error.message]).toEqual([503, expect.stringContaining('maxListeners')])
    stream.destroy()
  })
})

describe('sessions', () => {
  it('beyond maxSessions are turned away until one ends', async () => {
    fixture = await createFixture({ limits: { maxSessions: 1 } })
    const session = await openSession(fixture.port, '2025-11-25')
    const refused = await send(fixture.port, legacy(initialize('2025-11-25')))
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '10'])
    expect(refused.json?.error.message).toContain('maxSessions')
    await send(fixture.port, { method: 'DELETE', headers: session.headers })
    await openSession(fixture.port, '2025-11-25')
  })
})

describe('a reader that stalls', () => {
  it('costs bounded memory: logs are dropped, the answer is not', async () => {
    fixture = await createFixture({ limits: { maxQueueBytes: 100_000, notificationsPerSecond: 1e9 } })
    const meta = { ...META, progressToken: 1, 'io.modelcontextprotocol/logLevel': 'info' }
    const { response } = begin(fixture.port, modern('tools/call', { name: 'flood', arguments: {}, _meta: meta }))
    const paused = await response
    paused.pause()
    // The handler is done before the reader reads: nothing makes it wait, and 20 MB of logs are not kept for later.
    await fixture.flooded
    let text = ''
    paused.setEncoding('utf8')
    for await (const chunk of paused) text += chunk
    expect(text.length).toBeLessThan(15_000_000)
    expect(text).toContain('flood result')
    expect(text.endsWith('\n\n')).toBe(true)
  })

  it('hears no more than notificationsPerSecond, but the newest progress before the answer', async () => {
    fixture = await createFixture({ limits: { notificationsPerSecond: 1 } })
    fixture.gate.open()
    const meta = { ...META, progressToken: 1 }
    const stream = await open(fixture.port, modern('tools/call', { name: 'steps', arguments: {}, _meta: meta }))
    const messages = (await stream.rest()).map((event) => JSON.parse(event.data))
    expect(messages.map((message) => message.params?.progress ?? 'answer')).toEqual([1, 2, 'answer'])
  })
})

describe('time', () => {
  it('for the head of a request is bounded', async () => {
    fixture = await createFixture({ limits: { headersTimeoutMs: 50 } })
    const socket = connect(fixture.port, '127.0.0.1')
    socket.write('POST /mcp HTTP/1.1\r\nhost: localhost\r\n')
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    await once(socket, 'close')
    expect(answer).toContain('408')
  })

  it('of silence on a stream is broken by comments', async () => {
    fixture = await createFixture({ limits: { keepAliveMs: 10 } })
    const sent = modern('subscriptions/listen', { notifications: { toolsListChanged: true } })
    const { request, response } = begin(fixture.port, sent)
    const stream = await response
    stream.setEncoding('utf8')
    let text = ''
    for await (const chunk of stream) {
      text += chunk
      if (text.includes('\n\n:\n\n')) break
    }
    request.destroy()
    expect(text).toContain('acknowledged')
  })
})

describe('closing', () => {
  it('lets what is under way finish, refuses what is new, and ends standalone streams', async () => {
    fixture = await createFixture()
    const session = await openSession(fixture.port, '2025-11-25')
    const standalone = await open(fixture.port, {
      method: 'GET',
      headers: { ...session.headers, accept: 'text/event-stream' },
    })
    const pending = send(fixture.port, legacy(call('slow'), session))
    await fixture.gate.reached
    const closed = fixture.http.close()
    const refused = await send(fixture.port, legacy(call('echo', 2), session))
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
    fixture.gate.open()
    expect((await pending).json?.result.content[0].text).toBe('slow result')
    await closed
    await standalone.rest()
    expect(fixture.http.node.listening).toBe(false)
  })

  it.each([1, 100])('does not wait for connections that never sent a request, %i of them', async (count) => {
    fixture = await createFixture({ graceMs: 600_000 })
    const { port } = fixture
    const silent = Array.from({ length: count }, () => connect(port, '127.0.0.1'))
    await Promise.all(silent.map((socket) => once(socket, 'connect')))
    // Some others that come and go meanwhile.
    for (let request = 0; request < count; request++) await send(port, modern('tools/list'))
    // The grace is far beyond the time limit of a test: only cut connections let this end.
    const cut = Promise.all(silent.map((socket) => once(socket, 'close')))
    await fixture.http.close()
    await cut
  })

  it('gives up on what takes longer than graceMs', async () => {
    fixture = await createFixture({ graceMs: 20 })
    const { response } = begin(fixture.port, modern('tools/call', { name: 'slow', arguments: {} }))
    response.catch(() => {})
    await fixture.gate.reached
    await fixture.http.close()
    expect(await fixture.cancelled).toBeDefined()
  })
})
