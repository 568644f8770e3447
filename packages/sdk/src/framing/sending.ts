/**
 * The bytes that wait for readers, for the whole process: what a peer asked for and does not read is held for it, and
 * many connections that each wait for a little less than their own bound come to a lot. Counted only while a reader is
 * behind, so that whoever reads costs nothing here.
 */

export interface SendingLimits {
  readonly maxSendingBytes: number
  readonly maxSendingBytesPerPeer: number
}

let total = 0
const perPeer = new Map<string, number>()

/** What waits for one reader, of one peer: a principal, or an address where there is none. */
export class Sending {
  readonly #limits: SendingLimits
  readonly #peer: string | undefined
  #counted = 0

  constructor(limits: SendingLimits, peer: string | undefined) {
    this.#limits = limits
    this.#peer = peer
  }

  /** Says how much waits now; which bound that passes, if one. Then it does not count: the reader is to be given up. */
  waits(bytes: number): string | undefined {
    const more = bytes - this.#counted
    if (more === 0) return undefined
    const own = this.#peer === undefined ? 0 : (perPeer.get(this.#peer) ?? 0)
    if (more > 0) {
      const { maxSendingBytes, maxSendingBytesPerPeer } = this.#limits
      if (own + more > maxSendingBytesPerPeer) return `maxSendingBytesPerPeer (${maxSendingBytesPerPeer})`
      if (total + more > maxSendingBytes) return `maxSendingBytes (${maxSendingBytes})`
    }
    this.#counted = bytes
    total += more
    if (this.#peer === undefined) return undefined
    if (own + more > 0) perPeer.set(this.#peer, own + more)
    else perPeer.delete(this.#peer)
    return undefined
  }
}
