/**
 * SQLite in a thread of its own, because a running statement can only be stopped by ending the thread. One request at a
 * time; `sqlite-thread.ts` is the other end.
 */

import { parentPort, workerData } from 'node:worker_threads'
import sqlite from 'node-sqlite3-wasm'
import { type CellLimits, RowCollector } from './cells.ts'
import type { Parameter } from './engine.ts'
import type { WorkerReply, WorkerRequest, WorkerResult, WorkerRows, WorkerStart } from './sqlite-protocol.ts'

type Database = InstanceType<typeof sqlite.Database>

// The thread's creator is the only one who can set this.
const { maxMemoryBytes } = workerData as WorkerStart
boundMemory(maxMemoryBytes)

let reader: Database | undefined

parentPort?.on('message', (request: WorkerRequest) => {
  try {
    reply({ kind: 'done', result: answer(request) })
  } catch (error) {
    reply({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
})

reply({ kind: 'ready' })

function reply(message: WorkerReply): void {
  parentPort?.postMessage(message)
}

function answer(request: WorkerRequest): WorkerResult {
  switch (request.kind) {
    case 'open-copy':
      reader?.close()
      reader = openCopy(request.path)
      return {}
    case 'query':
      if (reader === undefined) throw new Error('no database is open')
      return { rows: select(reader, request.sql, request.params, request.offset, request.limits) }
    case 'execute':
      return execute(request.path, request.sql, request.params, request.limits)
    case 'recover':
      recover(request.path)
      return {}
    case 'script': {
      const db = new sqlite.Database(request.path)
      db.exec(request.sql)
      db.close()
      return {}
    }
  }
}

/** The copy is brought to rest first: a rollback journal is played back, a write-ahead log taken in. */
function openCopy(path: string): Database {
  const settling = new sqlite.Database(path)
  try {
    // Without shared memory, a write-ahead log is read only by whoever has the file alone, as we do.
    settling.exec('PRAGMA locking_mode = EXCLUSIVE')
    settling.exec('PRAGMA journal_mode = DELETE')
  } finally {
    settling.close()
  }
  const db = new sqlite.Database(path, { readOnly: true, fileMustExist: true })
  db.exec('PRAGMA query_only = ON')
  db.exec('PRAGMA trusted_schema = OFF')
  return db
}

function select(
  db: Database,
  sql: string,
  params: readonly Parameter[],
  offset: number,
  limits: CellLimits,
): WorkerRows {
  const names = columnNames(db, sql)
  // Rows come as objects: equal names would hide columns, so each gets a name of its own.
  const clashing = new Set(names).size < names.length || names.includes('__proto__')
  const list = names.map((_, index) => `c${index}`)
  const statement = db.prepare(clashing ? `WITH "named"(${list.join(',')}) AS (${sql}\n) SELECT * FROM "named"` : sql)
  try {
    const keys = clashing ? list : names
    const collector = new RowCollector(limits)
    let skipped = 0
    for (const row of statement.iterate([...params])) {
      if (skipped++ < offset) continue
      if (!collector.add(keys.map((key) => row[key]))) break
    }
    const { rows, more, cutCells } = collector
    return { columns: names.map((name) => ({ name })), rows, more, cutCells }
  } finally {
    statement.finalize()
  }
}

function execute(path: string, sql: string, params: readonly Parameter[], limits: CellLimits): WorkerResult {
  const db = new sqlite.Database(path)
  try {
    db.exec('PRAGMA foreign_keys = ON')
    db.exec('PRAGMA trusted_schema = OFF')
    db.exec('BEGIN EXCLUSIVE')
    reply({ kind: 'locked' })
    try {
      const before = countChanges(db)
      const rows = select(db, sql, params, 0, limits)
      const affected = countChanges(db) - before
      db.exec('COMMIT')
      return { affected, ...(rows.columns.length > 0 && { rows }) }
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK')
      throw error
    }
  } finally {
    db.close()
  }
}

/** The smallest write there is: it makes SQLite play back a journal that counts, and clear away one that does not. */
function recover(path: string): void {
  const db = new sqlite.Database(path)
  try {
    db.exec(`PRAGMA user_version = ${Number(db.get('PRAGMA user_version')?.user_version ?? 0)}`)
  } finally {
    db.close()
  }
}

function countChanges(db: Database): number {
  return Number(db.get('SELECT total_changes() AS n')?.n ?? 0)
}

function columnNames(db: Database, sql: string): string[] {
  const statement = db.prepare(sql)
  try {
    // The library has this method without declaring it; without it, names come from the first row alone.
    const { _getColumnNames: names } = statement as unknown as { _getColumnNames?(): string[] }
    if (typeof names === 'function') return names.call(statement)
    throw new Error('this version of SQLite’s library does not tell column names')
  } finally {
    statement.finalize()
  }
}

/** SQLite asks for memory in steps; refused, the statement fails with "out of memory" and the next one works again. */
function boundMemory(maxBytes: number): void {
  // The compiler is told of no browser and so of no WebAssembly; Node has had it all along.
  const { prototype } = (globalThis as unknown as { WebAssembly: { Memory: { prototype: WasmMemory } } }).WebAssembly
    .Memory
  const { grow } = prototype
  prototype.grow = function (this: WasmMemory, pages: number): number {
    if (this.buffer.byteLength + pages * 65_536 > maxBytes) throw new RangeError('SQLite has used up its memory')
    return grow.call(this, pages)
  }
}

interface WasmMemory {
  readonly buffer: ArrayBuffer
  grow(this: WasmMemory, pages: number): number
}
