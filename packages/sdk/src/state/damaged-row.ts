/**
 * A row that a store which seals cannot open: foreign, altered, or sealed with a key that is gone. Whoever knows what belongs
 * there writes it anew; the words of the error are for those who run the database, and no caller is told them.
 */

import type { Store } from './store.ts'

/** What the `data` of such an error says. */
export interface DamagedRow {
  readonly row: string
  /** Guards a write that replaces it. */
  readonly version: number
}

/** The row that an error says cannot be opened; undefined for every other error. */
export function damagedRowIn(error: unknown): DamagedRow | undefined {
  const found = error instanceof Error && 'data' in error ? error.data : undefined
  if (typeof found !== 'object' || found === null || !('row' in found) || !('version' in found)) return undefined
  const { row, version } = found
  return typeof row === 'string' && typeof version === 'number' ? { row, version } : undefined
}

interface Found {
  /** Undefined where it cannot be opened. */
  readonly value: string | undefined
  readonly version: number
  /** Why it cannot be opened. */
  readonly damaged?: unknown
}

/** A row as `get` gives it, and one that cannot be opened as an empty one, under the version that replaces it. */
export async function getOrDamaged(store: Store, key: string): Promise<Found | undefined> {
  try {
    return await store.get(key)
  } catch (error) {
    const damaged = damagedRowIn(error)
    if (damaged === undefined) throw error
    return { value: undefined, version: damaged.version, damaged: error }
  }
}
