/**
 * What each owner has in a bounded memory, oldest first, so that whoever has most makes room for the next. Things count
 * as one each, or as much as they weigh.
 */

interface Share {
  readonly weights: Map<string, number>
  size: number
}

export class Shares {
  readonly #shares = new Map<string, Share>()
  size = 0

  add(owner: string, id: string, weight = 1): void {
    const share = this.#shares.get(owner) ?? { weights: new Map(), size: 0 }
    this.#shares.set(owner, share)
    if (share.weights.has(id)) return
    share.weights.set(id, weight)
    share.size += weight
    this.size += weight
  }

  delete(owner: string, id: string): void {
    const share = this.#shares.get(owner)
    const weight = share?.weights.get(id)
    if (share === undefined || weight === undefined) return
    share.weights.delete(id)
    share.size -= weight
    this.size -= weight
    if (share.weights.size === 0) this.#shares.delete(owner)
  }

  sizeOf(owner: string): number {
    return this.#shares.get(owner)?.size ?? 0
  }

  oldestOf(owner: string): string | undefined {
    return this.#shares.get(owner)?.weights.keys().next().value
  }

  oldestOfLargest(): string | undefined {
    let largest: Share | undefined
    for (const share of this.#shares.values()) if (share.size > (largest?.size ?? 0)) largest = share
    return largest?.weights.keys().next().value
  }
}
