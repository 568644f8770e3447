/** How often passwords may be guessed: for one name whoever tries, and from one source whatever names it tries. */

import { RateLimit } from './rate-limit.ts'

/** Wrong passwords within a minute for one name. */
const MAX_OF_NAME = 5
/** And from one source. */
const MAX_OF_SOURCE = 20

export class GuessLimit {
  readonly #names: ReadonlySet<string>
  /** Of those who exist: their number is fixed, so that no other name pushes one out. */
  readonly #known = new RateLimit(MAX_OF_NAME)
  /** Of names that do not exist: limited alike, so that they cannot be told apart by it. */
  readonly #unknown = new RateLimit(MAX_OF_NAME)
  readonly #sources = new RateLimit(MAX_OF_SOURCE)

  constructor(names: Iterable<string>) {
    this.#names = new Set(names)
  }

  /** Counts a guess before it is checked, so that guesses at the same time count, too. */
  take(name: string, source: string, now = Date.now()): boolean {
    return this.#sources.take(source, now) && this.#of(name).take(name, now)
  }

  /** Takes back what was no guess. */
  giveBack(name: string, source: string): void {
    this.#of(name).giveBack(name)
    this.#sources.giveBack(source)
  }

  #of(name: string): RateLimit {
    return this.#names.has(name) ? this.#known : this.#unknown
  }
}
