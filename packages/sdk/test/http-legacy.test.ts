/** The 2025 form of Streamable HTTP over real HTTP: sessions, resumable streams, server requests, batches. */

import { afterEach, describe, expect, it } from 'vitest'
import {
  begin,
  call,
  createFixture,
  type Fixture,
  initialize,
  LEGACY,
  legacy,
  open,
  openSession,
  PROGRESS,
  send,
} from './http-fixture.ts'

let fixture: Fixture
afterEach(async () => {
  fixture.gate.open()
  await fixture.http.close()
})

describe.each(LEGACY)('a session of %s', (version) => {
  it('opens, answers in JSON, and ends by DELETE, after which it is unknown (sec-33)', async () => {
    fixture = await createFixture()
    const session = await openSession(fixture.port, version)
    const answer = await send(fixture.port, legacy(call('echo', 5, { arguments: { text: 'x' } }), session))
    expect([answer.status, answer.json?.id, answer.json?.result.content[0].text]).toEqual([200, 5, 'x'])
    expect(answer.headers['content-type']).toBe('application/json')
    expect((await send(fixture.port, { method: 'DELETE', headers: session.headers })).status).toBe(204)
    expect((await send(fixture.port, legacy(call('echo'), session))).status).toBe(404)
    expect((await send(fixture.port, { method: 'DELETE', headers: session.headers })).status).toBe(404)
  })

  it('streams what precedes the result, every event with an id of its own stream', async () => {
    fixture = await createFixture()
    fixture.gate.open()
    const session = await openSession(fixture.port, version)
    const stream = await open(fixture.port, legacy(call('steps', 1, PROGRESS), session))
    expect([stream.headers['content-type'], stream.headers['x-accel-buffering']]).toEqual(['text/event-stream', 'no'])
    const events = await stream.rest()
    // Only clients of 2025-11-25 know what an event without data is for.
    if (version === '2025-11-25') expect(events.shift()).toMatchObject({ data: '', id: expect.stringMatching(/_0$/) })
    expect(events.map((event) => JSON.parse(event.data).method ?? 'answer')).toEqual([
      'notifications/progress',
      'notifications/progress',
      'answer',
    ])
    expect(new Set(events.map((event) => event.id)).size).toBe(3)
    expect(new Set(events.map((event) => event.id.split('_')[0])).size).toBe(1)
  })

  it('goes on when the client disconnects, and replays the rest of that stream alone (sec-12, sec-14)', async () => {
    fixture = await createFixture()
    const session = await openSession(fixture.port, version)
    const lost = await open(fixture.port, legacy(call('steps', 1, PROGRESS), session))
    let last = await lost.next()
    if (last?.data === '') last = await lost.next()
    lost.destroy()
    const other = await open(fixture.port, legacy(call('steps', 2, PROGRESS), session))
    fixture.gate.open()
    expect((await other.rest()).some((event) => event.data.includes('"id":2'))).toBe(true)
    const resumed = await open(fixture.port, {
      method: 'GET',
      headers: { ...session.headers, accept: 'text/event-stream', 'last-event-id': last?.id ?? '' },
    })
    const messages = (await resumed.rest()).filter((event) => event.data !== '').map((event) => JSON.parse(event.data))
    expect(messages.map((message) => message.id ?? message.method)).toEqual(['notifications/progress', 1])
    expect(messages.at(-1).result.content[0].text).toBe('steps result')
  })

  it.skipIf(version === '2025-03-26')(
    'carries a question on the stream of its call, and takes the answer',
    async () => {
      fixture = await createFixture()
      const session = await openSession(fixture.port, version, {}, { elicitation: {} })
      const stream = await open(fixture.port, legacy(call('ask'), session))
      let event = await stream.next()
      if (event?.data === '') event = await stream.next()
      const question = JSON.parse(event?.data ?? '')
      expect(question.method).toBe('elicitation/create')
      const result = { action: 'accept', content: { name: 'Ada' } }
      const settled = await send(fixture.port, legacy({ jsonrpc: '2.0', id: question.id, result }, session))
      expect([settled.status, settled.text]).toEqual([202, ''])
      const [answer] = await stream.rest()
      expect(JSON.parse(answer?.data ?? '').result.content[0].text).toBe('{"name":"Ada"}')
      // An answer to nothing is taken and ignored.
      expect((await send(fixture.port, legacy({ jsonrpc: '2.0', id: 99, result }, session))).status).toBe(202)
    },
  )

  it('has one standalone stream, which also gets what came while none was open, once (sec-11)', async () => {
    fixture = await createFixture()
    const session = await openSession(fixture.port, version)
    fixture.server.changed('tools')
    fixture.server.changed('tools')
    const get = { method: 'GET', headers: { ...session.headers, accept: 'text/event-stream' } }
    const stream = await open(fixture.port, get)
    expect(stream.status).toBe(200)
    let first = await stream.next()
    if (first?.data === '') first = await stream.next()
    expect(JSON.parse(first?.data ?? '').method).toBe('notifications/tools/list_changed')
    expect((await send(fixture.port, get)).status).toBe(409)
    fixture.server.changed('tools')
    const second = await stream.next()
    expect(second?.id).not.toBe(first?.id)
    // Resuming takes the stream over, behind the event that the client names.
    const resumed = await open(fixture.port, { ...get, headers: { ...get.headers, 'last-event-id': first?.id ?? '' } })
    let replayed = await resumed.next()
    if (replayed?.data === '') replayed = await resumed.next()
    expect(replayed?.id).toBe(second?.id)
    resumed.destroy()
  })

  it('takes a batch only where the revision has them (sec-8)', async () => {
    fixture = await createFixture()
    const session = await openSession(fixture.port, version)
    const items = [call('echo', 1, { arguments: { text: 'a' } }), { jsonrpc: '2.0', method: 'x' }, call('echo', 2), 5]
    const answer = await send(fixture.port, legacy(items, session))
    if (version !== '2025-03-26') {
      expect([answer.status, answer.json?.error.code]).toEqual([400, -32600])
      return
    }
    expect(answer.status).toBe(200)
    const ids = (answer.json as unknown as { id?: number }[]).map((entry) => entry.id)
    expect(ids.sort()).toEqual([1, 2, undefined])
    expect((await send(fixture.port, legacy([{ jsonrpc: '2.0', method: 'x' }], session))).status).toBe(202)
    expect((await send(fixture.port, legacy([], session))).status).toBe(400)
    expect((await send(fixture.port, legacy([initialize(version)], session))).status).toBe(400)
    const many = Array.from({ length: 101 }, (_, index) => call('echo', index))
    expect((await send(fixture.port, legacy(many, session))).json?.error.message).toContain('maxBatch')
    expect((await send(fixture.port, legacy(many.slice(1), session))).status).toBe(200)
  })

  it('cancels by notification, and the POST ends without an answer', async () => {
    fixture = await createFixture()
    const session = await openSession(fixture.port, version)
    const pending = send(fixture.port, legacy(call('slow', 'c'), session))
    await fixture.gate.reached
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'c', reason: 'enough' } }
    expect((await send(fixture.port, legacy(cancel, session))).status).toBe(202)
    expect(await fixture.cancelled).toBeDefined()
    expect([(await pending).status, (await pending).text]).toEqual([204, ''])
  })
})

