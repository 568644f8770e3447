/** The bounds of the sql server, said once: the options fall back to these, and messages name the option that moves them. */

import { ToolError } from '@portico/sdk/server'
import type { CellLimits } from './cells.ts'
import type { Page } from './engine.ts'

export interface SqlLimits {
  /** Rows in one page of a result. */
  readonly maxRows: number
  /** How long one statement may run. */
  readonly timeoutMs: number
  /** Bytes of one value; longer ones are cut and marked. */
  readonly maxCellBytes: number
  /** Bytes of all values in one page; the page ends before that. */
  readonly maxResultBytes: number
}

export const SQL_LIMITS: SqlLimits = {
  maxRows: 200,
  timeoutMs: 15_000,
  maxCellBytes: 4096,
  maxResultBytes: 256 * 1024,
}

/** Statements longer than this are no questions. */
export const MAX_SQL_LENGTH = 100_000
export const MAX_PARAMETERS = 200
/** Tables that the server lists; a database with more is still queried as a whole. */
export const MAX_TABLES = 5000
/** Bytes that a connection may bring for one statement before it is cut: a single value can be a gigabyte. */
export const MAX_WIRE_BYTES = 64 * 1024 * 1024
export const MAX_CONNECTIONS = 4

/** What one page may have: the options' bounds, where it does not bring its own. */
export function boundsOf({ maxRows, maxBytes, maxCellBytes }: Page, limits: SqlLimits): CellLimits {
  return {
    maxRows,
    maxResultBytes: maxBytes ?? limits.maxResultBytes,
    maxCellBytes: maxCellBytes ?? limits.maxCellBytes,
  }
}

export function tooLarge(): ToolError {
  return new ToolError(
    `The answer has more than ${MAX_WIRE_BYTES} bytes, which is more than one statement may bring. Ask for fewer or shorter values.`,
  )
}
