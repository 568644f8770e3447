/** What PostgreSQL's values become: numbers and booleans where JSON has them, the engine's own text for all others. */

/** The type numbers that are fixed in PostgreSQL's catalogue (pg_type.dat). */
const NAMES: ReadonlyMap<number, string> = new Map([
  [16, 'boolean'],
  [17, 'bytea'],
  [20, 'bigint'],
  [21, 'smallint'],
  [23, 'integer'],
  [25, 'text'],
  [26, 'oid'],
  [114, 'json'],
  [700, 'real'],
  [701, 'double precision'],
  [1042, 'character'],
  [1043, 'character varying'],
  [1082, 'date'],
  [1083, 'time'],
  [1114, 'timestamp'],
  [1184, 'timestamp with time zone'],
  [1186, 'interval'],
  [1700, 'numeric'],
  [2950, 'uuid'],
  [3802, 'jsonb'],
])

const NUMBERS: ReadonlySet<number> = new Set([21, 23, 26, 700, 701])

export function typeName(oid: number): string | undefined {
  return NAMES.get(oid)
}

export function readPostgresValue(oid: number, text: string): unknown {
  if (oid === 16) return text === 't'
  if (oid === 20) return BigInt(text)
  return NUMBERS.has(oid) ? Number(text) : text
}
