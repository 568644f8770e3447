/** The store of one process: what it keeps ends with the process. */

import { PorticoError } from '../jsonrpc/errors.ts'
import {
  type Change,
  type KeptEntry,
  type Lease,
  type ListRange,
  requireChanges,
  requireKey,
  requireRange,
  requireTime,
  type Store,
} from './store.ts'

interface Entry {
  readonly value: string
  readonly version: number
  readonly expires: number
}

interface HeldLease extends Lease {
  readonly expires: number
}

const SWEEP_MS = 1000

/**
 * A store in the memory of this process, for one process and for tests.
 *
 * @example
 * ```ts
 * import { createMemoryStore } from '@portico/sdk/state'
 *
 * const store = createMemoryStore()
 * await store.write([{ key: 'greeting', value: 'hello', ifVersion: 0, ttlMs: 60_000 }])
 * console.log(await store.get('greeting')) // { value: 'hello', version: 1 }
 * ```
 */
export function createMemoryStore(): Store {
  return new MemoryStore()
}

/** Whether a store is in the memory of this process, where no other finds what it keeps. */
export function isMemoryStore(store: Store): boolean {
  return store instanceof MemoryStore
}

class MemoryStore implements Store {
  readonly #entries = new Map<string, Entry>()
  /** All keys in order, so that a list costs what it gives. */
  readonly #keys: string[] = []
  readonly #leases = new Map<string, HeldLease>()
  /** One count for versions and epochs of all keys: what is deleted needs no memory of its own to never repeat. */
  #count = 0
  #nextSweep = 0
  #closed = false

  async get(key: string): Promise<{ value: string; version: number } | undefined> {
    this.#requireOpen()
    requireKey(key)
    const entry = this.#live(key, Date.now())
    return entry === undefined ? undefined : { value: entry.value, version: entry.version }
  }

  async write(changes: readonly Change[]): Promise<readonly number[] | undefined> {
    this.#requireOpen()
    requireChanges(changes)
    const now = Date.now()
    this.#sweep(now)
    const fits = changes.every(
      ({ key, ifVersion }) => ifVersion === undefined || ifVersion === (this.#live(key, now)?.version ?? 0),
    )
    return fits ? changes.map((change) => this.#apply(change, now)) : undefined
  }

  async list(prefix: string, range: ListRange): Promise<readonly KeptEntry[]> {
    this.#requireOpen()
    requireRange(prefix, range)
    const { after = '', limit } = range
    const now = Date.now()
    const found: KeptEntry[] = []
    const start = after >= prefix && after !== '' ? this.#placeOf(after, true) : this.#placeOf(prefix, false)
    for (let at = start; at < this.#keys.length && found.length < limit; at++) {
      const key = this.#keys[at] ?? ''
      if (!key.startsWith(prefix)) break
      const entry = this.#live(key, now)
      if (entry !== undefined) found.push({ key, value: entry.value, version: entry.version })
    }
    return found
  }

  async lease(key: string, owner: string, forMs: number): Promise<Lease | undefined> {
    this.#requireOpen()
    requireKey(key)
    requireKey(owner)
    requireTime('forMs', forMs)
    const now = Date.now()
    this.#sweep(now)
    if (this.#held(key, now) !== undefined) return undefined
    const epoch = ++this.#count
    this.#leases.set(key, { owner, epoch, expires: now + forMs })
    return { owner, epoch }
  }

  async renew(key: string, lease: Lease, forMs: number): Promise<boolean> {
    this.#requireOpen()
    requireKey(key)
    requireTime('forMs', forMs)
    const now = Date.now()
    const held = this.#held(key, now)
    if (held?.epoch !== lease.epoch) return false
    this.#leases.set(key, { ...held, expires: now + forMs })
    return true
  }

  async release(key: string, lease: Lease): Promise<void> {
    this.#requireOpen()
    requireKey(key)
    if (this.#leases.get(key)?.epoch === lease.epoch) this.#leases.delete(key)
  }

  async holder(key: string): Promise<Lease | undefined> {
    this.#requireOpen()
    requireKey(key)
    const held = this.#held(key, Date.now())
    return held === undefined ? undefined : { owner: held.owner, epoch: held.epoch }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#entries.clear()
    this.#keys.length = 0
    this.#leases.clear()
  }

  #apply({ key, value, ttlMs }: Change, now: number): number {
    if (value === undefined) {
      this.#remove(key)
      return 0
    }
    if (!this.#entries.has(key)) this.#keys.splice(this.#placeOf(key, false), 0, key)
    const version = ++this.#count
    this.#entries.set(key, { value, version, expires: ttlMs === undefined ? Number.POSITIVE_INFINITY : now + ttlMs })
    return version
  }

  #remove(key: string): void {
    if (this.#entries.delete(key)) this.#keys.splice(this.#placeOf(key, false), 1)
  }

  #live(key: string, now: number): Entry | undefined {
    const entry = this.#entries.get(key)
    return entry !== undefined && entry.expires > now ? entry : undefined
  }

  #held(key: string, now: number): HeldLease | undefined {
    const held = this.#leases.get(key)
    return held !== undefined && held.expires > now ? held : undefined
  }

  /** Where a key is or would be, or the first place after it. */
  #placeOf(key: string, after: boolean): number {
    let [low, high] = [0, this.#keys.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      const at = this.#keys[middle] ?? ''
      if (at < key || (after && at === key)) low = middle + 1
      else high = middle
    }
    return low
  }

  #sweep(now: number): void {
    if (now < this.#nextSweep) return
    this.#nextSweep = now + SWEEP_MS
    for (const [key, { expires }] of this.#entries) if (expires <= now) this.#remove(key)
    for (const [key, { expires }] of this.#leases) if (expires <= now) this.#leases.delete(key)
  }

  #requireOpen(): void {
    if (this.#closed) throw new PorticoError('closed', 'The store was closed')
  }
}
