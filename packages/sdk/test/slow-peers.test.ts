/** Peers that begin a message and do not end it are dropped at a bound on every way in, and their neighbours do not notice. */

import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect as dial, type NetConnectOpts, type Server as NodeServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { connect } from '../src/connect/connect.ts'
import { createLineDecoder } from '../src/framing/lines.ts'
import { Receiving } from '../src/framing/receiving.ts'
import { serveHttp } from '../src/serve/adapters/http.ts'
import { SERVE_LIMITS } from '../src/serve/rules/limits.ts'
import { serveSocket } from '../src/serve/socket/socket.ts'
import { serveWebSocket } from '../src/serve/websocket/websocket.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const server = createServer({ name: 'slow', version: '1', tools: { any: tool({}, () => 'taken') } })
const limits = { headersTimeoutMs: 200, requestTimeoutMs: 200 }
const BEGUN = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"'
const UPGRADE =
  'GET /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n' +
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-protocol: mcp\r\n\r\n'
/** A frame of 100 bytes with a mask, and the first of them. */
const FRAME = Buffer.from([0x81, 0x80 | 100, 0, 0, 0, 0, 0x7b])

interface Open {
  readonly url: string
  readonly node: NodeServer
  readonly at: NetConnectOpts
  close(): Promise<void>
}

const overHttp = async (): Promise<Open> => {
  const http = await serveHttp(server, { port: 0, graceMs: 0, limits })
  return { url: http.url, node: http.node as NodeServer, at: { port: http.port }, close: () => http.close() }
}
const overWebSocket = async (): Promise<Open> => {
  const { url, node, port, close } = await serveWebSocket(server, { port: 0, graceMs: 0, limits })
  return { url, node, at: { port }, close }
}
const overPort = async (): Promise<Open> => {
  const { url, node, port = 0, close } = await serveSocket(server, { port: 0, graceMs: 0, limits })
  return { url, node, at: { port }, close }
}
const overPath = async (): Promise<Open> => {
  const folder = await mkdtemp(join(tmpdir(), 'portico-slow-'))
  closing.push(() => rm(folder, { recursive: true, force: true }))
  const path = process.platform === 'win32' ? `\\\\.\\pipe\\portico-slow-${process.pid}` : join(folder, 's')
  const { url, node, close } = await serveSocket(server, { path, graceMs: 0, limits })
  return { url, node, at: { path }, close }
}

const WAYS = [
  { way: 'HTTP, half a head', serve: overHttp, begun: 'POST /mcp HTTP/1.1\r\nhost: loc' },
  {
    way: 'HTTP, half a body',
    serve: overHttp,
    begun: `POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n${BEGUN}`,
  },
  { way: 'WebSocket, half a handshake', serve: overWebSocket, begun: UPGRADE.slice(0, -20) },
  { way: 'WebSocket, half a frame', serve: overWebSocket, begun: Buffer.concat([Buffer.from(UPGRADE), FRAME]) },
  { way: 'a port, half a line', serve: overPort, begun: BEGUN },
  { way: 'a Unix socket, half a line', serve: overPath, begun: BEGUN },
]

async function open(serve: () => Promise<Open>): Promise<{ listener: Open; accepted: Socket[] }> {
  const listener = await serve()
  closing.push(() => listener.close())
  const accepted: Socket[] = []
  listener.node.on('connection', (socket: Socket) => accepted.push(socket))
  return { listener, accepted }
}

function begin({ at }: Open, begun: string | Buffer): Socket {
  const socket = dial({ host: '127.0.0.1', ...at } as NetConnectOpts)
  closing.push(() => socket.destroy())
  socket.on('error', () => {}).resume()
  socket.write(begun)
  return socket
}

const closed = (socket: Socket) => (socket.closed ? Promise.resolve() : once(socket, 'close').catch(() => {}))

describe('peers that begin a message and say no more (sec-561)', () => {
  it.each(WAYS)('$way: 1,000 of them are dropped, and a neighbour is answered meanwhile', async ({ serve, begun }) => {
    const { listener, accepted } = await open(serve)
    const neighbour = await connect(listener.url, { negotiations: false })
    closing.push(() => neighbour.close())
    const peers: Socket[] = []
    // So many at a time as the system lets wait for a server.
    while (peers.length < 1000) {
      for (let at = 0; at < 250; at++) peers.push(begin(listener, begun))
      await expect.poll(() => accepted.length, { interval: 5, timeout: 20_000 }).toBeGreaterThanOrEqual(peers.length)
    }
    expect(await neighbour.callTool('any')).toMatchObject({ content: [{ text: 'taken' }] })
    await Promise.all(peers.map(closed))
    // Those of the neighbour are left.
    expect(accepted.length).toBeGreaterThanOrEqual(1000)
    await expect.poll(() => accepted.filter((one) => !one.destroyed).length).toBeLessThan(5)
    expect(await neighbour.callTool('any')).toMatchObject({ content: [{ text: 'taken' }] })
  })

  it.each(WAYS)('$way: one more byte now and then does not keep it', async ({ serve, begun }) => {
    const { listener } = await open(serve)
    const peer = begin(listener, begun)
    const drip = setInterval(() => peer.write('a'), 20)
    closing.push(() => clearInterval(drip))
    await closed(peer)
  })
})

it('a peer that says nothing, or only that it is there, is not one of them (sec-561)', async () => {
  const { listener } = await open(overWebSocket)
  const quiet = new WebSocket(listener.url, 'mcp')
  closing.push(() => quiet.terminate())
  await once(quiet, 'open')
  let gone = false
  quiet.once('close', () => {
    gone = true
  })
  const slow = begin(listener, Buffer.concat([Buffer.from(UPGRADE), FRAME]))
  for (let at = 0; at < 3; at++) {
    quiet.ping('there')
    await once(quiet, 'pong')
  }
  // The one that is late was dropped by the same look at all.
  await closed(slow)
  expect(gone).toBe(false)
})

describe('the time of a message (sec-561)', () => {
  it.each([
    { size: 10, times: 4, late: 5 },
    // 10 MiB may take ten seconds more.
    { size: 10 * 1024 * 1024, times: 4, late: 15 },
  ])('of $size bytes that is looked at every second is over at look $late', ({ size, times, late }) => {
    const receiving = new Receiving(SERVE_LIMITS, 'a')
    receiving.add(size)
    const looks = Array.from({ length: late }, () => receiving.isLate(1000, times))
    expect(looks.indexOf(true)).toBe(late - 1)
    receiving.done()
    expect(Array.from({ length: late }, () => receiving.isLate(1000, times))).not.toContain(true)
  })

  it('goes on while the rest of what is too long is thrown away, which is given up where it does not end', () => {
    const receiving = new Receiving(SERVE_LIMITS, 'b')
    const ends: string[] = []
    const onEndless = (reason: string) => ends.push(reason)
    const lines = createLineDecoder({ maxBytes: 100, receiving, onLine: () => {}, onFault: () => {}, onEndless })
    lines.push(Buffer.alloc(200, 'x'))
    expect(Array.from({ length: 5 }, () => receiving.isLate(1000, 4))).toContain(true)
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    for (let at = 0; at < 16; at++) lines.push(chunk)
    expect(ends).toEqual([])
    lines.push(chunk)
    expect(ends).toEqual(['maxLineBytes (100) exceeded, and the line does not end'])
  })
})
