/** The HTTP+SSE transport of 2024-11-05 over real HTTP (2024-11-05, transports, "HTTP with SSE"). */

import { afterEach, describe, expect, it } from 'vitest'
import { call, createFixture, type Fixture, initialize, type OpenStream, open, send } from './http-fixture.ts'

let fixture: Fixture
let stream: OpenStream
afterEach(async () => {
  stream?.destroy()
  fixture.gate.open()
  await fixture.http.close()
})

const GET = { method: 'GET', headers: { accept: 'text/event-stream' } }

function post(path: string, message: unknown, headers: { [name: string]: string } = {}) {
  const body = typeof message === 'string' ? message : JSON.stringify(message)
  return send(fixture.port, { path, body, headers: { 'content-type': 'application/json', ...headers } })
}

describe.each(['/sse', '/mcp'])('an event stream opened by GET on %s', (path) => {
  it('says where to post first, and carries the answers', async () => {
    fixture = await createFixture()
    stream = await open(fixture.port, { ...GET, path })
    expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream'])
    const endpoint = await stream.next()
    expect(endpoint).toMatchObject({
      event: 'endpoint',
      data: expect.stringMatching(/^\/messages\?session=[0-9a-f]{32,}$/),
    })
    const messages = endpoint?.data ?? ''
    const accepted = await post(messages, initialize('2024-11-05'))
    expect(accepted.status).toBe(202)
    const opened = await stream.next()
    expect(opened?.event).toBe('message')
    expect(JSON.parse(opened?.data ?? '').result.protocolVersion).toBe('2024-11-05')
    await post(messages, { jsonrpc: '2.0', method: 'notifications/initialized' })
    await post(messages, call('echo', 2, { arguments: { text: 'old' } }))
    expect(JSON.parse((await stream.next())?.data ?? '').result.content[0].text).toBe('old')
  })
})

describe('posting to an old event stream', () => {
  it.each([
    ['of nobody', '/messages?session=0123', {}, '{}', 404],
    ['without naming it', '/messages', {}, '{}', 404],
    ['what is no JSON', undefined, {}, '{', 400],
    ['in another content type', undefined, { 'content-type': 'text/plain' }, '{}', 415],
    ['from a foreign page (sec-1)', undefined, { origin: 'http://evil.example' }, '{}', 403],
  ])('%s is refused', async (_, path, headers, body, status) => {
    fixture = await createFixture()
    stream = await open(fixture.port, { ...GET, path: '/sse' })
    const endpoint = await stream.next()
    expect((await post(path ?? endpoint?.data ?? '', body, headers)).status).toBe(status)
  })

  it('is for the principal that opened it alone (sec-35)', async () => {
    fixture = await createFixture({
      authenticate: (head) => ({ id: head.header('authorization') ?? 'nobody', scopes: new Set<string>() }),
    })
    stream = await open(fixture.port, {
      method: 'GET',
      path: '/sse',
      headers: { ...GET.headers, authorization: 'alice' },
    })
    const endpoint = (await stream.next())?.data ?? ''
    expect((await post(endpoint, initialize('2024-11-05'), { authorization: 'bob' })).status).toBe(404)
    expect((await post(endpoint, initialize('2024-11-05'), { authorization: 'alice' })).status).toBe(202)
  })

  it('ends with the stream, whose calls are cancelled', async () => {
    fixture = await createFixture()
    stream = await open(fixture.port, { ...GET, path: '/sse' })
    const endpoint = (await stream.next())?.data ?? ''
    await post(endpoint, initialize('2024-11-05'))
    await stream.next()
    await post(endpoint, { jsonrpc: '2.0', method: 'notifications/initialized' })
    await post(endpoint, call('slow', 2))
    await fixture.gate.reached
    stream.destroy()
    expect(await fixture.cancelled).toBeDefined()
    expect((await post(endpoint, call('echo', 3))).status).toBe(404)
  })
})

it('lets calls under way finish when the server closes', async () => {
  fixture = await createFixture()
  stream = await open(fixture.port, { ...GET, path: '/sse' })
  const endpoint = (await stream.next())?.data ?? ''
  await post(endpoint, initialize('2024-11-05'))
  await stream.next()
  await post(endpoint, { jsonrpc: '2.0', method: 'notifications/initialized' })
  await post(endpoint, call('slow', 2))
  await fixture.gate.reached
  const closed = fixture.http.close()
  fixture.gate.open()
  expect((await stream.rest()).map((event) => JSON.parse(event.data).result.content[0].text)).toEqual(['slow result'])
  await closed
})

it('is absent where only modern revisions are served', async () => {
  fixture = await createFixture({}, ['2026-07-28'])
  expect((await send(fixture.port, { ...GET, path: '/sse' })).status).toBe(404)
})

describe('what early documents show of the old paths (founding 18)', () => {
  it('messages are named on the stream', async () => {
    fixture = await createFixture()
    const bytes = await fetch(`http://127.0.0.1:${fixture.port}/sse`, { headers: GET.headers })
    const reader = bytes.body?.pipeThrough(new TextDecoderStream()).getReader()
    const read = async (): Promise<string> => (await reader?.read())?.value ?? ''
    const [, endpoint = ''] = /data: (\S+)/.exec(await read()) ?? []
    await post(endpoint, initialize('2024-11-05'))
    expect(await read()).toMatch(/^event: message\ndata: \{/)
    await reader?.cancel()
  })

  it('a POST to the event stream is answered as Streamable HTTP, session and all', async () => {
    fixture = await createFixture()
    const { connect } = await import('../src/connect/connect.ts')
    for (const versions of ['2025-03-26', '2025-11-25', '2026-07-28'] as const) {
      const client = await connect(`http://127.0.0.1:${fixture.port}/sse`, { versions, negotiations: false })
      expect([client.negotiated.transport, client.version]).toEqual(['streamable-http', versions])
      expect(await client.callTool('echo', { text: 'old' })).toMatchObject({ content: [{ text: 'old' }] })
      await client.close()
    }
  })
})
