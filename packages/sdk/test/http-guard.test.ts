/** Host, Origin and CORS over real HTTP, and what else is refused before a message is read. */

import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createFixture, type Fixture, modern, send } from './http-fixture.ts'

let fixture: Fixture
afterEach(async () => {
  fixture.gate.open()
  await fixture.http.close()
})

describe('the guard', () => {
  it('listens on this machine only unless told otherwise (sec-3)', async () => {
    fixture = await createFixture()
    expect(fixture.http.node.address()).toMatchObject({ address: '127.0.0.1' })
    expect(fixture.http.url).toBe(`http://127.0.0.1:${fixture.port}/mcp`)
  })

  const origins = [
    'http://evil.example',
    'null',
    'http://localhost.evil.com',
    'http://127.0.0.1.evil',
    'http://localhost:1',
    'http://127.0.0.1',
    'http://evil.example@127.0.0.1',
    '',
  ]
  it.each(origins.flatMap((origin) => ['POST', 'GET', 'DELETE', 'OPTIONS'].map((method) => [origin, method])))(
    'refuses Origin "%s" on %s with 403 and runs nothing (sec-1, sec-2)',
    async (origin = '', method = '') => {
      fixture = await createFixture()
      const sent = modern('tools/call', { name: 'echo', arguments: {} }, { origin })
      const answer = await send(fixture.port, { ...sent, method })
      expect(answer.status).toBe(403)
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
      expect(fixture.ran).toEqual([])
    },
  )

  it.each([
    ['evil.example.com', 403],
    ['evil.example.com:80', 403],
    ['localhost.evil.com', 403],
    ['127.0.0.1.evil', 403],
    ['localhost@evil.com', 403],
    ['localhost:80:evil', 403],
    ['[::1].evil', 403],
    ['localhost', 200],
    ['LOCALHOST:99', 200],
    ['127.0.0.1:1', 200],
    ['[::1]:5', 200],
    ['mcp.example.com', 200],
    ['mcp.example.com:444', 200],
    ['pinned.example.com:444', 200],
    ['pinned.example.com:445', 403],
  ])('answers Host "%s" with %i', async (host, status) => {
    fixture = await createFixture({ allowedHosts: ['mcp.example.com', 'pinned.example.com:444'] })
    expect((await send(fixture.port, modern('tools/list', {}, { host }))).status).toBe(status)
  })

  it('lets any host pass only under the option that says so, and still no foreign origin', async () => {
    fixture = await createFixture({ dangerouslyAllowAnyHost: true })
    expect((await send(fixture.port, modern('tools/list', {}, { host: 'any.example' }))).status).toBe(200)
    const foreign = modern('tools/list', {}, { host: 'any.example', origin: 'http://evil.example' })
    expect((await send(fixture.port, foreign)).status).toBe(403)
  })

  it('lets a page on the same host and port, and one on the list, read the answer', async () => {
    fixture = await createFixture({ allowedOrigins: ['https://app.example.com'] })
    for (const origin of [`http://127.0.0.1:${fixture.port}`, 'https://app.example.com']) {
      const answer = await send(fixture.port, modern('tools/list', {}, { origin }))
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, origin])
      expect(answer.headers['access-control-expose-headers']).toContain('mcp-session-id')
      expect(answer.headers.vary).toBe('origin')
    }
  })

  it('answers a preflight with the headers of the protocol and the mirrored parameters that are asked for', async () => {
    fixture = await createFixture({ allowedOrigins: ['https://app.example.com'] })
    const answer = await send(fixture.port, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example.com',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type, Mcp-Param-Region, mcp-param-bad name, x-evil',
      },
    })
    expect(answer.status).toBe(204)
    expect(answer.headers['access-control-allow-origin']).toBe('https://app.example.com')
    const allowed = String(answer.headers['access-control-allow-headers']).split(', ')
    expect(allowed).toEqual(expect.arrayContaining(['mcp-session-id', 'mcp-protocol-version', 'mcp-param-region']))
    expect(allowed.some((name) => name.includes('evil') || name.includes('bad'))).toBe(false)
  })
})

describe('methods and paths', () => {
  it.each(['PUT', 'PATCH', 'HEAD', 'TRACE'])('%s is not allowed (sec-5)', async (method) => {
    fixture = await createFixture()
    const answer = await send(fixture.port, { method })
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, POST, DELETE, OPTIONS'])
  })

  it.each(['/', '/mcp//', '/MCP', '/mcpx', '/../mcp'])('%s is not the endpoint', async (path) => {
    fixture = await createFixture()
    expect((await send(fixture.port, { ...modern('tools/list'), path })).status).toBe(404)
  })

  it('takes a query on the endpoint, whatever it says', async () => {
    fixture = await createFixture()
    expect((await send(fixture.port, { ...modern('tools/list'), path: '/mcp?session=abc' })).status).toBe(200)
  })
})

describe('bodies', () => {
  const { headers } = modern('tools/list')

  it.each([
    ['not JSON', '{"jsonrpc"', 400, -32700],
    ['empty', '', 400, -32700],
    ['not UTF-8', Uint8Array.of(0x22, 0xff, 0xfe, 0x22), 400, -32700],
    ['too deep', `${'['.repeat(129)}${']'.repeat(129)}`, 400, -32600],
  ])('that are %s are refused', async (_, body, status, code) => {
    fixture = await createFixture()
    const answer = await send(fixture.port, { headers, body })
    expect([answer.status, answer.json?.error.code, answer.json?.id]).toEqual([status, code, undefined])
  })

  it.each([
    ['one byte below the bound', -1, 200],
    ['at the bound', 0, 200],
    ['one byte beyond', 1, 413],
    ['far beyond', 20_000, 413],
  ])('%s, with a length and in chunks', async (_, extra, status) => {
    fixture = await createFixture({ limits: { maxBodyBytes: 10_000 } })
    const { body } = modern('tools/list')
    const padded = String(body) + ' '.repeat(10_000 + extra - Buffer.byteLength(String(body)))
    const whole = await send(fixture.port, { headers, body: padded })
    expect(whole.status).toBe(status)
    if (status === 413) expect(whole.json?.error.message).toContain('maxBodyBytes')
    const chunked = await send(fixture.port, { headers: { ...headers, 'transfer-encoding': 'chunked' }, body: padded })
    expect(chunked.status).toBe(status)
  })

  it('may arrive byte by byte, also in the middle of a character', async () => {
    fixture = await createFixture()
    const sent = modern('tools/call', { name: 'echo', arguments: { text: 'é😀' } })
    const body = Buffer.from(String(sent.body))
    const lines = Object.entries({ ...sent.headers, host: 'localhost', 'content-length': String(body.length) })
    const socket = connect(fixture.port, '127.0.0.1')
    socket.setNoDelay(true)
    const head = `POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}connection: close\r\n\r\n`
    socket.write(head)
    for (const byte of body) await new Promise((resolve) => socket.write(Uint8Array.of(byte), resolve))
    let answer = ''
    for await (const chunk of socket) answer += chunk
    expect(answer).toContain('200 OK')
    expect(answer).toContain('é😀')
  })

  it('that end early do no harm', async () => {
    fixture = await createFixture()
    const socket = connect(fixture.port, '127.0.0.1')
    const head =
      'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"'
    await new Promise((resolve) => socket.write(head, resolve))
    socket.destroy()
    expect((await send(fixture.port, modern('tools/list'))).status).toBe(200)
  })
})
