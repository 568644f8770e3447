/** Modern requests over real HTTP: 2026-07-28, Streamable HTTP. */

import { afterEach, describe, expect, it } from 'vitest'
import { begin, createFixture, type Fixture, META, MODERN, modern, open, send } from './http-fixture.ts'

let fixture: Fixture
afterEach(async () => {
  fixture.gate.open()
  await fixture.http.close()
})

const V = 'io.modelcontextprotocol/protocolVersion'

describe('a modern request', () => {
  it('is answered with one JSON object when nothing precedes the result', async () => {
    fixture = await createFixture()
    const answer = await send(fixture.port, modern('tools/call', { name: 'echo', arguments: { text: 'hé' } }))
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.text)))
    expect(answer.json?.id).toBe(1)
    expect(answer.json?.result.content[0].text).toBe('hé')
  })

  it('becomes an event stream that proxies do not hold back when progress precedes the result (sec-27)', async () => {
    fixture = await createFixture()
    const stream = await open(
      fixture.port,
      modern('tools/call', { name: 'steps', arguments: {}, _meta: { ...META, progressToken: 7 } }),
    )
    expect(stream.headers['content-type']).toBe('text/event-stream')
    expect(stream.headers['x-accel-buffering']).toBe('no')
    expect(stream.headers['cache-control']).toContain('no-store')
    const first = await stream.next()
    expect(JSON.parse(first?.data ?? '').params).toMatchObject({ progressToken: 7, progress: 1 })
    expect(first?.id).toBe('')
    fixture.gate.open()
    const rest = (await stream.rest()).map((event) => JSON.parse(event.data))
    expect(rest.map((message) => message.method ?? 'answer')).toEqual(['notifications/progress', 'answer'])
  })

  const table: [string, ReturnType<typeof modern>, number, number][] = [
    ['no _meta', modern('server/discover', { _meta: undefined }), 400, -32602],
    ['no version in _meta', modern('server/discover', { _meta: { ...META, [V]: undefined } }), 400, -32602],
    [
      'no capabilities in _meta',
      modern('server/discover', { _meta: { ...META, 'io.modelcontextprotocol/clientCapabilities': undefined } }),
      400,
      -32602,
    ],
    [
      'another version in the header (sec-17)',
      modern('server/discover', { _meta: { ...META, [V]: 'v999.0.0' } }),
      400,
      -32020,
    ],
    ['no version header (sec-17)', modern('server/discover', {}, { 'mcp-protocol-version': undefined }), 400, -32020],
    [
      'the version header twice (sec-17)',
      modern('server/discover', {}, { 'mcp-protocol-version': [MODERN, MODERN] }),
      400,
      -32020,
    ],
    [
      'an old version in the header (sec-17)',
      modern('server/discover', {}, { 'mcp-protocol-version': '2025-11-25' }),
      400,
      -32020,
    ],
    [
      'an unknown version in both (sec-16)',
      modern('server/discover', { _meta: { ...META, [V]: 'v999.0.0' } }, { 'mcp-protocol-version': 'v999.0.0' }),
      400,
      -32022,
    ],
    ['another method in the header (sec-18)', modern('tools/list', {}, { 'mcp-method': 'prompts/list' }), 400, -32020],
    ['no method header (sec-18)', modern('tools/list', {}, { 'mcp-method': undefined }), 400, -32020],
    ['the method in capitals (sec-18)', modern('tools/list', {}, { 'mcp-method': 'TOOLS/LIST' }), 400, -32020],
    [
      'the method header twice (sec-18)',
      modern('tools/list', {}, { 'mcp-method': ['tools/list', 'tools/list'] }),
      400,
      -32020,
    ],
    ['another name (sec-18)', modern('tools/call', { name: 'echo' }, { 'mcp-name': 'slow' }), 400, -32020],
    ['no name header (sec-18)', modern('tools/call', { name: 'echo' }, { 'mcp-name': undefined }), 400, -32020],
    [
      'a name in upper-case sentinel (sec-19)',
      modern('tools/call', { name: 'echo' }, { 'mcp-name': '=?BASE64?ZWNobw==?=' }),
      400,
      -32020,
    ],
    [
      'a name in bad base64 (sec-19)',
      modern('tools/call', { name: 'echo' }, { 'mcp-name': '=?base64?ZWNobw=?=' }),
      400,
      -32020,
    ],
    [
      'a parameter without its header (sec-22)',
      modern('tools/call', { name: 'region', arguments: { region: 'eu' } }),
      400,
      -32020,
    ],
    [
      'a parameter unlike its header (sec-22)',
      modern('tools/call', { name: 'region', arguments: { region: 'eu' } }, { 'mcp-param-region': 'us' }),
      400,
      -32020,
    ],
    ...['unknown/method', 'ping', 'initialize', 'logging/setLevel', '__proto__', 'constructor'].map(
      (method): [string, ReturnType<typeof modern>, number, number] => [
        `the method ${method} (sec-25)`,
        modern(method),
        404,
        -32601,
      ],
    ),
  ]
  it.each(table)('with %s is refused, its id echoed, and nothing runs', async (_, sent, status, code) => {
    fixture = await createFixture()
    const answer = await send(fixture.port, sent)
    expect([answer.status, answer.json?.error.code, answer.json?.id]).toEqual([status, code, 1])
    expect(fixture.ran).toEqual([])
  })

  it.each([
    ['a name with spaces around it', modern('tools/call', { name: 'echo' }, { 'mcp-name': '  echo ' })],
    ['a name as base64 (sec-19)', modern('tools/call', { name: 'echo' }, { 'mcp-name': '=?base64?ZWNobw==?=' })],
    [
      'a mirrored parameter',
      modern('tools/call', { name: 'region', arguments: { region: 'eu' } }, { 'mcp-param-region': 'eu' }),
    ],
    ['no Accept header', modern('tools/list', {}, { accept: undefined })],
    ['Accept of anything', modern('tools/list', {}, { accept: '*/*' })],
    ['a charset', modern('tools/list', {}, { 'content-type': 'Application/JSON; charset=utf-8' })],
    [
      'a stale session id and event id (sec-26)',
      modern('tools/list', {}, { 'mcp-session-id': 'x', 'last-event-id': '1_1' }),
    ],
  ])('with %s is served', async (_, sent) => {
    fixture = await createFixture()
    const answer = await send(fixture.port, sent)
    expect(answer.status).toBe(200)
    expect(answer.json?.result).toBeDefined()
    expect(answer.headers['mcp-session-id']).toBeUndefined()
  })

  it('is cancelled when the client goes away before the answer (sec-15)', async () => {
    fixture = await createFixture()
    const stream = open(
      fixture.port,
      modern('tools/call', { name: 'steps', arguments: {}, _meta: { ...META, progressToken: 1 } }),
    )
    const opened = await stream
    await opened.next()
    opened.destroy()
    expect(await fixture.cancelled).toContain('closed the connection')
  })

  it('is cancelled when the client goes away while nothing was sent yet (sec-15)', async () => {
    fixture = await createFixture()
    const { request, response } = begin(fixture.port, modern('tools/call', { name: 'slow', arguments: {} }))
    response.catch(() => {})
    await fixture.gate.reached
    request.destroy()
    expect(await fixture.cancelled).toContain('closed the connection')
  })

  it('gets its own notifications alone, beside another with the same id (sec-10)', async () => {
    fixture = await createFixture()
    const streams = ['a', 'b'].map((progressToken) =>
      open(fixture.port, modern('tools/call', { name: 'steps', arguments: {}, _meta: { ...META, progressToken } })),
    )
    const opened = await Promise.all(streams)
    fixture.gate.open()
    const tokens = await Promise.all(
      opened.map(async (stream) => (await stream.rest()).map((event) => JSON.parse(event.data).params?.progressToken)),
    )
    expect(tokens).toEqual([
      ['a', 'a', undefined],
      ['b', 'b', undefined],
    ])
  })

  it('shares no ids with another one', async () => {
    fixture = await createFixture()
    const first = send(fixture.port, modern('tools/call', { name: 'slow', arguments: {} }))
    await fixture.gate.reached
    const second = await send(fixture.port, modern('tools/call', { name: 'echo', arguments: { text: 'two' } }))
    expect(second.json?.result.content[0].text).toBe('two')
    fixture.gate.open()
    expect((await first).json?.result.content[0].text).toBe('slow result')
  })
})

