/** SQLite as an engine: reads from a private copy, writes to the file itself, both in a thread that can be ended. */

import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { PorticoError, ToolError } from '@portico/sdk/server'
import { makeTemporaryFolder, removeTemporaryFolder } from '../machine/temporary-folder.ts'
import { describeSqlite, listSqliteTables } from './catalog-sqlite.ts'
import {
  type Engine,
  type Outcome,
  type Page,
  prepareEngine,
  type Rows,
  type Statement,
  type Table,
  type TableDetails,
} from './engine.ts'
import type { SqlLimits } from './limits.ts'
import { SAMPLE_SCRIPT } from './sample.ts'
import { copyDatabase, type DatabaseCopy, removeCopy, stampDatabase } from './sqlite-copy.ts'
import type { WorkerRequest, WorkerResult } from './sqlite-protocol.ts'
import { SqliteThread } from './sqlite-thread.ts'

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
  readonly #thread = new SqliteThread()
  readonly #file: string
  readonly #folder: string
  readonly #options: SqliteOptions
  #copy: DatabaseCopy | undefined
  #copies = 0
  #turn: Promise<unknown> = Promise.resolve()

  constructor(options: SqliteOptions, folder: string) {
    this.#options = options
    this.#folder = folder
    this.#file = options.file === undefined ? join(folder, 'shop.db') : resolve(options.file)
  }

  async prepare(): Promise<void> {
    if (existsSync(this.#file)) return
    const sql = this.#options.file === undefined ? SAMPLE_SCRIPT : 'PRAGMA user_version = 0; VACUUM'
    await this.#ask({ kind: 'script', path: this.#file, sql }, new AbortController().signal, 60_000)
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
    const statement = { sql: `EXPLAIN QUERY PLAN ${sql}`, params }
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
      this.#requireQuiet()
      const limits = { ...this.#options.limits, maxRows }
      const request: WorkerRequest = { kind: 'execute', path: this.#file, sql, params, limits }
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
    await this.#thread.close()
    await removeTemporaryFolder(this.#folder)
  }

  /** Takes a new copy when the file changed, and opens it when the thread is a new one. */
  async #refresh(signal: AbortSignal): Promise<void> {
    const max = this.#options.maxDatabaseBytes
    const stale = this.#copy === undefined || (await stampDatabase(this.#file, max)) !== this.#copy.stamp
    if (!stale && !this.#thread.isFresh) return
    const old = this.#copy
    if (stale) this.#copy = await copyDatabase(this.#file, this.#folder, `copy-${this.#copies++}.db`, max)
    if (this.#copy === undefined) return
    await rm(`${this.#copy.path}.lock`, { recursive: true, force: true })
    await this.#ask({ kind: 'open-copy', path: this.#copy.path }, signal)
    if (stale && old !== undefined) await removeCopy(old.path)
  }

  #ask(request: WorkerRequest, signal: AbortSignal, timeoutMs = this.#options.limits.timeoutMs): Promise<WorkerResult> {
    const onKilled = async (locked: boolean): Promise<void> => {
      if (locked) await this.#recover()
    }
    return this.#thread.request(request, { timeoutMs, signal, onKilled })
  }

  /** After a write was stopped in the middle: frees the lock, which was ours, and lets SQLite roll the file back. */
  async #recover(): Promise<void> {
    await rm(`${this.#file}.lock`, { recursive: true, force: true })
    const { signal } = new AbortController()
    await this.#thread.request({ kind: 'recover', path: this.#file }, { timeoutMs: 60_000, signal })
  }

  /** The embedded SQLite cannot see other programs' locks: it writes only where nothing hints at another program. */
  #requireQuiet(): void {
    const found = ['-wal', '-shm', '-journal'].find((suffix) => existsSync(this.#file + suffix))
    if (found === undefined) return
    throw new ToolError(
      `Another program seems to have this database open (there is a file that ends in "${found}"). Nothing was written; close the other program first.`,
    )
  }

  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(action)
    this.#turn = result.catch(() => {})
    return result
  }
}
