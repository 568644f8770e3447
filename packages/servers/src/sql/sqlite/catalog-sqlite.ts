/** Tables and columns of an SQLite database, by the engine's own catalogue. */

import type { Page, Rows, Statement, Table, TableDetails } from '../engine.ts'
import { MAX_TABLES, MAX_WIRE_BYTES, tooLarge } from '../limits.ts'

type Query = (statement: Statement, page: Page) => Promise<Rows>

/** Of its own: what an answer may have is no bound on what the server itself must know. */
const WHOLE: Page = { offset: 0, maxRows: MAX_TABLES, maxBytes: MAX_WIRE_BYTES, maxCellBytes: 1024 * 1024 }
/** More than SQLite lets a table have columns. */
const MAX_PARTS = 40_000

export async function listSqliteTables(query: Query): Promise<Table[]> {
  const sql = `SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`
  const { rows, more } = await query({ sql: `${sql} LIMIT ${MAX_TABLES}`, params: [] }, WHOLE)
  if (more) throw tooLarge()
  return rows.map(([name, kind]) => ({
    key: String(name),
    quoted: quote(String(name)),
    schema: undefined,
    name: String(name),
    kind: String(kind),
    rows: undefined,
    comment: undefined,
  }))
}

export async function describeSqlite({ name }: Table, query: Query): Promise<TableDetails> {
  const of = async (sql: string): Promise<Rows['rows']> => {
    const { rows, more } = await query({ sql, params: [name] }, { ...WHOLE, maxRows: MAX_PARTS })
    if (more) throw tooLarge()
    return rows
  }
  const columns = await of('SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_xinfo(?) WHERE hidden <> 1')
  const indexes = await of(
    `SELECT l.name, l."unique", (SELECT group_concat(i.name, ', ') FROM pragma_index_info(l.name) AS i) FROM pragma_index_list(?) AS l`,
  )
  const keys = await of(
    'SELECT group_concat("from", \', \'), "table", group_concat("to", \', \') FROM pragma_foreign_key_list(?) GROUP BY id, "table"',
  )
  return {
    columns: columns.map(([column, type, notNull, fallback, key]) => ({
      name: String(column),
      type: String(type ?? ''),
      nullable: notNull === 0 && key === 0,
      primaryKey: key !== 0,
      ...(fallback !== null && { default: String(fallback) }),
    })),
    indexes: indexes.map(
      ([index, unique, list]) => `${index}${unique === 1 ? ' unique' : ''} (${list ?? 'expression'})`,
    ),
    foreignKeys: keys.map(([from, table, to]) => `(${from}) references ${table}${to === null ? '' : ` (${to})`}`),
  }
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
