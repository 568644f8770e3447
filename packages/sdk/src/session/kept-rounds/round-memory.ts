/** What a `MemoryRoundStore` does, and what a server uses that was given no store: loaded with asking, or for the first round. */

import { Shares } from '../../auth/shares.ts'
import { PorticoError } from '../../jsonrpc/errors.ts'
import { DEFAULT_ROUNDS, ROUND_LIMITS, type RoundLimits, type RoundStore } from './round-keeping.ts'

interface Entry {
  readonly owner: string
  readonly expires: number
  /** Undefined while the handler runs, null once there was no more room for it. */
  outcome: string | null | undefined
  waiting: ((outcome?: string) => void)[]
}

/** The names of rounds are small: so many are known for each outcome that is kept. */
const NAMES_PER_OUTCOME = 10
/** A text with a single character beyond Latin-1 takes two for each. */
const BYTES_PER_CHARACTER = 2

export class RoundMemory implements RoundStore {
  readonly #rounds = new Map<string, Entry>()
  readonly #known = new Shares()
  readonly #kept = new Shares()
  readonly #bytes = new Shares()
  readonly #maxRounds: number
  readonly #limits: RoundLimits

  constructor(maxRounds = DEFAULT_ROUNDS, limits: RoundLimits = ROUND_LIMITS) {
    this.#maxRounds = maxRounds
    this.#limits = limits
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
    const outcome = await new Promise<string | undefined>((resolve) => entry.waiting.push(resolve))
    // Given up by its taker: then whoever waited longest takes it now.
    return outcome ?? this.take(round, ttlMs, principal)
  }

  settle(round: string, outcome: string): void {
    const entry = this.#rounds.get(round)
    if (entry === undefined || entry.outcome !== undefined) return
    this.#known.add(entry.owner, round)
    for (const resolve of entry.waiting.splice(0)) resolve(outcome)
    this.#keep(round, entry, outcome)
  }

  release(round: string): void {
    this.#forget(round)
  }

  #keep(round: string, entry: Entry, outcome: string): void {
    const { maxOutcomeBytes, maxOutcomeBytesPerPrincipal, maxTotalOutcomeBytes } = this.#limits
    const bytes = outcome.length * BYTES_PER_CHARACTER
    const fits = bytes <= Math.min(maxOutcomeBytes, maxOutcomeBytesPerPrincipal, maxTotalOutcomeBytes)
    entry.outcome = fits ? outcome : null
    if (!fits) return
    const { owner } = entry
    this.#kept.add(owner, round)
    this.#bytes.add(owner, round, bytes)
    while (this.#bytes.sizeOf(owner) > maxOutcomeBytesPerPrincipal) this.#drop(this.#bytes.oldestOf(owner))
    while (this.#bytes.size > maxTotalOutcomeBytes) this.#drop(this.#bytes.oldestOfLargest())
    if (this.#kept.size > this.#maxRounds) this.#drop(this.#kept.oldestOfLargest())
  }

  #drop(round: string | undefined): void {
    const entry = round === undefined ? undefined : this.#rounds.get(round)
    if (round === undefined || entry === undefined) return
    entry.outcome = null
    this.#unkeep(round, entry)
  }

  #forget(round: string | undefined): void {
    const entry = round === undefined ? undefined : this.#rounds.get(round)
    if (round === undefined || entry === undefined) return
    this.#rounds.delete(round)
    this.#known.delete(entry.owner, round)
    this.#unkeep(round, entry)
    for (const resolve of entry.waiting.splice(0)) resolve()
  }

  #unkeep(round: string, { owner }: Entry): void {
    this.#kept.delete(owner, round)
    this.#bytes.delete(owner, round)
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
