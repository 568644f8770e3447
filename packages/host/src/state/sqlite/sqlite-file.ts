/**
 * The file behind a store and its bus: opened when it is first needed and again after a failure, with transactions that wait
 * their turn without holding up the process. `sqlite-store.ts` and `sqlite-bus.ts` say what is read and written.
 */

import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { PorticoError } from '@portico/sdk/server'
import { unavailable } from '../opened-state.ts'
import type { OpenSqlite, Sql, SqliteConnection, SqliteStatement } from './sqlite-driver.ts'
import { prepareSchema } from './sqlite-schema.ts'

interface SqliteFileOptions {
  readonly path: string
  readonly open: OpenSqlite
  /** Whether a write also survives a power cut. */
  readonly fullSync: boolean
  /** How long a call waits for other processes. 5 seconds unless given. */
  readonly waitMs?: number
}

const WAIT_MS = 5000
const MIN_PAUSE_MS = 1
const MAX_PAUSE_MS = 15

export class SqliteFile {
  readonly #options: SqliteFileOptions
  #opened: { readonly connection: SqliteConnection; readonly sql: Sql; readonly inode: bigint } | undefined
  #generation = 0
  /** Whether the file went away under this process and nobody was told yet. */
  #lost = false
  #users = 0
  #closed = false

  constructor(options: SqliteFileOptions) {
    this.#options = options
  }

  get path(): string {
    return this.#options.path
  }

  /** Another number whenever the file was opened again: what was remembered of it may no longer be so. */
  get generation(): number {
    return this.#generation
  }

  /** Gives how to let go; the file is closed once nobody uses it. */
  use(): () => void {
    this.#users++
    let released = false
    return () => {
      if (released) return
      released = true
      if (--this.#users > 0) return
      this.#closed = true
      this.#drop()
    }
  }

  /** Reads without a lock of its own; retried while another process holds the file. */
  read<T>(action: (sql: Sql) => T): Promise<T> {
    return this.#patiently(() => action(this.#open()))
  }

  /** Reads now or not at all: undefined when the file cannot be read at this moment. */
  readNow<T>(action: (sql: Sql) => T): T | undefined {
    try {
      return this.#closed ? undefined : action(this.#open())
    } catch (error) {
      if (!isBusy(error)) this.#drop()
      return undefined
    }
  }

  /** All of it or nothing. `undo` as an outcome takes everything back. */
  transaction<T>(action: (sql: Sql, undo: symbol) => T | symbol): Promise<T | undefined> {
    return this.#patiently(() => {
      const sql = this.#open()
      sql.run('BEGIN IMMEDIATE')
      let outcome: T | symbol = UNDO
      try {
        outcome = action(sql, UNDO)
        sql.run(outcome === UNDO ? 'ROLLBACK' : 'COMMIT')
      } catch (error) {
        rollBack(sql)
        throw error
      }
      // Only the one symbol that was handed out means that nothing was done.
      return outcome === UNDO ? undefined : (outcome as T)
    })
  }

  /** Lets go of a file that was deleted or replaced: other processes would work on another one. */
  checkPlace(): void {
    if (this.#opened === undefined || inodeOf(this.path) === this.#opened.inode) return
    this.#drop()
    this.#lost = true
  }

  /** Before anything is read or written: what goes into a file that has no name any more would be acknowledged and lost. */
  #requirePlace(): void {
    this.checkPlace()
    if (!this.#lost) return
    this.#lost = false
    const what = `The state file ${this.path} was deleted or replaced while it was in use, with what it kept`
    const remedy = 'The next call goes on with the file that is in its place, or makes a new one'
    throw unavailable(`${what}. ${remedy}.`, undefined)
  }

  async #patiently<T>(attempt: () => T): Promise<T> {
    const deadline = performance.now() + (this.#options.waitMs ?? WAIT_MS)
    for (let most = MIN_PAUSE_MS; ; most = Math.min(MAX_PAUSE_MS, most * 2)) {
      if (this.#closed) throw new PorticoError('closed', 'The store was closed')
      try {
        this.#requirePlace()
        return attempt()
      } catch (error) {
        if (!isBusy(error)) {
          this.#drop()
          throw this.#failure(error)
        }
        if (performance.now() > deadline) throw this.#failure(error)
        await pause(MIN_PAUSE_MS + Math.random() * most)
      }
    }
  }

  #failure(cause: unknown): PorticoError {
    if (cause instanceof PorticoError) return cause
    const why = isBusy(cause)
      ? `another process does not let go of it: end whatever keeps a transaction open`
      : `${cause instanceof Error ? cause.message : cause}. See that its folder exists, has room and may be written`
    return unavailable(`The state file ${this.path} cannot be used: ${why}. The next call tries again.`, cause)
  }

  #open(): Sql {
    if (this.#opened !== undefined) return this.#opened.sql
    const { path, open, fullSync } = this.#options
    createPrivately(path)
    const connection = open(path)
    try {
      const sql = toSql(connection)
      connection.exec('PRAGMA busy_timeout = 0')
      connection.exec(`PRAGMA synchronous = ${fullSync ? 'FULL' : 'NORMAL'}`)
      prepareSchema(sql, path)
      // Only once it is known to be ours: it stays so in the file, and another program's file is left as it is.
      sql.all('PRAGMA journal_mode = WAL')
      this.#opened = { connection, sql, inode: inodeOf(path) }
      this.#generation++
      return sql
    } catch (error) {
      closeQuietly(connection)
      throw error
    }
  }

  #drop(): void {
    const opened = this.#opened
    this.#opened = undefined
    if (opened !== undefined) closeQuietly(opened.connection)
  }
}

const UNDO = Symbol('undo')

/** Statements are compiled once. */
function toSql(connection: SqliteConnection): Sql {
  const known = new Map<string, SqliteStatement>()
  const statementOf = (sql: string): SqliteStatement => {
    const found = known.get(sql) ?? connection.prepare(sql)
    known.set(sql, found)
    return found
  }
  return {
    all: (sql, ...params) => statementOf(sql).all(params),
    run: (sql, ...params) => statementOf(sql).run(params),
  }
}

/**
 * What is kept is for the user of these processes alone; SQLite gives the files beside it the same rights. Only a file that is not
 * there yet is opened here: whoever closes a file lets go of all locks that his process has on it, those of SQLite too, and
 * another process would then take the file for its own.
 */
function createPrivately(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

function inodeOf(path: string): bigint {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? -1n
}

function rollBack(sql: Sql): void {
  try {
    sql.run('ROLLBACK')
  } catch {
    // Some failures have ended the transaction already.
  }
}

function closeQuietly(connection: SqliteConnection): void {
  try {
    connection.close()
  } catch {
    // It is given up in any case.
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && /database (table |schema )?is locked|SQLITE_BUSY/i.test(error.message)
}
