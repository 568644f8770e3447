/**
 * PostgreSQL as an engine. A question is the query of a cursor, declared in a `READ ONLY` transaction over the extended
 * protocol: PostgreSQL itself takes nothing there but a single SELECT that changes nothing, with `statement_timeout` set.
 */

import { PorticoError, ToolError } from '@portico/sdk/server'
import pg from 'pg'
import { describePostgres, listPostgresTables } from './catalog-postgres.ts'
import { type Column, RowCollector } from './cells.ts'
import { redact } from './connection-url.ts'
import { timedOut, withDeadline } from './deadline.ts'
import type { Engine, Outcome, Page, Parameter, Rows, Statement, Table, TableDetails } from './engine.ts'
import { MAX_CONNECTIONS, MAX_WIRE_BYTES } from './limits.ts'
import { Pool } from './pool.ts'
import { readPostgresValue, typeName } from './postgres-types.ts'
import { prepareEngine, type RemoteOptions } from './remote-engine.ts'
import { checkPostgresRole } from './role.ts'
import { watchBytes } from './wire-bytes.ts'

export function openPostgres(options: RemoteOptions<string>): Promise<Engine> {
  return prepareEngine(new PostgresEngine(options))
}

type Mode = 'READ ONLY' | 'READ WRITE'

interface Link {
  readonly client: pg.Client
  readonly pid: number
}

/** Rows fetched at a time: enough to be quick, few enough to stop in time. */
const BATCH = 50
const CURSOR = 'portico_page'

class PostgresEngine implements Engine {
  readonly dialect = 'postgresql'
  readonly placeholder = '$1'
  readonly #options: RemoteOptions<string>
  readonly #pool: Pool<Link>

  constructor(options: RemoteOptions<string>) {
    this.#options = options
    this.#pool = new Pool<Link>({
      size: MAX_CONNECTIONS,
      open: () => this.#open(),
      // Settings, prepared statements, temporary tables and advisory locks outlive a transaction.
      reset: async ({ client }) => {
        await client.query('DISCARD ALL')
        await client.query('SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY')
      },
      destroy: ({ client }) => void client.end().catch(() => {}),
    })
  }

  async prepare(): Promise<void> {
    const { signal } = new AbortController()
    await this.#run('READ ONLY', signal, async (client) => {
      if (!this.#options.allowPowerfulRole) await checkPostgresRole((sql) => rowsOf(client, sql, []))
    })
  }

  query({ sql, params }: Statement, page: Page, signal: AbortSignal): Promise<Rows> {
    return this.#run('READ ONLY', signal, async (client) => {
      await ask(client, `DECLARE ${CURSOR} NO SCROLL CURSOR FOR ${sql}`, params)
      if (page.offset > 0) await client.query(`MOVE FORWARD ${page.offset} IN ${CURSOR}`)
      return this.#fetch(client, page.maxRows)
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
      const returned = result.fields.length === 0 ? undefined : toRows(result, collector)
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

  async #fetch(client: pg.Client, maxRows: number): Promise<Rows> {
    const collector = new RowCollector({ ...this.#options.limits, maxRows })
    for (;;) {
      const batch = await ask(client, `FETCH FORWARD ${Math.min(BATCH, maxRows + 1)} FROM ${CURSOR}`, [])
      const fits = batch.rows.every((row) => collector.add(row))
      if (!fits || batch.rows.length === 0) return toRows(batch, collector)
    }
  }

  /** In a transaction of its own, within the deadline; whatever happens, nothing of it stays but a finished write. */
  async #run<T>(mode: Mode, signal: AbortSignal, action: (client: pg.Client) => Promise<T>): Promise<T> {
    const { timeoutMs } = this.#options.limits
    try {
      return await this.#pool.use<T>(async (link) => {
        const { client } = link
        const stop = (): void => void this.#cancel(link)
        const unwatch = watchBytes(streamOf(client), MAX_WIRE_BYTES, () => streamOf(client).destroy())
        try {
          const work = inTransaction(client, mode, timeoutMs, action)
          return { ok: true, value: await withDeadline(work, { timeoutMs, signal, stop }), keep: true }
        } catch (error) {
          // What the database answered, short of ending the connection, leaves the connection as good as before.
          const answered = error instanceof pg.DatabaseError && error.severity !== 'FATAL'
          const keep = answered && (await client.query('ROLLBACK').then(isTrue, isFalse))
          return { ok: false, error, keep }
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
    await client.connect()
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    await client.query('SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY')
    const link = { client, pid: rows[0]?.pid ?? 0 }
    client.on('end', () => this.#pool.drop(link))
    return link
  }

  #client(): pg.Client {
    const { url, limits } = this.#options
    return new pg.Client({
      connectionString: url,
      application_name: 'portico-sql',
      connectionTimeoutMillis: limits.timeoutMs,
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
    const message = redact(error instanceof Error ? error.message || error.name : String(error), this.#options.secrets)
    const hint = error instanceof pg.DatabaseError && error.hint !== undefined ? ` Hint: ${error.hint}` : ''
    return new ToolError(`PostgreSQL: ${message}.${hint}`)
  }
}

async function inTransaction<T>(
  client: pg.Client,
  mode: Mode,
  timeoutMs: number,
  action: (client: pg.Client) => Promise<T>,
): Promise<T> {
  await client.query(`BEGIN ${mode}`)
  // A query of ours comes first: after one, a transaction can no longer be made writable.
  await ask(client, `SELECT set_config('statement_timeout', $1, true)`, [String(timeoutMs)])
  const value = await action(client)
  await client.query(mode === 'READ ONLY' ? 'ROLLBACK' : 'COMMIT')
  return value
}

/** The extended protocol takes one statement and no more. */
function ask(client: pg.Client, text: string, values: readonly Parameter[]): Promise<pg.QueryArrayResult<unknown[]>> {
  const config: pg.QueryArrayConfig = { text, values: [...values], rowMode: 'array' }
  return client.query<unknown[]>(Object.assign(config, { queryMode: 'extended' }))
}

async function rowsOf(client: pg.Client, sql: string, params: readonly unknown[]): Promise<unknown[][]> {
  return (await client.query<unknown[]>({ text: sql, values: [...params], rowMode: 'array' })).rows
}

function toRows(result: pg.QueryArrayResult<unknown[]>, { rows, more, cutCells }: RowCollector): Rows {
  const columns = result.fields.map(({ name, dataTypeID }): Column => {
    const type = typeName(dataTypeID)
    return type === undefined ? { name } : { name, type }
  })
  return { columns, rows, more, cutCells }
}

/** The driver keeps its socket here, replaced by the encrypted one where there is one. */
function streamOf(client: pg.Client): { readonly bytesRead: number; destroy(): void } {
  return (client as unknown as { connection: { stream: { bytesRead: number; destroy(): void } } }).connection.stream
}

const isTrue = (): boolean => true
const isFalse = (): boolean => false
