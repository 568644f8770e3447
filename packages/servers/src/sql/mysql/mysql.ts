/**
 * MySQL and MariaDB as an engine. A question runs as one prepared statement in `START TRANSACTION READ ONLY`, under the
 * server's own time limit; since a hint inside a statement can lift that limit, ours ends the statement by `KILL QUERY`.
 */

import { PorticoError, ToolError } from '@portico/sdk/server'
import type mysql from 'mysql2'
import { RowCollector } from '../cells.ts'
import { messageOf } from '../connection-url.ts'
import { timedOut, withDeadline } from '../deadline.ts'
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
import { boundsOf, MAX_CONNECTIONS, MAX_WIRE_BYTES, tooLarge } from '../limits.ts'
import { Pool } from '../pool.ts'
import type { RemoteOptions } from '../remote/remote-options.ts'
import { checkMysqlRole } from '../role.ts'
import { watchBytes } from '../wire-bytes.ts'
import { describeMysql, listMysqlTables } from './catalog-mysql.ts'
import { openMysqlConnection, readAll, type Streamed, streamRows } from './mysql-connection.ts'

export function openMysql(options: RemoteOptions<URL>): Promise<Engine> {
  return prepareEngine(new MysqlEngine(options))
}

type Mode = 'READ ONLY' | 'READ WRITE'

class MysqlEngine implements Engine {
  dialect: 'mysql' | 'mariadb' = 'mysql'
  readonly placeholder = '?'
  readonly #options: RemoteOptions<URL>
  readonly #pool: Pool<mysql.Connection>

