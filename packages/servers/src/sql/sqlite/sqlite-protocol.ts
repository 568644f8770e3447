/** What this process and the one with SQLite in it say to each other. Nothing here needs a package. */

import type { Cell, CellLimits, Column } from '../cells.ts'
import type { Parameter } from '../engine.ts'

export type ChildRequest =
  /** Which SQLite it is. */
  | { readonly kind: 'hello' }
  /** Opens a file to read from; what a crashed or still open writer left beside a copy is brought in first. */
  | { readonly kind: 'open'; readonly path: string; readonly isCopy: boolean; readonly waitMs: number }
  | {
      readonly kind: 'query'
      readonly sql: string
      readonly params: readonly Parameter[]
      readonly offset: number
      readonly limits: CellLimits
    }
  /** Opens the file itself, runs one statement in a transaction, commits and closes. */
  | {
      readonly kind: 'execute'
      readonly path: string
      readonly sql: string
      readonly params: readonly Parameter[]
      readonly limits: CellLimits
      readonly waitMs: number
    }
  | { readonly kind: 'script'; readonly path: string; readonly sql: string }

export interface ChildRows {
  readonly columns: Column[]
  readonly rows: Cell[][]
  readonly more: boolean
  readonly cutCells: number
}

export interface ChildResult {
  readonly rows?: ChildRows
  readonly affected?: number
  /** Whether other programs see its locks, and it theirs. */
  readonly locks?: boolean
}

export type ChildReply =
  /** Loaded: from here on a statement's time counts. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly result: ChildResult }
  | { readonly kind: 'failed'; readonly message: string }

/** What stands before a statement that SQLite is to show the plan of. */
export const PLAN = 'EXPLAIN QUERY PLAN '
