/**
 * The bounds on what is kept of a client for as long as its session or listener stays: what it says of itself, what it
 * subscribes to. Everybody may have a small share kept whatever others do; what goes beyond comes out of one room for
 * the whole process, so that no number of clients fills the memory.
 */

import { MAX_ID_LENGTH } from '../jsonrpc/message.ts'

const KIBI = 1024

export const KEPT_LIMITS = {
  /** UTF-16 units of a request's id. */
  maxIdLength: MAX_ID_LENGTH,
  /** UTF-16 units of one text in what a client says of itself. */
  maxClientInfoLength: KIBI,
  /** UTF-16 units of the capabilities that a client declares, as text. */
  maxCapabilitiesLength: 16 * KIBI,
  /** UTF-16 units of all resource URIs that one session, or one listener, is subscribed to. */
  maxSubscriptionLength: 256 * KIBI,
  /** UTF-16 units that every session and listener may have kept, whatever others have. */
  keptShare: 4 * KIBI,
  /** UTF-16 units kept beyond the shares, of all sessions and listeners of the process. */
  maxTotalKeptLength: 32 * KIBI * KIBI,
} as const

let beyondShares = 0

/** What one session or listener has kept. A number and not an object would do, but for the giving back. */
export class KeptText {
  #length = 0

  /** False when there is no room for so much more. */
  add(length: number): boolean {
    const more = beyond(this.#length + length) - beyond(this.#length)
    if (beyondShares + more > KEPT_LIMITS.maxTotalKeptLength) return false
    beyondShares += more
    this.#length += length
    return true
  }

  remove(length: number): void {
    beyondShares -= beyond(this.#length) - beyond(this.#length - length)
    this.#length -= length
  }

  clear(): void {
    this.remove(this.#length)
  }
}

function beyond(length: number): number {
  return Math.max(0, length - KEPT_LIMITS.keptShare)
}
