/** A server over WebSocket as clients see it: who gets in, what is spoken, what is bounded, how it ends. */

import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { createPrincipal } from '../src/auth/principal.ts'
import { serveHttp } from '../src/serve/adapters/http.ts'
import {
  attachWebSocket,
  serveWebSocket,
  type WebSocketListener,
  type WebSocketOptions,
} from '../src/serve/websocket/websocket.ts'
import { createSocketFixture, FLOOD_BYTES, type SocketFixture, Talk } from './socket-fixture.ts'

let fixture: SocketFixture
let listener: WebSocketListener | undefined
const clients: { terminate(): void }[] = []
afterEach(async () => {
  vi.useRealTimers()
  fixture.release()
  for (const client of clients.splice(0)) client.terminate()
  await listener?.close()
  listener = undefined
})

async function serve(options: WebSocketOptions = {}): Promise<WebSocketListener> {
  fixture = createSocketFixture()
  listener = await serveWebSocket(fixture.server, { port: 0, graceMs: 2000, ...options })
  return listener
}

interface Client {
  readonly socket: WebSocket
  readonly talk: Talk
  readonly closed: Promise<number>
}

async function open(url: string, protocols: string[] = ['mcp'], headers = {}): Promise<Client> {
  const socket = new WebSocket(url, protocols, { headers })
  clients.push(socket)
  const talk = new Talk((text) => socket.send(text))
  socket.on('message', (data) => talk.receive(String(data)))
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  await once(socket, 'open')
  return { socket, talk, closed }
}

const HANDSHAKE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

interface Answer {
  readonly status: number
  readonly headers: { readonly [name: string]: unknown }
  readonly text: string
}

/** Asks for an upgrade; 101 is an answer like any other. */
function ask(port: number, headers: { [name: string]: string } = {}, path = '/mcp'): Promise<Answer> {
  const req = request({ port, host: '127.0.0.1', path, headers: { ...HANDSHAKE, ...headers }, agent: false })
  req.end()
  return new Promise((resolve, reject) => {
    req.once('error', reject)
    req.once('upgrade', (res, socket) => {
      clients.push({ terminate: () => socket.destroy() })
      resolve({ status: res.statusCode ?? 0, headers: res.headers, text: '' })
    })
    req.once('response', async (res) => {
      let text = ''
      for await (const chunk of res) text += chunk
      resolve({ status: res.statusCode ?? 0, headers: res.headers, text })
    })
  })
}

describe('both eras', () => {
  const subprotocols = [
    { name: 'with subprotocol mcp', offered: ['mcp'], agreed: 'mcp' },
    { name: 'with mcp among others', offered: ['other', 'mcp'], agreed: 'mcp' },
    { name: 'without a subprotocol, as early clients come', offered: [], agreed: '' },
  ]
  it.each(subprotocols)('share one connection $name', async ({ offered, agreed }) => {
    const { url } = await serve()
    const { socket, talk } = await open(url, offered)
    expect(socket.protocol).toBe(agreed)
    expect((await talk.initialize('2025-06-18')).protocolVersion).toBe('2025-06-18')
    const old = talk.request('tools/call', { name: 'who', arguments: {} })
    const modern = talk.modern('tools/call', { name: 'who', arguments: {} })
    expect((await old).result.content[0].text).toBe('nobody on 2025-06-18')
    expect((await modern).result.content[0].text).toBe('nobody on 2026-07-28')
  })

  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('initialize with %s', async (version) => {
    const { url } = await serve()
    const { talk } = await open(url)
    expect((await talk.initialize(version)).protocolVersion).toBe(version)
    expect((await talk.request('tools/list')).result.tools).toHaveLength(3)
  })

  it('what is no JSON is answered with -32700, and the connection goes on', async () => {
    const { url } = await serve()
    const { socket, talk } = await open(url)
    const fault = talk.unasked()
    socket.send('{"broken":')
    expect((await fault).error.code).toBe(-32700)
    expect((await talk.modern('tools/list')).result.tools).toHaveLength(3)
  })
})

