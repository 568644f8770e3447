/** What replicas ask of the store and tell each other while they serve, counted; and a store that has lost what was in it. */

import { type Bus, createMemoryBus, createMemoryStore, type Store } from '@portico/sdk/state'
import { afterEach, describe, expect, it } from 'vitest'
import { ask, callModern, callTool, openSession } from './raw-client.ts'
import { startReplicas, type TestCluster } from './replicas.ts'

let cluster: TestCluster
afterEach(() => cluster.close())

const urlOf = (at: number): string => cluster.replicas[at]?.http.url ?? ''
const nameOf = (at: number): string => cluster.replicas[at]?.cluster.replica ?? ''

/** Long enough that no sign of life falls into a test. */
const QUIET_MS = 3_600_000

interface Counting {
  readonly store: Store
  readonly bus: Bus
  /** What was called since the last look. */
  look(): readonly string[]
  /** Everything that was kept is gone, as after a restart of a store that keeps nothing on disk. */
  forget(): void
}

function counting(): Counting {
  const calls: string[] = []
  const inner = { store: createMemoryStore() as Store, bus: createMemoryBus() as Bus }
  const follow = <Part extends 'store' | 'bus'>(part: Part): (typeof inner)[Part] =>
    new Proxy(inner[part], {
      get(_, name) {
        const member: unknown = Reflect.get(inner[part], name)
        if (typeof member !== 'function') return member
        return (...given: unknown[]) => {
          calls.push(`${part}.${String(name)}`)
          return Reflect.apply(member, inner[part], given)
        }
      },
    })
  return {
    store: follow('store'),
    bus: follow('bus'),
    look: () => calls.splice(0),
    forget: () => {
      inner.store = createMemoryStore()
    },
  }
}

describe('what a call asks of the store', () => {
  const start = async (): Promise<Counting> => {
    const counted = counting()
    cluster = await startReplicas(3, { ...counted, leaseMs: QUIET_MS })
    return counted
  }

  it('is nothing at all for a call of 2026-07-28, at any replica', async () => {
    const { look } = await start()
    look()
    for (let at = 0; at < 9; at++) expect(await callModern(urlOf(at % 3), 'where')).toBe(nameOf(at % 3))
    expect(look()).toEqual([])
  })

  it('is nothing at all for a call of a session at the replica that has it', async () => {
    const { look } = await start()
    const session = await openSession(urlOf(0))
    look()
    for (let at = 0; at < 9; at++) expect(await callTool(urlOf(0), session, 'where')).toBe(nameOf(0))
    expect(look()).toEqual([])
  })

  it('is where the session is, asked once, for calls that another replica passes on; nobody else is told', async () => {
    const { look } = await start()
    const session = await openSession(urlOf(0))
    look()
    expect(await callTool(urlOf(1), session, 'where')).toBe(nameOf(0))
    expect(look()).toEqual(['store.get', 'store.get'])
    const began = performance.now()
    for (let at = 0; at < 9; at++) expect(await callTool(urlOf(1), session, 'where')).toBe(nameOf(0))
    // Where a replica is reached is believed for a second, whose it is for ten.
    const seconds = Math.ceil((performance.now() - began) / 1000)
    const asked = look()
    expect(asked.length).toBeLessThanOrEqual(2 * seconds)
    expect(asked.filter((name) => name !== 'store.get')).toEqual([])
  })

  it('is one row for each session, written once', async () => {
    const { look, store } = await start()
    look()
    for (let at = 0; at < 6; at++) await openSession(urlOf(at % 3))
    expect(look()).toEqual(Array.from({ length: 6 }, () => 'store.write'))
    expect(await store.list('cluster/portico/session/', { limit: 100 })).toHaveLength(6)
    expect(await store.list('cluster/portico/event/', { limit: 100 })).toHaveLength(0)
  })
})

describe('a store that has lost what was in it', () => {
  it('sec-546: loses no session that a replica holds: it is served or refused with Retry-After, and written anew', async () => {
    const { store, bus, forget } = counting()
    cluster = await startReplicas(3, { store, bus, leaseMs: 900 })
    const sessions = [await openSession(urlOf(0)), await openSession(urlOf(1)), await openSession(urlOf(2))]
    forget()
    // Sessions that this replica has never heard of.
    const first = await Promise.all(sessions.map((session) => ask(urlOf(0), session, 'ping')))
    for (const { status, retryAfter } of first) expect(status === 200 || retryAfter === '1').toBe(true)
    const rows = async (): Promise<number> => (await store.list('cluster/portico/session/', { limit: 9 })).length
    await expect.poll(rows).toBe(3)
    for (const [at, session] of sessions.entries()) {
      for (const asked of [0, 1, 2]) {
        await expect.poll(() => callTool(urlOf(asked), session, 'where')).toBe(nameOf(at))
      }
    }
    const unknown = { id: '', headers: { 'mcp-session-id': '0'.repeat(40) } }
    await expect.poll(async () => (await ask(urlOf(1), unknown, 'ping')).status).toBe(404)
  })
})
