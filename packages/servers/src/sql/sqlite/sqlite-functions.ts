/**
 * What a statement may call in SQLite. Some builds bring functions that read and write files or run further statements, so the
 * program that SQLite makes of a statement is asked which functions it calls, and only those that compute are let through.
 */

import type { Connection } from '../../machine/sqlite.ts'

const CALLABLE: ReadonlySet<string> = new Set(
  `-> ->> abs acos acosh asin asinh atan atan2 atanh atn2 avg bm25 ceil ceiling changes char charindex coalesce concat concat_ws
  cos cosh cot coth count cume_dist current_date current_time current_timestamp date datetime degrees dense_rank difference exp
  first_value floor format geopoly_area geopoly_bbox geopoly_blob geopoly_ccw geopoly_contains_point geopoly_group_bbox geopoly_json
  geopoly_overlap geopoly_regular geopoly_svg geopoly_within geopoly_xform glob group_concat hex highlight if ifnull iif instr json
  json_array json_array_insert json_array_length json_error_position json_extract json_group_array json_group_object json_insert
  json_object json_patch json_pretty json_quote json_remove json_replace json_set json_type json_valid jsonb jsonb_array
  jsonb_array_insert jsonb_extract jsonb_group_array jsonb_group_object jsonb_insert jsonb_object jsonb_patch jsonb_remove
  jsonb_replace jsonb_set julianday lag last_insert_rowid last_value lead leftstr length like likelihood likely ln log log10 log2
  lower lower_quartile ltrim match matchinfo max median min mod mode nth_value ntile nullif octet_length offsets padc padl padr
  percent_rank percentile percentile_cont percentile_disc pi pow power printf proper quote radians random randomblob rank regexp
  regexpi replace replicate reverse rightstr round row_number rtrim sha3 sign sin sinh snippet soundex sqlite_compileoption_get
  sqlite_compileoption_used sqlite_rename_column sqlite_rename_table sqlite_rename_test sqlite_rename_quotefix sqlite_drop_column
  sqlite_source_id sqlite_version sqrt square stdev strfilter strftime string_agg substr substring subtype sum tan tanh time timediff
  total total_changes trim trunc typeof unhex unicode unistr unistr_quote unixepoch unlikely upper upper_quartile uuid uuid_blob
  uuid_str variance vector vector16 vector1bit vector32 vector64 vector8 vector_distance_cos vector_distance_l2 vector_extract
  vectorb16 zeroblob`.split(/\s+/),
)

/**
 * Tables of some builds that show files or raw pages. A name has one spelling in SQLite, so that it can be looked for; what else has
 * such a name is told apart by the program, which touches a virtual table or does not.
 */
const FOREIGN_TABLES = /fsdir|sqlite_dbpage|sqlite_stmt|carray|zipfile/i

/** Settings can be read as tables. Those that tell of the schema may be; others tell of the machine, as where the file lies. */
const SETTINGS =
  /pragma_(?!(?:table_info|table_xinfo|table_list|index_list|index_info|index_xinfo|foreign_key_list)\b)\w*/i

/** What the program does to a virtual table: VOpen, VUpdate, VCreate and so on. Variable and Vacuum are others. */
const IS_VIRTUAL = /^V[A-Z]/
/** Statements that keep another one, whose program is not seen yet. */
const DEFINES = /\b(?:view|trigger)\b/i

const CALLS: ReadonlySet<unknown> = new Set([
  ...[
    'Function',
    'Function0',
    'PureFunc',
    'PureFunc0',
    'AggStep',
    'AggStep0',
    'AggStep1',
    'AggInverse',
    'AggValue',
    'AggFinal',
  ],
])

/** Refuses what reaches beyond the database, and a statement with fewer values than placeholders, which SQLite takes for NULL. */
export function checkProgram(db: Connection, sql: string, given: number): void {
  const table = (FOREIGN_TABLES.exec(sql) ?? SETTINGS.exec(sql))?.[0]
  let isReached = DEFINES.test(sql)
  let wanted = 0
  for (const [, opcode, first, , , fourth] of db.prepare(`EXPLAIN ${sql}`).rows(new Array(given).fill(null))) {
    isReached ||= IS_VIRTUAL.test(String(opcode))
    if (opcode === 'Variable') wanted = Math.max(wanted, Number(first))
    const name = CALLS.has(opcode) ? String(fourth).replace(/\(-?\d*\)$/, '') : undefined
    if (name === undefined || CALLABLE.has(name.toLowerCase())) continue
    throw new Error(`the function ${name} is not available: it may reach beyond this database`)
  }
  if (table !== undefined && isReached) throw new Error(`${table} is not available: it reaches beyond this database`)
  if (given < wanted) throw new Error(`the statement has ${wanted} placeholders, and "params" has ${given} values`)
}
