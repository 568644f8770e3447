/** Credentials in the shared state, with a lock that all replicas respect: one renews a token, and the others find it. */

import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { createMemoryTokenStore, type TokenStore } from '@portico/sdk/auth'
import { getOrDamaged } from '@portico/sdk/internal'
import { PorticoError } from '@portico/sdk/server'
import type { Lease, Store } from '@portico/sdk/state'

interface SharedTokensOptions {
  /** Names that tell nothing are made with it. */
  readonly nameKey: Uint8Array
  /** Before the name of each entry. */
  readonly shelf: string
  /** How long an entry stays that nobody writes again. 180 days unless given. */
  readonly keepMs?: number
  /** How long a lock holds without a sign of life. 10 seconds unless given. */
  readonly staleMs?: number
  /** How long to wait for somebody else's lock. 10 minutes unless given: a person may be signing in. */
  readonly waitMs?: number
}

const KEEP_MS = 180 * 24 * 3_600_000

/** `store` is one that seals. */
export function createSharedTokens(store: Store, options: SharedTokensOptions): TokenStore {
  return new SharedTokens(store, options)
}

class SharedTokens implements TokenStore {
  readonly #store: Store
  readonly #options: Required<SharedTokensOptions>
  /** Callers of one process queue here, so that one of them at a time asks for the lease. */
  readonly #local = createMemoryTokenStore()

  constructor(store: Store, options: SharedTokensOptions) {
    this.#store = store
    this.#options = { keepMs: KEEP_MS, staleMs: 10_000, waitMs: 600_000, ...options }
  }

  async get(key: string): Promise<string | undefined> {
    // Sealed with a key that was dropped: whoever it belongs to signs in again.
    return (await getOrDamaged(this.#store, this.#nameOf(key)))?.value
  }

  async set(key: string, value: string): Promise<void> {
    await this.#store.write([{ key: this.#nameOf(key), value, ttlMs: this.#options.keepMs }])
  }

  async delete(key: string): Promise<void> {
    await this.#store.write([{ key: this.#nameOf(key) }])
  }

  withLock<T>(key: string, action: () => Promise<T>): Promise<T> {
    return this.#local.withLock(key, async () => {
      const name = this.#nameOf(key)
      const { staleMs } = this.#options
      const lease = await this.#acquire(name)
      const alive = setInterval(() => void this.#store.renew(name, lease, staleMs).catch(() => {}), staleMs / 4)
      try {
        return await action()
      } finally {
        clearInterval(alive)
        // What cannot be released runs out by itself; the outcome of the action counts.
        await this.#store.release(name, lease).catch(() => {})
      }
    })
  }

  async #acquire(name: string): Promise<Lease> {
    const { staleMs, waitMs } = this.#options
    const owner = randomUUID()
    const until = performance.now() + waitMs
    for (;;) {
      const lease = await this.#store.lease(name, owner, staleMs)
      if (lease !== undefined) return lease
      if (performance.now() > until) throw new PorticoError('timeout', 'The token store is locked by another process')
      await pause(20 + Math.random() * 60)
    }
  }

  #nameOf(key: string): string {
    const { nameKey, shelf } = this.#options
    return `${shelf}/${createHmac('sha256', nameKey).update(key).digest('base64url')}`
  }
}
