/**
 * One page of a question to PostgreSQL, for the engine in `postgres.ts`. The question stands in brackets below a SELECT of
 * ours: the grammar takes nothing there that changes something, and unlike a cursor it may be run by several processes.
 * Rows are looked at as they come, so that no more is held than the page.
 */

import pg from 'pg'
import { type Column, RowCollector } from '../cells.ts'
import type { Page, Rows, Statement } from '../engine.ts'
import { boundsOf, type SqlLimits } from '../limits.ts'
import { typeName } from './postgres-types.ts'

interface PageRead {
  readonly rows: Rows
  /** False when rows that nobody wants are still on their way. */
  readonly ended: boolean
}

type Field = Pick<pg.FieldDef, 'name' | 'dataTypeID'>

/** Bytes that may still come after the page is full, before it is cheaper to give the connection up. */
const MAX_LEFTOVER_BYTES = 2 * 1024 * 1024

export function readPage(
  client: pg.Client,
  { sql, params }: Statement,
  page: Page,
  limits: SqlLimits,
): Promise<PageRead> {
  const collector = new RowCollector(boundsOf(page, limits))
  const stream = streamOf(client)
  const text = `SELECT * FROM (\n${sql}\n) AS portico_page LIMIT ${page.maxRows + 1} OFFSET ${page.offset}`
  const config: pg.QueryArrayConfig = { text, values: [...params], rowMode: 'array' }
  // The extended protocol takes one statement and no more.
  const query = new pg.Query<unknown[]>(Object.assign(config, { queryMode: 'extended' }))
  return new Promise((resolve, reject) => {
    let fullAt: number | undefined
    query.on('row', (row, result) => {
      if (fullAt === undefined) {
        if (!collector.add(row)) fullAt = stream.bytesRead
      } else if (stream.bytesRead - fullAt > MAX_LEFTOVER_BYTES) {
        resolve({ rows: toRows(result?.fields ?? [], collector), ended: false })
      }
    })
    query.on('error', reject)
    query.on('end', ({ fields }) => resolve({ rows: toRows(fields, collector), ended: true }))
    client.query(query)
  })
}

export function toRows(fields: readonly Field[], { rows, more, cutCells }: RowCollector): Rows {
  const columns = fields.map(({ name, dataTypeID }): Column => {
    const type = typeName(dataTypeID)
    return type === undefined ? { name } : { name, type }
  })
  return { columns, rows, more, cutCells }
}

/** The driver keeps its socket here, replaced by the encrypted one where there is one. */
export function streamOf(client: pg.Client): { readonly bytesRead: number; destroy(): void } {
  return (client as unknown as { connection: { stream: { bytesRead: number; destroy(): void } } }).connection.stream
}
