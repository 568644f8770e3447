/**
 * The one place for what replicas have in common: a sealed store, a bus, who takes part, and whether the database answers.
 * Books are written on it: texts (grants, pins, questions), tokens, limits, breakers.
 */

import { createHmac, randomBytes } from 'node:crypto'
import type { TokenStore } from '@portico/sdk/auth'
import type { Bus, Store } from '@portico/sdk/state'
import type { OpenedState, StateStatus } from '../opened-state.ts'
import { type Availability, AvailabilityWatch } from './availability.ts'
import { joinReplicas, type Replicas } from './replicas.ts'
import { type SealedStore, sealStore } from './sealed-store.ts'
import { createSharedText, type SharedText } from './shared-text.ts'
import { createSharedTokens } from './shared-tokens.ts'

/** What the replicas of a host or gateway share. */
export interface SharedState {
  /** Its values are sealed. */
  readonly store: Store
  /** The same without sealing, for what seals by itself (`createCluster`). */
  readonly unsealed: Store
  readonly bus: Bus
  /** Who takes part, this process among them. */
  readonly replicas: Replicas
  /** Whether the database answers, as the calls of this process found. */
  availability(): Availability
  /** Told when the database went away, and when it is back. */
  onAvailable(listener: (available: boolean) => void): () => void
  /** Asks the database for a sign of life. */
  status(): Promise<StateStatus>
  /** A text that all replicas share. */
  text(name: string): SharedText
  /** Credentials that all replicas share; of two at once one renews. `shelf` keeps apart what is kept for another purpose. */
  tokens(shelf?: string): TokenStore
  /** A name for what must not be read in the database, such as who somebody is: the same for all who have the keys. */
  nameOf(text: string): string
  /** Leaves and closes the database. */
  close(): Promise<void>
}

/** Options of `shareState`. */
export interface ShareOptions {
  /** 32-byte keys that seal what is kept, newest first: the first seals, all open. */
  readonly keys: readonly Uint8Array[]
}

/**
 * Makes state that several hosts or gateways share out of a place that was opened: give it to `createHost` and
 * `createGateway` as `state`, in every process with the same keys.
 *
 * @example
 * ```ts
 * import { createHost } from '@portico/host'
 * import { openState, shareState } from '@portico/host/state'
 *
 * const opened = await openState({ redis: 'redis://127.0.0.1:6379' })
 * const state = await shareState(opened, { keys: [Buffer.from(process.env.STATE_KEY ?? '', 'base64')] })
 * const host = await createHost({ state })
 * ```
 */
export async function shareState(opened: OpenedState, { keys }: ShareOptions): Promise<SharedState> {
  const watch = new AvailabilityWatch(() => isBack(opened))
  const unsealed = watch.store(opened.store)
  const store = sealStore(unsealed, keys, { lasting: LASTING })
  const bus = watch.bus(opened.bus)
  const names = await openNames(store)
  for (const prefix of LASTING) await sealAnew(store, prefix)
  const replicas = await joinReplicas(store, bus)
  return {
    store,
    unsealed,
    bus,
    replicas,
    availability: () => watch.current,
    onAvailable: (listener) => watch.on(listener),
    status: () => opened.status(),
    text: (name) => createSharedText(store, bus, name),
    tokens: (shelf = 'token') => createSharedTokens(store, { nameKey: names, shelf }),
    nameOf: (text) => createHmac('sha256', names).update(text).digest('base64url'),
    async close() {
      await replicas.close()
      watch.close()
      await opened.close()
    },
  }
}

/** A place that answers and takes no writes (full, or read-only) is of no use. Asked only while it is away. */
async function isBack({ store, status }: OpenedState): Promise<boolean> {
  if (!(await status()).available) return false
  return store.write([{ key: 'probe', value: '', ttlMs: PROBE_TTL_MS }]).then(
    () => true,
    () => false,
  )
}

const PROBE_TTL_MS = 1_000

/** What has no end of its own: it would need an old key for ever, and is never passed over. */
const LASTING = ['names', 'text/', 'pin/'] as const
const PAGE = 50

/** The secret that names are made with: kept beside what it names, so that it outlives every key. */
async function openNames(store: Store): Promise<Buffer> {
  for (;;) {
    const kept = await store.get('names')
    if (kept !== undefined) return Buffer.from(kept.value, 'base64')
    await store.write([{ key: 'names', value: randomBytes(32).toString('base64'), ifVersion: 0 }])
  }
}

/** Writes again what an older key has sealed, so that the key can be dropped. What changed meanwhile is sealed anew by that. */
async function sealAnew(store: SealedStore, prefix: string): Promise<void> {
  let after = ''
  for (;;) {
    const rows = await store.list(prefix, { limit: PAGE, ...(after !== '' && { after }) })
    for (const { key, value, version, current } of rows) {
      if (!current) await store.write([{ key, value, ifVersion: version }])
    }
    if (rows.length < PAGE) return
    after = rows.at(-1)?.key ?? after
  }
}
