/**
 * One text that all replicas share: read and changed whole, one change after the other, and everybody who follows it hears of a
 * change at once. What is kept in small files on one machine (`config/state-file.ts`) is kept in such texts on several.
 */

import { setTimeout as pause } from 'node:timers/promises'
import { PorticoError } from '@portico/sdk/server'
import type { Bus, Store } from '@portico/sdk/state'

/** A text that several processes share. */
export interface SharedText {
  /** What it is called, for people. */
  readonly name: string
  get(): Promise<string | undefined>
  /** Changes what is there at that moment, other processes' changes included. */
  update(change: (text: string | undefined) => string | Promise<string>): Promise<void>
  /** Calls back after every change, also when one may have been missed, until what comes back is called. */
  follow(changed: () => void): Promise<() => void>
}

const MOST_ATTEMPTS = 200

export function createSharedText(store: Store, bus: Bus, name: string): SharedText {
  const key = `text/${name}`
  return {
    name,
    get: async () => (await store.get(key))?.value,
    async update(change) {
      for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        const kept = await store.get(key)
        const value = await change(kept?.value)
        if (value === kept?.value) return
        if ((await store.write([{ key, value, ifVersion: kept?.version ?? 0 }])) !== undefined) {
          await bus.publish(key, name)
          return
        }
        // Somebody else was quicker: so many at once part better with a pause that differs.
        await pause(Math.random() * Math.min(100, 2 * (attempt + 1)))
      }
      throw new PorticoError('store-unavailable', `Too many write "${name}" of the shared state at once`)
    },
    follow: (changed) => bus.subscribe(key, changed),
  }
}
