/**
 * The file behind the memory: its tables, and transactions that wait for their turn when another process has the file,
 * whichever program that is: the locks are those of every SQLite.
 */

import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { PorticoError, ToolError } from '@portico/sdk/server'
import { type BoundValue, type Connection, loadDriver, type Prepared } from '../machine/sqlite.ts'

const SCHEMA_VERSION = 1
const PAUSE_MS = 20
const WAIT_MS = 10_000
const MAX_MEMORY_BYTES = 256 * 1024 * 1024

const SCHEMA = `
CREATE TABLE secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE entities (
  id INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL,
  changed TEXT NOT NULL, UNIQUE (owner, key)
);
CREATE TABLE facts (
  id INTEGER PRIMARY KEY AUTOINCREMENT, entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  text TEXT NOT NULL, source TEXT, at TEXT NOT NULL, UNIQUE (entity, text)
);
CREATE TABLE relations (
  id INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL,
  subject INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE, kind TEXT NOT NULL,
  object INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE, at TEXT NOT NULL, UNIQUE (subject, kind, object)
);
CREATE INDEX relations_by_object ON relations (object);
CREATE INDEX relations_by_owner ON relations (owner);
CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = 'unicode61 remove_diacritics 2');
CREATE TRIGGER fact_added AFTER INSERT ON facts BEGIN
  INSERT INTO words (rowid, text) SELECT new.id, name || ' ' || new.text FROM entities WHERE id = new.entity;
END;
CREATE TRIGGER fact_removed AFTER DELETE ON facts BEGIN DELETE FROM words WHERE rowid = old.id; END;
PRAGMA user_version = ${SCHEMA_VERSION};
`

interface Row {
  readonly [column: string]: unknown
}

/** The open file, inside a transaction. */
export class Database {
  readonly #connection: Connection
  /** Compiling a statement takes longer than running it; there are as many as this package has. */
  readonly #prepared = new Map<string, Prepared>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  exec(sql: string): void {
    this.#connection.exec(sql)
  }

  all(sql: string, params: readonly BoundValue[] = []): Row[] {
    const prepared = this.#prepare(sql)
    const { columns } = prepared
    return [...prepared.rows(params)].map((row) =>
      Object.fromEntries(columns.map((column, index) => [column, row[index]])),
    )
  }

  get(sql: string, params: readonly BoundValue[] = []): Row | undefined {
    return this.all(sql, params)[0]
  }

  /** How many rows were changed, and the number of the last one that was added. */
  run(sql: string, params: readonly BoundValue[] = []): { readonly changes: number; readonly lastId: number } {
    for (const _ of this.#prepare(sql).rows(params)) break
    const { changes, id } = this.get('SELECT changes() AS changes, last_insert_rowid() AS id') ?? {}
    return { changes: Number(changes), lastId: Number(id) }
  }

  #prepare(sql: string): Prepared {
    const prepared = this.#prepared.get(sql) ?? this.#connection.prepare(sql)
    this.#prepared.set(sql, prepared)
    return prepared
  }
}

export class MemoryFile {
  readonly #path: string
  readonly #connection: Connection
  readonly #database: Database
  #isOpen = true

  private constructor(path: string, connection: Connection) {
    this.#path = path
    this.#connection = connection
    this.#database = new Database(connection)
  }

  static async open(path: string): Promise<MemoryFile> {
    const driver = await loadDriver(MAX_MEMORY_BYTES)
    if (!driver.locks) {
      throw new PorticoError(
        'invalid-arguments',
        'To keep a memory that several programs may use, install the package "libsql" or run Node 22.16 or newer',
      )
    }
    requirePlace(path)
    // What people tell their assistant is nobody else's business; what SQLite puts beside the file gets the same rights.
    closeSync(openSync(path, 'a', 0o600))
    await chmod(path, 0o600)
    const file = new MemoryFile(path, driver.open(path, 'write'))
    try {
      await file.#prepare()
      return file
    } catch (error) {
      file.close()
      throw error
    }
  }

  /** All of it or nothing; nothing else of this process runs in between. */
  transaction<T>(action: (db: Database) => T): Promise<T> {
    return this.#inTurn('BEGIN IMMEDIATE', action)
  }

  /** The same for what only reads, which need not wait for another program that is about to write. */
  read<T>(action: (db: Database) => T): Promise<T> {
    return this.#inTurn('BEGIN', action)
  }

  async #inTurn<T>(begin: string, action: (db: Database) => T): Promise<T> {
    const deadline = performance.now() + WAIT_MS
    for (;;) {
      try {
        return this.#attempt(begin, action)
      } catch (error) {
        if (!isBusy(error)) throw toPlainError(error, this.#path)
        if (performance.now() > deadline)
          throw new ToolError('The memory is in use by another program. Try again later.')
        await pause(PAUSE_MS)
      }
    }
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#connection.close()
  }

  async #prepare(): Promise<void> {
    this.#connection.exec('PRAGMA foreign_keys = ON')
    this.#useLog()
    await this.transaction((db) => {
      const version = Number(db.get('PRAGMA user_version')?.user_version ?? 0)
      if (version === 0) db.exec(SCHEMA)
      else if (version !== SCHEMA_VERSION) {
        throw new PorticoError('invalid-arguments', `${this.#path} was made by another version of this server`)
      }
    })
  }

  /** A log beside the file: what is kept waits for the disk once, not three times, and is as safe. */
  #useLog(): void {
    this.#connection.exec('PRAGMA synchronous = FULL')
    try {
      this.#connection.exec('PRAGMA journal_mode = WAL')
    } catch (error) {
      // Another program has it open in the old way, which works as well.
      if (!isBusy(error)) throw error
    }
  }

  #attempt<T>(begin: string, action: (db: Database) => T): T {
    if (!this.#isOpen) throw new ToolError('The memory is closed.')
    const db = this.#connection
    db.exec(begin)
    try {
      const value = action(this.#database)
      db.exec('COMMIT')
      return value
    } catch (error) {
      try {
        db.exec('ROLLBACK')
      } catch {
        // SQLite has rolled back by itself.
      }
      throw error
    }
  }
}

const HEADER = Buffer.from('SQLite format 3\0')

/** A mistyped path makes no folders, and a file that is something else stays as it is. */
function requirePlace(path: string): void {
  const folder = dirname(path)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw unfit(`There is no folder ${folder} to keep the memory in. Make it, or give another path (option "file").`)
  }
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || (found.isFile() && found.size === 0)) return
  if (found.isFile() && firstBytes(path).equals(HEADER)) return
  throw unfit(
    `${path} is no SQLite database, so it holds no memory. Give another path (option "file"), or move it away. It was not changed.`,
  )
}

function firstBytes(path: string): Buffer {
  const bytes = Buffer.alloc(HEADER.length)
  const descriptor = openSync(path, 'r')
  try {
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, 0))
  } finally {
    closeSync(descriptor)
  }
}

function unfit(message: string): PorticoError {
  return new PorticoError('invalid-arguments', message)
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && /database is locked|busy/i.test(error.message)
}

function toPlainError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof PorticoError) return error
  const because = FAULTS.find(([pattern]) => pattern.test(error.message))?.[1]
  return because === undefined ? error : new ToolError(`${because} (${path}). Nothing was changed.`, { cause: error })
}

const FAULTS: readonly (readonly [RegExp, string])[] = [
  [/disk is full|disk I\/O error/i, 'There is no room left on the disk of the memory, or it fails'],
  [/readonly database/i, 'The file of the memory may not be written'],
  [/malformed|not a database/i, 'The file of the memory is damaged'],
]
