/**
 * Pins that several machines share: a row of the shared state for each server. What is there is held in memory, as the file's
 * is, and read again when somebody says that it changed.
 */

import { createHash } from 'node:crypto'
import type { Bus, Store } from '@portico/sdk/state'
import { callListener } from '../../config/call-listener.ts'
import { PendingPins } from './pending-pins.ts'
import type { Pin, PinChanges, PinTable } from './pin.ts'
import { mergePins, type PinFile, pinsFromText, pinsToText } from './pin-file.ts'

/** Pins in the shared state, which tell of changes. */
export interface SharedPins extends PinFile {
  /** Told after others have changed something, or after a write came to something else than was asked for. */
  on(listener: () => void): () => void
  close(): void
}

const PREFIX = 'pin/'
const TOPIC = 'pins'
const PAGE = 50
const MOST_ATTEMPTS = 100

/** Reads all pins that there are. `store` is one that seals. */
export async function openSharedPins(
  store: Store,
  bus: Bus,
  onWarning: (message: string) => void,
): Promise<SharedPins> {
  const pins = new StoredPins(store, bus, onWarning)
  await pins.start()
  return pins
}

class StoredPins implements SharedPins {
  readonly #store: Store
  readonly #bus: Bus
  readonly #pending: PendingPins
  readonly #listeners = new Set<() => void>()
  #table: PinTable = new Map()
  #unfollow: (() => void) | undefined

  constructor(store: Store, bus: Bus, warn: (message: string) => void) {
    this.#store = store
    this.#bus = bus
    this.#pending = new PendingPins(
      (changes) => this.#keep(changes),
      (error) => {
        const message = `Pins could not be written to the shared state, and will be tried again: ${error.message}`
        callListener(warn, message)
      },
    )
  }

  async start(): Promise<void> {
    this.#unfollow = await this.#bus.subscribe(TOPIC, (key) => {
      const load = key === undefined ? this.#loadAll() : this.#load(key)
      load.then(
        () => this.#tell(),
        () => {},
      )
    })
    await this.#loadAll()
  }

  read(): PinTable {
    return new Map(Array.from(this.#table, ([server, pins]) => [server, new Map(pins)]))
  }

  /** Rows go one by one, and by those who share them. */
  isGone(): boolean {
    return false
  }

  write(server: string, key: string, pin: Pin | undefined): void {
    this.#pending.write(server, key, pin)
  }

  forget(server: string): void {
    this.#pending.forget(server)
  }

  flush(): Promise<void> {
    return this.#pending.flush()
  }

  on(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    this.#pending.close()
    this.#unfollow?.()
    this.#listeners.clear()
  }

  async #keep(all: ReadonlyMap<string, PinChanges>): Promise<void> {
    for (const [server, changes] of all) await this.#change(server, changes)
    this.#tell()
  }

  async #change(server: string, changes: PinChanges): Promise<void> {
    const key = keyOf(server)
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const kept = await this.#store.get(key)
      const before: PinTable = kept === undefined ? new Map() : pinsFromText(kept.value)
      const after = mergePins(before, new Map([[server, changes]]))
      const value = after.has(server) ? pinsToText(after) : undefined
      if (value === kept?.value) return this.#take(server, after)
      const change = { key, ifVersion: kept?.version ?? 0, ...(value !== undefined && { value }) }
      if ((await this.#store.write([change])) === undefined) continue
      this.#take(server, after)
      await this.#bus.publish(TOPIC, key)
      return
    }
    throw new Error('too many write them at once')
  }

  #take(server: string, table: PinTable): void {
    const pins = table.get(server)
    if (pins === undefined) this.#table.delete(server)
    else this.#table.set(server, pins)
  }

  async #load(key: string): Promise<void> {
    const kept = await this.#store.get(key)
    const found: PinTable = kept === undefined ? new Map() : pinsFromText(kept.value)
    if (found.size === 0) for (const server of this.#table.keys()) if (keyOf(server) === key) this.#table.delete(server)
    for (const server of found.keys()) this.#take(server, found)
  }

  async #loadAll(): Promise<void> {
    const table: PinTable = new Map()
    let after = ''
    for (;;) {
      const rows = await this.#store.list(PREFIX, { limit: PAGE, ...(after !== '' && { after }) })
      for (const { value } of rows) for (const [server, pins] of pinsFromText(value)) table.set(server, pins)
      if (rows.length < PAGE) break
      after = rows.at(-1)?.key ?? after
    }
    this.#table = table
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) callListener(listener)
  }
}

function keyOf(server: string): string {
  return PREFIX + createHash('sha256').update(server).digest('base64url')
}
