/** Who listens to which topic in this process: the part of a bus that all of them have in common. */

import type { BusListener } from '@portico/sdk/state'

export class Listeners {
  readonly #topics = new Map<string, Set<{ readonly listener: BusListener }>>()

  /** How many topics anybody listens to. */
  get size(): number {
    return this.#topics.size
  }

  topics(): string[] {
    return [...this.#topics.keys()]
  }

  has(topic: string): boolean {
    return this.#topics.has(topic)
  }

  /** Gives how to stop; `whenLast` is called once nobody listens to the topic any more. */
  add(topic: string, listener: BusListener, whenLast: () => void = () => {}): () => void {
    const entry = { listener }
    const entries = this.#topics.get(topic) ?? new Set()
    this.#topics.set(topic, entries.add(entry))
    return () => {
      if (!entries.delete(entry) || entries.size > 0 || this.#topics.get(topic) !== entries) return
      this.#topics.delete(topic)
      whenLast()
    }
  }

  tell(topic: string, text: string): void {
    this.#call(this.#topics.get(topic), text)
  }

  /** Messages may have been lost: everybody reads the store again. */
  tellLost(): void {
    for (const entries of [...this.#topics.values()]) this.#call(entries, undefined)
  }

  clear(): void {
    for (const entries of this.#topics.values()) entries.clear()
    this.#topics.clear()
  }

  #call(entries: Set<{ readonly listener: BusListener }> | undefined, text: string | undefined): void {
    if (entries === undefined) return
    for (const entry of [...entries]) {
      if (!entries.has(entry)) continue
      try {
        entry.listener(text)
      } catch {
        // What a listener throws is its own affair; the others are told all the same.
      }
    }
  }
}
