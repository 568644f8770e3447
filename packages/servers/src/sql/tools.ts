/** What a model can do with the database: look around, ask, see how a question would be run, and change it where allowed. */

import { type AskingContext, type ToolDefinition, ToolError, tool } from '@portico/sdk/server'
import { type Asker, askerOf } from '../caller.ts'
import { requireConfirmation } from '../confirmation.ts'
import { CURSOR_INPUT, countFrom, toCursor } from '../cursor.ts'
import { toExcerpt } from '../text/cut.ts'
import { spellHidden } from '../text/plain-text.ts'
import type { Catalogue } from './catalogue.ts'
import type { Database, Databases } from './databases.ts'
import type { Rows, Statement } from './engine.ts'
import type { FairEngine } from './fair-engine.ts'
import { MAX_PARAMETERS, MAX_SQL_LENGTH, MAX_TABLES, type SqlLimits } from './limits.ts'
import { inspectStatement, requireReading, requireWritable } from './statement.ts'
import { EXECUTED, PLAN, ROWS, TABLE, TABLES } from './tool-schemas.ts'

interface ToolParts {
  readonly databases: Databases
  readonly limits: SqlLimits
}

const TABLES_PER_PAGE = 100
const MAX_OFFSET = 10_000_000

export function createTools(parts: ToolParts) {
  return {
    query: queryTool(parts),
    explain: explainTool(parts),
    list_tables: listTablesTool(parts),
    describe_table: describeTableTool(parts),
    sample_rows: sampleRowsTool(parts),
  }
}

function queryTool({ databases, limits }: ToolParts) {
  const page = {
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: limits.maxRows,
      description: `Rows at most: ${limits.maxRows} unless given`,
    },
    cursor: { ...CURSOR_INPUT, description: `${CURSOR_INPUT.description}, with the same statement` },
  } as const
  return tool(
    {
      title: 'Query',
      description: `Run one reading ${databases.dialects} statement. Long results come in pages; order them to make pages stable.`,
      input: {
        type: 'object',
        properties: { ...statementInput(databases), ...page },
        required: ['sql'],
        additionalProperties: false,
      },
      output: ROWS,
      readOnly: true,
      openWorld: false,
    },
    async ({ sql, params, limit, cursor, database }, ctx) => {
      const { engine, write, place } = databases.pick(database)
      const asked = toStatement(requireReading(sql, engine.dialect, write, engine.effects), params)
      const question = [place, asked.sql, asked.params]
      const offset = countFrom(cursor, question)
      if (offset > MAX_OFFSET) throw new ToolError(`Pages end after ${MAX_OFFSET} rows: ask for less.`)
      const maxRows = limit ?? limits.maxRows
      const rows = await withProgress(ctx, limits.timeoutMs, engine.query(asked, { offset, maxRows }, askerOf(ctx)))
      return toResult(rows, limits, rows.more ? toCursor(String(offset + rows.rows.length), question) : undefined)
    },
  )
}

function explainTool({ databases, limits }: ToolParts) {
  return tool(
    {
      title: 'Explain',
      description: 'Show how the database would run a reading statement, without running it.',
      input: { type: 'object', properties: statementInput(databases), required: ['sql'], additionalProperties: false },
      output: PLAN,
      readOnly: true,
      openWorld: false,
    },
    async ({ sql, params, database }, ctx) => {
      const { engine, write } = databases.pick(database)
      const asked = toStatement(requireReading(sql, engine.dialect, write, engine.effects), params)
      const plan = await engine.explain(asked, askerOf(ctx))
      return { plan: cutText(plan, limits.maxResultBytes) }
    },
  )
}

function listTablesTool({ databases }: ToolParts) {
  return tool(
    {
      title: 'List tables',
      description: 'The tables and views of the database, with estimates of their size.',
      input: {
        type: 'object',
        properties: {
          search: { type: 'string', maxLength: 200, description: 'Part of a name' },
          cursor: CURSOR_INPUT,
          ...databases.input,
        },
        additionalProperties: false,
      },
      output: TABLES,
      readOnly: true,
      openWorld: false,
    },
    async ({ search = '', cursor, database }) => {
      const { catalogue, place } = databases.pick(database)
      const start = countFrom(cursor, [place, search])
      const word = search.toLowerCase()
      const all = await catalogue.tables()
      const found = all.filter(({ key }) => key.toLowerCase().includes(word))
      const tables = found.slice(start, start + TABLES_PER_PAGE).map(({ key, kind, rows, comment }) => ({
        table: spellHidden(key),
        kind,
        ...(rows !== undefined && { rows }),
        ...(comment !== undefined && { comment: spellHidden(comment.slice(0, 500)) }),
      }))
      const next = start + TABLES_PER_PAGE
      return {
        tables,
        total: found.length,
        ...(all.length >= MAX_TABLES && { note: `Only the first ${MAX_TABLES} tables are listed; query reaches all.` }),
        ...(next < found.length && { nextCursor: toCursor(String(next), [place, search]) }),
      }
    },
  )
}

function describeTableTool({ databases }: ToolParts) {
  return tool(
    {
      title: 'Describe table',
      description: 'Columns, keys and indexes of one table or view.',
      input: {
        type: 'object',
        properties: { ...TABLE_INPUT, ...databases.input },
        required: ['table'],
        additionalProperties: false,
      },
      output: TABLE,
      readOnly: true,
      openWorld: false,
    },
    async ({ table, database }, ctx) => {
      const { engine, catalogue } = databases.pick(database)
      return describe(engine, catalogue, table, askerOf(ctx))
    },
  )
}

