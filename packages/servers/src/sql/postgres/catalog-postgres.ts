/** Tables and columns of a PostgreSQL database, as far as the role may read them. */

import type { Table, TableDetails } from '../engine.ts'
import { MAX_TABLES } from '../limits.ts'

type Query = (sql: string, params: readonly unknown[]) => Promise<readonly (readonly unknown[])[]>

const TABLES = `
  SELECT n.nspname, c.relname,
    CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table' ELSE 'table' END,
    CASE WHEN c.reltuples < 0 THEN NULL ELSE c.reltuples::float8 END, obj_description(c.oid, 'pg_class')
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
    AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
    AND CASE WHEN $1::text[] IS NULL THEN n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
        ELSE n.nspname = ANY ($1::text[]) END
  ORDER BY 1, 2 LIMIT ${MAX_TABLES}`

const COLUMNS = `
  SELECT a.attname, format_type(a.atttypid, a.atttypmod), NOT a.attnotnull, pg_get_expr(d.adbin, d.adrelid),
    col_description(a.attrelid, a.attnum::int),
    EXISTS (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisprimary AND a.attnum = ANY (i.indkey))
  FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE a.attrelid = $1::text::regclass AND a.attnum > 0 AND NOT a.attisdropped
  ORDER BY a.attnum`

const INDEXES = `SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = $1::text::regclass ORDER BY indexrelid`

const FOREIGN_KEYS = `
  SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = $1::text::regclass AND contype = 'f' ORDER BY conname`

export async function listPostgresTables(query: Query, schemas: readonly string[] | undefined): Promise<Table[]> {
  const rows = await query(TABLES, [schemas === undefined ? null : [...schemas]])
  return rows.map(([schema, name, kind, count, comment]) => ({
    key: `${schema}.${name}`,
    quoted: `${quote(String(schema))}.${quote(String(name))}`,
    schema: String(schema),
    name: String(name),
    kind: String(kind),
    rows: typeof count === 'number' ? count : undefined,
    comment: typeof comment === 'string' ? comment : undefined,
  }))
}

export async function describePostgres(table: Table, query: Query): Promise<TableDetails> {
  const columns = await query(COLUMNS, [table.quoted])
  const indexes = await query(INDEXES, [table.quoted])
  const keys = await query(FOREIGN_KEYS, [table.quoted])
  return {
    columns: columns.map(([name, type, nullable, fallback, comment, primary]) => ({
      name: String(name),
      type: String(type),
      nullable: nullable === true,
      primaryKey: primary === true,
      ...(typeof fallback === 'string' && { default: fallback }),
      ...(typeof comment === 'string' && { comment }),
    })),
    indexes: indexes.map(([definition]) => String(definition)),
    foreignKeys: keys.map(([definition]) => String(definition)),
  }
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