describe('the guard before the upgrade', () => {
  const rows: { name: string; headers: { [name: string]: string }; status: number }[] = [
    { name: 'no Origin', headers: {}, status: 101 },
    { name: 'an allowed Origin', headers: { origin: 'https://app.example.com' }, status: 101 },
    { name: 'a foreign Origin (sec-1, sec-2)', headers: { origin: 'http://evil.example' }, status: 403 },
    { name: 'Origin null (sec-1, sec-2)', headers: { origin: 'null' }, status: 403 },
    { name: 'a look-alike of localhost (sec-1, sec-2)', headers: { origin: 'http://localhost.evil.com' }, status: 403 },
    { name: 'a look-alike of 127.0.0.1 (sec-1, sec-2)', headers: { origin: 'http://127.0.0.1.evil' }, status: 403 },
    { name: 'localhost on another port (sec-1, sec-2)', headers: { origin: 'http://localhost:1' }, status: 403 },
    { name: 'a foreign Host (sec-1)', headers: { host: 'evil.example' }, status: 403 },
    { name: 'an allowed Host', headers: { host: 'mcp.example.com' }, status: 101 },
  ]
  it.each(rows)('$name: $status', async ({ headers, status }) => {
    const options = { allowedOrigins: ['https://app.example.com'], allowedHosts: ['mcp.example.com'] }
    const authenticate = vi.fn(() => undefined)
    const { port } = await serve({ ...options, authenticate })
    const answer = await ask(port, headers)
    expect(answer.status).toBe(status)
    expect(authenticate).toHaveBeenCalledTimes(status === 101 ? 1 : 0)
    if (status === 101) return
    const body = JSON.parse(answer.text)
    expect(body.error.code).toBe(-32600)
    expect('id' in body).toBe(false)
  })

  it('lets a page of the same origin in', async () => {
    const { port } = await serve()
    expect((await ask(port, { origin: `http://127.0.0.1:${port}` })).status).toBe(101)
  })
})

describe('a handshake', () => {
  const rows: { name: string; headers?: { [name: string]: string }; path?: string; status: number }[] = [
    { name: 'for another path', path: '/other', status: 404 },
    { name: 'with a query', path: '/mcp?a=b', status: 101 },
    { name: 'with another subprotocol alone', headers: { 'sec-websocket-protocol': 'graphql-ws' }, status: 400 },
    { name: 'for another protocol than WebSocket', headers: { upgrade: 'h2c' }, status: 400 },
    { name: 'without a proper key', headers: { 'sec-websocket-key': 'short' }, status: 400 },
    { name: 'of another version', headers: { 'sec-websocket-version': '7' }, status: 400 },
  ]
  it.each(rows)('$name is answered $status', async ({ headers, path, status }) => {
    const { port } = await serve()
    expect((await ask(port, headers, path)).status).toBe(status)
  })

  it('is what a plain request is told to begin with', async () => {
    const { port } = await serve()
    const answer = await fetch(`http://127.0.0.1:${port}/mcp`)
    expect([answer.status, answer.headers.get('upgrade')]).toEqual([426, 'websocket'])
  })

  it('gives its place back when it fails or its client goes away', async () => {
    const { port, url } = await serve({ limits: { maxConnections: 1 } })
    await ask(port, { 'sec-websocket-key': 'short' })
    const { socket, closed } = await open(url)
    socket.close()
    await closed
    // The server's side of the socket closes a moment after the client's.
    await expect.poll(async () => (await ask(port)).status).toBe(101)
  })
})

