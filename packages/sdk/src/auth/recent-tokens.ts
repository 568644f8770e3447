/** What is remembered of tokens for a while, a bounded number of them; the oldest make room. */

export class RecentTokens<Value> {
  readonly #max: number
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>()

  constructor(max: number) {
    this.#max = max
  }

  get(token: string, now = Date.now()): Value | undefined {
    const found = this.#entries.get(token)
    if (found === undefined) return undefined
    if (found.until > now) return found.value
    this.#entries.delete(token)
    return undefined
  }

  set(token: string, value: Value, until: number): void {
    this.#entries.delete(token)
    if (this.#entries.size >= this.#max) {
      // The first in a map is the one that was put in first.
      for (const [oldest] of this.#entries) {
        this.#entries.delete(oldest)
        break
      }
    }
    this.#entries.set(token, { value, until })
  }
}