describe('a modern POST that is no request', () => {
  it.each([
    ['a notification', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }, 202],
    ['a response (sec-9)', { jsonrpc: '2.0', id: 1, result: {} }, 400],
    ['a batch (sec-8)', [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }], 400],
    ['a number', 5, 400],
    ['an object without jsonrpc', { id: 1, method: 'tools/list' }, 400],
  ])('%s is answered as the specification says', async (_, body, status) => {
    fixture = await createFixture()
    const { headers } = modern('x')
    const answer = await send(fixture.port, { headers, body: JSON.stringify(body) })
    expect(answer.status).toBe(status)
    expect(answer.text === '').toBe(status === 202)
  })
})

describe('a server of modern revisions only', () => {
  it.each(['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD'])('answers %s with 405 and Allow (sec-5)', async (method) => {
    fixture = await createFixture({}, [MODERN])
    const answer = await send(fixture.port, { method, headers: { accept: 'text/event-stream' } })
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST'])
  })
})

describe('subscriptions/listen over HTTP', () => {
  it('streams acknowledgement and changes, and ends with its result when the server drains', async () => {
    fixture = await createFixture()
    const stream = await open(
      fixture.port,
      modern('subscriptions/listen', { notifications: { toolsListChanged: true } }),
    )
    expect(JSON.parse((await stream.next())?.data ?? '').method).toBe('notifications/subscriptions/acknowledged')
    fixture.server.changed('tools')
    expect(JSON.parse((await stream.next())?.data ?? '').method).toBe('notifications/tools/list_changed')
    const closed = fixture.http.close()
    const rest = await stream.rest()
    expect(rest.map((event) => JSON.parse(event.data).id)).toEqual([1])
    await closed
  })
})
