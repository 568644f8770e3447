/** The WebSocket channel against the contract of all channels, and what only it does. Real sockets on both ends. */

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { Channel, Malformed } from '../src/jsonrpc/channel.ts'
import type { PorticoError } from '../src/jsonrpc/errors.ts'
import { channelContract } from '../src/testing/channel-contract.ts'
import {
  createWebSocketChannel,
  type WebSocketChannelOptions,
  type WebSocketLike,
} from '../src/transport/websocket/websocket-channel.ts'

const servers: WebSocketServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    for (const client of server.clients) client.terminate()
    await new Promise((resolve) => server.close(resolve))
  }
})

/** Two open sockets; each is handed to `take` before anything can arrive on it. */
async function connected<T>(near: (socket: WebSocket) => T, far: (socket: WebSocket) => T): Promise<[T, T]> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  servers.push(server)
  await once(server, 'listening')
  const accepted = new Promise<T>((resolve) => server.once('connection', (socket) => resolve(far(socket))))
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const opened = new Promise<T>((resolve) => client.once('open', () => resolve(near(client))))
  return Promise.all([opened, accepted])
}

const over =
  (options?: WebSocketChannelOptions) =>
  (socket: WebSocket): Channel =>
    createWebSocketChannel(socket, options)

/** What a browser gives a program: no pausing, no pings, no word of what was written. */
function asWeb(socket: WebSocket): WebSocketLike {
  return {
    get readyState() {
      return socket.readyState
    },
    get bufferedAmount() {
      return socket.bufferedAmount
    },
    send: (text) => socket.send(text),
    close: (code) => {
      if (code !== undefined && code !== 1000 && (code < 3000 || code > 4999)) throw new Error('InvalidAccessError')
      socket.close(code)
    },
    addEventListener: socket.addEventListener.bind(socket) as WebSocketLike['addEventListener'],
  }
}

const kinds: { name: string; makePair: () => Promise<[Channel, Channel]> }[] = [
  { name: 'ws on both ends', makePair: () => connected(over(), over()) },
  {
    name: 'the web on one end',
    makePair: () => connected((socket) => createWebSocketChannel(asWeb(socket)), over()),
  },
]

describe.each(kinds)('$name', ({ makePair }) => {
  it.each(channelContract(makePair))('$name', ({ run }) => run())
})

function listen(channel: Channel) {
  const messages: unknown[] = []
  const faults: Malformed[] = []
  let wake = (): void => {}
  const closed = new Promise<PorticoError | undefined>((resolve) => {
    channel.open({
      message: (value) => {
        messages.push(value)
        wake()
      },
      malformed: (fault) => {
        faults.push(fault)
        wake()
      },
      closed: (reason) => resolve(reason as PorticoError | undefined),
    })
  })
  const until = (condition: () => boolean) =>
    new Promise<void>((resolve) => {
      wake = () => condition() && resolve()
      wake()
    })
  return { messages, faults, closed, until }
}

