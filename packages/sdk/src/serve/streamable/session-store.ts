/**
 * The sessions of the older revisions by id, with idle expiry and bounds on their number. One timer serves all; it
 * runs only while there are sessions. What a session is stays open here: the store sees an id, a holder, a time and an
 * end. Where there is no room, whoever holds most gives way to whoever holds less (`session-holders.ts`).
 */

import { unref } from '../../transport/http-heartbeat.ts'
import type { ServeLimits } from '../rules/limits.ts'
import { SessionHolders } from './session-holders.ts'

export interface Expiring {
  readonly id: string
  /** Whose it is; those of nobody in particular belong together. */
  readonly holder?: string | undefined
  /** When the session was last used, in milliseconds; the store sets it. */
  lastUsed: number
  /** Streams are open or requests under way: it may not expire now. */
  readonly busy: boolean
  /** Called now and then, for the session to drop what it no longer needs. */
  sweep(now: number): void
  end(): void
}

export interface SessionStore<Session extends Expiring> {
  readonly size: number
  /** The bound that leaves no room, if one does; then nothing was added. */
  add(session: Session): SessionBound | undefined
  /** Finds a session that has not expired, and counts as a use of it. */
  get(id: string): Session | undefined
  /** All of them, for those who run the server; looking is no use. */
  values(): Iterable<Session>
  /** Forgets a session without ending it. */
  delete(id: string): void
  /** Ends all sessions. */
  close(): void
}

type SessionBound = 'maxSessions' | 'maxSessionsPerPrincipal'

type SessionLimits = Pick<ServeLimits, SessionBound | 'sessionIdleMs'>

export function createMemorySessions<Session extends Expiring>(
  limits: SessionLimits,
  now: () => number = Date.now,
): SessionStore<Session> {
  return new MemorySessions<Session>(limits, now)
}

/** How often idle sessions are looked for at most. */
const SWEEP_MS = 30_000

class MemorySessions<Session extends Expiring> implements SessionStore<Session> {
  readonly #limits: SessionLimits
  readonly #now: () => number
  readonly #sessions = new Map<string, Session>()
  readonly #holders = new SessionHolders<Session>()
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(limits: SessionLimits, now: () => number) {
    this.#limits = limits
    this.#now = now
  }

  get size(): number {
    return this.#sessions.size
  }

  add(session: Session): SessionBound | undefined {
    const bound = this.#makeRoom(session.holder)
    if (bound !== undefined) return bound
    session.lastUsed = this.#now()
    this.#sessions.set(session.id, session)
    this.#holders.add(session)
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#sweep(), Math.min(SWEEP_MS, this.#limits.sessionIdleMs))
      unref(this.#timer)
    }
    return undefined
  }

  get(id: string): Session | undefined {
    const session = this.#sessions.get(id)
    if (session === undefined) return undefined
    const now = this.#now()
    if (this.#isExpired(session, now)) {
      this.#expire(session)
      return undefined
    }
    session.lastUsed = now
    this.#holders.used(session)
    return session
  }

  values(): Iterable<Session> {
    return this.#sessions.values()
  }

  delete(id: string): void {
    const session = this.#sessions.get(id)
    if (session !== undefined) this.#holders.remove(session)
    this.#sessions.delete(id)
    if (this.#sessions.size === 0) this.#stop()
  }

  close(): void {
    for (const session of [...this.#sessions.values()]) this.#expire(session)
  }

  #makeRoom(holder: string | undefined): SessionBound | undefined {
    const { maxSessions, maxSessionsPerPrincipal } = this.#limits
    if (holder !== undefined && this.#holders.count(holder) >= maxSessionsPerPrincipal) {
      const idle = this.#holders.neverUsed(holder)
      if (idle === undefined) return 'maxSessionsPerPrincipal'
      this.#expire(idle)
    }
    if (this.#sessions.size >= maxSessions) this.#sweep()
    if (this.#sessions.size >= maxSessions) {
      const idle = this.#holders.surplus(holder)
      if (idle === undefined) return 'maxSessions'
      this.#expire(idle)
    }
    return undefined
  }

  #sweep(): void {
    const now = this.#now()
    for (const session of this.#sessions.values()) {
      if (this.#isExpired(session, now)) this.#expire(session)
      else session.sweep(now)
    }
  }

  #isExpired(session: Session, now: number): boolean {
    return now - session.lastUsed > this.#limits.sessionIdleMs && !session.busy
  }

  #expire(session: Session): void {
    this.delete(session.id)
    session.end()
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
