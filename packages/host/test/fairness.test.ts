/** Whatever is shared and bounded: one caller at full speed keeps nobody else from a share. Counted, never timed. */

import { createPrincipal } from '@portico/sdk/server'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { createMemoryStore } from '../src/authorization-server/memory-store.ts'
import { RateLimit } from '../src/authorization-server/rate-limit.ts'
import { Parking } from '../src/gateway/call/parking.ts'
import type { RelayedCall } from '../src/gateway/call/relayed-call.ts'
import { CallerConnections } from '../src/gateway/connections/caller-connections.ts'
import { CallLimits, type LimitPlace } from '../src/gateway/limits.ts'
import { configOf } from './upstream/fixture.ts'

const OTHERS = ['eve', 'mallory', 'trudy']
const step = fc.record({
  who: fc.constantFrom(...OTHERS),
  leaves: fc.boolean(),
  count: fc.integer({ min: 1, max: 20 }),
})
const steps = fc.array(step, { maxLength: 30 })

/** True when what is tried was done. */
function isDone(action: () => unknown): boolean {
  try {
    action()
    return true
  } catch {
    return false
  }
}

describe('sec-230, sec-274: shares at the gateway', () => {
  test('sec-284: bytes that are kept for calls that wait', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 60 })
    fc.assert(
      fc.property(sizes, (all) => {
        const parking = new Parking({ maxParkedPerPrincipal: 1_000, maxKeptBytes: 250, maxTotalKeptBytes: 1_000 })
        const kept: [RelayedCall, number][] = []
        const keep = (principal: string, bytes: number) => {
          const call = { id: `${principal}${kept.length}`, principal } as RelayedCall
          parking.enter(call)
          if (isDone(() => parking.keep(call, bytes))) kept.push([call, bytes])
          else parking.leave(call)
        }
        for (const bytes of all) keep('eve', bytes)
        const total = kept.reduce((sum, [, bytes]) => sum + bytes, 0)
        expect(total).toBeLessThan(1_000)
        expect(kept.every(([, bytes]) => bytes <= 250)).toBe(true)
        // Whatever one has, there is something left for another; and all of it again when they are gone.
        keep('ada', 1)
        expect(kept.at(-1)?.[0].principal).toBe('ada')
        for (const [call] of kept.splice(0)) parking.leave(call)
        for (let at = 0; at < 3; at++) keep('eve', 250)
        expect(kept).toHaveLength(3)
      }),
    )
  })

  test('places for calls that wait for their users', () => {
    fc.assert(
      // Each of the others may come to the last place as one that has none.
      fc.property(fc.integer({ min: 4, max: 60 }), fc.boolean(), steps, (maxParked, unnamed, all) => {
        const parking = new Parking({ parkedMs: 1000, maxParked, maxParkedPerPrincipal: 1000 })
        const held: RelayedCall[] = []
        let ids = 0
        const park = (principal: string | undefined) => {
          const call = { id: `c${++ids}`, principal } as RelayedCall
          return isDone(() => parking.enter(call)) ? call : undefined
        }
        const [greedy] = all
        for (const { leaves, count } of all) {
          const gone = leaves ? held.pop() : undefined
          if (gone !== undefined) parking.leave(gone)
          for (let at = 0; at < count; at++) {
            const call = park(unnamed ? undefined : greedy?.who)
            if (call !== undefined) held.push(call)
          }
          const hers = park('ada')
          expect(hers).toBeDefined()
          if (hers !== undefined) parking.leave(hers)
          expect(parking.size).toBe(held.length)
        }
      }),
    )
  })

  test('lists and other looks, in a minute', () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 40 }), steps, (listsPerMinute, all) => {
          const book = new CallLimits({ listsPerMinute }, () => () => false)
          const tried = new Map<string, number>()
          for (const { who, count } of [...all, { who: 'ada', count: listsPerMinute }]) {
            for (let at = 0; at < count; at++) {
              const before = tried.get(who) ?? 0
              // As many as it may, whatever the others do.
              expect(isDone(() => book.look(who))).toBe(before < listsPerMinute)
              tried.set(who, before + 1)
            }
          }
          vi.advanceTimersByTime(60_000)
          expect(isDone(() => book.look('eve'))).toBe(true)
        }),
      )
    } finally {
      vi.useRealTimers()
    }
  })

  test('calls at a time, and those of one tool', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 20 }), steps, async (maxConcurrent, all) => {
        const tools = { 't*': { maxConcurrent } }
        const limits = { maxConcurrent: maxConcurrent + 5, callsPerMinute: 1_000_000, tools }
        const book = new CallLimits(limits, () => (name) => name.startsWith('t'))
        const held: LimitPlace[] = []
        for (const { who, leaves, count } of all) {
          const left = leaves ? held.pop() : undefined
          if (left !== undefined) book.leave(left)
          for (let at = 0; at < count; at++) {
            isDone(() => held.push(book.enter(who, at % 3 === 0 ? 'other' : 'tool') as LimitPlace))
          }
          const hers = Array.from({ length: maxConcurrent }, () => book.enter('ada', 'tool') as LimitPlace)
          for (const place of hers) book.leave(place)
        }
      }),
      { numRuns: 30 },
    )
  })

  test('connections to one server', async () => {
    const config = configOf('s', { kind: 'in-process', module: 's', options: {} })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 6 }), steps, async (maxConnections, all) => {
        const connections = new CallerConnections({
          upstreams: { views: () => [{ name: 's', config }], release: async () => {} } as never,
          idleMs: 60_000,
          maxConnections,
          byClient: false,
          shared: () => [],
          personal: () => false,
          listsChanged: () => {},
          nameOf: ({ ownName }) => ownName,
        })
        const sessions: (() => void)[] = []
        const open = (who: string, busy: boolean) => {
          let close = (): void => {}
          const session = { onClose: (action: () => void) => (close = action) }
          const ctx = { session, principal: createPrincipal(who), client: { capabilities: {} } }
          const connection = connections.of('s', ctx as never)
          if (busy) connection.calls.add({} as RelayedCall)
          sessions.push(close)
          return connection
        }
        for (const { who, leaves, count } of all) {
          if (leaves) sessions.shift()?.()
          for (let at = 0; at < count; at++) isDone(() => open(who, at % 2 === 0))
          // Her own are idle: the oldest gives way, so she always has one, and nobody has more than they may.
          expect(isDone(() => open('ada', false))).toBe(true)
          expect(connections.size).toBeLessThanOrEqual((OTHERS.length + 1) * maxConnections)
        }
        await connections.close()
      }),
      { numRuns: 40 },
    )
  })
})

