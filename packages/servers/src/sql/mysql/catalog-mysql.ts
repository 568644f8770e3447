/** Tables and columns of MySQL and MariaDB, by the information schema, which shows what the account may see. */

import type { Parameter, Table, TableDetails } from '../engine.ts'
import { MAX_TABLES } from '../limits.ts'

type Query = (sql: string, params: readonly Parameter[]) => Promise<readonly (readonly unknown[])[]>

const SYSTEM = "'mysql', 'information_schema', 'performance_schema', 'sys'"

export async function listMysqlTables(query: Query, schemas: readonly string[] | undefined): Promise<Table[]> {
  const [current] = await query('SELECT DATABASE()', [])
  const own = typeof current?.[0] === 'string' ? current[0] : undefined
  const shown = schemas ?? (own === undefined ? undefined : [own])
  const condition =
    shown === undefined ? `TABLE_SCHEMA NOT IN (${SYSTEM})` : `TABLE_SCHEMA IN (${shown.map(() => '?').join(', ')})`
  const rows = await query(
    `SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, TABLE_ROWS, TABLE_COMMENT FROM information_schema.TABLES
     WHERE ${condition} ORDER BY TABLE_SCHEMA, TABLE_NAME LIMIT ${MAX_TABLES}`,
    shown ?? [],
  )
  return rows.map(([schema, name, kind, count, comment]) => ({
    key: schema === own ? String(name) : `${schema}.${name}`,
    quoted: `${quote(String(schema))}.${quote(String(name))}`,
    schema: String(schema),
    name: String(name),
    kind: kind === 'VIEW' ? 'view' : 'table',
    rows: count === null || kind === 'VIEW' ? undefined : Number(count),
    comment: typeof comment === 'string' && comment !== '' && comment !== 'VIEW' ? comment : undefined,
  }))
}

export async function describeMysql({ schema = '', name }: Table, query: Query): Promise<TableDetails> {
  const which = 'TABLE_SCHEMA = ? AND TABLE_NAME = ?'
  const columns = await query(
    `SELECT COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_DEFAULT, COLUMN_COMMENT, COLUMN_KEY
     FROM information_schema.COLUMNS WHERE ${which} ORDER BY ORDINAL_POSITION`,
    [schema, name],
  )
  const indexes = await query(
    `SELECT INDEX_NAME, MIN(NON_UNIQUE), GROUP_CONCAT(COLUMN_NAME ORDER BY SEQ_IN_INDEX SEPARATOR ', ')
     FROM information_schema.STATISTICS WHERE ${which} GROUP BY INDEX_NAME ORDER BY INDEX_NAME`,
    [schema, name],
  )
  const keys = await query(
    `SELECT GROUP_CONCAT(COLUMN_NAME ORDER BY ORDINAL_POSITION SEPARATOR ', '), MIN(REFERENCED_TABLE_NAME),
       GROUP_CONCAT(REFERENCED_COLUMN_NAME ORDER BY ORDINAL_POSITION SEPARATOR ', ')
     FROM information_schema.KEY_COLUMN_USAGE
     WHERE ${which} AND REFERENCED_TABLE_NAME IS NOT NULL GROUP BY CONSTRAINT_NAME ORDER BY CONSTRAINT_NAME`,
    [schema, name],
  )
  return {
    columns: columns.map(([column, type, nullable, fallback, comment, key]) => ({
      name: String(column),
      type: String(type),
      nullable: nullable === 'YES',
      primaryKey: key === 'PRI',
      ...(typeof fallback === 'string' && { default: fallback }),
      ...(typeof comment === 'string' && comment !== '' && { comment }),
    })),
    indexes: indexes.map(([index, open, list]) => `${index}${Number(open) === 0 ? ' unique' : ''} (${list})`),
    foreignKeys: keys.map(([from, table, to]) => `(${from}) references ${table} (${to})`),
  }
}

function quote(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``
}
