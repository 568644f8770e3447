/**
 * SQLite in a process of its own, because a running statement can only be stopped by ending it. What a killed process was
 * writing is rolled back by whoever opens the file next, and its locks go with it. One request at a time; `sqlite-child.ts`
 * is the other end.
 */

import { type Connection, type Driver, loadDriver, type Prepared } from '../../machine/sqlite.ts'
import { type CellLimits, RowCollector } from '../cells.ts'
import type { Parameter } from '../engine.ts'
import { checkProgram } from './sqlite-functions.ts'
import { type ChildReply, type ChildRequest, type ChildResult, type ChildRows, PLAN } from './sqlite-protocol.ts'

const MAX_MEMORY_BYTES = 256 * 1024 * 1024

const loading = loadDriver(MAX_MEMORY_BYTES)
let reader: Connection | undefined

process.on('message', (request: ChildRequest) => void loading.then((driver) => handle(driver, request)))
// Whoever asked is gone.
process.on('disconnect', () => process.exit())
void loading.then(() => reply({ kind: 'ready' }))

function handle(driver: Driver, request: ChildRequest): void {
  try {
    reply({ kind: 'done', result: answer(driver, request) })
  } catch (error) {
    reply({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
}

function reply(message: ChildReply): void {
  process.send?.(message)
}

function answer(driver: Driver, request: ChildRequest): ChildResult {
  switch (request.kind) {
    case 'hello':
      return { locks: driver.locks }
    case 'open':
      reader?.close()
      reader = undefined
      if (request.isCopy) settle(driver, request.path)
      reader = openReader(driver, request.path, request.waitMs)
      return {}
    case 'query':
      if (reader === undefined) throw new Error('no database is open')
      return { rows: select(reader, request) }
    case 'execute':
      return execute(driver, request)
    case 'script': {
      const db = driver.open(request.path, 'write')
      db.exec(request.sql)
      db.close()
      return {}
    }
  }
}

/** A copy is brought to rest first: a rollback journal is played back, a write-ahead log taken in. */
function settle(driver: Driver, path: string): void {
  const db = driver.open(path, 'write')
  try {
    // Without shared memory, a write-ahead log is read only by whoever has the file alone, as we do.
    db.exec('PRAGMA locking_mode = EXCLUSIVE')
    db.exec('PRAGMA journal_mode = DELETE')
  } finally {
    db.close()
  }
}

function openReader(driver: Driver, path: string, waitMs: number): Connection {
  const db = driver.open(path, 'read')
  try {
    db.exec(`PRAGMA busy_timeout = ${waitMs}`)
    db.exec('PRAGMA query_only = ON')
    db.exec('PRAGMA trusted_schema = OFF')
    // Opening reads nothing: this does, and fails where a file cannot be read in place.
    allRows(db, 'SELECT count(*) FROM sqlite_schema')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** One page. It is cut by SQLite: a statement that is not read to its end would keep its lock. */
function select(db: Connection, { sql, params, offset, limits }: Extract<ChildRequest, { kind: 'query' }>): ChildRows {
  // A plan is only shown: what it is made of is not run.
  if (sql.startsWith(PLAN)) return collect(db.prepare(sql), params, limits)
  checkProgram(db, sql, params.length)
  const { columns } = db.prepare(sql)
  const page = db.prepare(`SELECT * FROM (\n${sql}\n) LIMIT ${limits.maxRows + 1} OFFSET ${offset}`)
  return collect({ ...page, columns }, params, limits)
}

function collect(statement: Prepared, params: readonly Parameter[], limits: CellLimits): ChildRows {
  const collector = new RowCollector(limits)
  // Read to the end, whether there is room or not.
  for (const row of statement.rows(params)) if (!collector.more) collector.add(row)
  const { rows, more, cutCells } = collector
  return { columns: statement.columns.map((name) => ({ name })), rows, more, cutCells }
}

function execute(
  driver: Driver,
  { path, sql, params, limits, waitMs }: ChildRequest & { kind: 'execute' },
): ChildResult {
  const db = driver.open(path, 'write')
  try {
    db.exec(`PRAGMA busy_timeout = ${waitMs}`)
    db.exec('PRAGMA foreign_keys = ON')
    db.exec('PRAGMA trusted_schema = OFF')
    db.exec('BEGIN IMMEDIATE')
    try {
      const before = countChanges(db)
      checkProgram(db, sql, params.length)
      const rows = collect(db.prepare(sql), params, limits)
      const affected = countChanges(db) - before
      db.exec('COMMIT')
      return { affected, ...(rows.columns.length > 0 && { rows }) }
    } catch (error) {
      rollBack(db)
      throw error
    }
  } finally {
    db.close()
  }
}

function rollBack(db: Connection): void {
  try {
    db.exec('ROLLBACK')
  } catch {
    // SQLite has rolled back by itself.
  }
}

function countChanges(db: Connection): number {
  return Number(allRows(db, 'SELECT total_changes()')[0]?.[0] ?? 0)
}

function allRows(db: Connection, sql: string): (readonly unknown[])[] {
  return [...db.prepare(sql).rows([])]
}
