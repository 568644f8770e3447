/**
 * Who has how many sessions, and which of them can be done without when there is no room for another: one that was
 * opened and never used, or an idle one of a holder that has more than the one who asks. So nobody who opens many keeps
 * anybody else from a few. The store beside this module keeps the sessions themselves.
 */

/** The part of a session that is counted here. */
interface HeldSession {
  readonly holder?: string | undefined
  readonly busy: boolean
  readonly lastUsed: number
}

interface Holding<Session> {
  /** All sessions of the holder, oldest first. */
  readonly all: Set<Session>
  /** Those of `all` that were opened and have not been used since, oldest first. */
  readonly unused: Set<Session>
}

export class SessionHolders<Session extends HeldSession> {
  readonly #holdings = new Map<string | undefined, Holding<Session>>()

  count(holder: string | undefined): number {
    return this.#holdings.get(holder)?.all.size ?? 0
  }

  add(session: Session): void {
    let holding = this.#holdings.get(session.holder)
    if (holding === undefined) {
      holding = { all: new Set(), unused: new Set() }
      this.#holdings.set(session.holder, holding)
    }
    holding.all.add(session)
    holding.unused.add(session)
  }

  used(session: Session): void {
    this.#holdings.get(session.holder)?.unused.delete(session)
  }

  remove(session: Session): void {
    const holding = this.#holdings.get(session.holder)
    holding?.unused.delete(session)
    if (holding?.all.delete(session) && holding.all.size === 0) this.#holdings.delete(session.holder)
  }

  /** The oldest session of the holder that was never used. */
  neverUsed(holder: string | undefined): Session | undefined {
    return firstIdle(this.#holdings.get(holder)?.unused)
  }

  /** A session that gives way to one more of `holder`: of whoever has most, never used if there is such a one. */
  surplus(holder: string | undefined): Session | undefined {
    let most: Holding<Session> | undefined
    for (const holding of this.#holdings.values()) {
      if (most === undefined || holding.all.size > most.all.size) most = holding
    }
    if (most === undefined) return undefined
    return firstIdle(most.unused) ?? (most.all.size > this.count(holder) + 1 ? leastUsed(most.all) : undefined)
  }
}

function firstIdle<Session extends HeldSession>(sessions: Iterable<Session> = []): Session | undefined {
  for (const session of sessions) if (!session.busy) return session
  return undefined
}

function leastUsed<Session extends HeldSession>(sessions: Iterable<Session>): Session | undefined {
  let found: Session | undefined
  for (const session of sessions) {
    if (!session.busy && (found === undefined || session.lastUsed < found.lastUsed)) found = session
  }
  return found
}
