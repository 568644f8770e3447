/**
 * Calls in a minute, counted over all replicas. Each borrows a share of what is left of the minute and gives it out by itself, so
 * that only the borrowing asks the shared state; shares shrink as the minute's budget does, so that none is left with much
 * that another lacks. While the shared state is away, each replica gives out its even part.
 */

import type { SharedState } from '../../state/shared/shared-state.ts'
import { changeRow, evenPart, isStateAway } from './shared-row.ts'

interface Minute {
  left: number
  /** In milliseconds since 1970. */
  endsAt: number
  /** When so few are left, more are borrowed ahead. */
  refillAt: number
  borrowing?: Promise<void> | undefined
}

const MINUTE_MS = 60_000
/** Minutes that are over are looked for when there are twice as many keys as were left the last time. */
const FEWEST_KEYS = 1_024
/** No share is larger than this part of the whole. */
const PARTS = 8

export class SharedRate {
  readonly #state: SharedState
  readonly #name: string
  readonly #most: number
  readonly #minutes = new Map<string, Minute>()
  #sweepAt = FEWEST_KEYS

  constructor(state: SharedState, name: string, most: number) {
    this.#state = state
    this.#name = name
    this.#most = most
  }

  /** Takes one of what was borrowed; false where nothing is left of it. */
  takeNow(key: string): boolean {
    const minute = this.#minutes.get(key)
    if (minute === undefined || minute.left < 1 || Date.now() >= minute.endsAt) return false
    minute.left--
    if (minute.left === minute.refillAt) void this.#borrow(key).catch(() => {})
    return true
  }

  /** Borrows, and takes one. Returns how many milliseconds to wait where there is nothing to be had, and 0 where there is. */
  async take(key: string): Promise<number> {
    for (;;) {
      if (this.takeNow(key)) return 0
      const minute = this.#minutes.get(key)
      // What was found empty stays so for its minute.
      if (minute !== undefined && minute.refillAt < 0 && Date.now() < minute.endsAt) return minute.endsAt - Date.now()
      await this.#borrow(key)
    }
  }

  async #borrow(key: string): Promise<void> {
    const minute = this.#minuteOf(key)
    minute.borrowing ??= this.#ask(key, minute).finally(() => {
      minute.borrowing = undefined
    })
    await minute.borrowing
  }

  async #ask(key: string, minute: Minute): Promise<void> {
    const { store, nameOf } = this.#state
    const row = `rate/${nameOf(`${this.#name} ${key}`)}`
    try {
      const { share, endsAt } = await changeRow(store, row, (text) => this.#takeShare(text))
      lend(minute, share, endsAt)
    } catch (error) {
      if (!isStateAway(error)) throw error
      this.#lendAlone(minute)
    }
  }

  #takeShare(text: string | undefined) {
    const { used, endsAt } = currentOf(text)
    const share = this.#shareOf(this.#most - used)
    const outcome = { share, endsAt }
    if (share === 0) return { outcome }
    const ttlMs = Math.min(MINUTE_MS, Math.max(1, endsAt - Date.now()))
    return { outcome, change: { value: JSON.stringify({ used: used + share, endsAt }), ttlMs } }
  }

  /** Every replica leaves something for each of the others. */
  #shareOf(free: number): number {
    if (free <= 0) return 0
    const { size } = this.#state.replicas.ids
    return Math.min(Math.ceil(free / (size + 1)), Math.ceil(this.#most / PARTS))
  }

  #lendAlone(minute: Minute): void {
    const even = evenPart(this.#state, this.#most)
    // A minute that was lent already is not lent again.
    if (Date.now() < minute.endsAt) lend(minute, 0, minute.endsAt)
    else lend(minute, even, Date.now() + MINUTE_MS)
  }

  #minuteOf(key: string): Minute {
    const found = this.#minutes.get(key)
    if (found !== undefined) return found
    const made: Minute = { left: 0, endsAt: 0, refillAt: 0 }
    this.#minutes.set(key, made)
    if (this.#minutes.size >= this.#sweepAt) {
      const now = Date.now()
      for (const [other, { endsAt, borrowing }] of this.#minutes) {
        if (now >= endsAt && borrowing === undefined && other !== key) this.#minutes.delete(other)
      }
      this.#sweepAt = Math.max(FEWEST_KEYS, 2 * this.#minutes.size)
    }
    return made
  }
}

function lend(minute: Minute, share: number, endsAt: number): void {
  minute.left = (minute.endsAt === endsAt ? minute.left : 0) + share
  minute.endsAt = endsAt
  minute.refillAt = share === 0 ? -1 : Math.floor(share / 4)
}

/** The minute that the row is about, or one that begins now. */
function currentOf(text: string | undefined): { readonly used: number; readonly endsAt: number } {
  const now = Date.now()
  // Only this file writes such rows, so the shape is known.
  const found = text === undefined ? undefined : (JSON.parse(text) as { used: number; endsAt: number })
  return found !== undefined && found.endsAt > now ? found : { used: 0, endsAt: now + MINUTE_MS }
}