describe('sec-187, sec-275: shares of the embedded authorization server', () => {
  test('registrations in a minute: each source has its own, whatever the others do', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), steps, (most, all) => {
        const limit = new RateLimit(most)
        const tried = new Map<string, number>()
        for (const { who, count } of [...all, { who: 'ada', count: most }]) {
          for (let at = 0; at < count; at++) {
            const before = tried.get(who) ?? 0
            expect(limit.take(who, 0)).toBe(before < most)
            tried.set(who, before + 1)
          }
        }
      }),
    )
  })

  test.each(['Client', 'Interaction', 'Session', 'ReplayDetection'])(
    'what is kept without a sign-in: no source makes that of another go: %s',
    async (kind) => {
      await fc.assert(
        // An eighth of it, for three others.
        fc.asyncProperty(fc.integer({ min: 24, max: 60 }), steps, fc.boolean(), async (maxEntries, all, allowed) => {
          let source = 'ada'
          const store = createMemoryStore({ maxEntries, source: () => source })
          await store(kind).upsert('hers', {}, 60)
          let ids = 0
          for (const { who, count } of all) {
            source = who
            for (let at = 0; at < count; at++) {
              const id = `c${++ids}`
              // Where they can, they have all of it in use: then they are refused, and not others.
              if (allowed)
                await store('Grant')
                  .upsert(`g${id}`, { clientId: id, accountId: who }, 60)
                  .catch(() => {})
              await store(kind)
                .upsert(id, {}, 60)
                .catch(() => {})
            }
          }
          expect(await store(kind).find('hers')).toBeDefined()
        }),
        { numRuns: 40 },
      )
    },
  )

  test('a source that has all its clients in use leaves room for the clients of another', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 8, max: 40 }), fc.integer({ min: 1, max: 80 }), async (maxEntries, many) => {
        let source = 'eve'
        const store = createMemoryStore({ maxEntries, source: () => source })
        for (let at = 0; at < many; at++) {
          await store('Grant').upsert(`g${at}`, { clientId: `c${at}`, accountId: 'eve' }, 60)
          await store('Client')
            .upsert(`c${at}`, { clientId: `c${at}` }, 0)
            .catch(() => {})
        }
        source = 'ada'
        await store('Client').upsert('hers', { clientId: 'hers' }, 0)
        expect(await store('Client').find('hers')).toBeDefined()
      }),
    )
  })
})
