/**
 * The named items of one kind (tools, resources, templates, prompts) in the order they were added. The running server
 * changes through here, and everyone who keeps something derived from the items hears of it.
 */

import { PorticoError } from '../jsonrpc/errors.ts'

export class Registry<Item> {
  readonly #noun: string
  readonly #items = new Map<string, Item>()
  readonly #watchers: (() => void)[] = []
  /** Whether the feature was ever used or declared: it then stays a capability even while empty. */
  declared = false

  constructor(noun: string) {
    this.#noun = noun
  }

  get size(): number {
    return this.#items.size
  }

  get(key: string): Item | undefined {
    return this.#items.get(key)
  }

  values(): IterableIterator<Item> {
    return this.#items.values()
  }

  entries(): IterableIterator<[string, Item]> {
    return this.#items.entries()
  }

  add(key: string, item: Item): void {
    if (this.#items.has(key)) {
      throw new PorticoError('invalid-definition', `There is a ${this.#noun} "${key}" already; remove it first`)
    }
    this.#items.set(key, item)
    this.declared = true
    this.#changed()
  }

  /** Replaces in place, so that the order of the list stays. */
  replace(key: string, item: Item): void {
    this.#items.set(key, item)
    this.declared = true
    this.#changed()
  }

  remove(key: string): boolean {
    const removed = this.#items.delete(key)
    if (removed) this.#changed()
    return removed
  }

  watch(watcher: () => void): void {
    this.#watchers.push(watcher)
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher()
  }
}
