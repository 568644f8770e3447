/**
 * The named items of one kind (tools, resources, templates, prompts) in the order they were added. The running server
 * changes through here, and everyone who keeps something derived from the items hears of it.
 */

import { invalidDefinition } from '../../jsonrpc/errors.ts'

export class Registry<Item> {
  /** What one item is called where people are told of it. */
  readonly noun: string
  readonly #items = new Map<string, Item>()
  /** When each item was added, for cursors: the order outlives removals. */
  readonly #places = new Map<string, number>()
  #nextPlace = 1
  readonly #watchers = new Set<() => void>()
  /** Whether the feature was ever used or declared: it then stays a capability even while empty. */
  declared = false
  /** Changes an item on its way in. Set before the first item comes. */
  prepare: ((key: string, item: Item) => Item) | undefined

  constructor(noun: string) {
    this.noun = noun
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

  /** The names of the items that pass. */
  *names(passes: (item: Item) => boolean): IterableIterator<string> {
    for (const [key, item] of this.#items) if (passes(item)) yield key
  }

  /** Where an item stands: later items have higher places, and a place is never given twice. */
  placeOf(key: string): number {
    return this.#places.get(key) ?? 0
  }

  add(key: string, item: Item): void {
    if (this.#items.has(key)) {
      throw invalidDefinition(`There is a ${this.noun} "${key}" already; remove it first`)
    }
    this.replace(key, item)
  }

  /** Replaces in place, so that the order of the list stays. */
  replace(key: string, item: Item): void {
    if (!this.#items.has(key)) this.#places.set(key, this.#nextPlace++)
    this.#items.set(key, this.prepare === undefined ? item : this.prepare(key, item))
    this.declared = true
    this.#changed()
  }

  /** Makes the items these, as they are; who watches hears of it once. */
  become(items: Iterable<readonly [string, Item]>): void {
    const wanted = new Map(items)
    for (const key of [...this.#items.keys()]) {
      if (wanted.has(key)) continue
      this.#items.delete(key)
      this.#places.delete(key)
    }
    for (const [key, item] of wanted) {
      if (!this.#items.has(key)) this.#places.set(key, this.#nextPlace++)
      this.#items.set(key, item)
    }
    this.#changed()
  }

  remove(key: string): boolean {
    const removed = this.#items.delete(key)
    this.#places.delete(key)
    if (removed) this.#changed()
    return removed
  }

  /** Calls `watcher` after every change, until the returned function is called. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher()
  }
}

/** Names are SHOULD-constrained to 1–128 of `[A-Za-z0-9_.-]` (2025-11-25, tools, "Tool Names"); here that is the rule. */
export function checkName(name: string, noun: string, maxLength = 128): void {
  if (!/^[A-Za-z0-9_.-]+$/.test(name) || name.length > maxLength) {
    throw invalidDefinition(
      `A ${noun} name is 1 to ${maxLength} letters, digits, "_", "-" or ".": ${JSON.stringify(name.slice(0, 140))}`,
    )
  }
}
