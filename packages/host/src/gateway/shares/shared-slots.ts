/**
 * Calls at a time, counted over all replicas. Each holds some places, fills them by itself, takes more when they are full and
 * gives back what it does not use. The places of a replica that is gone are free again. While the shared state is away, each
 * replica has its even part.
 */

import { PorticoError } from '@portico/sdk/server'
import type { SharedState } from '../../state/shared/shared-state.ts'
import { stateAway } from './shared-rate.ts'

interface Slots {
  running: number
  held: number
  /** When the row was last written, in milliseconds since 1970. */
  writtenAt: number
  changing?: Promise<void> | undefined
}

/** By replica, how many places it holds. */
interface Row {
  readonly [replica: string]: number
}

const TTL_MS = 60_000
const RENEW_MS = 20_000
const TIDY_MS = 2_000
const MOST_ATTEMPTS = 50

export class SharedSlots {
  readonly #state: SharedState
  readonly #name: string
  readonly #most: number
  readonly #slots = new Map<string, Slots>()
  #timer: NodeJS.Timeout | undefined

  constructor(state: SharedState, name: string, most: number) {
    this.#state = state
    this.#name = name
    this.#most = most
  }

  /** Fills one of the places that are held; false where none is free. */
  takeNow(key: string): boolean {
    const slots = this.#slots.get(key)
    if (slots === undefined || slots.running >= slots.held) return false
    slots.running++
    return true
  }

  /** Takes more places, and fills one. False where there are none to be had. */
  async take(key: string): Promise<boolean> {
    if (this.takeNow(key)) return true
    await this.#grow(key)
    return this.takeNow(key)
  }

  give(key: string): void {
    const slots = this.#slots.get(key)
    if (slots !== undefined) slots.running--
  }

  /** Gives everything back. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    for (const [key, slots] of this.#slots) await this.#set(key, slots, () => 0).catch(() => {})
  }

  async #grow(key: string): Promise<void> {
    const slots = this.#slots.get(key) ?? { running: 0, held: 0, writtenAt: 0 }
    this.#slots.set(key, slots)
    this.#timer ??= setInterval(() => this.#tidy(), TIDY_MS).unref()
    // Whoever changes it may have left something for this call, too.
    if (slots.changing !== undefined) await slots.changing.catch(() => {})
    if (slots.running < slots.held) return
    try {
      await this.#set(key, slots, (free) => slots.held + this.#shareOf(free))
    } catch (error) {
      if (!(error instanceof PorticoError) || error.code !== 'store-unavailable') throw error
      const even = Math.floor(this.#most / this.#state.replicas.ids.size)
      if (even === 0 && this.#most > 0) throw stateAway()
      slots.held = Math.max(slots.held, even)
    }
  }

  #shareOf(free: number): number {
    return free <= 0 ? 0 : Math.ceil(free / (2 * this.#state.replicas.ids.size))
  }

  /** What is not used goes back, and what is used is said again before the row ends. */
  #tidy(): void {
    for (const [key, slots] of this.#slots) {
      if (slots.changing !== undefined) continue
      if (slots.running === 0 && slots.held === 0) {
        this.#slots.delete(key)
        continue
      }
      const enough = slots.running === 0 ? 0 : slots.running + Math.ceil(slots.running / 2)
      if (slots.held <= enough && Date.now() - slots.writtenAt < RENEW_MS) continue
      // Calls that came meanwhile keep their places.
      void this.#set(key, slots, () => Math.min(slots.held, Math.max(slots.running, enough))).catch(() => {})
    }
    if (this.#slots.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Writes how many places this replica holds; `wish` is told how many are free besides. */
  async #set(key: string, slots: Slots, wish: (free: number) => number): Promise<void> {
    while (slots.changing !== undefined) await slots.changing.catch(() => {})
    slots.changing = this.#write(key, slots, wish).finally(() => {
      slots.changing = undefined
    })
    await slots.changing
  }

  async #write(key: string, slots: Slots, wish: (free: number) => number): Promise<void> {
    const { store, replicas, nameOf } = this.#state
    const row = `slots/${nameOf(`${this.#name} ${key}`)}`
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const kept = await store.get(row)
      // Only this file writes such rows, so the shape is known.
      const found = kept === undefined ? {} : (JSON.parse(kept.value) as Row)
      const others = Object.entries(found).filter(([id]) => id !== replicas.id && replicas.ids.has(id))
      const taken = others.reduce((sum, [, count]) => sum + count, 0)
      const held = wish(this.#most - taken - slots.held)
      const next = Object.fromEntries(held > 0 ? [...others, [replicas.id, held]] : others)
      const isEmpty = Object.keys(next).length === 0
      const change = { key: row, ifVersion: kept?.version ?? 0 }
      const value = isEmpty ? change : { ...change, value: JSON.stringify(next), ttlMs: TTL_MS }
      if (kept === undefined && isEmpty) return
      if ((await store.write([value])) === undefined) continue
      slots.held = Math.max(held, slots.running)
      slots.writtenAt = Date.now()
      return
    }
    throw stateAway()
  }
}
