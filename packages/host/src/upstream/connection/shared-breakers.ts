/**
 * Servers that replicas leave alone for a while because they keep failing: one tells the others, so that each does not find out by
 * failures of its own, and one that reaches the server again tells that, too.
 */

import { createHash } from 'node:crypto'
import type { Bus, Store } from '@portico/sdk/state'

/** Which servers others leave alone, and until when. */
export interface SharedBreakers {
  /** In milliseconds since 1970; 0 where nobody else leaves it alone. */
  openUntil(server: string): number
  opened(server: string, until: number): void
  /** It was reached. */
  succeeded(server: string): void
  close(): void
}

const PREFIX = 'breaker/'
const TOPIC = 'breakers'
const MOST = 1_000

export async function openSharedBreakers(store: Store, bus: Bus): Promise<SharedBreakers> {
  let open: ReadonlyMap<string, number> = new Map()
  const load = async (): Promise<void> => {
    const rows = await store.list(PREFIX, { limit: MOST })
    open = new Map(rows.map(({ key, value }) => [key, Number(value)]))
  }
  const look = (): void => void load().catch(() => {})
  const tell = async (change: { readonly key: string; readonly value?: string; readonly ttlMs?: number }) => {
    await store.write([change])
    await bus.publish(TOPIC, change.key)
  }
  // What the others learn late they find out by themselves.
  const unfollow = await bus.subscribe(TOPIC, look)
  await load()
  return {
    openUntil(server) {
      const until = open.get(keyOf(server)) ?? 0
      return until > Date.now() ? until : 0
    },
    opened(server, until) {
      const ttlMs = Math.max(1, until - Date.now())
      void tell({ key: keyOf(server), value: `${until}`, ttlMs }).catch(() => {})
    },
    succeeded(server) {
      const key = keyOf(server)
      if (open.has(key)) void tell({ key }).catch(() => {})
    },
    close: unfollow,
  }
}

function keyOf(server: string): string {
  return PREFIX + createHash('sha256').update(server).digest('base64url')
}
