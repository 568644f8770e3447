/**
 * The questions about tokens that are open at the issuer. Anybody can make tokens up, so those that were never good have
 * half of the room together, and none of the last of it; whoever has a question open leaves that to those who have none.
 */

export class OpenQuestions {
  readonly #max: number
  readonly #reserve: number
  readonly #open = new Map<string | undefined, number>()
  #total = 0

  constructor(max: number) {
    this.#max = max
    this.#reserve = max > 1 ? Math.ceil(max / 8) : 0
  }

  /** Counts one more of whoever the token was good for; of strangers, who are one, without. False where there is no room. */
  enter(owner: string | undefined): boolean {
    const own = this.#open.get(owner) ?? 0
    const known = owner !== undefined
    const room = known && own === 0 ? this.#max : this.#max - this.#reserve
    if (this.#total >= room || (!known && own >= Math.ceil(this.#max / 2))) return false
    this.#open.set(owner, own + 1)
    this.#total++
    return true
  }

  leave(owner: string | undefined): void {
    const own = (this.#open.get(owner) ?? 1) - 1
    if (own > 0) this.#open.set(owner, own)
    else this.#open.delete(owner)
    this.#total--
  }
}
