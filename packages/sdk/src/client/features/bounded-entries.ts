/** Values by key, bounded in number and in memory: the oldest give way to the newest. */

import { weightOf } from '../../jsonrpc/weight.ts'

export class BoundedEntries<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly weight: number }>()
  readonly #maxEntries: number
  readonly #maxBytes: number
  #weight = 0

  constructor(maxEntries: number, maxBytes: number) {
    this.#maxEntries = maxEntries
    this.#maxBytes = maxBytes
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)?.value
  }

  keys(): Iterable<string> {
    return this.#entries.keys()
  }

  /** What is larger than there is room for at all is not kept. */
  set(key: string, value: Value): void {
    this.delete(key)
    const weight = key.length + weightOf(value, this.#maxBytes)
    if (weight > this.#maxBytes) return
    this.#entries.set(key, { value, weight })
    this.#weight += weight
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries && this.#weight <= this.#maxBytes) return
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#weight -= entry.weight
  }
}
