/**
 * Remembers which proofs were seen, for as long as they could be presented again. Bounded in all and for each owner,
 * so that one busy client cannot take the room of the others: once half is taken, everybody is held to an equal share.
 * What does not fit is refused, not forgotten early.
 */

interface ReplayRules {
  readonly keepMs: number
  readonly max: number
  readonly maxPerOwner: number
}

export class ReplayMemory {
  readonly #rules: ReplayRules
  /** By key and id, in the order they were seen, which is the order in which they may be forgotten. */
  readonly #seen = new Map<string, { readonly owner: string; readonly until: number }>()
  readonly #counts = new Map<string, number>()

  constructor(rules: ReplayRules) {
    this.#rules = rules
  }

  get size(): number {
    return this.#seen.size
  }

  /** `owner` is who the room is counted to, `key` what the id is unique within. */
  remember(owner: string, key: string, id: string, now = Date.now()): 'new' | 'known' | 'full' {
    this.#forget(now)
    const seen = `${key} ${id}`
    if (this.#seen.has(seen)) return 'known'
    const count = this.#counts.get(owner) ?? 0
    if (this.#seen.size >= this.#rules.max || count >= this.#share(count === 0)) return 'full'
    this.#seen.set(seen, { owner, until: now + this.#rules.keepMs })
    this.#counts.set(owner, count + 1)
    return 'new'
  }

  #share(isNew: boolean): number {
    const { max, maxPerOwner } = this.#rules
    if (this.#seen.size < max / 2) return maxPerOwner
    return Math.min(maxPerOwner, Math.ceil(max / (this.#counts.size + (isNew ? 2 : 1))))
  }

  #forget(now: number): void {
    for (const [key, { owner, until }] of this.#seen) {
      if (until > now) return
      this.#seen.delete(key)
      const count = (this.#counts.get(owner) ?? 1) - 1
      if (count > 0) this.#counts.set(owner, count)
      else this.#counts.delete(owner)
    }
  }
}
