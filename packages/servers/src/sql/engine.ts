/**
 * What the sql server asks of a database, whichever it is. The files beside this one (`sqlite.ts`, `postgres.ts`,
 * `mysql.ts`) answer it; the tools in `tools.ts` know nothing else of databases.
 */

import type { Cell, Column } from './cells.ts'

export type Dialect = 'sqlite' | 'postgresql' | 'mysql' | 'mariadb'

export interface Statement {
  readonly sql: string
  readonly params: readonly Parameter[]
}

export type Parameter = string | number | boolean | null

/** A part of a result: rows from `offset` on, at most `maxRows` of them. */
export interface Page {
  readonly offset: number
  readonly maxRows: number
  /** Bytes of all values; what answers may have unless given. */
  readonly maxBytes?: number
  /** Bytes of one value, likewise. */
  readonly maxCellBytes?: number
}

export interface Rows {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly Cell[])[]
  /** Whether rows follow after these. */
  readonly more: boolean
  /** How many values were cut to `maxCellBytes`. */
  readonly cutCells: number
}

export interface Outcome {
  readonly affected: number
  /** What the statement returned, where it returns something. */
  readonly returned: Rows | undefined
}

export interface Table {
  /** How the tools and resources call it: unique in this database. */
  readonly key: string
  /** Quoted for a statement. */
  readonly quoted: string
  readonly schema: string | undefined
  readonly name: string
  readonly kind: string
  /** An estimate where the engine has one. */
  readonly rows: number | undefined
  readonly comment: string | undefined
}

export interface TableDetails {
  readonly columns: readonly TableColumn[]
  readonly indexes: readonly string[]
  readonly foreignKeys: readonly string[]
}

interface TableColumn {
  readonly name: string
  readonly type: string
  readonly nullable: boolean
  readonly primaryKey: boolean
  readonly default?: string
  readonly comment?: string
}

export interface Engine {
  readonly dialect: Dialect
  /** How a parameter is written in a statement, for the tool's description. */
  readonly placeholder: string
  /** Functions that a question may not call, since they do more than read. */
  readonly effects?: ReadonlySet<string>
  /** Runs in a transaction that the engine itself holds read-only. */
  query(statement: Statement, page: Page, signal: AbortSignal): Promise<Rows>
  explain(statement: Statement, signal: AbortSignal): Promise<string>
  /** Runs and commits. Only offered where the server was told to write. */
  execute(statement: Statement, maxRows: number, signal: AbortSignal): Promise<Outcome>
  tables(signal: AbortSignal): Promise<readonly Table[]>
  describe(table: Table, signal: AbortSignal): Promise<TableDetails>
  close(): Promise<void>
}

/** An engine once it has seen its database; one that cannot be used leaves nothing behind. */
export async function prepareEngine(engine: Engine & { prepare(): Promise<void> }): Promise<Engine> {
  try {
    await engine.prepare()
    return engine
  } catch (error) {
    await engine.close()
    throw error
  }
}