describe('authentication', () => {
  const authenticate: WebSocketOptions['authenticate'] = async (head) => {
    const name = head.header('authorization')
    if (name === 'fail') throw new Error('the directory is down')
    if (name !== undefined) return createPrincipal(name)
    return { status: 401, message: 'Who are you?', headers: ['www-authenticate', 'Bearer'] }
  }

  it('that is missing is answered 401 with the challenge', async () => {
    const { port } = await serve({ authenticate })
    const answer = await ask(port)
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer'])
    expect(JSON.parse(answer.text).error.message).toBe('Who are you?')
  })

  it('that fails is answered 500 and reported, not shown', async () => {
    const { port } = await serve({ authenticate })
    const answer = await ask(port, { authorization: 'fail' })
    expect([answer.status, answer.text.includes('directory')]).toEqual([500, false])
    expect(fixture.errors).toHaveLength(1)
  })

  it('makes the principal that handlers see', async () => {
    const { url } = await serve({ authenticate })
    const { talk } = await open(url, ['mcp'], { authorization: 'ada' })
    const { result } = await talk.modern('tools/call', { name: 'who', arguments: {} })
    expect(result.content[0].text).toBe('ada on 2026-07-28')
  })

  const counts = [
    { before: 1, status: 101 },
    { before: 2, status: 101 },
    { before: 3, status: 429 },
  ]
  it.each(counts)('with maxConnectionsPerPrincipal 3 and $before open: $status', async ({ before, status }) => {
    const { port } = await serve({ authenticate, limits: { maxConnectionsPerPrincipal: 3 } })
    for (let n = 0; n < before; n++) await ask(port, { authorization: 'ada' })
    const answer = await ask(port, { authorization: 'ada' })
    expect(answer.status).toBe(status)
    if (status === 429) expect(answer.text).toContain('maxConnectionsPerPrincipal (3)')
    expect((await ask(port, { authorization: 'bob' })).status).toBe(101)
  })
})

describe('bounds', () => {
  const counts = [
    { before: 1, status: 101 },
    { before: 2, status: 101 },
    { before: 3, status: 503 },
  ]
  it.each(counts)('maxConnections 3 with $before open: $status', async ({ before, status }) => {
    const { port } = await serve({ limits: { maxConnections: 3 } })
    for (let n = 0; n < before; n++) await ask(port)
    const answer = await ask(port)
    expect(answer.status).toBe(status)
    if (status !== 503) return
    expect(answer.headers['retry-after']).toBe('1')
    expect(answer.text).toContain('maxConnections (3)')
  })

  const LIMIT = 2000
  const sizes = [
    { size: LIMIT - 1, passes: true },
    { size: LIMIT, passes: true },
    { size: LIMIT + 1, passes: false },
  ]
  it.each(sizes)(`a frame of $size bytes passes maxFrameBytes ${LIMIT}: $passes`, async ({ size, passes }) => {
    const { url } = await serve({ limits: { maxFrameBytes: LIMIT } })
    const { socket, talk, closed } = await open(url)
    const fault = talk.unasked()
    socket.send('{"pad":""}'.replace('""', `"${'x'.repeat(size - 10)}"`))
    if (passes) expect((await fault).error.code).toBe(-32600)
    else expect(await closed).toBe(1009)
  })

  it('many fragments that are small each do not pass maxFrameBytes together', async () => {
    const { url } = await serve({ limits: { maxFrameBytes: LIMIT } })
    const { socket, closed } = await open(url)
    for (let n = 0; n < 21; n++) socket.send('x'.repeat(100), { fin: false })
    expect(await closed).toBe(1009)
  })

  it('a reader that does not read is kept little for, and still gets its answer', async () => {
    const { url, node } = await serve({ limits: { notificationsPerSecond: 1e9 } })
    const connected = once(node, 'connection')
    const { socket, talk } = await open(url)
    const [raw] = (await connected) as [Socket]
    await talk.initialize('2025-11-25')
    const answer = talk.request('tools/call', { name: 'flood', arguments: {} })
    socket.pause()
    let most = 0
    const looking = setInterval(() => {
      most = Math.max(most, raw.writableLength)
    }, 1)
    await fixture.flooded
    clearInterval(looking)
    expect(most).toBeLessThan(1_000_000)
    socket.resume()
    expect((await answer).result.content[0].text).toBe('flood result')
    expect(talk.notices.length * 10_000).toBeLessThan(FLOOD_BYTES / 2)
  })
})

