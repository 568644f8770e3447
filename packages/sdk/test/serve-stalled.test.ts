/** Readers that stop reading are given up after a time, on every way in that has one (host 29, sec-172). */

import { once } from 'node:events'
import { connect as dial, type Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { serveHttp } from '../src/serve/adapters/http.ts'
import { withDefaults } from '../src/serve/rules/limits.ts'
import { serveSocket } from '../src/serve/socket/socket.ts'
import { serveWebSocket } from '../src/serve/websocket/websocket.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { SendQueue } from '../src/transport/send-queue.ts'
import { META, modern } from './http-fixture.ts'
import { ENVELOPE } from './limits-ways.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

/** More than the system takes on its own. */
const LONG = 'x'.repeat(12_000_000)

const server = createServer({
  name: 'long',
  version: '1',
  tools: {
    json: tool({}, () => LONG),
    stream: tool({}, (_args, ctx) => {
      ctx.progress(1)
      return LONG
    }),
  },
})

/** A client that asks and never reads. */
function ask(port: number, text: string): Socket {
  const socket = dial(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.pause()
  socket.write(text)
  return socket
}

describe('a reader that takes nothing', () => {
  it.each(['json', 'stream'])('of a %s answer over HTTP is dropped after stalledMs', async (name) => {
    const http = await serveHttp(server, { port: 0, graceMs: 0, limits: { stalledMs: 100 } })
    open.push(http)
    const dropped = new Promise((resolve) => http.node.once('connection', (one: Socket) => one.once('close', resolve)))
    ask(http.port, postOf(name))
    await dropped
  })

  it('of a socket is dropped after stalledMs', async () => {
    const listener = await serveSocket(server, { port: 0, graceMs: 0, limits: { stalledMs: 100 } })
    open.push(listener)
    const dropped = once(listener.node, 'connection').then(([one]) => once(one as Socket, 'close'))
    ask(listener.port ?? 0, `${JSON.stringify(callOf('json'))}\n`)
    await dropped
  })

  it('of a WebSocket is dropped after stalledMs, though it goes on talking (host 29, sec-181)', async () => {
    const listener = await serveWebSocket(server, { port: 0, graceMs: 0, limits: { stalledMs: 100 }, pingMs: 20 })
    open.push(listener)
    const dropped = once(listener.node, 'connection').then(([one]) => once(one as Socket, 'close'))
    const socket = new WebSocket(listener.url, 'mcp')
    socket.on('error', () => {})
    await once(socket, 'open')
    socket.pause()
    socket.send(JSON.stringify(callOf('json')))
    const talking = setInterval(() => socket.ping(), 10)
    await dropped
    clearInterval(talking)
    socket.terminate()
  })
})

const callOf = (name: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: {}, _meta: { ...ENVELOPE, progressToken: 1 } },
})

function postOf(name: string): string {
  const { headers = {}, body = '' } = modern('tools/call', {
    name,
    arguments: {},
    _meta: { ...META, progressToken: 1 },
  })
  const head = Object.entries({ host: 'localhost', ...headers, 'content-length': body.length })
  return `POST /mcp HTTP/1.1\r\n${head.map((pair) => pair.join(': ')).join('\r\n')}\r\n\r\n${body}`
}

describe('what waits for readers who are behind', () => {
  // Two answers are more than this, one is not.
  const limits = { maxSendingBytesPerPeer: 15_000_000 }
  const overWebSocket = async () => {
    const listener = await serveWebSocket(server, { port: 0, graceMs: 0, limits })
    const hold = async () => {
      const socket = new WebSocket(listener.url, 'mcp')
      socket.on('error', () => {})
      await once(socket, 'open')
      socket.pause()
      socket.send(JSON.stringify(callOf('json')))
      return { destroy: () => socket.terminate() }
    }
    return { listener, hold }
  }
  const overHttp = (name: string) => async () => {
    const listener = await serveHttp(server, { port: 0, graceMs: 0, limits })
    return { listener, hold: async () => ask(listener.port, postOf(name)) }
  }
  const overSocket = async () => {
    const listener = await serveSocket(server, { port: 0, graceMs: 0, limits })
    return { listener, hold: async () => ask(listener.port ?? 0, `${JSON.stringify(callOf('json'))}\n`) }
  }

  it.each([
    { way: 'a JSON answer over HTTP', serve: overHttp('json') },
    { way: 'an event stream over HTTP', serve: overHttp('stream') },
    { way: 'a socket', serve: overSocket },
    { way: 'a WebSocket', serve: overWebSocket },
  ])('is bounded for each peer: $way (host 29, sec-182)', async ({ serve }) => {
    const { listener, hold } = await serve()
    open.push(listener)
    const accepted: Socket[] = []
    listener.node.on('connection', (one: Socket) => accepted.push(one))
    const first = await hold()
    await expect.poll(() => accepted[0]?.writableLength ?? 0).toBeGreaterThan(1_000_000)
    const second = await hold()
    await expect.poll(() => accepted[1]?.destroyed).toBe(true)
    expect(accepted[0]?.destroyed).toBe(false)
    // What was counted is given back with its reader.
    first.destroy()
    await expect.poll(() => accepted[0]?.destroyed).toBe(true)
    const third = await hold()
    await expect.poll(() => accepted[2]?.writableLength ?? 0).toBeGreaterThan(1_000_000)
    second.destroy()
    third.destroy()
    await expect.poll(() => accepted[2]?.destroyed).toBe(true)
  })
})

describe('what waits in a queue', () => {
  it.each([
    { after: 99, given: 0 },
    { after: 100, given: 0 },
    { after: 101, given: 1 },
  ])('for $after ms under stalledMs 100: given up $given times', ({ after, given }) => {
    vi.useFakeTimers()
    const errors: Error[] = []
    const queue = new SendQueue({ stalledMs: 100, write: () => false, overflow: (error) => errors.push(error) })
    queue.push('x'.repeat(1024))
    void queue.flushed()
    // One millisecond for the 1024 units that were written is within it.
    vi.advanceTimersByTime(after)
    expect(errors.map(({ message }) => message)).toEqual(
      given === 0 ? [] : ['stalledMs (100) exceeded: the other side does not read'],
    )
    queue.close()
    vi.useRealTimers()
  })

  it('sec-714: is there for good under a stalledMs that is the longest there is', () => {
    vi.useFakeTimers()
    const errors: Error[] = []
    const { stalledMs } = withDefaults({ stalledMs: Infinity })
    const queue = new SendQueue({ stalledMs, write: () => false, overflow: (error) => errors.push(error) })
    queue.push('x'.repeat(2048))
    void queue.flushed()
    vi.advanceTimersByTime(60_000)
    expect(errors).toEqual([])
    queue.close()
    vi.useRealTimers()
  })

  it('is not given up while the reader takes some of it now and then', () => {
    vi.useFakeTimers()
    const errors: Error[] = []
    const queue = new SendQueue({ stalledMs: 100, write: () => false, overflow: (error) => errors.push(error) })
    for (let at = 0; at < 20; at++) queue.push('x'.repeat(64 * 1024))
    void queue.flushed()
    for (let at = 0; at < 20; at++) {
      vi.advanceTimersByTime(90)
      queue.drained()
    }
    expect(errors).toEqual([])
    queue.close()
    vi.useRealTimers()
  })
})
