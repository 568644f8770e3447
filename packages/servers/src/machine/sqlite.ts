/**
 * The three libraries that SQLite comes in, as one. Node's own and libsql lock files as every other program does, so they
 * read and write a file in place. The one that needs nothing of the machine (WebAssembly) has no such locks: it is taken
 * where neither of the others is there, and only for private copies.
 */

import { pathToFileURL } from 'node:url'

/** What a statement may be given. */
export type BoundValue = string | number | boolean | null | Uint8Array

export interface Connection {
  exec(sql: string): void
  prepare(sql: string): Prepared
  close(): void
}

export interface Prepared {
  readonly columns: readonly string[]
  rows(params: readonly BoundValue[]): Iterable<readonly unknown[]>
}

export interface Driver {
  readonly name: 'node' | 'libsql' | 'wasm'
  /** Whether other programs see its locks. */
  readonly locks: boolean
  open(path: string, mode: 'read' | 'write'): Connection
}

/** The best one there is. */
export async function loadDriver(maxMemoryBytes: number): Promise<Driver> {
  const driver = nodeDriver() ?? (await libsqlDriver().catch(() => undefined))
  if (driver === undefined) return wasmDriver(maxMemoryBytes)
  return {
    ...driver,
    open(path, mode) {
      const connection = driver.open(path, mode)
      connection.exec(`PRAGMA hard_heap_limit = ${maxMemoryBytes}`)
      return connection
    },
  }
}

interface NodeStatement {
  columns(): { readonly name: string }[]
  setReturnArrays(arrays: boolean): void
  setReadBigInts(bigints: boolean): void
  iterate(...params: unknown[]): Iterable<unknown[]>
  run(...params: unknown[]): unknown
}

interface NodeSqlite {
  readonly DatabaseSync: new (
    path: string,
    options: { readOnly: boolean },
  ) => { exec(sql: string): void; prepare(sql: string): NodeStatement; close(): void }
  readonly StatementSync: { readonly prototype: object }
}

function nodeDriver(): Driver | undefined {
  // Neither the function nor the module is in every Node that this runs on.
  const { getBuiltinModule } = process as { getBuiltinModule?: (name: string) => unknown }
  const sqlite = getBuiltinModule?.('node:sqlite') as NodeSqlite | undefined
  // Its first versions could not tell columns of one name apart.
  if (sqlite === undefined || !('setReturnArrays' in sqlite.StatementSync.prototype)) return undefined
  return {
    name: 'node',
    locks: true,
    open(path, mode) {
      const db = new sqlite.DatabaseSync(path, { readOnly: mode === 'read' })
      return {
        exec: (sql) => db.exec(sql),
        close: () => db.close(),
        prepare(sql) {
          const statement = db.prepare(sql)
          statement.setReturnArrays(true)
          statement.setReadBigInts(true)
          return toPrepared(
            statement.columns().map(({ name }) => name),
            (params) => statement.iterate(...params),
            (params) => statement.run(...params),
          )
        },
      }
    },
  }
}

async function libsqlDriver(): Promise<Driver> {
  const { default: Database } = await import('libsql')
  return {
    name: 'libsql',
    locks: true,
    open(path, mode) {
      // Its own option for this is not heeded; the address of a file that SQLite itself understands is.
      const db = new Database(mode === 'read' ? `${pathToFileURL(path).href}?mode=ro` : path)
      return {
        exec: (sql) => void db.exec(sql),
        close: () => void db.close(),
        prepare(sql) {
          const statement = db.prepare(sql).safeIntegers(true)
          const columns = statement.columns().map(({ name }) => name)
          if (columns.length > 0) statement.raw(true)
          return toPrepared(
            columns,
            (params) => {
              // With `raw`, each row is a list.
              const rows = statement.all(params) as unknown[][]
              // A plan stays open at its end, and with it the lock of what is read next; this closes it.
              if (sql.startsWith('EXPLAIN')) statement.get(params)
              return rows
            },
            (params) => statement.run(params),
          )
        },
      }
    },
  }
}

function toPrepared(
  columns: readonly string[],
  iterate: (params: unknown[]) => Iterable<readonly unknown[]>,
  run: (params: unknown[]) => unknown,
): Prepared {
  return {
    columns,
    rows(params) {
      const bound = params.map(toBound)
      if (columns.length > 0) return iterate(bound)
      run(bound)
      return []
    },
  }
}

/** Numbers would all be stored as floating point. */
function toBound(value: BoundValue): unknown {
  if (typeof value === 'boolean') return value ? 1n : 0n
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value
}

async function wasmDriver(maxMemoryBytes: number): Promise<Driver> {
  boundMemory(maxMemoryBytes)
  const { default: sqlite } = await import('node-sqlite3-wasm')
  return {
    name: 'wasm',
    locks: false,
    open(path, mode) {
      const db = new sqlite.Database(path, mode === 'read' ? { readOnly: true, fileMustExist: true } : {})
      const prepare = (sql: string): Prepared => {
        const columns = columnNames(db, sql)
        // Rows come as objects: equal names would hide columns, so each gets a name of its own.
        const isClashing = new Set(columns).size < columns.length || columns.includes('__proto__')
        const keys = isClashing ? columns.map((_, index) => `c${index}`) : columns
        const text = isClashing ? `WITH "named"(${keys.join(',')}) AS (${sql}\n) SELECT * FROM "named"` : sql
        return {
          columns,
          *rows(params) {
            const statement = db.prepare(text)
            try {
              for (const row of statement.iterate([...params])) yield keys.map((key) => row[key])
            } finally {
              statement.finalize()
            }
          },
        }
      }
      return { exec: (sql) => void db.exec(sql), prepare, close: () => db.close() }
    },
  }
}

function columnNames(db: { prepare(sql: string): { finalize(): void } }, sql: string): string[] {
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
