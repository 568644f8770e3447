/** How often one key (where a request comes from) may do something within a minute. */

/** Keys that are remembered; the oldest make room, which gains nothing for whoever has that many addresses anyway. */
const MAX_KEYS = 10_000
const WINDOW_MS = 60_000

export class RateLimit {
  readonly #max: number
  readonly #windows = new Map<string, { count: number; readonly until: number }>()

  constructor(max: number) {
    this.#max = max
  }

  /** Counts one, unless the key has had as many as it may. */
  take(key: string, now = performance.now()): boolean {
    let window = this.#windows.get(key)
    if (window === undefined || window.until <= now) {
      window = { count: 0, until: now + WINDOW_MS }
      this.#windows.delete(key)
      this.#windows.set(key, window)
      this.#forget()
    }
    if (window.count >= this.#max) return false
    window.count++
    return true
  }

  /** Takes one back that turned out to be in order. */
  giveBack(key: string): void {
    const window = this.#windows.get(key)
    if (window !== undefined && window.count > 0) window.count--
  }

  #forget(): void {
    if (this.#windows.size <= MAX_KEYS) return
    // The first in a map is the one that was put in first.
    for (const [oldest] of this.#windows) {
      this.#windows.delete(oldest)
      break
    }
  }
}
