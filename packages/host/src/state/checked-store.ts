/** What every store and bus does before it asks its database: refuse what none may take, and all of it once closed. */

import { PorticoError } from '@portico/sdk/server'
import {
  type Bus,
  type BusListener,
  type Change,
  type Kept,
  type KeptEntry,
  type Lease,
  type ListRange,
  requireChanges,
  requireKey,
  requireMessage,
  requireRange,
  requireTime,
  type Store,
} from '@portico/sdk/state'

/** A store whose arguments have been checked. */
export function checkStore(store: Store): Store {
  return new CheckedStore(store)
}

/** A bus whose arguments have been checked. */
export function checkBus(bus: Bus): Bus {
  return new CheckedBus(bus)
}

class CheckedStore implements Store {
  readonly #store: Store
  #closed = false

  constructor(store: Store) {
    this.#store = store
  }

  async get(key: string): Promise<Kept | undefined> {
    this.#require(key)
    return this.#store.get(key)
  }

  async write(changes: readonly Change[]): Promise<readonly number[] | undefined> {
    requireOpen(this.#closed)
    requireChanges(changes)
    return this.#store.write(changes)
  }

  async list(prefix: string, range: ListRange): Promise<readonly KeptEntry[]> {
    requireOpen(this.#closed)
    requireRange(prefix, range)
    return this.#store.list(prefix, range)
  }

  async lease(key: string, owner: string, forMs: number): Promise<Lease | undefined> {
    this.#require(key, forMs)
    requireKey(owner)
    return this.#store.lease(key, owner, forMs)
  }

  async renew(key: string, lease: Lease, forMs: number): Promise<boolean> {
    this.#require(key, forMs)
    return this.#store.renew(key, lease, forMs)
  }

  async release(key: string, lease: Lease): Promise<void> {
    this.#require(key)
    return this.#store.release(key, lease)
  }

  async holder(key: string): Promise<Lease | undefined> {
    this.#require(key)
    return this.#store.holder(key)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#store.close()
  }

  #require(key: string, forMs = 1): void {
    requireOpen(this.#closed)
    requireKey(key)
    requireTime('forMs', forMs)
  }
}

class CheckedBus implements Bus {
  readonly #bus: Bus
  #closed = false

  constructor(bus: Bus) {
    this.#bus = bus
  }

  async publish(topic: string, text: string): Promise<void> {
    requireOpen(this.#closed)
    requireMessage(topic, text)
    return this.#bus.publish(topic, text)
  }

  async subscribe(topic: string, listener: BusListener): Promise<() => void> {
    requireOpen(this.#closed)
    requireKey(topic)
    return this.#bus.subscribe(topic, listener)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#bus.close()
  }
}

function requireOpen(closed: boolean): void {
  if (closed) throw new PorticoError('closed', 'The store was closed')
}
