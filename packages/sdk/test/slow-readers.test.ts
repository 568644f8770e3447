/**
 * Readers that take a byte now and then of what they asked for are dropped at a bound on every way in. Those that take
 * nothing, and what they cost, are in `serve-stalled.test.ts`; peers that do not end what they say in `slow-peers.test.ts`.
 */

import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect as dial, type NetConnectOpts, type Server as NodeServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { connect } from '../src/connect/connect.ts'
import { serveFetch } from '../src/serve/adapters/fetch.ts'
import { serveHttp } from '../src/serve/adapters/http.ts'
import type { SharedLimits } from '../src/serve/rules/limits.ts'
import { serveSocket } from '../src/serve/socket/socket.ts'
import { serveWebSocket } from '../src/serve/websocket/websocket.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { answerPings } from '../src/transport/websocket/websocket-pongs.ts'
import { META, modern } from './http-fixture.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** More than the system takes on its own. */
const LONG = 'x'.repeat(12_000_000)

const server = createServer({
  name: 'long',
  version: '1',
  tools: {
    short: tool({}, () => 'x'.repeat(8000)),
    json: tool({}, () => LONG),
    stream: tool({}, (_args, ctx) => {
      ctx.progress(1)
      return LONG
    }),
    brief: tool({}, (_args, ctx) => {
      ctx.progress(1)
      return 'x'.repeat(200_000)
    }),
  },
})

interface Open {
  readonly node: NodeServer
  readonly at: NetConnectOpts
  close(): Promise<void>
}

type Limits = Partial<Pick<SharedLimits, 'stalledMs' | keyof typeof ROOMY>>

/** No bound on what waits is passed before time is up. */
const ROOMY = { maxKeptBytes: 2 ** 40, maxSendingBytes: 2 ** 40, maxSendingBytesPerPeer: 2 ** 40 }

const overHttp = async (limits: Limits): Promise<Open> => {
  const http = await serveHttp(server, { port: 0, graceMs: 0, limits })
  return { node: http.node as NodeServer, at: { port: http.port }, close: () => http.close() }
}
const overWebSocket = async (limits: Limits): Promise<Open> => {
  const { node, port, close } = await serveWebSocket(server, { port: 0, graceMs: 0, limits })
  return { node, at: { port }, close }
}
const overPort = async (limits: Limits): Promise<Open> => {
  const { node, port = 0, close } = await serveSocket(server, { port: 0, graceMs: 0, limits })
  return { node, at: { port }, close }
}
const overPath = async (limits: Limits): Promise<Open> => {
  const folder = await mkdtemp(join(tmpdir(), 'portico-readers-'))
  closing.push(() => rm(folder, { recursive: true, force: true }))
  const path = process.platform === 'win32' ? `\\\\.\\pipe\\portico-readers-${process.pid}` : join(folder, 's')
  const { node, close } = await serveSocket(server, { path, graceMs: 0, limits })
  return { node, at: { path }, close }
}

const PARAMS = { arguments: {}, _meta: { ...META, progressToken: 1 } }
const lineOf = (name: string) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, ...PARAMS } })

function postOf(name: string): string {
  const { headers = {}, body = '' } = modern('tools/call', { name, ...PARAMS })
  const head = Object.entries({ host: 'localhost', ...headers, 'content-length': body.length })
  return `POST /mcp HTTP/1.1\r\n${head.map((pair) => pair.join(': ')).join('\r\n')}\r\n\r\n${body}`
}

const UPGRADE =
  'GET /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n' +
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-protocol: mcp\r\n\r\n'
const NO_MASK = [0, 0, 0, 0]
const PING = Buffer.concat([Buffer.from([0x89, 0x80 | 125, ...NO_MASK]), Buffer.alloc(125, 'p')])

function frameOf(text: string): Buffer {
  const length = [text.length >> 8, text.length & 255]
  return Buffer.concat([Buffer.from([0x81, 0x80 | 126, ...length, ...NO_MASK]), Buffer.from(text)])
}

/** What is said first, and what over and over, as long as it is taken. */
interface Way {
  readonly way: string
  readonly serve: (limits: Limits) => Promise<Open>
  readonly says: string | Buffer
  readonly repeats?: string | Buffer
}

const LINES = `${lineOf('short')}\n`.repeat(50)

const WAYS: readonly Way[] = [
  { way: 'a long answer over HTTP', serve: overHttp, says: postOf('json') },
  { way: 'an event stream over HTTP', serve: overHttp, says: postOf('stream') },
  // Each of these is short, and there is no end of them.
  { way: 'short answers over HTTP', serve: overHttp, says: '', repeats: postOf('short').repeat(50) },
  { way: 'lines on a port', serve: overPort, says: '', repeats: LINES },
  { way: 'lines on a Unix socket', serve: overPath, says: '', repeats: LINES },
  {
    way: 'WebSocket messages',
    serve: overWebSocket,
    says: UPGRADE,
    repeats: Buffer.concat(Array(50).fill(frameOf(lineOf('short')))),
  },
]

async function open(serve: Way['serve'], limits: Limits): Promise<{ listener: Open; accepted: Socket[] }> {
  const listener = await serve(limits)
  closing.push(() => listener.close())
  const accepted: Socket[] = []
  listener.node.on('connection', (socket: Socket) => accepted.push(socket))
  return { listener, accepted }
}

