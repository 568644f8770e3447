import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { MemoryRoundStore } from './round-store.ts'

afterEach(() => {
  vi.useRealTimers()
})

describe('MemoryRoundStore', () => {
  it('gives a round to the first, the outcome to the others', async () => {
    const store = new MemoryRoundStore()
    expect(await store.take('a', 1000)).toBeUndefined()
    const waiting = [store.take('a', 1000), store.take('a', 1000)]
    store.settle('a', 'done')
    expect(await Promise.all(waiting)).toEqual(['done', 'done'])
    expect(await store.take('a', 1000)).toBe('done')
    expect(await store.take('b', 1000)).toBeUndefined()
  })

  it('gives a released round to exactly one of those who wait', async () => {
    const store = new MemoryRoundStore()
    await store.take('a', 1000)
    const outcomes: (string | undefined)[] = []
    const waiting = [1, 2].map(async () => {
      const outcome = await store.take('a', 1000)
      outcomes.push(outcome)
      if (outcome === undefined) store.settle('a', 'second try')
    })
    store.release('a')
    await Promise.all(waiting)
    expect(outcomes).toEqual([undefined, 'second try'])
  })

  it('forgets a round after its time', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const store = new MemoryRoundStore()
    await store.take('a', 1000)
    store.settle('a', 'done')
    vi.setSystemTime(Date.now() + 1001)
    await store.take('other', 1000)
    expect(await store.take('a', 1000)).toBeUndefined()
  })

  it('forgets the oldest settled round when it is full, never one that is running', async () => {
    const store = new MemoryRoundStore(3)
    await store.take('running', 1000)
    for (const round of ['b', 'c']) {
      await store.take(round, 1000)
      store.settle(round, round)
    }
    expect(await store.take('b', 1000)).toBe('b')
    await store.take('d', 1000)
    expect(await store.take('c', 1000)).toBe('c')
    const waiting = store.take('running', 1000)
    store.settle('running', 'ran')
    expect(await waiting).toBe('ran')
  })

  it('answers a round that is asked for again even when it is full', async () => {
    const store = new MemoryRoundStore(1)
    await store.take('a', 1000)
    store.settle('a', 'done')
    expect(await store.take('a', 1000)).toBe('done')
    expect(await store.take('a', 1000)).toBe('done')
  })

  it('takes settling and releasing of the unknown calmly', () => {
    const store = new MemoryRoundStore()
    expect(() => {
      store.settle('nobody', 'x')
      store.release('nobody')
    }).not.toThrow()
  })

  it('sec-176, sec-273: keeps the outcomes of whoever has few, however many others have', async () => {
    const owner = fc.constantFrom('eve', 'mallory', 'trudy')
    await fc.assert(
      fc.asyncProperty(fc.array(owner, { maxLength: 150 }), fc.nat(150), async (others, when) => {
        const store = new MemoryRoundStore(8)
        const settle = async (round: string, name: string) => {
          expect(await store.take(round, 60_000, name)).toBeUndefined()
          store.settle(round, round)
        }
        for (const [at, name] of others.entries()) {
          if (at === when) await settle('hers', 'ada')
          await settle(`${at}`, name)
        }
        // Four owners, eight outcomes: two of each stay.
        if (when < others.length) expect(await store.take('hers', 60_000, 'ada')).toBe('hers')
        for (const name of ['eve', 'mallory', 'trudy']) {
          const last = others.lastIndexOf(name as 'eve')
          if (last >= 0) expect(await store.take(`${last}`, 60_000, name)).toBe(`${last}`)
        }
      }),
    )
  })

  const gone = { code: 'state-refused' }
  const settle = async (store: MemoryRoundStore, round: string, outcome: string, name?: string) => {
    expect(await store.take(round, 60_000, name)).toBeUndefined()
    store.settle(round, outcome)
  }

  it('sec-284: tells an outcome that is too large to those who wait, and keeps that the round was taken', async () => {
    const store = new MemoryRoundStore()
    const large = 'x'.repeat(1024 * 1024)
    await store.take('a', 1000)
    const waiting = store.take('a', 1000)
    store.settle('a', large)
    expect(await waiting).toBe(large)
    await expect(store.take('a', 1000)).rejects.toMatchObject(gone)
    await settle(store, 'b', large.slice(0, 1024 * 512))
    expect(await store.take('b', 1000)).toHaveLength(1024 * 512)
  })

  it('sec-284: keeps so many bytes for one principal, and never runs a round twice', async () => {
    const store = new MemoryRoundStore(100, { maxOutcomeBytesPerPrincipal: 40 })
    for (const round of ['a', 'b', 'c']) await settle(store, round, '12345678', 'ada')
    await expect(store.take('a', 1000, 'ada')).rejects.toMatchObject(gone)
    expect(await store.take('b', 1000, 'ada')).toBe('12345678')
    expect(await store.take('c', 1000, 'ada')).toBe('12345678')
  })

  it('sec-284: keeps so many bytes in all, and whoever has most gives way', async () => {
    const sizes = fc.array(fc.tuple(fc.constantFrom('eve', 'mallory'), fc.integer({ min: 1, max: 20 })), {
      maxLength: 60,
    })
    await fc.assert(
      fc.asyncProperty(sizes, async (others) => {
        const limits = { maxOutcomeBytes: 40, maxOutcomeBytesPerPrincipal: 1_000, maxTotalOutcomeBytes: 150 }
        const store = new MemoryRoundStore(1_000, limits)
        await settle(store, 'hers', 'x'.repeat(15), 'ada')
        for (const [at, [name, size]] of others.entries()) await settle(store, `${at}`, 'y'.repeat(size), name)
        expect(await store.take('hers', 60_000, 'ada')).toHaveLength(15)
        let bytes = 30
        for (const at of others.keys())
          bytes += 2 * ((await store.take(`${at}`, 60_000).catch(() => '')) ?? 'ran twice').length
        expect(bytes).toBeLessThanOrEqual(150)
      }),
    )
  })
})
