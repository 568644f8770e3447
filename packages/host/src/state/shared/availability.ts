/**
 * Whether the database of shared state answers and takes writes, as everything that uses it finds out: the first call that fails makes it away,
 * and from then on it is asked until it answers again. Readiness, metrics and the log look here.
 */

import { PorticoError } from '@portico/sdk/server'
import type { Bus, Store } from '@portico/sdk/state'

/** How the place of shared state is doing. */
export interface Availability {
  readonly available: boolean
  /** When it last went away or came back, in milliseconds since 1970. */
  readonly since: number
  /** Calls that failed because it did not answer, since the start. */
  readonly failures: number
  /** Calls that were made, since the start. */
  readonly calls: number
  /** Why it is away, and what to do; only while it is. */
  readonly reason?: string
}

const PROBE_MS = 500

/** Follows what becomes of the calls to one place. */
export class AvailabilityWatch {
  readonly #probe: () => Promise<boolean>
  readonly #listeners = new Set<(available: boolean) => void>()
  #available = true
  #since = Date.now()
  #reason: string | undefined
  #failures = 0
  #calls = 0
  #timer: NodeJS.Timeout | undefined
  #closed = false

  /** `probe` asks whether it answers and can be written; it never rejects. */
  constructor(probe: () => Promise<boolean>) {
    this.#probe = probe
  }

  get current(): Availability {
    return {
      available: this.#available,
      since: this.#since,
      failures: this.#failures,
      calls: this.#calls,
      ...(this.#reason !== undefined && { reason: this.#reason }),
    }
  }

  on(listener: (available: boolean) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The same store, whose failures are noticed. */
  store(store: Store): Store {
    return {
      get: (key) => this.#watch(store.get(key)),
      write: (changes) => this.#watch(store.write(changes)),
      list: (prefix, range) => this.#watch(store.list(prefix, range)),
      lease: (key, owner, forMs) => this.#watch(store.lease(key, owner, forMs)),
      renew: (key, lease, forMs) => this.#watch(store.renew(key, lease, forMs)),
      release: (key, lease) => this.#watch(store.release(key, lease)),
      holder: (key) => this.#watch(store.holder(key)),
      close: () => store.close(),
    }
  }

  /** The same bus, whose failures are noticed. */
  bus(bus: Bus): Bus {
    return {
      publish: (topic, text) => this.#watch(bus.publish(topic, text)),
      subscribe: (topic, listener) => this.#watch(bus.subscribe(topic, listener)),
      close: () => bus.close(),
    }
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  async #watch<T>(call: Promise<T>): Promise<T> {
    this.#calls++
    try {
      return await call
    } catch (error) {
      if (error instanceof PorticoError && error.code === 'store-unavailable') this.#lost(error.message)
      throw error
    }
  }

  #lost(reason: string): void {
    this.#failures++
    if (!this.#available || this.#closed) return
    this.#tell(false, reason)
    this.#ask()
  }

  #ask(): void {
    this.#timer = setTimeout(() => {
      void this.#probe().then((answers) => {
        if (this.#closed) return
        if (answers) this.#tell(true)
        else this.#ask()
      })
    }, PROBE_MS)
    this.#timer.unref()
  }

  #tell(available: boolean, reason?: string): void {
    this.#available = available
    this.#reason = reason
    this.#since = Date.now()
    for (const listener of [...this.#listeners]) listener(available)
  }
}
