/** A server on Unix sockets and TCP ports: both eras, who gets in, what is bounded, how it ends. */

import { once } from 'node:events'
import { chmodSync, lstatSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer as createNodeServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createPrincipal } from '../src/auth/principal.ts'
import type { Channel } from '../src/jsonrpc/channel.ts'
import { type SocketListener, type SocketSettings, serveSocket } from '../src/serve/socket/socket.ts'
import { withFirstWordCheck } from '../src/serve/socket/socket-first-word.ts'
import { channelContract } from '../src/testing/channel-contract.ts'
import { createByteStreamChannel } from '../src/transport/byte-stream.ts'
import { createSocketFixture, FLOOD_BYTES, type SocketFixture, signal, Talk } from './socket-fixture.ts'

let folder = ''
let count = 0
let fixture: SocketFixture
const listeners: { close(): unknown }[] = []
const sockets: Socket[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sock-'))
})
afterAll(() => rm(folder, { recursive: true }))
afterEach(async () => {
  fixture?.release()
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const listener of listeners.splice(0)) await listener.close()
})

const nextPath = () => join(folder, `${count++}.sock`)

const KINDS = [
  { name: 'a Unix socket', where: () => ({ path: nextPath() }) },
  { name: 'a TCP port', where: () => ({ port: 0 }) },
]

async function serve(
  where: { path: string } | { port: number; host?: string },
  settings: SocketSettings = {},
): Promise<SocketListener> {
  fixture = createSocketFixture()
  const listener = await serveSocket(fixture.server, { graceMs: 2000, ...where, ...settings })
  listeners.push(listener)
  return listener
}

