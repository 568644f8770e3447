/** A whole table as CSV (RFC 4180), as it is at one moment and bounded as a whole. */

import { ToolError } from '@portico/sdk/server'
import type { Asker } from '../caller.ts'
import type { Cell } from './cells.ts'
import type { Table } from './engine.ts'
import type { FairEngine } from './fair-engine.ts'
import type { SqlLimits } from './limits.ts'

const MAX_ROWS = 20_000
interface CsvOptions {
  readonly limits: SqlLimits
  readonly escapeFormulas: boolean
}

const MAX_LENGTH = 4 * 1024 * 1024

/** Throws where the table is larger than what is given in one piece: a part of it must not pass for the whole. */
export async function toCsv(
  engine: FairEngine,
  table: Table,
  { limits, escapeFormulas }: CsvOptions,
  asker: Asker,
): Promise<string> {
  const toField = escapeFormulas ? (cell: Cell) => quote(harmless(cell)) : quote
  const toLine = (cells: readonly Cell[]): string => `${cells.map(toField).join(',')}\r\n`
  const statement = { sql: `SELECT * FROM ${table.quoted} LIMIT ${MAX_ROWS + 1}`, params: [] }
  // One statement sees the table as it is at one moment; of pages, rows that move meanwhile could be missed or come twice.
  const { columns, rows, more, cutCells } = await engine.query(
    statement,
    { offset: 0, maxRows: MAX_ROWS, maxBytes: MAX_LENGTH },
    asker,
  )
  if (cutCells > 0) throw tooLarge(table, `values of more than ${limits.maxCellBytes} bytes (option "maxCellBytes")`)
  if (more && rows.length >= MAX_ROWS) throw tooLarge(table, `more than ${MAX_ROWS} rows`)
  const csv = [columns.map(({ name }) => name), ...rows].map(toLine).join('')
  if (more || csv.length > MAX_LENGTH) throw tooLarge(table, `more than ${MAX_LENGTH} characters`)
  return csv
}

function tooLarge({ key }: Table, why: string): ToolError {
  return new ToolError(`${key} has ${why}, too much for one CSV. Ask for a part of it with query.`)
}

/** A text that a spreadsheet would take for a formula gets a sign before it that says that it is none. Numbers stay. */
function harmless(cell: Cell): Cell {
  return typeof cell === 'string' && /^(?:\s*[=+\-@＝＋－＠]|[\t\r])/.test(cell) && Number.isNaN(Number(cell))
    ? `'${cell}`
    : cell
}

function quote(cell: Cell): string {
  const text = cell === null ? '' : String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
