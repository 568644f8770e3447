/**
 * What is under way, by id, where most ids are numbers that count up: the calls of `pending.ts`, the exchanges of an
 * HTTP link. A `Map` would do but for one thing: an engine's `Map` moves to a new table again and again as entries come
 * and go, and each table that was left keeps what it held until a full collection. At a hundred thousand calls a second
 * that costs more than the calls. Here an id has its place in a ring, and only what finds it taken goes to a `Map`.
 */

export class IdTable<Item> {
  #ids: number[] = new Array(SMALLEST).fill(-1)
  #items: (Item | undefined)[] = new Array(SMALLEST).fill(undefined)
  #others: Map<string | number, Item> | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get(id: string | number): Item | undefined {
    if (typeof id === 'number') {
      const at = id & (this.#ids.length - 1)
      if (this.#ids[at] === id && id >= 0) return this.#items[at]
    }
    return this.#others?.get(id)
  }

  has(id: string | number): boolean {
    return this.get(id) !== undefined
  }

  set(id: string | number, item: Item): void {
    if (!this.has(id)) this.#size++
    if (typeof id !== 'number' || !Number.isSafeInteger(id)) {
      this.#spill(id, item)
      return
    }
    if (this.#size * 2 > this.#ids.length && this.#ids.length < LARGEST) this.#grow()
    this.#place(id, item)
  }

  /** False when there was none. */
  delete(id: string | number): boolean {
    if (typeof id === 'number') {
      const at = id & (this.#ids.length - 1)
      if (this.#ids[at] === id && id >= 0) {
        this.#ids[at] = -1
        this.#items[at] = undefined
        this.#size--
        return true
      }
    }
    if (this.#others?.delete(id) !== true) return false
    this.#size--
    return true
  }

  clear(): void {
    this.#ids.fill(-1)
    this.#items.fill(undefined)
    this.#others = undefined
    this.#size = 0
  }

  /** Everything in it, in no order, as it is now: what comes or goes meanwhile changes nothing. */
  values(): Item[] {
    const items = this.#items.filter((item) => item !== undefined)
    return this.#others === undefined ? items : [...items, ...this.#others.values()]
  }

  #place(id: number, item: Item): void {
    const at = id & (this.#ids.length - 1)
    const taken = this.#items[at] !== undefined && this.#ids[at] !== id
    // An id of -1 would look like no id at all, so numbers below zero live elsewhere.
    if (taken || id < 0 || this.#others?.has(id)) {
      this.#spill(id, item)
    } else {
      this.#ids[at] = id
      this.#items[at] = item
    }
  }

  #spill(id: string | number, item: Item): void {
    this.#others ??= new Map()
    this.#others.set(id, item)
  }

  #grow(): void {
    const [ids, items, others] = [this.#ids, this.#items, this.#others]
    this.#ids = new Array(ids.length * 2).fill(-1)
    this.#items = new Array(ids.length * 2).fill(undefined)
    this.#others = undefined
    for (const [at, id] of ids.entries()) {
      const item = items[at]
      if (item !== undefined) this.#place(id, item)
    }
    for (const [id, item] of others ?? []) {
      if (typeof id === 'number') this.#place(id, item)
      else this.#spill(id, item)
    }
  }
}

const SMALLEST = 16
const LARGEST = 65_536
