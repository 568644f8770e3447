/**
 * The sessions of the older revisions by id, with idle expiry and a bound on their number. One timer serves all; it
 * runs only while there are sessions. What a session is stays open here: the store sees an id, a time and an end.
 */

import { unref } from '../transport/http-heartbeat.ts'
import type { ServeLimits } from './limits.ts'

export interface Expiring {
  readonly id: string
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
  /** False when there is no room; then nothing was added. */
  add(session: Session): boolean
  /** Finds a session that has not expired, and counts as a use of it. */
  get(id: string): Session | undefined
  /** Forgets a session without ending it. */
  delete(id: string): void
  /** Ends all sessions. */
  close(): void
}

export function createMemorySessions<Session extends Expiring>(
  limits: Pick<ServeLimits, 'maxSessions' | 'sessionIdleMs'>,
  now: () => number = Date.now,
): SessionStore<Session> {
  return new MemorySessions<Session>(limits, now)
}

/** How often idle sessions are looked for at most. */
const SWEEP_MS = 30_000

class MemorySessions<Session extends Expiring> implements SessionStore<Session> {
  readonly #limits: Pick<ServeLimits, 'maxSessions' | 'sessionIdleMs'>
  readonly #now: () => number
  readonly #sessions = new Map<string, Session>()
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(limits: Pick<ServeLimits, 'maxSessions' | 'sessionIdleMs'>, now: () => number) {
    this.#limits = limits
    this.#now = now
  }

  get size(): number {
    return this.#sessions.size
  }

  add(session: Session): boolean {
    if (this.#sessions.size >= this.#limits.maxSessions) this.#sweep()
    if (this.#sessions.size >= this.#limits.maxSessions) return false
    session.lastUsed = this.#now()
    this.#sessions.set(session.id, session)
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#sweep(), Math.min(SWEEP_MS, this.#limits.sessionIdleMs))
      unref(this.#timer)
    }
    return true
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
    return session
  }

  delete(id: string): void {
    this.#sessions.delete(id)
    if (this.#sessions.size === 0) this.#stop()
  }

  close(): void {
    for (const session of [...this.#sessions.values()]) this.#expire(session)
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