describe('a connection that is silent', () => {
  async function silent(port: number): Promise<{ raw: Socket; gone: Promise<unknown>; pings: () => number }> {
    const raw = connect(port, '127.0.0.1')
    clients.push({ terminate: () => raw.destroy() })
    const head = Object.entries({ host: `127.0.0.1:${port}`, ...HANDSHAKE }).map(([name, value]) => `${name}: ${value}`)
    raw.write(`GET /mcp HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`)
    await once(raw, 'data')
    let bytes = 0
    raw.on('data', (chunk) => {
      bytes += chunk.length
    })
    // An unmasked ping without data is two bytes.
    return { raw, gone: once(raw, 'close'), pings: () => bytes / 2 }
  }

  it('because its peer is gone is pinged and dropped within 20 s', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { port } = await serve()
    const { gone, pings } = await silent(port)
    vi.advanceTimersByTime(10_000)
    await expect.poll(() => pings()).toBe(1)
    vi.advanceTimersByTime(5_000)
    await gone
  })

  it('but answers pings is kept', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { url, node } = await serve()
    const connected = once(node, 'connection')
    const { socket, talk } = await open(url)
    const [raw] = (await connected) as [Socket]
    for (let round = 0; round < 4; round++) {
      const pinged = once(socket, 'ping')
      const before = raw.bytesRead
      // The beat that notices the last answer comes first, except in the first round.
      vi.advanceTimersByTime(round === 0 ? 10_000 : 15_000)
      await pinged
      await expect.poll(() => raw.bytesRead).toBeGreaterThan(before)
    }
    expect((await talk.modern('tools/list')).result.tools).toHaveLength(3)
  })
})

describe('the end', () => {
  it('by a client that goes away cancels its requests (sec-15)', async () => {
    const { url } = await serve()
    const { socket, talk } = await open(url)
    void talk.modern('tools/call', { name: 'slow', arguments: {} })
    await fixture.begun
    socket.terminate()
    expect(await fixture.cancelled).toBeDefined()
  })

  it('by the server lets requests finish, ends listeners and closes with 1001', async () => {
    const { url, close, port } = await serve()
    const { talk, closed } = await open(url)
    const listening = talk.modern('subscriptions/listen', { notifications: { toolsListChanged: true } })
    const slow = talk.modern('tools/call', { name: 'slow', arguments: {} })
    await fixture.begun
    const closing = close()
    expect((await listening).result.resultType).toBe('complete')
    await expect(ask(port)).rejects.toThrow()
    fixture.release()
    expect((await slow).result.content[0].text).toBe('slow result')
    expect(await closed).toBe(1001)
    await closing
  })

  it('by the server does not wait longer than the grace for a request', async () => {
    const { url, close } = await serve({ graceMs: 20 })
    const { talk, closed } = await open(url)
    void talk.modern('tools/call', { name: 'slow', arguments: {} })
    await fixture.begun
    await close()
    expect(await closed).toBe(1001)
  })
})

describe('attached to an HTTP server', () => {
  it('shares its port and path, and its guard is the same', async () => {
    fixture = createSocketFixture()
    const http = await serveHttp(fixture.server, { port: 0, graceMs: 2000 })
    const sockets = attachWebSocket(fixture.server, http.node, { graceMs: 2000 })
    const { talk, closed } = await open(http.url.replace('http:', 'ws:'))
    expect((await talk.modern('tools/list')).result.tools).toHaveLength(3)
    expect((await ask(http.port, { origin: 'http://evil.example' })).status).toBe(403)
    expect((await ask(http.port, {}, '/other')).status).toBe(404)
    const plain = await fetch(http.url, { method: 'POST' })
    expect(plain.status).toBe(415)
    await Promise.all([sockets.close(), http.close()])
    expect(await closed).toBe(1001)
  })

  it('ends with it, even if only the HTTP server is closed', async () => {
    fixture = createSocketFixture()
    const http = await serveHttp(fixture.server, { port: 0, graceMs: 50 })
    attachWebSocket(fixture.server, http.node)
    const { closed } = await open(http.url.replace('http:', 'ws:'))
    await http.close()
    expect(await closed).toBe(1001)
  })

  it('leaves other paths to other listeners', async () => {
    fixture = createSocketFixture()
    const http = await serveHttp(fixture.server, { port: 0, graceMs: 50 })
    const sockets = attachWebSocket(fixture.server, http.node)
    http.node.on('upgrade', (req, socket) => {
      if (req.url === '/chat') socket.end('HTTP/1.1 418 Other\r\nContent-Length: 0\r\n\r\n')
    })
    expect((await ask(http.port, {}, '/chat')).status).toBe(418)
    await Promise.all([sockets.close(), http.close()])
  })
})
