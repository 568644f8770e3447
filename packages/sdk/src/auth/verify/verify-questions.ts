/**
 * The questions about tokens that are open at the issuer. Anybody can make tokens up, so those that were never good have
 * half of the room together; and whoever has a question open leaves the last of it to those who have none.
 */

export class OpenQuestions {
  readonly #max: number
  readonly #open = new Map<string | undefined, number>()
  #total = 0

  constructor(max: number) {
    this.#max = max
  }

  /** Counts one more of whoever the token was good for; of strangers, who are one, without. False where there is no room. */
  enter(owner: string | undefined): boolean {
    const own = this.#open.get(owner) ?? 0
    const room = own === 0 ? this.#max : this.#max - Math.floor(this.#max / 8)
    if (this.#total >= room || (owner === undefined && own >= Math.ceil(this.#max / 2))) return false
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
