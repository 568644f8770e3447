/**
 * SQLite as an engine, in processes that can be ended: a few, so that one long statement keeps nobody else waiting. The file is
 * read and written in place, under the locks that every program with SQLite in it keeps. Where a file cannot be read so (a crashed
 * writer left a journal and the folder is not ours to write in; no SQLite with locks is installed), private copies are read, and
 * nothing is written.
 */

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { PorticoError } from '@portico/sdk/server'
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
import { MAX_CONNECTIONS, type SqlLimits } from '../limits.ts'
import { Pool } from '../pool.ts'
import { SAMPLE_SCRIPT } from '../sample.ts'
import { describeSqlite, listSqliteTables } from './catalog-sqlite.ts'
import { PLAN } from './sqlite-protocol.ts'
import { SqliteSeat } from './sqlite-seat.ts'

interface SqliteOptions {
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
  readonly #file: string
  readonly #folder: string
  readonly #options: SqliteOptions
  readonly #pool: Pool<SqliteSeat>
  readonly #ending = new Set<Promise<void>>()
  #seats = 0
  #locks = false

  constructor(options: SqliteOptions, folder: string) {
    this.#options = options
    this.#folder = folder
    this.#file = options.file === undefined ? join(folder, 'shop.db') : resolve(options.file)
    this.#pool = new Pool<SqliteSeat>({
      // One more than read at a time, for whoever writes.
      size: MAX_CONNECTIONS + 1,
      open: async () => this.#seat(),
      reset: async () => {},
      destroy: (seat) => this.#end(seat),
    })
  }

  async prepare(): Promise<void> {
    const { signal } = new AbortController()
    await this.#use(async (seat) => {
      const { locks = false } = await seat.ask({ kind: 'hello' }, signal)
      this.#locks = locks
      if (!locks && this.#options.write && this.#options.file !== undefined) {
        throw new PorticoError(
          'invalid-arguments',
          'To change an SQLite file that other programs may use, install the package "libsql" or run Node 22.16 or newer',
        )
      }
      if (existsSync(this.#file)) return
      const sql = this.#options.file === undefined ? SAMPLE_SCRIPT : 'PRAGMA user_version = 0; VACUUM'
      await seat.ask({ kind: 'script', path: this.#file, sql }, signal, 60_000)
    })
  }

  query(statement: Statement, page: Page, signal: AbortSignal): Promise<Rows> {
    return this.#use((seat) => seat.query(statement, page, this.#locks, signal))
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

  execute(statement: Statement, maxRows: number, signal: AbortSignal): Promise<Outcome> {
    return this.#use((seat) => seat.execute(statement, maxRows, signal))
  }

  tables(signal: AbortSignal): Promise<readonly Table[]> {
    return listSqliteTables((statement, page) => this.query(statement, page, signal))
  }

  describe(table: Table, signal: AbortSignal): Promise<TableDetails> {
    return describeSqlite(table, (statement, page) => this.query(statement, page, signal))
  }

  async close(): Promise<void> {
    this.#pool.close()
    await Promise.all(this.#ending)
    await removeTemporaryFolder(this.#folder)
  }

  /** A process that had to be ended is replaced by its seat at the next statement. */
  #use<T>(action: (seat: SqliteSeat) => Promise<T>): Promise<T> {
    return this.#pool.use<T>((seat) =>
      action(seat).then(
        (value) => ({ ok: true, value, keep: true }),
        (error: unknown) => ({ ok: false, error, keep: true }),
      ),
    )
  }

  #seat(): SqliteSeat {
    const { limits, maxDatabaseBytes } = this.#options
    const name = `copy-${this.#seats++}`
    return new SqliteSeat({ file: this.#file, folder: this.#folder, name, limits, maxDatabaseBytes })
  }

  #end(seat: SqliteSeat): void {
    const ending = seat.close()
    this.#ending.add(ending)
    void ending.finally(() => this.#ending.delete(ending))
  }
}