function sampleRowsTool({ databases, limits }: ToolParts) {
  return tool(
    {
      title: 'Sample rows',
      description: 'A few rows of a table, to see what its values look like.',
      input: {
        type: 'object',
        properties: {
          ...TABLE_INPUT,
          limit: { type: 'integer', minimum: 1, maximum: 50, description: 'How many; 10 unless given' },
          ...databases.input,
        },
        required: ['table'],
        additionalProperties: false,
      },
      output: ROWS,
      readOnly: true,
      openWorld: false,
    },
    async ({ table, limit = 10, database }, ctx) => {
      const { engine, catalogue } = databases.pick(database)
      const { quoted } = await catalogue.require(table)
      const maxRows = Math.min(limit, limits.maxRows)
      const asked = toStatement(`SELECT * FROM ${quoted} LIMIT ${maxRows}`, [])
      return toResult(await engine.query(asked, { offset: 0, maxRows }, askerOf(ctx)), limits, undefined)
    },
  )
}

interface ExecuteParts {
  readonly databases: Databases
  readonly limits: SqlLimits
  readonly allowUnasked: boolean
  readonly onSchemaChange: (database: Database) => void
}

const SCHEMA_WORDS: ReadonlySet<string> = new Set(['CREATE', 'ALTER', 'DROP', 'RENAME', 'COMMENT'])

export function createExecute({ databases, limits, allowUnasked, onSchemaChange }: ExecuteParts): ToolDefinition {
  return tool(
    {
      title: 'Execute',
      description: `Run one ${databases.dialects} statement that changes data or tables, in a transaction of its own. The user sees it and is asked first.`,
      input: {
        type: 'object',
        properties: statementInput(databases),
        required: ['sql'],
        additionalProperties: false,
      },
      output: EXECUTED,
      destructive: true,
      idempotent: false,
      openWorld: false,
    },
    async ({ sql, params, database }, ctx) => {
      const chosen = databases.pick(database)
      const { engine, name, write } = chosen
      if (!write) throw new ToolError(`The database ${name} can only be read (option "write" of it).`)
      const asked = toStatement(sql, params)
      requireWritable(sql, engine.dialect)
      await requireConfirmation(
        ctx,
        `Run this statement on the ${engine.dialect} database${name && ` ${name}`}?`,
        allowUnasked,
        shownOf(asked),
      )
      const { affected, returned } = await withProgress(
        ctx,
        limits.timeoutMs,
        engine.execute(asked, limits.maxRows, askerOf(ctx)),
      )
      if (SCHEMA_WORDS.has(inspectStatement(sql, engine.dialect).keyword)) onSchemaChange(chosen)
      return { affected, ...(returned !== undefined && toResult(returned, limits, undefined)) }
    },
  )
}

export async function describe(engine: FairEngine, catalogue: Catalogue, name: string, asker: Asker) {
  const table = await catalogue.require(name)
  const { columns, indexes, foreignKeys } = await engine.describe(table, asker)
  return {
    table: spellHidden(table.key),
    kind: table.kind,
    columns: columns.map((column) => ({
      ...column,
      name: spellHidden(column.name),
      type: spellHidden(column.type),
      ...(column.default !== undefined && { default: toExcerpt(spellHidden(column.default), 500) }),
      ...(column.comment !== undefined && { comment: spellHidden(column.comment.slice(0, 500)) }),
    })),
    indexes: indexes.map(spellHidden),
    foreignKeys: foreignKeys.map(spellHidden),
  }
}

const TABLE_INPUT = {
  table: { type: 'string', minLength: 1, maxLength: 300, description: 'Its name as list_tables gives it' },
} as const

function statementInput({ dialects, placeholders, input }: Databases) {
  return {
    sql: { type: 'string', minLength: 1, maxLength: MAX_SQL_LENGTH, description: `One ${dialects} statement` },
    params: {
      type: 'array',
      maxItems: MAX_PARAMETERS,
      items: { type: ['string', 'number', 'boolean', 'null'] },
      description: `Values for the placeholders (${placeholders}) of the statement, in order`,
    },
    ...input,
  } as const
}

function toStatement(sql: string, params: Statement['params'] | undefined): Statement {
  return { sql: sql.replace(/(?<![\s;])\s*;[\s;]*$/, ''), params: params ?? [] }
}

function toResult({ columns, rows, more, cutCells }: Rows, limits: SqlLimits, nextCursor: string | undefined) {
  const note = [
    more && nextCursor === undefined && 'There are more rows.',
    cutCells > 0 && `${cutCells} values were cut to ${limits.maxCellBytes} bytes (option "maxCellBytes").`,
  ].filter((part) => part !== false)
  return {
    columns: columns.map((column) => ({ ...column, name: spellHidden(column.name) })),
    rows: rows.map((row) => [...row]),
    truncated: more,
    ...(nextCursor !== undefined && { nextCursor }),
    ...(note.length > 0 && { note: note.join(' ') }),
  }
}

/** The whole statement is shown: what is agreed to must be what is run. */
function shownOf({ sql, params }: Statement): string {
  const values = params.length === 0 ? '' : `\n\nwith the values ${JSON.stringify(params)}`
  return spellHidden(`${sql}${values}`)
}

function cutText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}… [cut: ${text.length} characters]`
}

/** Says once a second that the statement is still running. */
async function withProgress<T>(ctx: AskingContext, timeoutMs: number, work: Promise<T>): Promise<T> {
  const start = Date.now()
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - start) / 1000)
    ctx.progress(seconds, Math.ceil(timeoutMs / 1000), `Running for ${seconds} s`)
  }, 1000)
  try {
    return await work
  } finally {
    clearInterval(timer)
  }
}
