/** Numbers that look random and are the same for the same seed. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 on, below 1. */
  next(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return this.#state / 2 ** 32
  }

  of<T>(items: readonly T[]): T {
    // Every index it comes to is one of the list.
    return items[Math.floor(this.next() * items.length)] as T
  }
}