describe('a frame', () => {
  const limit = 1000
  const textOf = (bytes: number) => JSON.stringify('é'.repeat((bytes - 2) >> 1)).padEnd(bytes - ((bytes - 2) >> 1))
  const sizes = [
    { size: limit - 1, passes: true },
    { size: limit, passes: true },
    { size: limit + 1, passes: false },
  ]
  const ends = [
    { name: 'ws', wrap: over({ limits: { maxFrameBytes: limit } }), code: 1009 },
    {
      name: 'the web',
      wrap: (socket: WebSocket) => createWebSocketChannel(asWeb(socket), { limits: { maxFrameBytes: limit } }),
      code: 4009,
    },
  ]
  for (const { name, wrap, code } of ends) {
    it.each(sizes)(`of $size bytes passes maxFrameBytes ${limit} on ${name}: $passes`, async ({ size, passes }) => {
      const [channel, peer] = (await connected<unknown>(wrap, (socket) => socket)) as [Channel, WebSocket]
      const seen = listen(channel)
      const text = textOf(size)
      expect(Buffer.byteLength(text)).toBe(size)
      const closed = once(peer, 'close')
      peer.send(text)
      if (passes) {
        await seen.until(() => seen.messages.length === 1)
        return
      }
      const reason = await seen.closed
      expect(reason).toMatchObject({ code: 'limit-exceeded', message: 'maxFrameBytes (1000) exceeded' })
      expect((await closed)[0]).toBe(code)
      expect(seen.messages).toEqual([])
    })
  }

  it('that is binary ends the connection with 1003', async () => {
    const [channel, peer] = (await connected<unknown>(over(), (socket) => socket)) as [Channel, WebSocket]
    const seen = listen(channel)
    const closed = once(peer, 'close')
    peer.send(new Uint8Array([1, 2, 3]))
    expect((await seen.closed)?.code).toBe('invalid-message')
    expect((await closed)[0]).toBe(1003)
  })

  it('that is not UTF-8 ends the connection with 1007 (RFC 6455, 8.1)', async () => {
    const [channel, peer] = (await connected<unknown>(over(), (socket) => socket)) as [Channel, WebSocket]
    const seen = listen(channel)
    const closed = once(peer, 'close')
    peer.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false })
    expect((await seen.closed)?.code).toBe('closed')
    expect((await closed)[0]).toBe(1007)
  })

  it('that is too deep is reported, and the next is read', async () => {
    const [channel, peer] = (await connected<unknown>(over({ limits: { maxDepth: 3 } }), (socket) => socket)) as [
      Channel,
      WebSocket,
    ]
    const seen = listen(channel)
    peer.send('[[[[]]]]')
    peer.send('[[[]]]')
    await seen.until(() => seen.messages.length === 1)
    expect(seen.faults.map(({ kind }) => kind)).toEqual(['limit'])
    await channel.close()
  })
})

describe('the end', () => {
  const codes: { code: number; orderly: boolean }[] = [
    { code: 1000, orderly: true },
    { code: 1001, orderly: true },
    { code: 1011, orderly: false },
    { code: 4000, orderly: false },
  ]
  it.each(codes)('with code $code is orderly: $orderly', async ({ code, orderly }) => {
    const [channel, peer] = (await connected<unknown>(over(), (socket) => socket)) as [Channel, WebSocket]
    const seen = listen(channel)
    peer.close(code)
    const reason = await seen.closed
    expect(reason === undefined).toBe(orderly)
  })

  it('of a peer that dies is told with a reason', async () => {
    const [channel, peer] = (await connected<unknown>(over(), (socket) => socket)) as [Channel, WebSocket]
    const seen = listen(channel)
    peer.terminate()
    expect((await seen.closed)?.message).toContain('1006')
  })

  it('comes within closeMs when the peer neither reads nor answers', async () => {
    const [channel, peer] = (await connected<unknown>(over({ closeMs: 20 }), (socket) => socket)) as [
      Channel,
      WebSocket,
    ]
    peer.pause()
    const seen = listen(channel)
    channel.send(JSON.stringify('x'.repeat(30_000_000)))
    await channel.close()
    expect(await seen.closed).toBeUndefined()
  })

  it('comes with limit-exceeded when a peer that does not read has too much kept for it', async () => {
    const limits = { maxQueueBytes: 1000, maxKeptBytes: 1_000_000 }
    const [channel, peer] = (await connected<unknown>(over({ limits }), (socket) => socket)) as [Channel, WebSocket]
    peer.pause()
    const seen = listen(channel)
    const text = JSON.stringify('x'.repeat(100_000))
    let sent = 0
    const flooding = setInterval(() => {
      for (let n = 0; n < 20; n++) channel.send(text)
      sent += 20
    }, 1)
    const reason = await seen.closed
    clearInterval(flooding)
    expect(reason?.code).toBe('limit-exceeded')
    // What the system takes before the reader has read any of it comes on top.
    expect(sent * text.length).toBeLessThan(100_000_000)
  })
})
