import { connect, createServer, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import type { Malformed } from '../jsonrpc/channel.ts'
import { type ByteStreamChannel, type ByteStreamOptions, createByteStreamChannel } from './byte-stream.ts'

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

/** A channel on one end of a TCP connection; the raw other end is the test's. */
async function setUp(options: Partial<ByteStreamOptions> = {}, clientOptions: { allowHalfOpen?: boolean } = {}) {
  const server = createServer({ allowHalfOpen: true })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve))
  const peer = connect({ port, host: '127.0.0.1', allowHalfOpen: true, ...clientOptions })
  peer.on('error', () => {})
  const socket = await accepted
  server.close()
  cleanups.push(
    () => peer.destroy(),
    () => socket.destroy(),
  )
  const channel = createByteStreamChannel({ readable: socket, writable: socket, label: 'tcp', ...options })
  return { channel, peer, socket }
}

function listen(channel: ByteStreamChannel, ended?: () => void) {
  const messages: unknown[] = []
  const faults: Malformed[] = []
  const closings: (Error | undefined)[] = []
  let wake = (): void => {}
  const closed = new Promise<Error | undefined>((resolve) => {
    channel.open({
      message: (value) => {
        messages.push(value)
        wake()
      },
      malformed: (fault) => {
        faults.push(fault)
        wake()
      },
      ended,
      closed: (reason) => {
        closings.push(reason)
        resolve(reason)
      },
    })
  })
  const until = (condition: () => boolean) =>
    new Promise<void>((resolve) => {
      wake = () => condition() && resolve()
      wake()
    })
  return { messages, faults, closings, closed, until }
}

describe('what arrives', () => {
  const rows: { name: string; bytes: (string | Uint8Array)[]; kinds: string[] }[] = [
    { name: 'not JSON', bytes: ['{oops\n'], kinds: ['parse'] },
    { name: 'raw 0xFF inside a string (sec-38)', bytes: ['"', new Uint8Array([0xff, 0xfe]), '"\n'], kinds: ['parse'] },
    { name: 'too long a line', bytes: [`"${'x'.repeat(200)}"\n`], kinds: ['limit'] },
    { name: 'too deep', bytes: ['[[[[[[[[[]]]]]]]]]\n'], kinds: ['limit'] },
    { name: 'print-outs, where only messages may come', bytes: ['[info] ready\n'], kinds: ['parse'] },
  ]
  it.each(rows)('reports $name and goes on', async ({ bytes, kinds }) => {
    const { channel, peer } = await setUp({ limits: { maxLineBytes: 100, maxDepth: 8 } })
    const seen = listen(channel)
    for (const part of bytes) peer.write(part)
    peer.write('{"next":1}\r\n')
    await seen.until(() => seen.messages.length > 0)
    expect(seen.faults.map(({ kind }) => kind)).toEqual(kinds)
    expect(seen.messages).toEqual([{ next: 1 }])
  })

  it('is put together from single bytes, inside UTF-8 sequences too (fault 16)', async () => {
    const { channel, peer } = await setUp()
    peer.setNoDelay(true)
    const seen = listen(channel)
    for (const byte of Buffer.from('{"é":"\u{1f600}"}\n')) {
      await new Promise<void>((resolve) => peer.write(Uint8Array.of(byte), () => resolve()))
    }
    await seen.until(() => seen.messages.length > 0)
    expect(seen.messages).toEqual([{ é: '\u{1f600}' }])
  })

  const noise = ['Listening on port 3000', '[info] ready', '42', 'null', '"quoted"', 'true']
  it.each(noise)('is noise where a program may print: %s', async (line) => {
    const { channel, peer } = await setUp({ toleratesNoise: true })
    const seen = listen(channel)
    peer.write(`${line}\n{"broken":\n{}\n`)
    await seen.until(() => seen.messages.length > 0)
    expect(seen.faults.map(({ kind }) => kind)).toEqual(['noise', 'parse'])
  })

  it.each(['loading...', '{"jsonrpc":"2.0","id":', 'progress: {"half":1} '])(
    'is a message although it stands behind text without an end of line (fault 11): %s',
    async (text) => {
      const { channel, peer } = await setUp({ toleratesNoise: true })
      const seen = listen(channel)
      peer.write(`${text}{"jsonrpc":"2.0","id":1,"result":{}}\n`)
      await seen.until(() => seen.messages.length > 0)
      expect(seen.messages).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
      expect(seen.faults).toMatchObject([{ kind: 'noise', excerpt: text }])
    },
  )
})

