/** One place in memory that several replicas of a test share, which can be cut off, and which counts what it is asked. */

import { PorticoError } from '@portico/sdk/server'
import { type Bus, createMemoryBus, createMemoryStore, type Store } from '@portico/sdk/state'
import type { OpenedState } from '../src/state/opened-state.ts'
import { type SharedState, shareState } from '../src/state/shared/shared-state.ts'

export interface SharedPlace {
  /** What is kept, as whoever looks into the database sees it. */
  readonly raw: Store
  /** Calls to store and bus so far. */
  readonly calls: number
  /** Nothing can be reached any more, until `mend`. */
  cut(): void
  mend(): void
  /** It answers and takes no writes any more, as a database without room, until it is told `false`. */
  fill(full: boolean): void
  open(): OpenedState
  join(keys?: readonly Uint8Array[]): Promise<SharedState>
  close(): Promise<void>
}

export const KEY = new Uint8Array(32).fill(1)
export const OTHER_KEY = new Uint8Array(32).fill(2)

export function createSharedPlace(): SharedPlace {
  const raw = createMemoryStore()
  const bus = createMemoryBus()
  const joined: SharedState[] = []
  let isCut = false
  let isFull = false
  let calls = 0
  const ask = async <T>(work: () => Promise<T>): Promise<T> => {
    calls++
    if (isCut) throw new PorticoError('store-unavailable', 'The place of this test is away')
    return work()
  }
  const store: Store = {
    get: (key) => ask(() => raw.get(key)),
    write: (changes) =>
      ask(async () => {
        if (isFull) throw new PorticoError('store-unavailable', 'The place of this test is full')
        return raw.write(changes)
      }),
    list: (prefix, range) => ask(() => raw.list(prefix, range)),
    lease: (key, owner, forMs) => ask(() => raw.lease(key, owner, forMs)),
    renew: (key, lease, forMs) => ask(() => raw.renew(key, lease, forMs)),
    release: (key, lease) => ask(() => raw.release(key, lease)),
    holder: (key) => ask(() => raw.holder(key)),
    close: async () => {},
  }
  const wire: Bus = {
    publish: (topic, text) => ask(() => bus.publish(topic, text)),
    subscribe: (topic, listener) => ask(() => bus.subscribe(topic, listener)),
    close: async () => {},
  }
  const status = async () => ({ kind: 'sqlite' as const, place: 'memory', available: !isCut, tookMs: 0 })
  const open = (): OpenedState => ({ store, bus: wire, status, close: async () => {} })
  return {
    raw,
    get calls() {
      return calls
    },
    cut: () => {
      isCut = true
    },
    mend: () => {
      isCut = false
    },
    fill: (full) => {
      isFull = full
    },
    open,
    async join(keys = [KEY]) {
      const state = await shareState(open(), { keys })
      joined.push(state)
      return state
    },
    async close() {
      for (const state of joined) await state.close()
    },
  }
}
