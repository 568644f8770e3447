/**
 * The sessions that this replica serves, and what it wrote of each: kept when they are opened or changed, kept again now and
 * then while they are used, asked for again when this replica may have lost them, given up when it goes down.
 */

import type { HttpSession, SessionRecord, SharedEndpoint } from '@portico/sdk/internal'
import { PorticoError } from '@portico/sdk/server'
import type { ReplicaRows } from './replica-rows.ts'
import type { SessionBook } from './session-book.ts'

interface Held {
  readonly session: HttpSession
  readonly takeovers: number
  /** Of the row that this replica wrote last. */
  version: number
  /** The claim under which this replica last knew that the session is its own. */
  claim: number
  /** When the row was written, by the clock that only goes forward. */
  keptAt: number
  /** When the row was last seen to be this replica's. */
  lookedAt: number
  /** The last write, since each needs the version of the one before. */
  keeping: Promise<void>
}

interface HeldOptions {
  readonly book: SessionBook
  readonly replicas: ReplicaRows
  readonly name: string
  /** A row is written again when so much time has passed. */
  readonly againMs: number
  /** How long a session that is used may be without its row, which somebody else has taken away or damaged. */
  readonly lookMs: number
  readonly shared: SharedEndpoint
}

const CONFIRMED_AT_ONCE = 16

export class HeldSessions {
  readonly #options: HeldOptions
  readonly #held = new Map<string, Held>()
  readonly #timer: ReturnType<typeof setInterval>

  constructor(options: HeldOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#keepBusy(), options.againMs)
    this.#timer.unref()
  }

  get size(): number {
    return this.#held.size
  }

  has(id: string): boolean {
    return this.#held.has(id)
  }

  /** Whether the session is certainly served here, and is not to go elsewhere. */
  isHere(id: string): boolean {
    const held = this.#held.get(id)
    const { replicas } = this.#options
    if (held === undefined || held.claim !== replicas.claim || !replicas.valid) return false
    if (replicas.leaving && !isWorking(held.session)) return false
    const now = performance.now()
    if (now - held.keptAt > this.#options.againMs) this.#keepLater(id, held)
    else if (now - held.lookedAt > this.#options.lookMs) this.#lookLater(id, held)
    return true
  }

  /** Holds a session from now on, under a row that was written already or is with the first `keep`. */
  add(session: HttpSession, takeovers: number, version: number): void {
    const { claim } = this.#options.replicas
    const keptAt = performance.now()
    this.#held.set(session.id, {
      session,
      takeovers,
      version,
      claim,
      keptAt,
      lookedAt: keptAt,
      keeping: Promise.resolve(),
    })
  }

  /** Writes what is to be known of a session; rejects where it cannot be kept, or is another replica's by now. */
  keep(id: string): Promise<void> {
    const held = this.#held.get(id)
    if (held === undefined) return Promise.reject(new PorticoError('closed', 'The session is not served here'))
    const keep = (): Promise<void> => this.#keep(id, held)
    held.keeping = held.keeping.then(keep, keep)
    return held.keeping
  }

  /** Finds out whether a session is still this replica's, after it may have lost it; lets go of it otherwise. */
  async confirm(id: string): Promise<void> {
    const held = this.#held.get(id)
    const { book, replicas, name } = this.#options
    if (held === undefined) return
    const { claim } = replicas
    const { row, version } = await book.look(id)
    if (row !== undefined && (row.owner !== name || row.takeovers !== held.takeovers)) return this.drop(id)
    held.version = version
    held.lookedAt = performance.now()
    if (row === undefined) await this.keep(id)
    held.claim = claim
  }

  /** Does so for all, a few at a time, and writes anew what the store has lost. */
  confirmAll(): void {
    const ids = [...this.#held.keys()].values()
    const confirmNext = async (): Promise<void> => {
      for (const id of ids) await this.confirm(id)
    }
    for (let at = 0; at < CONFIRMED_AT_ONCE; at++) {
      confirmNext().catch((error: unknown) => this.#options.shared.settings.onError(error))
    }
  }

  /** Gives a session up for whoever is asked for it next. */
  async giveUp(id: string): Promise<void> {
    const held = this.#held.get(id)
    if (held === undefined) return
    const { takeovers, version, session } = held
    const row = { owner: '', takeovers, record: toRecord(session) }
    this.drop(id)
    await this.#options.book.write(id, row, version)
  }

  /** Lets go of a session here; its row stays. */
  drop(id: string): void {
    const held = this.#held.get(id)
    if (held === undefined) return
    this.#held.delete(id)
    this.#options.shared.sessions.delete(id)
    held.session.leave()
  }

  /** The session has ended for good: nobody is to take it up. */
  async end(id: string): Promise<void> {
    const held = this.#held.get(id)
    if (held === undefined) return
    this.#held.delete(id)
    await held.keeping.catch(() => undefined)
    if (held.version > 0) await this.#options.book.delete(id, held.version)
  }

  /** Lets go of all. */
  close(): void {
    clearInterval(this.#timer)
    for (const id of [...this.#held.keys()]) this.drop(id)
  }

  async #keep(id: string, held: Held): Promise<void> {
    const { book, name } = this.#options
    if (this.#held.get(id) !== held) throw new PorticoError('closed', 'The session has ended')
    const row = { owner: name, takeovers: held.takeovers, record: toRecord(held.session) }
    const version = (await book.write(id, row, held.version)) ?? (await this.#writeAnew(id, row))
    if (version === undefined) {
      this.drop(id)
      throw new PorticoError('closed', 'Another replica has taken the session')
    }
    held.version = version
    held.keptAt = performance.now()
    held.lookedAt = held.keptAt
  }

  /** A row that is gone, or that no replica wrote, says nothing of who has the session: it is still here. */
  async #writeAnew(id: string, own: Parameters<SessionBook['write']>[1]): Promise<number | undefined> {
    const { book } = this.#options
    const { row, version } = await book.look(id)
    return row === undefined ? book.write(id, own, version) : undefined
  }

  #keepLater(id: string, held: Held): void {
    held.keptAt = performance.now()
    this.keep(id).catch((error: unknown) => this.#options.shared.settings.onError(error))
  }

  #lookLater(id: string, held: Held): void {
    held.lookedAt = performance.now()
    this.confirm(id).catch((error: unknown) => this.#options.shared.settings.onError(error))
  }

  /** Sessions that only listen are used by nobody, and live as long as they do. */
  #keepBusy(): void {
    const { againMs } = this.#options
    for (const [id, held] of this.#held) {
      if (held.session.busy && performance.now() - held.keptAt >= againMs) this.#keepLater(id, held)
    }
  }
}

function isWorking({ session }: HttpSession): boolean {
  return session.incoming.size > 0
}

function toRecord({ session }: HttpSession): SessionRecord {
  const { principal, revision, capabilities, clientInfo = { name: '', version: '' }, logLevel, subscriptions } = session
  return {
    ...(principal && { principal: principal.id }),
    version: revision.version,
    capabilities,
    clientInfo,
    ...(logLevel !== undefined && { logLevel }),
    subscriptions: [...subscriptions],
  }
}
