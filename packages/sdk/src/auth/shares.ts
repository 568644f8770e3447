/** What each owner has in a bounded memory, oldest first, so that whoever has most makes room for the next. */

export class Shares {
  readonly #shares = new Map<string, Set<string>>()
  size = 0

  add(owner: string, id: string): void {
    const share = this.#shares.get(owner) ?? new Set()
    this.#shares.set(owner, share)
    if (share.has(id)) return
    share.add(id)
    this.size++
  }

  delete(owner: string, id: string): void {
    const share = this.#shares.get(owner)
    if (share?.delete(id) !== true) return
    this.size--
    if (share.size === 0) this.#shares.delete(owner)
  }

  oldestOfLargest(): string | undefined {
    let largest: Set<string> | undefined
    for (const share of this.#shares.values()) if (share.size > (largest?.size ?? 0)) largest = share
    return largest?.values().next().value
  }
}