  constructor(options: RemoteOptions<URL>) {
    this.#options = options
    this.#pool = new Pool<mysql.Connection>({
      size: MAX_CONNECTIONS,
      open: () => this.#open(),
      // Variables, locks by name and temporary tables outlive a transaction.
      reset: (connection) =>
        new Promise((resolve, reject) => connection.reset((error) => (error === null ? resolve() : reject(error)))),
      destroy: (connection) => connection.destroy(),
    })
  }

  async prepare(): Promise<void> {
    const { signal } = new AbortController()
    await this.#run('READ ONLY', signal, async (connection) => {
      const [row] = await readAll(connection, 'SELECT VERSION()', [])
      if (String(row?.[0]).includes('MariaDB')) this.dialect = 'mariadb'
      if (!this.#options.allowPowerfulRole) await checkMysqlRole((sql) => readAll(connection, sql, []))
      return { value: undefined, keep: true }
    })
  }

  query({ sql, params }: Statement, page: Page, signal: AbortSignal): Promise<Rows> {
    return this.#run('READ ONLY', signal, async (connection) => {
      const streamed = streamRows(connection, sql, params)
      const rows = await this.#collect(streamed, page)
      // Rows that nobody reads any more are still on their way: the connection is not used again.
      return { value: rows, keep: !rows.more }
    })
  }

  explain({ sql, params }: Statement, signal: AbortSignal): Promise<string> {
    return this.#run('READ ONLY', signal, async (connection) => {
      const rows = await readAll(connection, `EXPLAIN FORMAT=JSON ${sql}`, params)
      return { value: rows.map((row) => row.join('\t')).join('\n'), keep: true }
    })
  }

  execute({ sql, params }: Statement, maxRows: number, signal: AbortSignal): Promise<Outcome> {
    return this.#run('READ WRITE', signal, async (connection) => {
      const streamed = streamRows(connection, sql, params)
      const rows = await this.#collect(streamed, { offset: 0, maxRows })
      if (rows.more) throw new ToolError(`More than ${maxRows} rows came back (option "maxRows"). Nothing was changed.`)
      const returned = rows.columns.length === 0 ? undefined : rows
      return { value: { affected: streamed.affected() ?? rows.rows.length, returned }, keep: true }
    })
  }

  tables(signal: AbortSignal): Promise<readonly Table[]> {
    return this.#run('READ ONLY', signal, async (connection) => {
      const value = await listMysqlTables((sql, params) => readAll(connection, sql, params), this.#options.schemas)
      return { value, keep: true }
    })
  }

  describe(table: Table, signal: AbortSignal): Promise<TableDetails> {
    return this.#run('READ ONLY', signal, async (connection) => {
      return { value: await describeMysql(table, (sql, params) => readAll(connection, sql, params)), keep: true }
    })
  }

  async close(): Promise<void> {
    this.#pool.close()
  }

  async #collect(streamed: Streamed, page: Page): Promise<Rows> {
    const collector = new RowCollector(boundsOf(page, this.#options.limits))
    let seen = 0
    for await (const row of streamed.rows) {
      if (seen++ < page.offset) continue
      if (!collector.add(row)) break
    }
    const { rows, more, cutCells } = collector
    return { columns: streamed.columns(), rows, more, cutCells }
  }

  async #run<T>(
    mode: Mode,
    signal: AbortSignal,
    action: (connection: mysql.Connection) => Promise<{ value: T; keep: boolean }>,
  ): Promise<T> {
    const { timeoutMs } = this.#options.limits
    try {
      return await this.#pool.use<T>(async (connection) => {
        const stop = (): void => void this.#kill(connection)
        let isTooLarge = false
        const unwatch = watchBytes(streamOf(connection), MAX_WIRE_BYTES, () => {
          isTooLarge = true
          connection.destroy()
        })
        try {
          const work = this.#inTransaction(connection, mode, action)
          return { ok: true, ...(await withDeadline(work, { timeoutMs, signal, stop })) }
        } catch (error) {
          if (isTooLarge) return { ok: false, error: tooLarge(), keep: false }
          const keep = isAnswer(error) && (await finish(connection, 'ROLLBACK').then(isTrue, isFalse))
          return { ok: false, error, keep }
        } finally {
          unwatch()
        }
      })
    } catch (error) {
      throw this.#toToolError(error)
    }
  }

  async #inTransaction<T>(
    connection: mysql.Connection,
    mode: Mode,
    action: (connection: mysql.Connection) => Promise<{ value: T; keep: boolean }>,
  ): Promise<{ value: T; keep: boolean }> {
    const { timeoutMs } = this.#options.limits
    const limit =
      this.dialect === 'mariadb' ? `max_statement_time = ${timeoutMs / 1000}` : `max_execution_time = ${timeoutMs}`
    // Which of the two it is becomes known by the first question; until then the own deadline holds alone.
    await finish(connection, `SET SESSION ${limit}`).catch(() => {})
    await finish(connection, `START TRANSACTION ${mode}`)
    const outcome = await action(connection)
    if (outcome.keep) await finish(connection, mode === 'READ ONLY' ? 'ROLLBACK' : 'COMMIT')
    return outcome
  }

  async #open(): Promise<mysql.Connection> {
    const connection = await openMysqlConnection(this.#options.url, this.#options.limits.timeoutMs)
    connection.on('error', () => this.#pool.drop(connection))
    connection.on('end', () => this.#pool.drop(connection))
    return connection
  }

  async #kill(running: mysql.Connection): Promise<void> {
    const { threadId } = running
    running.destroy()
    let other: mysql.Connection | undefined
    try {
      other = await openMysqlConnection(this.#options.url, this.#options.limits.timeoutMs)
      other.on('error', () => {})
      await finish(other, `KILL QUERY ${Number(threadId)}`)
    } catch {
      // It has ended already, or the server's own limit ends it soon.
    } finally {
      other?.destroy()
    }
  }

  #toToolError(error: unknown): Error {
    if (error instanceof PorticoError) return error
    const { timeoutMs } = this.#options.limits
    if (error instanceof Error && 'errno' in error && TIMED_OUT.has(Number(error.errno))) return timedOut(timeoutMs)
    const message = messageOf(error, this.#options.secrets, isAnswer(error))
    return new ToolError(`${this.dialect === 'mariadb' ? 'MariaDB' : 'MySQL'}: ${message}.`)
  }
}

/** Interrupted, MySQL's and MariaDB's time limit. */
const TIMED_OUT: ReadonlySet<number> = new Set([1317, 3024, 1969])

/** An error that the server sent, rather than one of the connection. */
function isAnswer(error: unknown): boolean {
  return error instanceof Error && 'sqlState' in error && !('fatal' in error && error.fatal === true)
}

/** The driver keeps its socket here and does not declare it. */
function streamOf(connection: mysql.Connection): { readonly bytesRead: number } {
  return (connection as unknown as { stream: { bytesRead: number } }).stream
}

function finish(connection: mysql.Connection, sql: string): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.query(sql, (error) => (error === null ? resolve() : reject(error)))
  })
}

const isTrue = (): boolean => true
const isFalse = (): boolean => false