describe('batches on a stream', () => {
  it('are answered by events of their own once something precedes them', async () => {
    fixture = await createFixture()
    fixture.gate.open()
    const session = await openSession(fixture.port, '2025-03-26')
    const stream = await open(fixture.port, legacy([call('steps', 1, PROGRESS), call('echo', 2)], session))
    const messages = (await stream.rest()).map((event) => JSON.parse(event.data))
    expect(messages.map((message) => message.id ?? message.method).sort()).toEqual([
      1,
      2,
      'notifications/progress',
      'notifications/progress',
    ])
  })
})

describe('polling (2025-11-25, transports, "Sending Messages to the Server")', () => {
  it('closes the connection with a retry time and delivers the result on resume', async () => {
    fixture = await createFixture()
    const session = await openSession(fixture.port, '2025-11-25')
    const stream = await open(fixture.port, legacy(call('pausing'), session))
    const events = await stream.rest()
    expect(events[0]).toMatchObject({ data: '', id: expect.stringMatching(/^[0-9a-z]+_0$/) })
    expect(stream.retry()).toBe(20)
    fixture.gate.open()
    const resumed = await open(fixture.port, {
      method: 'GET',
      headers: { ...session.headers, accept: 'text/event-stream', 'last-event-id': events.at(-1)?.id ?? '' },
    })
    const answer = (await resumed.rest()).find((event) => event.data !== '')
    expect(JSON.parse(answer?.data ?? '').result.content[0].text).toBe('paused result')
  })

  it('sec-747: has room for whoever comes back for an answer, where there is none for listeners', async () => {
    fixture = await createFixture({ limits: { maxListeners: 0, maxListenersPerPrincipal: 0 } })
    const session = await openSession(fixture.port, '2025-11-25')
    const events = await (await open(fixture.port, legacy(call('pausing'), session))).rest()
    fixture.gate.open()
    const get = { method: 'GET', headers: { ...session.headers, accept: 'text/event-stream' } }
    expect((await send(fixture.port, get)).status).toBe(503)
    const resumed = await open(fixture.port, {
      ...get,
      headers: { ...get.headers, 'last-event-id': events.at(-1)?.id ?? '' },
    })
    const answer = (await resumed.rest()).find((event) => event.data !== '')
    expect(JSON.parse(answer?.data ?? '').result.content[0].text).toBe('paused result')
  })

  it('does nothing for clients of older revisions', async () => {
    fixture = await createFixture()
    fixture.gate.open()
    const session = await openSession(fixture.port, '2025-06-18')
    const answer = await send(fixture.port, legacy(call('pausing'), session))
    expect(answer.json?.result.content[0].text).toBe('paused result')
  })
})

