/** Connections to one PostgreSQL: tables made on first use, errors told alike, what is over cleared in small bites. */

import { PorticoError } from '@portico/sdk/server'
import { withLimit } from '../link.ts'
import { unavailable } from '../opened-state.ts'
import type { PostgresClient, PostgresLibrary, PostgresOptions, PostgresPool, PostgresRow } from './postgres-library.ts'
import { isPreparedSql, prepareSql } from './postgres-schema.ts'

export interface PostgresPlace {
  readonly url: string
  readonly schema: string
}

const CONNECT_MS = 5000
const QUERY_MS = 10_000
const MAX_CONNECTIONS = 5
const END_MS = 2000
const SWEEP_MS = 5000
const BITE = 500

export class PostgresDatabase {
  readonly #library: PostgresLibrary
  readonly #options: PostgresOptions
  readonly #pool: PostgresPool
  readonly #sweeping: ReturnType<typeof setInterval>
  readonly schema: string
  readonly place: string
  #prepared: Promise<void> | undefined
  #closed = false

  constructor(library: PostgresLibrary, { url, schema }: PostgresPlace) {
    this.#library = library
    this.schema = schema
    this.place = placeOf(url)
    this.#options = {
      connectionString: url,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: QUERY_MS,
      application_name: 'portico',
      keepAlive: true,
    }
    this.#pool = new library.Pool({ ...this.#options, max: MAX_CONNECTIONS, allowExitOnIdle: true })
    // A connection that was idle when it broke; the next query opens another.
    this.#pool.on('error', () => {})
    this.#sweeping = setInterval(() => void this.#sweep(), SWEEP_MS)
    this.#sweeping.unref()
  }

  async query(text: string, ...values: readonly unknown[]): Promise<readonly PostgresRow[]> {
    await this.#prepare()
    return this.#ask(text, values)
  }

  /** A connection of its own, for listening. */
  makeClient(): PostgresClient {
    return new this.#library.Client(this.#options)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#sweeping)
    // What is still under way ends with its own time; nobody has to wait for it.
    await withLimit(this.#pool.end(), END_MS).catch(() => {})
  }

  failure(cause: unknown): PorticoError {
    if (cause instanceof PorticoError) return cause
    if (this.#closed) return new PorticoError('closed', 'The store was closed')
    const words = cause instanceof Error ? cause.message || codeOf(cause) : String(cause)
    return unavailable(
      `PostgreSQL at ${this.place} cannot be used: ${words}. ${remedyFor(codeOf(cause))}. The next call tries again.`,
      cause,
    )
  }

  #prepare(): Promise<void> {
    this.#prepared ??= this.#makeTables().catch((error: unknown) => {
      this.#prepared = undefined
      throw error
    })
    return this.#prepared
  }

  async #makeTables(): Promise<void> {
    const [row] = await this.#ask(isPreparedSql(this.schema), [])
    if (row?.prepared !== true) await this.#ask(prepareSql(this.schema))
  }

  async #ask(text: string, values?: readonly unknown[]): Promise<readonly PostgresRow[]> {
    try {
      return (await this.#pool.query(text, values)).rows
    } catch (error) {
      // Somebody took the tables away: they are made again.
      if (GONE.has(codeOf(error))) this.#prepared = undefined
      throw this.failure(error)
    }
  }

  async #sweep(): Promise<void> {
    try {
      for (const table of ['entries', 'leases']) {
        const some = `SELECT key FROM ${this.schema}.${table} WHERE expires <= now() LIMIT ${BITE} FOR UPDATE SKIP LOCKED`
        const query = `DELETE FROM ${this.schema}.${table} WHERE key IN (${some}) RETURNING 1`
        while (!this.#closed && (await this.query(query)).length === BITE);
      }
    } catch {
      // The next round tries again; whoever needs the database is told by their own call.
    }
  }
}

/** Undefined table, function or schema. */
const GONE: ReadonlySet<string> = new Set(['42P01', '42883', '3F000'])

function codeOf(error: unknown): string {
  return String((error as { readonly code?: unknown } | undefined)?.code ?? '')
}

function remedyFor(code: string): string {
  if (code.startsWith('28')) return 'See that name and password in the URL are right'
  if (code === '3D000') return 'Make the database first, or name another one in the URL'
  if (code === '42501') return 'Grant this role CREATE on the database, or have the schema made by a role that may'
  if (code.startsWith('53')) return 'Give the server more connections or room'
  return 'See that the server runs and can be reached from here'
}

/** Where it is, without name and password. */
function placeOf(url: string): string {
  const { hostname, port, pathname } = new URL(url)
  return `${hostname === '' ? 'this machine' : hostname}${port === '' ? '' : `:${port}`}${pathname}`
}
