/**
 * SQLite as an engine, in a process that can be ended. The file is read and written in place, under the locks that every
 * program with SQLite in it keeps. Where a file cannot be read so (a crashed writer left a journal and the folder is not ours
 * to write in; no SQLite with locks is installed), a private copy is read, and nothing is written.
 */

import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { PorticoError, ToolError } from '@portico/sdk/server'
import { makeTemporaryFolder, removeTemporaryFolder } from '../../machine/temporary-folder.ts'
import {
  type Engine,
  type Outcome,
  type Page,
  prepareEngine,
  type Rows,
  type Statement,
  type Table,
  type TableDetails,
} from '../engine.ts'
import type { SqlLimits } from '../limits.ts'
import { SAMPLE_SCRIPT } from '../sample.ts'
import { describeSqlite, listSqliteTables } from './catalog-sqlite.ts'
import { SqliteChild } from './sqlite-child.ts'
import { copyDatabase, type DatabaseCopy, removeCopy, stampDatabase } from './sqlite-copy.ts'
import { type ChildRequest, type ChildResult, PLAN } from './sqlite-protocol.ts'

export interface SqliteOptions {
  /** The sample shop, in a temporary file, when absent. */
  readonly file: string | undefined
  readonly write: boolean
  readonly limits: SqlLimits
  readonly maxDatabaseBytes: number
}

export async function openSqlite(options: SqliteOptions): Promise<Engine> {
  if (options.file !== undefined && !options.write && !existsSync(options.file)) {
    throw new PorticoError('invalid-arguments', `There is no SQLite file at ${resolve(options.file)}`)
  }
  const folder = await makeTemporaryFolder('sql')
  return prepareEngine(new SqliteEngine(options, folder))
}

class SqliteEngine implements Engine {
  readonly dialect = 'sqlite'
  readonly placeholder = '?'
  readonly #child = new SqliteChild()
  readonly #file: string
  readonly #folder: string
  readonly #options: SqliteOptions
  #copy: DatabaseCopy | undefined
  #copies = 0
  #locks = false
  #inode: bigint | undefined
  #turn: Promise<unknown> = Promise.resolve()

  constructor(options: SqliteOptions, folder: string) {
    this.#options = options
    this.#folder = folder
    this.#file = options.file === undefined ? join(folder, 'shop.db') : resolve(options.file)
  }

  async prepare(): Promise<void> {
    const { signal } = new AbortController()
    const { locks = false } = await this.#ask({ kind: 'hello' }, signal)
    this.#locks = locks
    if (!locks && this.#options.write && this.#options.file !== undefined) {
      throw new PorticoError(
        'invalid-arguments',
        'To change an SQLite file that other programs may use, install the package "libsql" or run Node 22.16 or newer',
      )
    }
    if (existsSync(this.#file)) return
    const sql = this.#options.file === undefined ? SAMPLE_SCRIPT : 'PRAGMA user_version = 0; VACUUM'
    await this.#ask({ kind: 'script', path: this.#file, sql }, signal, 60_000)
  }

  query({ sql, params }: Statement, { offset, maxRows }: Page, signal: AbortSignal): Promise<Rows> {
    return this.#inTurn(async () => {
      await this.#refresh(signal)
      const limits = { ...this.#options.limits, maxRows }
      const { rows } = await this.#ask({ kind: 'query', sql, params, offset, limits }, signal)
      if (rows === undefined) throw new ToolError('SQLite gave no rows.')
      return rows
    })
  }

  async explain({ sql, params }: Statement, signal: AbortSignal): Promise<string> {
    const statement = { sql: `${PLAN}${sql}`, params }
    const { rows } = await this.query(statement, { offset: 0, maxRows: 500 }, signal)
    const depths = new Map<unknown, number>([[0, -1]])
    const lines = rows.map(([id, parent, , detail]) => {
      const depth = (depths.get(parent) ?? -1) + 1
      depths.set(id, depth)
      return `${'  '.repeat(depth)}${detail}`
    })
    return lines.join('\n')
  }

  execute({ sql, params }: Statement, maxRows: number, signal: AbortSignal): Promise<Outcome> {
    return this.#inTurn(async () => {
      const limits = { ...this.#options.limits, maxRows }
      const request: ChildRequest = { kind: 'execute', path: this.#file, sql, params, limits, waitMs: this.#waitMs }
      const { affected = 0, rows } = await this.#ask(request, signal)
      return { affected, returned: rows }
    })
  }

  tables(signal: AbortSignal): Promise<readonly Table[]> {
    return listSqliteTables((statement, page) => this.query(statement, page, signal))
  }

  describe(table: Table, signal: AbortSignal): Promise<TableDetails> {
    return describeSqlite(table, (statement, page) => this.query(statement, page, signal))
  }

  async close(): Promise<void> {
    await this.#child.close()
    await removeTemporaryFolder(this.#folder)
  }

  /** Opens the file when the process is a new one or the file another; where that fails, a copy. */
  async #refresh(signal: AbortSignal): Promise<void> {
    if (!this.#locks || this.#copy !== undefined) return this.#refreshCopy(signal)
    const { ino } = await stat(this.#file, { bigint: true }).catch(() => {
      throw new ToolError('The database file is not there any more.')
    })
    if (!this.#child.isFresh && this.#inode === ino) return
    try {
      await this.#ask({ kind: 'open', path: this.#file, isCopy: false, waitMs: this.#waitMs }, signal)
      this.#inode = ino
    } catch (error) {
      if (!(error instanceof ToolError) || !UNREADABLE_IN_PLACE.test(error.message)) throw error
      await this.#refreshCopy(signal)
    }
  }

  /** Takes a new copy when the file changed, and opens it when the process is a new one. */
  async #refreshCopy(signal: AbortSignal): Promise<void> {
    const max = this.#options.maxDatabaseBytes
    const stale = this.#copy === undefined || (await stampDatabase(this.#file, max)) !== this.#copy.stamp
    if (!stale && !this.#child.isFresh) return
    const old = this.#copy
    if (stale) this.#copy = await copyDatabase(this.#file, this.#folder, `copy-${this.#copies++}.db`, max)
    if (this.#copy === undefined) return
    await this.#ask({ kind: 'open', path: this.#copy.path, isCopy: true, waitMs: this.#waitMs }, signal)
    if (stale && old !== undefined) await removeCopy(old.path)
  }

  /** How long to wait for another program's lock: long enough to be told of it before the time is up. */
  get #waitMs(): number {
    return Math.floor(this.#options.limits.timeoutMs * 0.8)
  }

  async #ask(
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

  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(action)
    this.#turn = result.catch(() => {})
    return result
  }
}

/** A journal to play back, or a log without its index, in a place where this user may not write. */
const UNREADABLE_IN_PLACE = /readonly database|unable to open|SQLITE_CANTOPEN|SQLITE_READONLY/i
