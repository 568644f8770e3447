/** The table of texts in a SQLite file. */

import {
  type Change,
  FOREIGN_VERSION,
  type Kept,
  type KeptEntry,
  type Lease,
  type ListRange,
  type Store,
  toVersion,
} from '@portico/sdk/state'
import { HELD, machineMs } from './machine-clock.ts'
import type { Row, Sql } from './sqlite-driver.ts'
import type { SqliteFile } from './sqlite-file.ts'

const LIVE = '(expires IS NULL OR expires > ?)'
/** A column of SQLite takes anything, and a number that is too large cannot even be read. */
const OURS = (column: string): string =>
  `typeof(${column}) = 'integer' AND ${column} BETWEEN 1 AND ${Number.MAX_SAFE_INTEGER}`
const VERSION = `CASE WHEN ${OURS('version')} THEN version ELSE ${FOREIGN_VERSION} END AS version`
const HELD_NOW = `${HELD} AND ${OURS('epoch')}`
/** After every key that begins with a prefix: no key has a character above "~". */
const BEYOND = '\x7f'

export class SqliteStore implements Store {
  readonly #file: SqliteFile
  readonly #release: () => void

  constructor(file: SqliteFile) {
    this.#file = file
    this.#release = file.use()
  }

  async get(key: string): Promise<Kept | undefined> {
    const query = `SELECT value, ${VERSION} FROM entries WHERE key = ? AND ${LIVE}`
    return this.#file.read((sql) => toKept(sql.all(query, key, Date.now())[0]))
  }

  async write(changes: readonly Change[]): Promise<readonly number[] | undefined> {
    return this.#file.transaction((sql, undo) => {
      const now = Date.now()
      if (!changes.every((change) => fits(sql, change, now))) return undo
      const kept = changes.filter(({ value }) => value !== undefined).length
      let version = kept === 0 ? 0 : raise(sql, kept) - kept
      return changes.map((change) => apply(sql, change, now, () => ++version))
    })
  }

  async list(prefix: string, range: ListRange): Promise<readonly KeptEntry[]> {
    const { after = '', limit } = range
    const [operator, from] = after >= prefix && after !== '' ? ['>', after] : ['>=', prefix]
    const query = `SELECT key, value, ${VERSION} FROM entries WHERE key ${operator} ? AND key < ? AND ${LIVE} ORDER BY key LIMIT ?`
    return this.#file.read((sql) =>
      sql.all(query, from, `${prefix}${BEYOND}`, Date.now(), limit).map((row) => ({
        key: String(row.key),
        value: String(row.value),
        version: toVersion(row.version),
      })),
    )
  }

  async lease(key: string, owner: string, forMs: number): Promise<Lease | undefined> {
    return this.#file.transaction((sql, undo) => {
      if (heldBy(sql, key) !== undefined) return undo
      const epoch = raise(sql, 1)
      sql.run(
        'INSERT OR REPLACE INTO leases (key, owner, epoch, expires, lasts) VALUES (?, ?, ?, ?, ?)',
        key,
        owner,
        epoch,
        machineMs() + forMs,
        forMs,
      )
      return { owner, epoch }
    })
  }

  async renew(key: string, lease: Lease, forMs: number): Promise<boolean> {
    const query = `UPDATE leases SET expires = ?, lasts = ? WHERE key = ? AND epoch = ? AND ${HELD_NOW} RETURNING epoch`
    const renewed = await this.#file.transaction((sql) => {
      const now = machineMs()
      return sql.all(query, now + forMs, forMs, key, lease.epoch, now, now).length > 0
    })
    return renewed === true
  }

  async release(key: string, lease: Lease): Promise<void> {
    await this.#file.transaction((sql) => sql.run('DELETE FROM leases WHERE key = ? AND epoch = ?', key, lease.epoch))
  }

  async holder(key: string): Promise<Lease | undefined> {
    return this.#file.read((sql) => heldBy(sql, key))
  }

  async close(): Promise<void> {
    this.#release()
  }
}

function fits(sql: Sql, { key, ifVersion }: Change, now: number): boolean {
  if (ifVersion === undefined) return true
  const found = sql.all(`SELECT ${VERSION} FROM entries WHERE key = ? AND ${LIVE}`, key, now)[0]
  return ifVersion === Number(found?.version ?? 0)
}

function apply(sql: Sql, { key, value, ttlMs }: Change, now: number, nextVersion: () => number): number {
  if (value === undefined) {
    sql.run('DELETE FROM entries WHERE key = ?', key)
    return 0
  }
  const version = nextVersion()
  const expires = ttlMs === undefined ? null : now + ttlMs
  sql.run(
    'INSERT INTO entries (key, value, version, expires) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = excluded.version, expires = excluded.expires',
    key,
    value,
    version,
    expires,
  )
  return version
}

function heldBy(sql: Sql, key: string): Lease | undefined {
  const now = machineMs()
  const row = sql.all(`SELECT owner, epoch FROM leases WHERE key = ? AND ${HELD_NOW}`, key, now, now)[0]
  return row === undefined ? undefined : { owner: String(row.owner), epoch: Number(row.epoch) }
}

/** Never behind the clock, as that of a new file: what cannot be a count, or was set back, goes on from there. */
function raise(sql: Sql, by: number): number {
  const clock = Date.now() * 1000
  const last = `max(CASE WHEN ${OURS('number')} AND number <= ${MOST} THEN number ELSE 0 END, ?)`
  const [raised] = sql.all(`UPDATE count SET number = ${last} + ? RETURNING number`, clock, by)
  if (raised !== undefined) return Number(raised.number)
  sql.run('INSERT INTO count VALUES (?)', clock + by)
  return clock + by
}

/** Far beyond any clock, and far enough below what can be counted exactly. */
const MOST = 9e15

function toKept(row: Row | undefined): Kept | undefined {
  return row === undefined ? undefined : { value: String(row.value), version: toVersion(row.version) }
}
