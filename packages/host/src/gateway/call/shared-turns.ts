/**
 * Turns at servers whose one connection all callers share. The server's own gate cannot tell them apart there, so their
 * calls are given slots here, in the same way as connections of their own would be (`upstream/connection/fair-shares.ts`).
 */

import { FairShares, type Turn } from '../../upstream/connection/fair-shares.ts'
import { MAX_QUEUED } from '../../upstream/connection/request-limiter.ts'
import { LimitError } from '../limits.ts'

export class SharedTurns {
  readonly #servers = new Map<string, FairShares>()

  /** Resolves when it is the caller's turn, with how to end it. */
  async take(server: string, most: number, party: string, signal: AbortSignal): Promise<() => void> {
    const shares = this.#of(server, most)
    await new Promise<void>((resolve, reject) => {
      const withdrawn = (): void => {
        if (shares.withdraw(turn)) reject(signal.reason)
      }
      const turn: Turn = {
        party,
        take: () => {
          signal.removeEventListener('abort', withdrawn)
          resolve()
        },
      }
      signal.throwIfAborted()
      signal.addEventListener('abort', withdrawn, { once: true })
      if (shares.enter(turn)) return
      signal.removeEventListener('abort', withdrawn)
      reject(new LimitError(`maxConcurrent (${most}) of "${server}", with ${MAX_QUEUED} calls waiting,`, undefined))
    })
    return () => shares.leave(party)
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