describe('the end', () => {
  it('of input is followed by closed, after the last line was delivered', async () => {
    const { channel, peer } = await setUp()
    const seen = listen(channel)
    peer.end('{"last":1}')
    expect(await seen.closed).toBeUndefined()
    expect(seen.messages).toEqual([{ last: 1 }])
  })

  it('of input leaves a receiver that asked for it time to answer (sec-44)', async () => {
    const { channel, peer } = await setUp()
    const answered = new Promise<string>((resolve) => {
      let text = ''
      peer.on('data', (chunk) => {
        text += String(chunk)
      })
      peer.on('end', () => resolve(text))
    })
    const seen = listen(channel, () => {
      channel.send('{"answer":1}')
      void channel.close()
    })
    peer.end('{}\n')
    expect(await answered).toBe('{"answer":1}\n')
    expect(await seen.closed).toBeUndefined()
  })

  it('by a reset is reported at once and once (fault 13)', async () => {
    const { channel, peer } = await setUp()
    const seen = listen(channel)
    channel.send('{}')
    await channel.flush()
    peer.resetAndDestroy()
    expect(await seen.closed).toMatchObject({ code: 'closed', message: expect.stringContaining('ECONNRESET') })
    channel.send('{}')
    await channel.close()
    expect(seen.closings).toHaveLength(1)
  })

  it('by a peer that stopped reading is EPIPE, at once', async () => {
    const readable = new PassThrough()
    const { channel, peer, socket } = await setUp({ readable })
    const seen = listen(channel)
    socket.resume()
    peer.destroy()
    await new Promise((resolve) => socket.once('end', resolve))
    // The first write provokes the reset, a later one meets it.
    const repeat = setInterval(() => channel.send('{}'), 1)
    const reason = await seen.closed
    clearInterval(repeat)
    expect(reason).toMatchObject({ code: 'closed', message: expect.stringMatching(/EPIPE|ECONNRESET/) })
    expect(readable.destroyed).toBe(true)
  })

  it.each(['open', 'never opened'])('by close does not reset what the peer has yet to read: %s', async (state) => {
    // The end of the peer ends it: on a busy machine a quarter of a second may go by without a word.
    const { channel, peer } = await setUp({ lingerMs: 60_000, closeMs: 60_000 })
    if (state === 'open') listen(channel)
    const fate = new Promise<string>((resolve) => {
      peer.once('error', () => resolve('reset'))
      peer.once('end', () => resolve('ended'))
    })
    const text = JSON.stringify('x'.repeat(3_000_000))
    let length = 0
    peer.on('data', (chunk) => {
      length += chunk.length
      // The peer goes on talking while it reads.
      if (!peer.writableEnded) peer.write('{}\n')
    })
    peer.once('end', () => peer.end())
    peer.write('{}\n'.repeat(10_000))
    channel.send(text)
    await channel.close()
    expect([await fate, length]).toEqual(['ended', text.length + 1])
  })

  it('before open is reported at open', async () => {
    const { channel, peer, socket } = await setUp()
    const gone = new Promise((resolve) => socket.once('close', resolve))
    peer.resetAndDestroy()
    socket.read(0)
    await gone
    const seen = listen(channel)
    expect(await seen.closed).toMatchObject({ code: 'closed' })
  })

  it('comes within closeMs although the peer takes nothing', async () => {
    const { channel, peer } = await setUp({ closeMs: 50 })
    const seen = listen(channel)
    peer.pause()
    for (let n = 0; n < 20; n++) channel.send(JSON.stringify('x'.repeat(1_000_000)))
    await channel.close()
    expect(await seen.closed).toBeUndefined()
  })

  it('comes with limit-exceeded when what may not be dropped piles up', async () => {
    const { channel, peer } = await setUp({ limits: { maxQueueBytes: 1000, maxKeptBytes: 100_000 } })
    const seen = listen(channel)
    peer.pause()
    const fill = (): void => {
      for (let n = 0; n < 100; n++) channel.send(JSON.stringify('x'.repeat(50_000)))
    }
    const repeat = setInterval(fill, 1)
    const reason = await seen.closed
    clearInterval(repeat)
    expect(reason).toMatchObject({ code: 'limit-exceeded', message: expect.stringContaining('maxKeptBytes') })
  })
})

it('writes what is sent in one turn at once', async () => {
  const writable = new PassThrough()
  let writes = 0
  const channel = createByteStreamChannel({
    readable: new PassThrough(),
    writable,
    label: 'pipe',
    write: (text, done) => {
      writes++
      return writable.write(text, done)
    },
  })
  for (let n = 0; n < 50; n++) channel.send(String(n))
  await channel.flush()
  expect(String(writable.read()).split('\n')).toHaveLength(51)
  expect(writes).toBeLessThanOrEqual(2)
  await channel.close()
})
