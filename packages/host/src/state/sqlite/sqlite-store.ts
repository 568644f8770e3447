/** The table of texts in a SQLite file. */

import type { Change, Kept, KeptEntry, Lease, ListRange, Store } from '@portico/sdk/state'
import { HELD, machineMs } from './machine-clock.ts'
import type { Row, Sql } from './sqlite-driver.ts'
import type { SqliteFile } from './sqlite-file.ts'

const LIVE = '(expires IS NULL OR expires > ?)'
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
    const query = `SELECT value, version FROM entries WHERE key = ? AND ${LIVE}`
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
    const query = `SELECT key, value, version FROM entries WHERE key ${operator} ? AND key < ? AND ${LIVE} ORDER BY key LIMIT ?`
    return this.#file.read((sql) =>
      sql.all(query, from, `${prefix}${BEYOND}`, Date.now(), limit).map((row) => ({
        key: String(row.key),
        value: String(row.value),
        version: Number(row.version),
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
    const query = `UPDATE leases SET expires = ?, lasts = ? WHERE key = ? AND epoch = ? AND ${HELD} RETURNING epoch`
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
  const found = sql.all(`SELECT version FROM entries WHERE key = ? AND ${LIVE}`, key, now)[0]
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
  const row = sql.all(`SELECT owner, epoch FROM leases WHERE key = ? AND ${HELD}`, key, now, now)[0]
  return row === undefined ? undefined : { owner: String(row.owner), epoch: Number(row.epoch) }
}

function raise(sql: Sql, by: number): number {
  return Number(sql.all('UPDATE count SET number = number + ? RETURNING number', by)[0]?.number)
}

function toKept(row: Row | undefined): Kept | undefined {
  return row === undefined ? undefined : { value: String(row.value), version: Number(row.version) }
}
