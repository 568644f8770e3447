/** What is remembered of tokens for a while, a bounded number of them; the oldest of whoever has most make room. */

import { Shares } from '../shares.ts'

interface Entry<Value> {
  readonly value: Value
  readonly until: number
  readonly owner: string
}

export class RecentTokens<Value> {
  readonly #max: number
  readonly #entries = new Map<string, Entry<Value>>()
  readonly #shares = new Shares()

  constructor(max: number) {
    this.#max = max
  }

  get(token: string, now = Date.now()): Value | undefined {
    const found = this.#entries.get(token)
    if (found === undefined) return undefined
    if (found.until > now) return found.value
    this.#forget(token)
    return undefined
  }

  set(token: string, value: Value, until: number, owner = ''): void {
    this.#forget(token)
    if (this.#entries.size >= this.#max) this.#forget(this.#shares.oldestOfLargest())
    this.#entries.set(token, { value, until, owner })
    this.#shares.add(owner, token)
  }

  #forget(token: string | undefined): void {
    const entry = token === undefined ? undefined : this.#entries.get(token)
    if (token === undefined || entry === undefined) return
    this.#entries.delete(token)
    this.#shares.delete(entry.owner, token)
  }
}
