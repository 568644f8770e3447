/**
 * One process with SQLite in it and what it has open: the file itself, read in place, or a private copy of its own where that cannot
 * be. One statement at a time; the engine in `sqlite.ts` has a few of them.
 */

import { stat } from 'node:fs/promises'
import { ToolError } from '@portico/sdk/server'
import type { Outcome, Page, Rows, Statement } from '../engine.ts'
import { boundsOf, type SqlLimits } from '../limits.ts'
import { SqliteChild } from './sqlite-child.ts'
import { copyDatabase, type DatabaseCopy, removeCopy, stampDatabase } from './sqlite-copy.ts'
import type { ChildRequest, ChildResult } from './sqlite-protocol.ts'

interface SeatOptions {
  /** The database. */
  readonly file: string
  /** Where a copy goes, and under which name: nobody else's. */
  readonly folder: string
  readonly name: string
  readonly limits: SqlLimits
  readonly maxDatabaseBytes: number
}

/** What is open, and in which process. */
interface Opened {
  readonly process: number
  readonly path: string
  /** Of the file itself; a copy is known by its path. */
  readonly inode?: bigint
}

export class SqliteSeat {
  readonly #child = new SqliteChild()
  readonly #options: SeatOptions
  #copy: DatabaseCopy | undefined
  #copies = 0
  #opened: Opened | undefined

  constructor(options: SeatOptions) {
    this.#options = options
  }

  /** `locks`: whether the file may be read in place. */
  async query(statement: Statement, page: Page, locks: boolean, signal: AbortSignal): Promise<Rows> {
    const { sql, params } = statement
    const which = await this.#child.start()
    const began = performance.now()
    await this.#refresh(which, locks, signal)
    const limits = boundsOf(page, this.#options.limits)
    // To open the file and to read it are one statement to whoever asked.
    const left = Math.max(1, Math.ceil(this.#options.limits.timeoutMs - (performance.now() - began)))
    const { rows } = await this.ask({ kind: 'query', sql, params, offset: page.offset, limits }, signal, left)
    if (rows === undefined) throw new ToolError('SQLite gave no rows.')
    return rows
  }

  async execute({ sql, params }: Statement, maxRows: number, signal: AbortSignal): Promise<Outcome> {
    const { file, limits } = this.#options
    const bounds = { ...limits, maxRows }
    const request: ChildRequest = { kind: 'execute', path: file, sql, params, limits: bounds, waitMs: this.#waitMs }
    const { affected = 0, rows } = await this.ask(request, signal)
    return { affected, returned: rows }
  }

  async ask(
    request: ChildRequest,
    signal: AbortSignal,
    timeoutMs = this.#options.limits.timeoutMs,
  ): Promise<ChildResult> {
    try {
      return await this.#child.request(request, { timeoutMs, signal })
    } catch (error) {
      if (!(error instanceof ToolError) || !/database (?:table )?is locked|busy/i.test(error.message)) throw error
      throw new ToolError('Another program has the database locked. Nothing was changed; try again in a moment.')
    }
  }

  close(): Promise<void> {
    return this.#child.close()
  }

  /** Opens the file when the process is a new one or the file another; where that fails, a copy. */
  async #refresh(which: number, locks: boolean, signal: AbortSignal): Promise<void> {
    if (!locks || this.#copy !== undefined) return this.#refreshCopy(which, signal)
    const { file } = this.#options
    const { ino } = await stat(file, { bigint: true }).catch(() => {
      throw new ToolError('The database file is not there any more.')
    })
    try {
      await this.#open({ process: which, path: file, inode: ino }, signal)
    } catch (error) {
      if (!(error instanceof ToolError) || !UNREADABLE_IN_PLACE.test(error.message)) throw error
      await this.#refreshCopy(which, signal)
    }
  }

  /** Takes a new copy when the file changed, and opens it when it is new or the process is. */
  async #refreshCopy(which: number, signal: AbortSignal): Promise<void> {
    const { file, folder, name, maxDatabaseBytes: max } = this.#options
    const old = this.#copy
    const stale = old === undefined || (await stampDatabase(file, max)) !== old.stamp
    const copy = stale ? await copyDatabase(file, folder, `${name}-${this.#copies++}.db`, max) : old
    this.#copy = copy
    try {
      await this.#open({ process: which, path: copy.path }, signal)
    } finally {
      // The process has closed the old one, whether it could open the new one or not.
      if (stale && old !== undefined) await removeCopy(old.path)
    }
  }

  /** Does nothing where that very process has it open. */
  async #open(wanted: Opened, signal: AbortSignal): Promise<void> {
    const { process, path, inode } = wanted
    const now = this.#opened
    if (now?.process === process && now.path === path && now.inode === inode) return
    // The process closes what it has before it opens another: should that fail, it has nothing.
    this.#opened = undefined
    await this.ask({ kind: 'open', path, isCopy: inode === undefined, waitMs: this.#waitMs }, signal)
    this.#opened = wanted
  }

  /** How long to wait for another's lock: long enough to be told of it before the time is up. */
  get #waitMs(): number {
    const { timeoutMs } = this.#options.limits
    return Math.floor(Math.max(timeoutMs * 0.8, timeoutMs - 1_000))
  }
}

/** A journal to play back, or a log without its index, in a place where this user may not write. */
const UNREADABLE_IN_PLACE = /readonly database|unable to open|SQLITE_CANTOPEN|SQLITE_READONLY/i
