/** The table of texts in PostgreSQL. */

import {
  type Change,
  type Kept,
  type KeptEntry,
  type Lease,
  type ListRange,
  type Store,
  toVersion,
} from '@portico/sdk/state'
import type { PostgresDatabase } from './postgres-database.ts'
import { HELD } from './postgres-schema.ts'

const LIVE = '(expires IS NULL OR expires > clock_timestamp())'
/** After every key that begins with a prefix: no key has a character above "~". */
const BEYOND = '\x7f'

export class PostgresStore implements Store {
  readonly #database: PostgresDatabase
  readonly #entries: string
  readonly #leases: string

  constructor(database: PostgresDatabase) {
    this.#database = database
    this.#entries = `${database.schema}.entries`
    this.#leases = `${database.schema}.leases`
  }

  async get(key: string): Promise<Kept | undefined> {
    const [row] = await this.#database.query(
      `SELECT value, version FROM ${this.#entries} WHERE key = $1 AND ${LIVE}`,
      key,
    )
    return row && { value: String(row.value), version: toVersion(row.version) }
  }

  async write(changes: readonly Change[]): Promise<readonly number[] | undefined> {
    const [row] = await this.#database.query(
      `SELECT ${this.#database.schema}.write_2($1, $2, $3, $4) AS versions`,
      changes.map(({ key }) => key),
      changes.map(({ value = null }) => value),
      changes.map(({ ifVersion = null }) => ifVersion),
      changes.map(({ ttlMs = null }) => ttlMs),
    )
    const versions = row?.versions
    return Array.isArray(versions)
      ? versions.map((version) => (Number(version) === 0 ? 0 : toVersion(version)))
      : undefined
  }

  async list(prefix: string, { after = '', limit }: ListRange): Promise<readonly KeptEntry[]> {
    const [operator, from] = after >= prefix && after !== '' ? ['>', after] : ['>=', prefix]
    const rows = await this.#database.query(
      `SELECT key, value, version FROM ${this.#entries} WHERE key ${operator} $1 AND key < $2 AND ${LIVE} ORDER BY key LIMIT $3`,
      from,
      `${prefix}${BEYOND}`,
      limit,
    )
    return rows.map(({ key, value, version }) => ({
      key: String(key),
      value: String(value),
      version: toVersion(version),
    }))
  }

  async lease(key: string, owner: string, forMs: number): Promise<Lease | undefined> {
    const query = `SELECT ${this.#database.schema}.lease_2($1, $2, $3) AS epoch`
    const [row] = await this.#database.query(query, key, owner, forMs)
    return row?.epoch === null || row === undefined ? undefined : { owner, epoch: toVersion(row.epoch) }
  }

  async renew(key: string, { epoch }: Lease, forMs: number): Promise<boolean> {
    const rows = await this.#database.query(
      `UPDATE ${this.#leases} SET expires = clock_timestamp() + $3::bigint * interval '1 millisecond'
       WHERE key = $1 AND epoch = $2 AND ${HELD} RETURNING 1`,
      key,
      epoch,
      forMs,
    )
    return rows.length > 0
  }

  async release(key: string, { epoch }: Lease): Promise<void> {
    await this.#database.query(`DELETE FROM ${this.#leases} WHERE key = $1 AND epoch = $2`, key, epoch)
  }

  async holder(key: string): Promise<Lease | undefined> {
    const query = `SELECT owner, epoch FROM ${this.#leases} WHERE key = $1 AND ${HELD}`
    const [row] = await this.#database.query(query, key)
    return row && { owner: String(row.owner), epoch: toVersion(row.epoch) }
  }

  /** The connections are those of the bus too; `postgres-state.ts` closes them. */
  async close(): Promise<void> {}
}