describe('session ids', () => {
  it('are long, random and visible ASCII (sec-29, sec-30)', async () => {
    fixture = await createFixture()
    const ids = new Set<string>()
    for (let count = 0; count < 50; count++) ids.add((await openSession(fixture.port, '2025-11-25')).id)
    expect(ids.size).toBe(50)
    for (const id of ids) expect(id).toMatch(/^[\x21-\x7e]{32,}$/)
    expect(new Set([...ids].map((id) => id.slice(0, 4))).size).toBeGreaterThan(40)
  })

  it('are not given when initialize fails', async () => {
    fixture = await createFixture()
    const answer = await send(fixture.port, legacy({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }))
    expect(answer.headers['mcp-session-id']).toBeUndefined()
    expect(answer.json?.error).toBeDefined()
  })

  const headless = { 'mcp-session-id': undefined }
  it.each([
    ['a request without one (sec-32)', legacy(call('echo'), undefined), 400],
    [
      'a notification without one',
      legacy({ jsonrpc: '2.0', method: 'notifications/initialized' }, undefined, headless),
      400,
    ],
    ['a response without one', legacy({ jsonrpc: '2.0', id: 1, result: {} }), 400],
    ['an unknown one', legacy(call('echo'), undefined, { 'mcp-session-id': 'f'.repeat(40) }), 404],
    ['one named like a member of objects', legacy(call('echo'), undefined, { 'mcp-session-id': '__proto__' }), 404],
    ['initialize with an unknown one', legacy(initialize('2025-11-25'), undefined, { 'mcp-session-id': 'gone' }), 404],
  ])('%s is refused', async (_, sent, status) => {
    fixture = await createFixture()
    expect((await send(fixture.port, sent)).status).toBe(status)
    expect(fixture.ran).toEqual([])
  })
})

describe('headers of the 2025 form', () => {
  it.each([
    ['an unsupported version (sec-16)', 'POST', { 'mcp-protocol-version': '2025-01-01' }, 400],
    ['an unsupported version', 'GET', { 'mcp-protocol-version': 'banana' }, 400],
    ['no version at all', 'POST', { 'mcp-protocol-version': undefined }, 200],
    ['Accept without event streams', 'POST', { accept: 'application/json' }, 406],
    ['Accept without JSON', 'POST', { accept: 'text/event-stream' }, 406],
    ['Accept that excludes one', 'POST', { accept: 'application/json, text/event-stream;q=0' }, 406],
    ['Accept without event streams', 'GET', { accept: 'application/json' }, 406],
    ['another content type', 'POST', { 'content-type': 'text/plain' }, 415],
    ['no content type', 'POST', { 'content-type': undefined }, 415],
    ['a compressed body', 'POST', { 'content-encoding': 'gzip' }, 415],
    ['an event id of no stream', 'GET', { accept: 'text/event-stream', 'last-event-id': 'zz_4' }, 400],
    ['an event id that is none', 'GET', { accept: 'text/event-stream', 'last-event-id': '../../x' }, 400],
  ])('%s on %s', async (_, method, headers, status) => {
    fixture = await createFixture()
    const session = await openSession(fixture.port, '2025-11-25')
    const sent = legacy(call('echo'), session, headers)
    const answer = await send(fixture.port, method === 'GET' ? { method, headers: sent.headers } : sent)
    expect(answer.status).toBe(status)
  })
})

