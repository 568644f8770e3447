/** Counts in a minute, key by key. Each key's minute begins with the first that is counted in it. */

interface Minute {
  count: number
  readonly endsAt: number
}

const MINUTE_MS = 60_000
/** Minutes that are over are looked for when there are twice as many keys as were left the last time. */
const FEWEST_KEYS = 1_024

export class MinuteCounts {
  readonly #most: number
  readonly #minutes = new Map<string, Minute>()
  #sweepAt = FEWEST_KEYS

  constructor(most: number) {
    this.#most = most
  }

  /** Counts one more. Returns how many milliseconds to wait where that is one too many, and 0 where it is not. */
  add(key: string): number {
    const now = performance.now()
    const minute = this.#minutes.get(key)
    if (minute === undefined || now >= minute.endsAt) {
      this.#begin(key, now)
      return this.#most >= 1 ? 0 : MINUTE_MS
    }
    minute.count++
    return minute.count > this.#most ? minute.endsAt - now : 0
  }

  #begin(key: string, now: number): void {
    this.#minutes.set(key, { count: 1, endsAt: now + MINUTE_MS })
    if (this.#minutes.size < this.#sweepAt) return
    for (const [other, { endsAt }] of this.#minutes) if (now >= endsAt) this.#minutes.delete(other)
    this.#sweepAt = Math.max(FEWEST_KEYS, 2 * this.#minutes.size)
  }
}
