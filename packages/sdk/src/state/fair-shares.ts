/**
 * A number of slots that several parties share, so that none keeps another from its part: who holds many gets the next one
 * only while enough are left for others, and those who wait have their turns one after another. Knows nothing of what the
 * slots are for: the host gives them to calls of a server, ready-made servers to runs of code and statements.
 */

/** Whose a slot is; undefined for whoever nobody else has to be kept apart from, such as the host itself. */
export type ShareOwner = string | undefined

/** A party gets another slot while it holds less than this many times what is free: alone, three quarters of all. */
const GREED = 3

/** Whether a party that has so many of something may have one more, with so many left for all. */
export function isWithinShare(party: ShareOwner, has: number, free: number): boolean {
  if (free <= 0) return false
  // The last one is for somebody who has none.
  return party === undefined || has === 0 || (free > 1 && has < GREED * free)
}

interface Party {
  held: number
  readonly queue: Set<Turn>
}

export interface Turn {
  readonly party: ShareOwner
  readonly take: () => void
}

export class FairShares {
  readonly #parties = new Map<ShareOwner, Party>()
  /** Parties that wait, the one whose turn it is first. */
  readonly #waiting = new Set<ShareOwner>()
  readonly #maxQueued: number
  #most: number
  #open = 0

  constructor(most: number, maxQueued: number) {
    this.#most = most
    this.#maxQueued = maxQueued
  }

  get most(): number {
    return this.#most
  }

  set most(most: number) {
    this.#most = most
    this.#serve()
  }

  get open(): number {
    return this.#open
  }

  /** How many hold a slot or wait for one: nothing is kept of the others. */
  get parties(): number {
    return this.#parties.size
  }

  /** Takes a slot now, or when it is the turn's. False when the party has too many that wait. */
  enter(turn: Turn): boolean {
    const party = this.#party(turn.party)
    if (party.queue.size === 0 && isWithinShare(turn.party, party.held, this.#most - this.#open)) {
      party.held++
      this.#open++
      turn.take()
      return true
    }
    if (party.queue.size >= this.#maxQueued) {
      this.#forget(turn.party, party)
      return false
    }
    party.queue.add(turn)
    this.#waiting.add(turn.party)
    return true
  }

  /**
   * The same as a promise of how to give the slot back, which rejects with the signal's reason if that fires before. Undefined when
   * the party has too many that wait.
   */
  take(party: ShareOwner, signal?: AbortSignal): Promise<() => void> | undefined {
    if (signal?.aborted) return Promise.reject(signal.reason)
    let isLetIn = false
    const given = new Promise<() => void>((resolve, reject) => {
      const onAbort = (): void => {
        if (this.withdraw(turn)) reject(signal?.reason)
      }
      const turn: Turn = {
        party,
        take: () => {
          signal?.removeEventListener('abort', onAbort)
          resolve(() => this.leave(party))
        },
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      isLetIn = this.enter(turn)
      if (!isLetIn) signal?.removeEventListener('abort', onAbort)
    })
    return isLetIn ? given : undefined
  }

  /** Takes a turn back; false when it has had its slot already. */
  withdraw(turn: Turn): boolean {
    const party = this.#parties.get(turn.party)
    if (party === undefined || party.queue.size === 0 || !party.queue.delete(turn)) return false
    if (party.queue.size === 0) this.#waiting.delete(turn.party)
    this.#forget(turn.party, party)
    return true
  }

  /** Gives a slot back. */
  leave(name: ShareOwner): void {
    const party = this.#party(name)
    party.held--
    this.#open--
    this.#forget(name, party)
    // Whoever had one just now is behind those who came meanwhile.
    if (this.#waiting.delete(name)) this.#waiting.add(name)
    if (this.#waiting.size > 0) this.#serve()
  }

  /** Has a slot counted again that was given back for a while: what goes on does not wait. */
  resume(name: ShareOwner): void {
    this.#party(name).held++
    this.#open++
  }

  #serve(): void {
    for (const name of this.#waiting) {
      if (this.#open >= this.#most) return
      const party = this.#party(name)
      const [turn] = party.queue
      if (turn === undefined || !isWithinShare(name, party.held, this.#most - this.#open)) continue
      party.queue.delete(turn)
      this.#waiting.delete(name)
      // Those who still wait are behind the others now; a loop over a set comes to them again.
      if (party.queue.size > 0) this.#waiting.add(name)
      party.held++
      this.#open++
      turn.take()
    }
  }

  #party(name: ShareOwner): Party {
    const known = this.#parties.get(name)
    if (known !== undefined) return known
    const made = { held: 0, queue: new Set<Turn>() }
    this.#parties.set(name, made)
    return made
  }

  #forget(name: ShareOwner, { held, queue }: Party): void {
    if (held === 0 && queue.size === 0) this.#parties.delete(name)
  }
}
