/**
 * The file behind the memory: its tables, and transactions that wait for their turn when another process has the file. The
 * embedded SQLite locks by a folder beside the file; one that a crashed process left is cleared away once it is old.
 */

import { mkdirSync, rmSync, statSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { PorticoError, ToolError } from '@portico/sdk/server'
import sqlite from 'node-sqlite3-wasm'

export type Database = InstanceType<typeof sqlite.Database>

const SCHEMA_VERSION = 1
const PAUSE_MS = 20
const WAIT_MS = 10_000
/** A transaction here takes milliseconds. */
const STALE_MS = 5000

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

export class MemoryFile {
  readonly #path: string
  readonly #db: Database

  private constructor(path: string, db: Database) {
    this.#path = path
    this.#db = db
  }

  static async open(path: string): Promise<MemoryFile> {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const file = new MemoryFile(path, new sqlite.Database(path))
    try {
      await file.#prepare()
      // What people tell their assistant is nobody else's business.
      await chmod(path, 0o600)
      return file
    } catch (error) {
      file.close()
      throw error
    }
  }

  /** All of it or nothing; nothing else of this process runs in between. */
  async transaction<T>(action: (db: Database) => T): Promise<T> {
    const deadline = Date.now() + WAIT_MS
    for (;;) {
      try {
        return this.#attempt(action)
      } catch (error) {
        if (!isBusy(error)) throw error
        if (Date.now() > deadline) throw new ToolError('The memory is in use by another process. Try again later.')
        this.#clearStaleLock()
        await pause(PAUSE_MS)
      }
    }
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close()
  }

  async #prepare(): Promise<void> {
    await this.transaction((db) => {
      const version = Number(db.get('PRAGMA user_version')?.user_version ?? 0)
      if (version === 0) db.exec(SCHEMA)
      else if (version !== SCHEMA_VERSION) {
        throw new PorticoError('invalid-arguments', `${this.#path} was made by another version of this server`)
      }
    })
  }

  #attempt<T>(action: (db: Database) => T): T {
    const db = this.#db
    if (!db.isOpen) throw new ToolError('The memory is closed.')
    if (!db.inTransaction) db.exec('PRAGMA foreign_keys = ON')
    db.exec('BEGIN IMMEDIATE')
    try {
      const value = action(db)
      db.exec('COMMIT')
      return value
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK')
      throw error
    }
  }

  #clearStaleLock(): void {
    const lock = `${this.#path}.lock`
    try {
      if (Date.now() - statSync(lock).mtimeMs > STALE_MS) rmSync(lock, { recursive: true })
    } catch {
      // Somebody else was quicker.
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && /database is locked|busy/i.test(error.message)
}
