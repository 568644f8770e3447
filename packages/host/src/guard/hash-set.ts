/** A set of 32-bit hashes in one array: eight bytes for each at most, where a `Set` would take five times as much. */

export class HashSet {
  readonly #max: number
  #slots = new Uint32Array(64)
  #size = 0
  /** More was added than it may hold: what it does not have may still have been there. */
  overflowed = false

  constructor(max: number) {
    this.#max = max
  }

  get size(): number {
    return this.#size
  }

  add(hash: number): void {
    if (this.#size >= this.#max) {
      this.overflowed = true
      return
    }
    // Zero marks a free slot.
    if (insert(this.#slots, hash || 1)) this.#size++
    if (this.#size * 2 > this.#slots.length) this.#grow()
  }

  has(hash: number): boolean {
    return this.#slots[find(this.#slots, hash || 1)] !== 0
  }

  #grow(): void {
    const larger = new Uint32Array(this.#slots.length * 2)
    for (const hash of this.#slots) if (hash !== 0) insert(larger, hash)
    this.#slots = larger
  }
}

function insert(slots: Uint32Array, hash: number): boolean {
  const at = find(slots, hash)
  if (slots[at] === hash) return false
  slots[at] = hash
  return true
}

/** The slot that holds the hash, or the free one where it belongs. At least half of the slots are free. */
function find(slots: Uint32Array, hash: number): number {
  const mask = slots.length - 1
  let at = hash & mask
  while (slots[at] !== 0 && slots[at] !== hash) at = (at + 1) & mask
  return at
}
