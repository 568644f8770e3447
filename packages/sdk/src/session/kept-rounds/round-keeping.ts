/** What keeps rounds, and how much of them is kept unless told otherwise. */

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

/** How much a `MemoryRoundStore` keeps of the outcomes of rounds. A character counts as two bytes. */
export interface RoundLimits {
  /** Bytes of one outcome: a larger one goes to those who wait for it, and is not kept. */
  readonly maxOutcomeBytes: number
  /** Bytes of all outcomes kept for one principal. */
  readonly maxOutcomeBytesPerPrincipal: number
  /** Bytes of all outcomes that are kept. */
  readonly maxTotalOutcomeBytes: number
}

const MEBIBYTE = 1024 * 1024

export const ROUND_LIMITS: RoundLimits = {
  maxOutcomeBytes: MEBIBYTE,
  maxOutcomeBytesPerPrincipal: 16 * MEBIBYTE,
  maxTotalOutcomeBytes: 64 * MEBIBYTE,
}

export const DEFAULT_ROUNDS = 10_000
