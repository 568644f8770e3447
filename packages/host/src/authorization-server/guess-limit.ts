/**
 * How often passwords may be guessed: for one name from one source, and from one source whatever names it tries. Guesses
 * for one name from everywhere only make each other slower: nobody can lock another out by guessing.
 */

import { RateLimit } from './rate-limit.ts'

/** Wrong passwords within a minute for one name from one source. */
const MAX_OF_PAIR = 5
/** And from one source. */
const MAX_OF_SOURCE = 20
/** And for one name from all sources, before they become slow. */
const MAX_OF_NAME = 100
const SLOW_MS = 3_000

export class GuessLimit {
  readonly #names: ReadonlySet<string>
  readonly #pairs = new RateLimit(MAX_OF_PAIR)
  /** Of those who exist: their number is fixed, so that no other name pushes one out. */
  readonly #known = new RateLimit(MAX_OF_NAME)
  /** Of names that do not exist: limited alike, so that they cannot be told apart by it. */
  readonly #unknown = new RateLimit(MAX_OF_NAME)
  readonly #sources = new RateLimit(MAX_OF_SOURCE)

  constructor(names: Iterable<string>) {
    this.#names = new Set(names)
  }

  /**
   * Counts a guess before it is checked, so that guesses at the same time count, too. Returns for how many milliseconds
   * it has to wait; undefined when it is refused.
   */
  take(name: string, source: string, now = performance.now()): number | undefined {
    if (!this.#sources.take(source, now) || !this.#pairs.take(pairOf(name, source), now)) return undefined
    return this.#of(name).take(name, now) ? 0 : SLOW_MS
  }

  /** Takes back what was no guess. */
  giveBack(name: string, source: string): void {
    this.#of(name).giveBack(name)
    this.#pairs.giveBack(pairOf(name, source))
    this.#sources.giveBack(source)
  }

  #of(name: string): RateLimit {
    return this.#names.has(name) ? this.#known : this.#unknown
  }
}

/** Names are as long as whoever guesses likes. */
function pairOf(name: string, source: string): string {
  return JSON.stringify([source, name.slice(0, 200)])
}
