/**
 * PostgreSQL as an engine. A question is asked below a SELECT of ours (`postgres-page.ts`) in a `READ ONLY` transaction over
 * the extended protocol: PostgreSQL itself takes nothing there but a single SELECT that changes nothing, with
 * `statement_timeout` set. All of it is sent at once, and the answer goes out before the session is wiped.
 */

import { PorticoError, ToolError } from '@portico/sdk/server'
import pg from 'pg'
import { RowCollector } from '../cells.ts'
import { messageOf } from '../connection-url.ts'
import { timedOut, withDeadline } from '../deadline.ts'
import {
  type Engine,
  type Outcome,
  type Page,
  type Parameter,
  prepareEngine,
  type Rows,
  type Statement,
  type Table,
  type TableDetails,
} from '../engine.ts'
import { MAX_CONNECTIONS, MAX_WIRE_BYTES, tooLarge } from '../limits.ts'
import { Pool } from '../pool.ts'
import type { RemoteOptions } from '../remote/remote-options.ts'
import { checkPostgresRole, postgresEffects } from '../role.ts'
import { watchBytes } from '../wire-bytes.ts'
import { describePostgres, listPostgresTables } from './catalog-postgres.ts'
import { readPage, streamOf, toRows } from './postgres-page.ts'
import { readPostgresValue } from './postgres-types.ts'

export function openPostgres(options: RemoteOptions<string>): Promise<Engine> {
  return prepareEngine(new PostgresEngine(options))
}

type Mode = 'READ ONLY' | 'READ WRITE'

interface Link {
  readonly client: pg.Client
  readonly pid: number
}

/** `giveUp` ends the connection, and what still runs on it. */
type Action<T> = (client: pg.Client, giveUp: () => void) => Promise<T>

const READ_ONLY_SESSION = 'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY'

class PostgresEngine implements Engine {
  readonly dialect = 'postgresql'
  readonly placeholder = '$1'
  effects: ReadonlySet<string> = new Set()
  readonly #options: RemoteOptions<string>
  readonly #pool: Pool<Link>

