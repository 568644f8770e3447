/**
 * SQLite as Node has it from version 22.13 on, otherwise `libsql`, which brings its own. Both lock files as every other
 * program does, so several processes can share one.
 */

import { loadPeer } from '../opened-state.ts'

/** One connection, whose calls are done when they return. */
export interface SqliteConnection {
  exec(sql: string): void
  prepare(sql: string): SqliteStatement
  close(): void
}

export interface SqliteStatement {
  all(params: readonly SqlValue[]): Row[]
  run(params: readonly SqlValue[]): void
}

type SqlValue = string | number | null
export type Row = { readonly [column: string]: SqlValue }

/** Statements of one connection, compiled once. */
export interface Sql {
  all(sql: string, ...params: SqlValue[]): Row[]
  run(sql: string, ...params: SqlValue[]): void
}

export type OpenSqlite = (path: string) => SqliteConnection

export async function loadSqlite(): Promise<OpenSqlite> {
  return nodeSqlite() ?? (await libsql())
}

interface NodeSqlite {
  readonly DatabaseSync: new (
    path: string,
  ) => {
    exec(sql: string): void
    prepare(sql: string): { all(...params: SqlValue[]): unknown[]; run(...params: SqlValue[]): unknown }
    close(): void
  }
}

function nodeSqlite(): OpenSqlite | undefined {
  // Neither the function nor the module is in every Node that this runs on.
  const { getBuiltinModule } = process as { getBuiltinModule?: (name: string) => unknown }
  const sqlite = getBuiltinModule?.('node:sqlite') as NodeSqlite | undefined
  if (sqlite === undefined) return undefined
  return (path) => {
    const db = new sqlite.DatabaseSync(path)
    return {
      exec: (sql) => db.exec(sql),
      close: () => db.close(),
      prepare(sql) {
        const statement = db.prepare(sql)
        return {
          // Each row is an object of the columns that were asked for.
          all: (params) => statement.all(...params) as Row[],
          run: (params) => void statement.run(...params),
        }
      },
    }
  }
}

interface Libsql {
  readonly default: new (
    path: string,
  ) => {
    exec(sql: string): unknown
    prepare(sql: string): { all(params: readonly SqlValue[]): unknown[]; run(params: readonly SqlValue[]): unknown }
    close(): void
  }
}

async function libsql(): Promise<OpenSqlite> {
  const { default: Database } = await loadPeer<Libsql>('State in a SQLite file on this version of Node', 'libsql')
  return (path) => {
    const db = new Database(path)
    return {
      exec: (sql) => void db.exec(sql),
      close: () => db.close(),
      prepare(sql) {
        const statement = db.prepare(sql)
        return {
          all: (params) => statement.all(params) as Row[],
          run: (params) => void statement.run(params),
        }
      },
    }
  }
}
