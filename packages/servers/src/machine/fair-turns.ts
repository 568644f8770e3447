/**
 * So many pieces of work at a time, and the callers that wait take turns: who brings many keeps no other waiting for them, and has a
 * bounded number that wait. `caller.ts` says who a caller is.
 */

import { FairShares, type ShareOwner } from '@portico/sdk/internal'

interface TurnOptions {
  /** Pieces of work at one time. */
  readonly slots: number
  /** Of one caller. */
  readonly maxWaiting: number
  /** What a caller is told who has that many. */
  refusal(): Error
}

export class FairTurns {
  readonly #shares: FairShares
  readonly #refusal: () => Error
  readonly #taken = new Set<Promise<unknown>>()

  constructor({ slots, maxWaiting, refusal }: TurnOptions) {
    this.#shares = new FairShares(slots, maxWaiting)
    this.#refusal = refusal
  }

  /** Rejects with the signal's reason if that fires before the turn comes; afterwards it is the work's own affair. */
  run<T>(caller: ShareOwner, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const turn = this.#shares.take(caller, signal)
    if (turn === undefined) return Promise.reject(this.#refusal())
    const done = turn.then(async (leave) => {
      try {
        return await work()
      } finally {
        leave()
      }
    })
    this.#taken.add(done)
    const forget = (): void => void this.#taken.delete(done)
    done.then(forget, forget)
    return done
  }

  /** Resolves when nothing runs or waits any more. */
  async idle(): Promise<void> {
    while (this.#taken.size > 0) await Promise.allSettled(this.#taken)
  }
}
