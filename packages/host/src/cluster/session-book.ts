/** What is kept of each session in the store: one row, sealed, gone by itself some time after the session was last used. */

import type { SessionRecord } from '@portico/sdk/internal'
import type { Store } from '@portico/sdk/state'
import { type Seal, toRowName } from './seal.ts'

interface SessionRow {
  /** The replica that serves it; empty for one that was given up for whoever comes first. */
  readonly owner: string
  /** How many replicas had it before. */
  readonly takeovers: number
  readonly record: SessionRecord
}

export interface KeptRow {
  readonly row: SessionRow
  readonly version: number
}

export class SessionBook {
  readonly #store: Store
  readonly #seal: Seal
  readonly #prefix: string
  readonly #ttlMs: number

  constructor(store: Store, seal: Seal, prefix: string, ttlMs: number) {
    this.#store = store
    this.#seal = seal
    this.#prefix = `${prefix}session/`
    this.#ttlMs = ttlMs
  }

  /** Undefined where there is none, and where what is there was not written by a replica for this session. */
  async read(id: string): Promise<KeptRow | undefined> {
    const { row, version } = await this.look(id)
    return row && { row, version }
  }

  /** The same for one who knows what belongs there: the version is that of whatever is there, 0 where nothing is. */
  async look(id: string): Promise<{ readonly row: SessionRow | undefined; readonly version: number }> {
    const key = this.#key(id)
    const kept = await this.#store.get(key)
    if (kept === undefined) return { row: undefined, version: 0 }
    return { row: this.#seal.openText(kept.value, key) as SessionRow | undefined, version: kept.version }
  }

  /** The version that was written; undefined where another replica has written since. */
  async write(id: string, row: SessionRow, ifVersion: number): Promise<number | undefined> {
    const key = this.#key(id)
    const value = this.#seal.sealText(row, key)
    return (await this.#store.write([{ key, value, ifVersion, ttlMs: this.#ttlMs }]))?.[0]
  }

  /** Nothing happens where another replica has written since. */
  async delete(id: string, ifVersion: number): Promise<void> {
    await this.#store.write([{ key: this.#key(id), ifVersion }])
  }

  #key(id: string): string {
    return this.#prefix + toRowName(id)
  }
}
