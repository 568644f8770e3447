/** What the process and its SQLite worker say to each other. Types only, and nothing that needs a package to be loaded. */

import type { Cell, CellLimits, Column } from './cells.ts'
import type { Parameter } from './engine.ts'

export interface WorkerStart {
  /** Bytes that SQLite's own memory may grow to. */
  readonly maxMemoryBytes: number
}

export type WorkerRequest =
  /** Opens a private copy to read from; what a crashed or still open writer left beside it is brought in first. */
  | { readonly kind: 'open-copy'; readonly path: string }
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
    }
  /** Rolls back what an ended worker left half done. */
  | { readonly kind: 'recover'; readonly path: string }
  | { readonly kind: 'script'; readonly path: string; readonly sql: string }

export interface WorkerRows {
  readonly columns: Column[]
  readonly rows: Cell[][]
  readonly more: boolean
  readonly cutCells: number
}

export interface WorkerResult {
  readonly rows?: WorkerRows
  readonly affected?: number
}

export type WorkerReply =
  /** Loaded: from here on a statement's time counts. */
  | { readonly kind: 'ready' }
  /** The transaction has the file's lock: whoever ends the worker now has to clear it away. */
  | { readonly kind: 'locked' }
  | { readonly kind: 'done'; readonly result: WorkerResult }
  | { readonly kind: 'failed'; readonly message: string }