/** A client that asks and does not read. */
function ask({ at }: Open, { says, repeats }: Way): Socket {
  const socket = dial({ host: '127.0.0.1', ...at } as NetConnectOpts)
  closing.push(() => socket.destroy())
  socket.on('error', () => {}).pause()
  if (says.length > 0) socket.write(says)
  if (repeats === undefined) return socket
  const more = (): void => {
    while (!socket.destroyed && socket.write(repeats));
  }
  socket.on('drain', more)
  more()
  return socket
}

const dropped = (accepted: Socket[]) => expect.poll(() => accepted[0]?.destroyed, { timeout: 20_000 }).toBe(true)

describe('a reader that takes a byte now and then (sec-631)', () => {
  it.each(WAYS)('of $way is dropped after stalledMs', async (row) => {
    const { listener, accepted } = await open(row.serve, { ...ROOMY, stalledMs: 200 })
    const socket = ask(listener, row)
    const sip = setInterval(() => socket.read(1), 20)
    closing.push(() => clearInterval(sip))
    await dropped(accepted)
  })
})

describe('answers to pings that nobody reads (sec-632)', () => {
  it('cost a server next to nothing', async () => {
    const { listener, accepted } = await open(overWebSocket, {})
    const row: Way = {
      way: 'pings',
      serve: overWebSocket,
      says: UPGRADE,
      repeats: Buffer.concat(Array(2000).fill(PING)),
    }
    ask(listener, row)
    // The system takes 3 MB or so before any of them would wait here.
    await expect.poll(() => accepted[0]?.bytesRead ?? 0, { timeout: 20_000 }).toBeGreaterThan(10_000_000)
    expect(accepted[0]?.writableLength).toBeLessThan(1000)
  })

  it('are kept one at a time, the newest ping is answered, and a peer that does not read is dropped', () => {
    vi.useFakeTimers()
    let dropped = 0
    let ping: (data: Uint8Array) => void = () => {}
    const sent: string[] = []
    const waiting: (() => void)[] = []
    const pong = (data: Uint8Array, _mask: boolean | undefined, written: () => void) => {
      sent.push(String(data))
      waiting.push(written)
    }
    const on = (_type: 'ping', listener: typeof ping) => {
      ping = listener
    }
    const terminate = () => {
      dropped++
    }
    let bufferedAmount = 1024
    const socket = {
      get bufferedAmount() {
        return bufferedAmount
      },
      on,
      pong,
      terminate,
    }
    answerPings(socket, 1000)
    for (let at = 0; at < 100; at++) ping(Buffer.from(String(at)))
    expect(sent).toEqual(['0'])
    waiting.shift()?.()
    expect(sent).toEqual(['0', '99'])
    waiting.shift()?.()
    ping(Buffer.from('next'))
    expect(sent).toEqual(['0', '99', 'next'])
    vi.advanceTimersByTime(1000)
    expect(dropped).toBe(0)
    vi.advanceTimersByTime(1)
    expect(dropped).toBe(1)
    // Behind a long answer, a peer that reads may take as long as that does (sec-712).
    waiting.shift()?.()
    bufferedAmount = 60 * 1024 * 1000
    ping(Buffer.from('behind'))
    vi.advanceTimersByTime(60_999)
    expect(dropped).toBe(1)
    vi.advanceTimersByTime(1)
    expect(dropped).toBe(2)
    vi.useRealTimers()
  })

  it('are sent by a client all the same', async () => {
    const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'mcp' })
    closing.push(() => sockets.close())
    await once(sockets, 'listening')
    const ponged = once(sockets, 'connection').then(async ([socket]) => {
      closing.push(() => socket.terminate())
      socket.ping('there?')
      return String((await once(socket, 'pong'))[0])
    })
    const { port } = sockets.address() as { port: number }
    void connect(`ws://127.0.0.1:${port}/mcp`, { versions: '2025-11-25', timeouts: { connectMs: 5000 } }).catch(
      () => {},
    )
    expect(await ponged).toBe('there?')
  })
})

describe('a reader of a web response (sec-633)', () => {
  async function streamOf(limits: Limits, name = 'stream'): Promise<ReadableStreamDefaultReader<Uint8Array>> {
    const handler = serveFetch(server, { limits })
    closing.push(() => handler.close(0))
    const { headers = {}, body = '' } = modern('tools/call', { name, ...PARAMS })
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: headers as HeadersInit,
      body: String(body),
    })
    const response = await handler.fetch(request)
    const reader = response.body?.getReader()
    if (reader === undefined) throw new Error('There is no body')
    return reader
  }

  it('that takes nothing of a stream is dropped after stalledMs', async () => {
    const reader = await streamOf({ stalledMs: 100 }, 'brief')
    await expect(reader.closed).rejects.toThrow('The reader is too slow')
  })

  it('that wants more than may wait for it is dropped', async () => {
    const reader = await streamOf({ maxSendingBytes: 1000 })
    await expect(reader.closed).rejects.toThrow('The reader is too slow')
  })

  it('that reads gets all of it', async () => {
    const reader = await streamOf({})
    let size = 0
    for (let part = await reader.read(); !part.done; part = await reader.read()) size += part.value.length
    expect(size).toBeGreaterThan(LONG.length)
  })
})
