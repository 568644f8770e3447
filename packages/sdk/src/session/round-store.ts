/**
 * Remembers which rounds were already taken, so that a resent request or a reused `requestState` gets the outcome of
 * the first instead of running the handler twice. In process by default; several replicas share one of their own.
 */

import { Shares } from '../auth/shares.ts'
import { PorticoError } from '../jsonrpc/errors.ts'

/** Where rounds of input are noted, so that each runs once. Replicas of one server share a store. */
export interface RoundStore {
  /**
   * Takes a round. The first taker gets undefined, runs the handler, and calls `settle` or `release`; later takers get
   * the first one's outcome as soon as there is one. `principal` is the id of whoever asks, for stores that share their
   * room fairly.
   */
  take(round: string, ttlMs: number, principal?: string): Promise<string | undefined>
  /** Keeps the serialized outcome of a round that was taken. */
  settle(round: string, outcome: string): Promise<void> | void
  /** Gives a round back: its taker ended without an outcome. */
  release(round: string): Promise<void> | void
}

interface Entry {
  readonly owner: string
  readonly expires: number
  /** Undefined while the handler runs, null once there was no more room for it. */
  outcome: string | null | undefined
  waiting: (() => void)[]
}

/** The names of rounds are small: so many are known for each outcome that is kept. */
const NAMES_PER_OUTCOME = 10

/**
 * Keeps rounds in the memory of this process, within a bound. When it is full, the principal with the most rounds loses
 * its oldest: first the outcome is forgotten, and much later that the round was taken at all. Until then the round is
 * refused and does not run again.
 */
export class MemoryRoundStore implements RoundStore {
  readonly #rounds = new Map<string, Entry>()
  readonly #known = new Shares()
  readonly #kept = new Shares()
  readonly #maxRounds: number

  constructor(maxRounds = 10_000) {
    this.#maxRounds = maxRounds
  }

  async take(round: string, ttlMs: number, principal = ''): Promise<string | undefined> {
    const entry = this.#rounds.get(round)
    if (entry === undefined) {
      // Only a new round makes room: one that is asked for again must not push itself out.
      this.#forgetExpired()
      if (this.#known.size >= this.#maxRounds * NAMES_PER_OUTCOME) this.#forget(this.#known.oldestOfLargest())
      this.#rounds.set(round, { owner: principal, expires: Date.now() + ttlMs, outcome: undefined, waiting: [] })
      return undefined
    }
    if (entry.outcome === null) {
      throw new PorticoError('state-refused', 'This round was taken already, and its outcome is no longer kept')
    }
    if (entry.outcome !== undefined) return entry.outcome
    await new Promise<void>((resolve) => entry.waiting.push(resolve))
    // Settled, or given up by its taker: then whoever waited longest takes it now.
    return this.take(round, ttlMs, principal)
  }

  settle(round: string, outcome: string): void {
    const entry = this.#rounds.get(round)
    if (entry === undefined) return
    entry.outcome = outcome
    this.#known.add(entry.owner, round)
    this.#kept.add(entry.owner, round)
    for (const resolve of entry.waiting.splice(0)) resolve()
    if (this.#kept.size > this.#maxRounds) this.#drop(this.#kept.oldestOfLargest())
  }

  release(round: string): void {
    this.#forget(round)
  }

  #drop(round: string | undefined): void {
    const entry = round === undefined ? undefined : this.#rounds.get(round)
    if (round === undefined || entry === undefined) return
    entry.outcome = null
    this.#kept.delete(entry.owner, round)
  }

  #forget(round: string | undefined): void {
    const entry = round === undefined ? undefined : this.#rounds.get(round)
    if (round === undefined || entry === undefined) return
    this.#rounds.delete(round)
    this.#known.delete(entry.owner, round)
    this.#kept.delete(entry.owner, round)
    for (const resolve of entry.waiting.splice(0)) resolve()
  }

  /** Entries are in order of age, so the sweep stops at the first that is still wanted. */
  #forgetExpired(): void {
    const now = Date.now()
    for (const [round, entry] of this.#rounds) {
      if (entry.expires > now) break
      this.#forget(round)
    }
  }
}