describe('another principal', () => {
  const as = (name: string) => ({ authorization: name })
  const authenticate = (head: { header(name: string): string | undefined }) => {
    const id = head.header('authorization')
    if (id === undefined) return { status: 401, message: 'Who are you?', headers: ['www-authenticate', 'Bearer'] }
    return { id, scopes: new Set<string>() }
  }

  it.each(['POST', 'GET', 'DELETE'])(
    'cannot use a session by %s, in the words for an unknown one (sec-35)',
    async (method) => {
      fixture = await createFixture({ authenticate })
      const session = await openSession(fixture.port, '2025-11-25', as('alice'))
      const sent = legacy(call('echo'), session, { ...as('bob'), accept: 'application/json, text/event-stream' })
      const request = method === 'POST' ? sent : { method, headers: sent.headers }
      const stolen = await send(fixture.port, request)
      const unknown = await send(fixture.port, { ...request, headers: { ...sent.headers, 'mcp-session-id': 'nobody' } })
      expect(stolen.status).toBe(404)
      expect(stolen.text).toBe(unknown.text)
      expect((await send(fixture.port, legacy(call('echo'), session))).status).toBe(200)
    },
  )

  it.each(['POST', 'GET', 'DELETE'])(
    'is asked for a credential on every %s, session or not (sec-34)',
    async (method) => {
      fixture = await createFixture({ authenticate })
      const session = await openSession(fixture.port, '2025-11-25', as('alice'))
      const sent = legacy(call('echo'), session, { authorization: undefined })
      const answer = await send(fixture.port, method === 'POST' ? sent : { method, headers: sent.headers })
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer'])
    },
  )

  it('is judged asynchronously too, and a failing judge lets nobody pass', async () => {
    const errors: unknown[] = []
    fixture = await createFixture({
      authenticate: async (head) => {
        if (head.header('authorization') === undefined) throw new Error('the directory is down')
        return { id: 'alice', scopes: new Set<string>() }
      },
      onError: (error) => errors.push(error),
    })
    await openSession(fixture.port, '2025-11-25', as('alice'))
    expect((await send(fixture.port, legacy(initialize('2025-11-25')))).status).toBe(500)
    expect(errors).toHaveLength(1)
  })
})

describe('without sessions', () => {
  it('serves each POST by itself and has nothing to listen to or to end', async () => {
    fixture = await createFixture({ sessions: false })
    const opened = await send(fixture.port, legacy(initialize('2025-06-18')))
    expect([opened.status, opened.headers['mcp-session-id']]).toEqual([200, undefined])
    expect(opened.json?.result.protocolVersion).toBe('2025-06-18')
    const ready = await send(fixture.port, legacy({ jsonrpc: '2.0', method: 'notifications/initialized' }))
    expect(ready.status).toBe(202)
    const answer = await send(
      fixture.port,
      legacy(call('echo', 3), undefined, { 'mcp-protocol-version': '2025-06-18' }),
    )
    expect([answer.status, answer.json?.id]).toEqual([200, 3])
    expect((await send(fixture.port, legacy([call('echo', 1), call('echo', 2)]))).json).toHaveLength(2)
    const wrong = await send(fixture.port, legacy(call('echo', 3), undefined, { 'mcp-protocol-version': '2020-01-01' }))
    expect(wrong.status).toBe(400)
    fixture.gate.open()
    const stream = await open(fixture.port, legacy(call('steps', 1, PROGRESS)))
    expect((await stream.rest()).map((event) => event.id)).toEqual(['', '', ''])
    for (const method of ['GET', 'DELETE']) {
      const refused = await send(fixture.port, { method, headers: { accept: 'text/event-stream' } })
      expect([refused.status, refused.headers.allow]).toEqual([405, 'POST'])
    }
  })
})

describe('a client that goes away', () => {
  it('has not cancelled, even before the first byte of the answer (sec-14)', async () => {
    fixture = await createFixture()
    const session = await openSession(fixture.port, '2025-11-25')
    const { request, response } = begin(fixture.port, legacy(call('slow', 1), session))
    response.catch(() => {})
    await fixture.gate.reached
    request.destroy()
    // The id stays taken as long as the call runs.
    const again = await send(fixture.port, legacy(call('echo', 1), session))
    expect(again.json?.error.code).toBe(-32600)
    fixture.gate.open()
    const outcome = await Promise.race([fixture.cancelled, send(fixture.port, legacy(call('echo', 2), session))])
    expect(outcome).toMatchObject({ status: 200 })
  })
})