function dial({ url }: { url: string }): Socket {
  const socket = url.startsWith('unix:') ? connect(url.slice(5)) : connect(Number(new URL(url).port), '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => {})
  return socket
}

function converse(socket: Socket): Talk {
  const talk = new Talk((text) => socket.write(`${text}\n`))
  createInterface({ input: socket }).on('line', (line) => talk.receive(line))
  return talk
}

describe.each(KINDS)('$name', ({ where }) => {
  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('serves %s beside 2026-07-28', async (version) => {
    const talk = converse(dial(await serve(where(), { principal: createPrincipal('ada') })))
    expect((await talk.initialize(version)).protocolVersion).toBe(version)
    const old = talk.request('tools/call', { name: 'who', arguments: {} })
    const modern = talk.modern('tools/call', { name: 'who', arguments: {} })
    expect((await old).result.content[0].text).toBe(`ada on ${version}`)
    expect((await modern).result.content[0].text).toBe('ada on 2026-07-28')
  })

  it('answers what was asked before the client ended its side', async () => {
    const socket = dial(await serve(where()))
    const talk = converse(socket)
    const slow = talk.modern('tools/call', { name: 'slow', arguments: {} })
    await fixture.begun
    socket.end()
    fixture.release()
    expect((await slow).result.content[0].text).toBe('slow result')
    await once(socket, 'close')
  })

  it('cancels the requests of a client that is gone, after the grace (sec-15)', async () => {
    const socket = dial(await serve(where(), { graceMs: 20 }))
    void converse(socket).modern('tools/call', { name: 'slow', arguments: {} })
    await fixture.begun
    socket.destroy()
    expect(await fixture.cancelled).toBeDefined()
  })

  it('lets requests finish and ends listeners when it closes', async () => {
    const listener = await serve(where())
    const socket = dial(listener)
    const talk = converse(socket)
    const listening = talk.modern('subscriptions/listen', { notifications: { toolsListChanged: true } })
    const slow = talk.modern('tools/call', { name: 'slow', arguments: {} })
    await fixture.begun
    const closing = listener.close()
    expect((await listening).result.resultType).toBe('complete')
    // Resolves with true: there was an error.
    expect(await new Promise((resolve) => dial(listener).once('close', resolve))).toBe(true)
    fixture.release()
    expect((await slow).result.content[0].text).toBe('slow result')
    await closing
  })

  const counts = [
    { before: 1, served: true },
    { before: 2, served: true },
    { before: 3, served: false },
  ]
  it.each(counts)('maxConnections 3 with $before open serves another: $served', async ({ before, served }) => {
    const listener = await serve(where(), { limits: { maxConnections: 3 } })
    for (let n = 0; n < before; n++) await converse(dial(listener)).modern('tools/list')
    const socket = dial(listener)
    const talk = converse(socket)
    if (served) {
      expect((await talk.modern('tools/list')).result.tools).toHaveLength(3)
      return
    }
    const closed = once(socket, 'close')
    expect((await talk.unasked()).error.message).toContain('maxConnections (3)')
    await closed
  })

  const LIMIT = 1000
  const sizes = [
    { size: LIMIT - 1, code: -32600, reason: 'jsonrpc' },
    { size: LIMIT, code: -32600, reason: 'jsonrpc' },
    { size: LIMIT + 1, code: -32600, reason: `maxLineBytes (${LIMIT}) exceeded` },
  ]
  it.each(sizes)(`a line of $size bytes under maxLineBytes ${LIMIT}: $reason`, async ({ size, code, reason }) => {
    const socket = dial(await serve(where(), { limits: { maxLineBytes: LIMIT } }))
    const talk = converse(socket)
    const fault = talk.unasked()
    socket.write(`${'{"pad":""}'.replace('""', `"${'x'.repeat(size - 10)}"`)}\n`)
    const { error } = await fault
    expect(error.code).toBe(code)
    expect(error.message).toContain(reason)
    expect((await talk.modern('tools/list')).result.tools).toHaveLength(3)
  })

  it('keeps little for a reader that does not read, who still gets the answer', async () => {
    const listener = await serve(where(), { limits: { notificationsPerSecond: 1e9 } })
    const connected = once(listener.node, 'connection')
    const socket = dial(listener)
    const talk = converse(socket)
    await talk.initialize('2025-11-25')
    const [raw] = (await connected) as [Socket]
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

describe('the first word', () => {
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"who","arguments":{}}}'
  const http = (line: string) => `${line}\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\n\r\n${body}\n`
  const rows = [
    { name: 'an HTTP request, whose body holds a message (sec-1)', text: http('POST / HTTP/1.1') },
    { name: 'an HTTP request with a line that is too long', text: http(`POST /${'x'.repeat(2000)} HTTP/1.1`) },
    { name: 'a number before the message', text: `123\n${body}\n` },
    { name: 'bytes that are no text', text: `\u0016\u0003\u0001\n${body}\n` },
  ]
  it.each(rows)('$name ends the connection, and nothing runs', async ({ text }) => {
    const socket = dial(await serve({ port: 0 }, { limits: { maxLineBytes: 1000 } }))
    const [heard, hear] = signal<string>()
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('close', () => hear(answer))
    const modern = text.replace(
      '"arguments":{}',
      '"arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}',
    )
    socket.write(modern)
    expect(await heard).toBe('')
    expect(fixture.ran).toEqual([])
  })

  it('that opens like a message but is none is answered', async () => {
    const socket = dial(await serve({ port: 0 }))
    const talk = converse(socket)
    const fault = talk.unasked()
    socket.write('{oops\n')
    expect((await fault).error.code).toBe(-32700)
    expect((await talk.modern('tools/list')).result.tools).toHaveLength(3)
  })

  it.each(channelContract(firstWordPair))('check keeps the contract: $name', ({ run }) => run())
})

async function firstWordPair(): Promise<[Channel, Channel]> {
  const server = createNodeServer({ allowHalfOpen: true })
  listeners.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const accepted = once(server, 'connection')
  const near = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1')
  const [far] = (await accepted) as [Socket]
  const over = (socket: Socket) => createByteStreamChannel({ readable: socket, writable: socket, label: 'tcp' })
  return [over(near), withFirstWordCheck(over(far))]
}

describe('a TCP port', () => {
  it.each(['0.0.0.0', '::', '192.168.1.7', 'example.com', '127.0.0.1.evil'])('is not opened on %s', async (host) => {
    await expect(serve({ port: 0, host })).rejects.toMatchObject({ code: 'connect-failed' })
  })

  it('that is taken is an error', async () => {
    const { port } = await serve({ port: 0 })
    await expect(serve({ port: port ?? 0 })).rejects.toMatchObject({ code: 'connect-failed' })
  })
})

describe.runIf(process.platform === 'linux')('the file of a Unix socket', () => {
  it('can be used by its owner only, and is gone after close', async () => {
    const path = nextPath()
    const listener = await serve({ path })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    await listener.close()
    expect(lstatSync(path, { throwIfNoEntry: false })).toBeUndefined()
    expect(readdirSync(folder).filter((name) => name.startsWith('.s-'))).toEqual([])
  })

  it('is replaced when nobody listens on it any more', async () => {
    const path = nextPath()
    await abandon(path)
    expect(lstatSync(path).isSocket()).toBe(true)
    const talk = converse(dial(await serve({ path })))
    expect((await talk.modern('tools/list')).result.tools).toHaveLength(3)
  })

  it('is left alone while another server listens on it', async () => {
    const path = nextPath()
    const first = await serve({ path })
    await expect(serve({ path })).rejects.toThrow('another server listens there')
    expect((await converse(dial(first)).modern('tools/list')).result.tools).toHaveLength(3)
  })

  const others = [
    { name: 'a file', make: (path: string) => writeFileSync(path, 'precious') },
    { name: 'a link, even to a socket', make: (path: string) => symlinkSync(nextPath(), path) },
  ]
  it.each(others)('is not put in the place of $name', async ({ make }) => {
    const path = nextPath()
    make(path)
    await expect(serve({ path })).rejects.toThrow('is no socket')
    expect(lstatSync(path).isSocket()).toBe(false)
  })

  it('of a later server is not removed by an earlier one', async () => {
    const path = nextPath()
    const first = await serve({ path })
    await rm(path)
    await serve({ path })
    await first.close()
    expect(lstatSync(path).isSocket()).toBe(true)
  })

  it('has a path that clients can use', async () => {
    const path = join(folder, 'x'.repeat(107 - Buffer.byteLength(folder) - 1))
    const talk = converse(dial(await serve({ path })))
    expect((await talk.modern('tools/list')).result.tools).toHaveLength(3)
    await expect(serve({ path: `${path}x` })).rejects.toThrow('at most 107 bytes')
  })

  it('that cannot be made is an error', async () => {
    await expect(serve({ path: join(folder, 'missing', 'x.sock') })).rejects.toThrow()
  })
})

/** Leaves a socket's file behind, as a process does that is killed. */
async function abandon(path: string): Promise<void> {
  const { execFileSync } = await import('node:child_process')
  const program = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`
  try {
    execFileSync(process.execPath, ['-e', program, path])
  } catch {
    chmodSync(path, 0o600)
  }
}