  constructor(options: RemoteOptions<string>) {
    this.#options = options
    this.#pool = new Pool<Link>({
      size: MAX_CONNECTIONS,
      open: () => this.#open(),
      // Settings, prepared statements, temporary tables and advisory locks outlive a transaction.
      reset: async ({ client }) => {
        await Promise.all(['ROLLBACK', 'DISCARD ALL', READ_ONLY_SESSION].map((sql) => client.query(sql)))
      },
      destroy: ({ client }) => void client.end().catch(() => {}),
    })
  }

  async prepare(): Promise<void> {
    const { signal } = new AbortController()
    await this.#run('READ ONLY', signal, async (client) => {
      if (!this.#options.allowPowerfulRole) await checkPostgresRole((sql) => rowsOf(client, sql, []))
      this.effects = await postgresEffects((sql) => rowsOf(client, sql, []))
    })
  }

  query(statement: Statement, page: Page, signal: AbortSignal): Promise<Rows> {
    return this.#run('READ ONLY', signal, async (client, giveUp) => {
      const { rows, ended } = await readPage(client, statement, page, this.#options.limits)
      if (!ended) giveUp()
      return rows
    })
  }

  explain({ sql, params }: Statement, signal: AbortSignal): Promise<string> {
    return this.#run('READ ONLY', signal, async (client) => {
      const { rows } = await ask(client, `EXPLAIN (VERBOSE false, COSTS true) ${sql}`, params)
      return rows.map(([line]) => String(line)).join('\n')
    })
  }

  execute({ sql, params }: Statement, maxRows: number, signal: AbortSignal): Promise<Outcome> {
    return this.#run('READ WRITE', signal, async (client) => {
      const result = await ask(client, sql, params)
      const collector = new RowCollector({ ...this.#options.limits, maxRows })
      for (const row of result.rows) if (!collector.add(row)) break
      const returned = result.fields.length === 0 ? undefined : toRows(result.fields, collector)
      return { affected: result.rowCount ?? 0, returned }
    })
  }

  tables(signal: AbortSignal): Promise<readonly Table[]> {
    return this.#run('READ ONLY', signal, (client) =>
      listPostgresTables((sql, params) => rowsOf(client, sql, params), this.#options.schemas),
    )
  }

  describe(table: Table, signal: AbortSignal): Promise<TableDetails> {
    return this.#run('READ ONLY', signal, (client) =>
      describePostgres(table, (sql, params) => rowsOf(client, sql, params)),
    )
  }

  async close(): Promise<void> {
    this.#pool.close()
  }

  /** In a transaction of its own, within the deadline; whatever happens, nothing of it stays but a finished write. */
  async #run<T>(mode: Mode, signal: AbortSignal, action: Action<T>): Promise<T> {
    const { timeoutMs } = this.#options.limits
    try {
      return await this.#pool.use<T>(async (link) => {
        const { client } = link
        let keep = true
        const stop = (): void => {
          keep = false
          void this.#cancel(link)
        }
        let isTooLarge = false
        const unwatch = watchBytes(streamOf(client), MAX_WIRE_BYTES, () => {
          isTooLarge = true
          streamOf(client).destroy()
        })
        try {
          const work = inTransaction(client, mode, timeoutMs, (inside) => action(inside, stop))
          const value = await withDeadline(work, { timeoutMs, signal, stop })
          return { ok: true, value, keep }
        } catch (error) {
          if (isTooLarge) return { ok: false, error: tooLarge(), keep: false }
          // What the database answered, short of ending the connection, leaves the connection as good as before.
          return { ok: false, error, keep: error instanceof pg.DatabaseError && error.severity !== 'FATAL' }
        } finally {
          unwatch()
        }
      })
    } catch (error) {
      throw this.#toToolError(error)
    }
  }

  async #open(): Promise<Link> {
    const client = this.#client()
    client.on('error', () => {})
    try {
      await client.connect()
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      await client.query(READ_ONLY_SESSION)
      const link = { client, pid: rows[0]?.pid ?? 0 }
      client.on('end', () => this.#pool.drop(link))
      return link
    } catch (error) {
      // Nobody else knows of it.
      void client.end().catch(() => {})
      throw error
    }
  }

  #client(): pg.Client {
    const { url, limits } = this.#options
    return new pg.Client({
      connectionString: url,
      application_name: 'portico-sql',
      connectionTimeoutMillis: limits.timeoutMs,
      // What is asked is sent without waiting for the answers before it.
      pipeline: true,
      types: { getTypeParser: (oid: number) => (text: string) => readPostgresValue(oid, text) },
    })
  }

  /** Ends the statement on the server too; the connection that ran it is given up. */
  async #cancel({ client, pid }: Link): Promise<void> {
    streamOf(client).destroy()
    const other = this.#client()
    other.on('error', () => {})
    try {
      await other.connect()
      await other.query('SELECT pg_cancel_backend($1)', [pid])
    } catch {
      // Its own time limit ends it soon.
    } finally {
      await other.end().catch(() => {})
    }
  }

  #toToolError(error: unknown): Error {
    if (error instanceof PorticoError) return error
    if (error instanceof pg.DatabaseError && error.code === '57014') return timedOut(this.#options.limits.timeoutMs)
    const message = messageOf(error, this.#options.secrets, error instanceof pg.DatabaseError)
    const hint = error instanceof pg.DatabaseError && error.hint !== undefined ? ` Hint: ${error.hint}` : ''
    return new ToolError(`PostgreSQL: ${message}.${hint}`)
  }
}

/** A transaction that only reads is ended after the answer, when its connection is reset. */
async function inTransaction<T>(
  client: pg.Client,
  mode: Mode,
  timeoutMs: number,
  action: (client: pg.Client) => Promise<T>,
): Promise<T> {
  // A query of ours comes first: after one, a transaction can no longer be made writable.
  const limit = `SELECT pg_catalog.set_config('statement_timeout', '${Math.ceil(timeoutMs)}', true)`
  const begun = client.query(`BEGIN ${mode}; ${limit}`)
  if (mode === 'READ WRITE') {
    await begun
    const value = await action(client)
    await client.query('COMMIT')
    return value
  }
  // The session only reads, in a transaction or not: nothing is lost by not waiting for this one to begin.
  const [beginning, acting] = await Promise.allSettled([begun, action(client)])
  if (beginning.status === 'rejected') throw beginning.reason
  if (acting.status === 'rejected') throw acting.reason
  return acting.value
}

/** The extended protocol takes one statement and no more. */
function ask(client: pg.Client, text: string, values: readonly Parameter[]): Promise<pg.QueryArrayResult<unknown[]>> {
  const config: pg.QueryArrayConfig = { text, values: [...values], rowMode: 'array' }
  return client.query<unknown[]>(Object.assign(config, { queryMode: 'extended' }))
}

async function rowsOf(client: pg.Client, sql: string, params: readonly unknown[]): Promise<unknown[][]> {
  return (await client.query<unknown[]>({ text: sql, values: [...params], rowMode: 'array' })).rows
}
