/**
 * Turns at servers whose one connection all callers share. The server's own gate cannot tell them apart there, so their
 * calls are given slots here, in the same way as connections of their own would be (`upstream/connection/request-limiter.ts`).
 */

import { FairShares } from '@portico/sdk/internal'
import { MAX_QUEUED } from '../../upstream/connection/request-limiter.ts'
import { LimitError } from '../limits.ts'

export class SharedTurns {
  readonly #servers = new Map<string, FairShares>()

  /** Resolves when it is the caller's turn, with how to end it. */
  async take(server: string, most: number, party: string, signal: AbortSignal): Promise<() => void> {
    const turn = this.#of(server, most).take(party, signal)
    if (turn !== undefined) return turn
    throw new LimitError(`maxConcurrent (${most}) of "${server}", with ${MAX_QUEUED} calls waiting,`, undefined)
  }

  #of(server: string, most: number): FairShares {
    const known = this.#servers.get(server)
    if (known !== undefined) {
      if (known.most !== most) known.most = most
      return known
    }
    const made = new FairShares(most, MAX_QUEUED)
    this.#servers.set(server, made)
    return made
  }
}
