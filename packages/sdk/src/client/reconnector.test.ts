import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { PorticoError } from '../jsonrpc/errors.ts'
import { LATEST } from '../protocol/revisions.ts'
import type { Connection, Connector } from './connection.ts'
import type { Link } from './link.ts'
import { ClientPeer, type PeerEvents } from './peer.ts'
import { Reconnector } from './reconnector.ts'

const link = (): Link => ({
  kind: 'channel',
  label: 'test',
  open() {},
  request() {},
  cancel() {},
  send: async () => {},
  agree() {},
  listen() {},
  close: async () => {},
})

/** A connector that opens when told to, and a reconnector on it. */
function create(restarts: boolean, random = 0.5) {
  const opened: { at: number; events: PeerEvents }[] = []
  const state = { refuse: false }
  const connector: Connector = {
    label: 'test',
    key: 'test',
    reopens: true,
    restarts,
    async open(_, events): Promise<Connection> {
      opened.push({ at: Date.now(), events })
      if (state.refuse) throw new PorticoError('connect-failed', 'refused', { delivery: 'not-sent' })
      const server = { info: undefined, capabilities: {}, instructions: undefined }
      const negotiated = { era: 'modern', version: '2026-07-28', transport: 'channel' } as const
      return { peer: new ClientPeer(link(), events), revision: LATEST, server, negotiated }
    },
  }
  const lost: string[] = []
  const reconnector = new Reconnector(
    connector,
    { info: { name: 'x', version: '1' }, capabilities: {} },
    {
      connected() {},
      lost: (error) => lost.push(error.message),
      peer: (closed) => ({
        request: async () => ({}),
        notification() {},
        admits: () => true,
        tell() {},
        irregular() {},
        closed,
      }),
    },
    { connectMs: 1_000, random: () => random },
  )
  const crash = () => opened.at(-1)?.events.closed(new PorticoError('closed', 'crash'))
  return { reconnector, opened, state, lost, crash }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('keeping a connection', () => {
  test('one is made for all who wait', async () => {
    const { reconnector, opened } = create(false)
    const [first, second] = await Promise.all([reconnector.ready(), reconnector.ready()])
    expect(first).toBe(second)
    expect(opened).toHaveLength(1)
  })

  test.each([
    [0, 0.8],
    [0.5, 1],
    [0.999, 1.2],
  ])('waits 100 ms, growing by 1.6, with jitter of a fifth (random %d)', async (random, factor) => {
    const { reconnector, opened, state } = create(false, random)
    state.refuse = true
    for (let attempt = 0; attempt < 4; attempt++) {
      const made = reconnector.ready().catch((error) => error.code)
      await vi.advanceTimersByTimeAsync(10_000)
      expect(await made).toBe('connect-failed')
    }
    // Each attempt comes long after its wait is over here; so the waits are read from attempts made without pause.
    const waits: number[] = []
    const { reconnector: eager, opened: times, state: refusing } = create(false, random)
    refusing.refuse = true
    const running = eager.restore()
    await vi.advanceTimersByTimeAsync(60_000)
    await eager.close()
    await vi.advanceTimersByTimeAsync(60_000)
    await running
    for (let n = 1; n < 5; n++) waits.push((times[n]?.at ?? 0) - (times[n - 1]?.at ?? 0))
    for (const [n, wait] of waits.entries()) expect(wait / (100 * 1.6 ** n * factor)).toBeCloseTo(1, 1)
    expect(opened).toHaveLength(4)
  })

  test('no wait is longer than 30 s and its jitter', async () => {
    const { reconnector, opened, state } = create(false, 0.999)
    state.refuse = true
    const running = reconnector.restore()
    await vi.advanceTimersByTimeAsync(400_000)
    await reconnector.close()
    await vi.advanceTimersByTimeAsync(40_000)
    await running
    const waits = opened.slice(1).map(({ at }, n) => at - (opened[n]?.at ?? 0))
    expect(Math.max(...waits)).toBeLessThanOrEqual(36_100)
    expect(Math.max(...waits)).toBeGreaterThan(30_000)
  })

  test('more than 4 crashes within 3 minutes open the circuit; time closes it again', async () => {
    const { reconnector, crash } = create(true)
    for (let n = 0; n < 5; n++) {
      const made = reconnector.ready()
      await vi.advanceTimersByTimeAsync(1_000)
      await made
      crash()
    }
    await expect(reconnector.ready()).rejects.toMatchObject({ code: 'closed', delivery: 'not-sent' })
    await vi.advanceTimersByTimeAsync(181_000)
    await expect(reconnector.ready()).resolves.toBeDefined()
  })

  test('sockets have no such budget', async () => {
    const { reconnector, crash } = create(false)
    for (let n = 0; n < 10; n++) {
      const made = reconnector.ready()
      await vi.advanceTimersByTimeAsync(40_000)
      await made
      crash()
    }
  })

  test('after close nothing is opened', async () => {
    const { reconnector, opened } = create(false)
    await reconnector.close()
    await expect(reconnector.ready()).rejects.toMatchObject({ code: 'closed', delivery: 'not-sent' })
    expect(opened).toHaveLength(0)
  })
})
