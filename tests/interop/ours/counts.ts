/** Numbers that the server under test keeps, in a store that the replicas of it may share. */

import type { Store } from '@portico/sdk/state'

export interface Counts {
  get(name: string): Promise<number>
  /** The number after one was added. */
  add(name: string): Promise<number>
}

export function createCounts(store: Store): Counts {
  const read = async (name: string) => (await store.get(`interop/${name}`)) ?? { value: '0', version: 0 }
  return {
    get: async (name) => Number((await read(name)).value),
    async add(name) {
      for (;;) {
        const { value, version } = await read(name)
        const next = Number(value) + 1
        const change = { key: `interop/${name}`, value: `${next}`, ifVersion: version, ttlMs: KEPT_MS }
        if ((await store.write([change])) !== undefined) return next
      }
    },
  }
}

const KEPT_MS = 3_600_000
