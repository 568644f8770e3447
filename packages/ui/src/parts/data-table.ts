/** Structured results that read best as a table: a list of objects that share their members, or rows under named columns. */

import { isRecord } from './json.ts'

export interface TableModel {
  readonly columns: readonly string[]
  readonly rows: readonly { readonly [name: string]: unknown }[]
  /** The member that held the list, where it was inside an object. */
  readonly name?: string
}

const MAX_COLUMNS = 40

/** Undefined where the value is not such a list. */
export function toTable(value: unknown): TableModel | undefined {
  if (Array.isArray(value)) return fromList(value)
  if (!isRecord(value)) return undefined
  if (Array.isArray(value.columns) && Array.isArray(value.rows)) return fromRows(value.columns, value.rows)
  const lists = Object.entries(value).filter(([, member]) => Array.isArray(member))
  const [first] = lists
  if (lists.length !== 1 || first === undefined) return undefined
  const table = fromList(first[1] as unknown[])
  return table === undefined ? undefined : { ...table, name: first[0] }
}

function fromList(list: readonly unknown[]): TableModel | undefined {
  if (list.length === 0 || !list.every(isRecord)) return undefined
  const columns = new Set<string>()
  for (const row of list.slice(0, 500)) for (const name of Object.keys(row)) columns.add(name)
  if (columns.size === 0 || columns.size > MAX_COLUMNS) return undefined
  return { columns: [...columns], rows: list }
}

/** As databases answer: the columns' names once, and each row as a list of values. */
function fromRows(given: readonly unknown[], rows: readonly unknown[]): TableModel | undefined {
  const columns = given.map((column) => (isRecord(column) ? column.name : column))
  if (!columns.every((name) => typeof name === 'string') || columns.length === 0 || columns.length > MAX_COLUMNS) {
    return undefined
  }
  if (new Set(columns).size !== columns.length || !rows.every((row) => Array.isArray(row))) return undefined
  const toRow = (row: readonly unknown[]) => Object.fromEntries(columns.map((name, at) => [name, row[at]]))
  return { columns, rows: rows.map(toRow), name: 'rows' }
}

export function toCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
