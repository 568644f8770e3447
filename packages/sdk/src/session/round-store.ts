/**
 * Remembers which rounds were already taken, so that a resent request or a reused `requestState` gets the outcome of
 * the first instead of running the handler twice. In process by default; several replicas share one of their own.
 */

export interface RoundStore {
  /**
   * Takes a round. The first taker gets undefined, runs the handler, and calls `settle` or `release`; later takers get
   * the first one's outcome as soon as there is one.
   */
  take(round: string, ttlMs: number): Promise<string | undefined>
  /** Keeps the serialized outcome of a round that was taken. */
  settle(round: string, outcome: string): Promise<void> | void
  /** Gives a round back: its taker ended without an outcome. */
  release(round: string): Promise<void> | void
}

interface Entry {
  expires: number
  outcome: string | undefined
  waiting: ((outcome: string | undefined) => void)[]
}

/** Bounded, in memory: the oldest settled rounds are forgotten first. */
export class MemoryRoundStore implements RoundStore {
  readonly #rounds = new Map<string, Entry>()
  readonly #maxRounds: number

  constructor(maxRounds = 10_000) {
    this.#maxRounds = maxRounds
  }

  async take(round: string, ttlMs: number): Promise<string | undefined> {
    const entry = this.#rounds.get(round)
    if (entry === undefined) {
      // Only a new round makes room: one that is asked for again must not push itself out.
      this.#forgetExpired()
      this.#rounds.set(round, { expires: Date.now() + ttlMs, outcome: undefined, waiting: [] })
      return undefined
    }
    if (entry.outcome !== undefined) return entry.outcome
    const outcome = await new Promise<string | undefined>((resolve) => entry.waiting.push(resolve))
    // The first taker gave up: whoever waited longest takes the round now.
    return outcome ?? this.take(round, ttlMs)
  }

  settle(round: string, outcome: string): void {
    const entry = this.#rounds.get(round)
    if (entry === undefined) return
    entry.outcome = outcome
    for (const resolve of entry.waiting.splice(0)) resolve(outcome)
  }

  release(round: string): void {
    const entry = this.#rounds.get(round)
    if (entry === undefined) return
    this.#rounds.delete(round)
    for (const resolve of entry.waiting.splice(0)) resolve(undefined)
  }

  /** Entries are in order of age, so the sweep stops at the first that is still wanted. */
  #forgetExpired(): void {
    const now = Date.now()
    for (const [round, entry] of this.#rounds) {
      const full = this.#rounds.size >= this.#maxRounds
      if (entry.expires > now && !full) break
      if (entry.outcome === undefined && entry.expires > now) continue
      this.#rounds.delete(round)
      for (const resolve of entry.waiting.splice(0)) resolve(undefined)
    }
  }
}
