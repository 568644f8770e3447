/**
 * Calls at a time, counted over all replicas. Each holds some places, fills them by itself, takes more when they are full and
 * gives back what it does not use. The places of a replica that is gone are free again. While the shared state is away, each
 * replica has its even part.
 */

import type { SharedState } from '../../state/shared/shared-state.ts'
import { changeRow, evenPart, isStateAway } from './shared-row.ts'

interface Slots {
  running: number
  held: number
  /** Calls that wait for more places. */
  waiting: number
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
const FEW = 4

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
    while (!this.takeNow(key)) {
      const before = this.#slots.get(key)?.held ?? 0
      await this.#grow(key)
      // What came may have gone to others who waited; where nothing came, there is nothing.
      if ((this.#slots.get(key)?.held ?? 0) <= before) return this.takeNow(key)
    }
    return true
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
    const slots = this.#slots.get(key) ?? { running: 0, held: 0, waiting: 0, writtenAt: 0 }
    this.#slots.set(key, slots)
    this.#timer ??= setInterval(() => this.#tidy(), TIDY_MS).unref()
    slots.waiting++
    try {
      // Whoever changes it may have left something for this call, too.
      if (slots.changing !== undefined) await slots.changing.catch(() => {})
      if (slots.running < slots.held) return
      await this.#set(key, slots, (free) => slots.held + this.#moreFor(slots, free))
    } catch (error) {
      if (!isStateAway(error)) throw error
      slots.held = Math.max(slots.held, evenPart(this.#state, this.#most))
    } finally {
      slots.waiting--
    }
  }

  /** As many as are in use or waited for, and not all: what a replica holds that dies is missing until that is known. */
  #moreFor({ running, waiting }: Slots, free: number): number {
    return Math.min(this.#shareOf(free), Math.max(FEW, running, waiting))
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
    const held = await changeRow(store, row, (text) => {
      // Only this file writes such rows, so the shape is known.
      const found = text === undefined ? {} : (JSON.parse(text) as Row)
      const others = Object.entries(found).filter(([id]) => id !== replicas.id && replicas.ids.has(id))
      const taken = others.reduce((sum, [, count]) => sum + count, 0)
      const outcome = wish(this.#most - taken - slots.held)
      const next = outcome > 0 ? [...others, [replicas.id, outcome]] : others
      if (next.length > 0)
        return { outcome, change: { value: JSON.stringify(Object.fromEntries(next)), ttlMs: TTL_MS } }
      return text === undefined ? { outcome: undefined } : { outcome, change: {} }
    })
    // There is no row and there was none.
    if (held === undefined) return
    slots.held = Math.max(held, slots.running)
    slots.writtenAt = Date.now()
  }
}
