/**
 * One text that all replicas share: read and changed whole, one change after the other, and everybody who follows it hears of a
 * change at once. A row that somebody else has damaged is written anew by whoever has read it before. What is kept in small files on one machine (`config/state-file.ts`) is kept in such texts on several.
 */

import { setTimeout as pause } from 'node:timers/promises'
import { getOrDamaged } from '@portico/sdk/internal'
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
  /** As it was last read or written here: what a damaged row is healed with. */
  let known: string | undefined
  const read = async (): Promise<{ readonly value: string | undefined; readonly version: number } | undefined> => {
    const kept = await getOrDamaged(store, key)
    if (kept?.damaged !== undefined && known === undefined) throw kept.damaged
    if (kept?.damaged === undefined) known = kept?.value ?? known
    return kept?.damaged === undefined ? kept : heal(kept.version)
  }
  /** Of those who know what was there, one writes it anew, and the others find that. */
  const heal = async (
    version: number,
  ): Promise<{ readonly value: string | undefined; readonly version: number } | undefined> => {
    if (known !== undefined && (await store.write([{ key, value: known, ifVersion: version }])) !== undefined) {
      await bus.publish(key, name)
    }
    return store.get(key)
  }
  return {
    name,
    get: async () => (await read())?.value,
    async update(change) {
      for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        const kept = await read()
        const value = await change(kept?.value)
        if (value === kept?.value) return
        if ((await store.write([{ key, value, ifVersion: kept?.version ?? 0 }])) !== undefined) {
          known = value
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
