/**
 * The bytes of messages that are still arriving, for the whole process: what is held of a message that is not complete
 * is nobody's yet, and a peer that sends the better part of one and stops costs as much as one that sends it all. A
 * small message is never counted, so that nobody is kept from sending those.
 */

import { allowedMs } from './pace.ts'

interface ReceiveLimits {
  readonly maxReceivingBytes: number
  readonly maxReceivingBytesPerPeer: number
}

/** What every message may have before it counts. */
export const RECEIVE_SHARE = 64 * 1024

let total = 0
const perPeer = new Map<string, number>()

/** One message at a time, of one peer: a principal, or an address where there is none. */
export class Receiving {
  readonly #limits: ReceiveLimits
  readonly #peer: string | undefined
  #size = 0
  #counted = 0
  #isArriving = false
  /** How often it was seen incomplete. */
  #seen = 0

  constructor(limits: ReceiveLimits, peer: string | undefined) {
    this.#limits = limits
    this.#peer = peer
  }

  /** Counts more bytes of the message; why there is no room for them, if so. What was counted stays until `done`. */
  add(bytes: number): string | undefined {
    this.#isArriving = true
    this.#size += bytes
    const more = Math.max(0, this.#size - RECEIVE_SHARE) - this.#counted
    if (more <= 0) return undefined
    const { maxReceivingBytes, maxReceivingBytesPerPeer } = this.#limits
    const own = this.#peer === undefined ? 0 : (perPeer.get(this.#peer) ?? 0)
    if (own + more > maxReceivingBytesPerPeer) return `maxReceivingBytesPerPeer (${maxReceivingBytesPerPeer}) reached`
    if (total + more > maxReceivingBytes) return `maxReceivingBytes (${maxReceivingBytes}) reached`
    this.#count(more, own)
    return undefined
  }

  /** Of what was added, this much was no part of a message. */
  remove(bytes: number): void {
    this.#size = Math.max(0, this.#size - bytes)
    if (this.#size === 0) this.done()
  }

  /** The message is complete, or given up. */
  done(): void {
    this.#isArriving = false
    this.#seen = 0
    this.#giveBack()
  }

  /** Nothing of the message is held any more, though the rest of it is yet to come. */
  skip(): void {
    this.#isArriving = true
    this.#giveBack()
  }

  #giveBack(): void {
    this.#size = 0
    if (this.#counted > 0) this.#count(-this.#counted, perPeer.get(this.#peer ?? '') ?? 0)
  }

  /** Told every `everyMs`. True when the message takes longer than so many times, and than its size explains. */
  isLate(everyMs: number, times: number): boolean {
    return this.#isArriving && ++this.#seen * everyMs > allowedMs(times * everyMs, this.#size)
  }

  #count(more: number, own: number): void {
    this.#counted += more
    total += more
    if (this.#peer === undefined) return
    if (own + more > 0) perPeer.set(this.#peer, own + more)
    else perPeer.delete(this.#peer)
  }
}
