/** One connection to MySQL or MariaDB, and the two ways in which the engine reads from it: row by row, or all at once. */

import { PorticoError } from '@portico/sdk/server'
import mysql from 'mysql2'
import type { Column } from '../cells.ts'
import type { Parameter } from '../engine.ts'
import { mysqlEncryption } from '../remote/encryption.ts'

export function openMysqlConnection(url: URL, timeoutMs: number): Promise<mysql.Connection> {
  const connection = mysql.createConnection({ ...optionsOf(url), connectTimeout: timeoutMs })
  return new Promise((resolve, reject) => {
    connection.connect((error) => {
      if (error === null) return resolve(connection)
      connection.destroy()
      reject(error)
    })
  })
}

function optionsOf(url: URL): mysql.ConnectionOptions {
  const socketPath = url.searchParams.get('socket')
  const encryption = mysqlEncryption(url)
  const database = decodeURIComponent(url.pathname.slice(1))
  return {
    ...(socketPath === null ? { host: url.hostname, port: Number(url.port || 3306) } : { socketPath }),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password) || process.env.MYSQL_PWD || '',
    ...(database !== '' && { database }),
    ...(encryption !== 'none' && { ssl: { verifyIdentity: encryption === 'identity' } }),
    multipleStatements: false,
    // The server may ask for a file of this machine; it never gets one.
    flags: ['-LOCAL_FILES'],
    infileStreamFactory: () => {
      throw new PorticoError('invalid-arguments', 'Files are not sent to the database')
    },
    dateStrings: true,
    supportBigNumbers: true,
    jsonStrings: true,
  }
}

export interface Streamed {
  readonly rows: AsyncIterable<unknown[]>
  /** Known once the first row came or the last one has. */
  columns(): Column[]
  /** For a statement that returns no rows: how many it changed. */
  affected(): number | undefined
}

/** Prepared statements take one statement and no more. */
export function streamRows(connection: mysql.Connection, sql: string, params: readonly Parameter[]): Streamed {
  let columns: Column[] = []
  let affected: number | undefined
  const command = connection.execute({ sql, values: params.map(toBound), rowsAsArray: true })
  command.on('fields', (fields: mysql.FieldPacket[] | undefined) => {
    columns = (fields ?? []).map(toColumn)
  })
  const stream = command.stream({ highWaterMark: 50 })
  return {
    rows: {
      async *[Symbol.asyncIterator]() {
        for await (const item of stream) {
          // A header of what was changed comes in place of rows.
          if (Array.isArray(item)) yield item
          else affected = (affected ?? 0) + Number(item.affectedRows ?? 0)
        }
      },
    },
    columns: () => columns,
    affected: () => affected,
  }
}

/** For the engine's own, small questions. */
export async function readAll(
  connection: mysql.Connection,
  sql: string,
  params: readonly Parameter[],
): Promise<unknown[][]> {
  const rows: unknown[][] = []
  for await (const row of streamRows(connection, sql, params).rows) rows.push(row)
  return rows
}

/** Whole numbers as text: as doubles they are refused after LIMIT. */
function toBound(value: Parameter): string | number | boolean | null {
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
}

const TYPE_NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(mysql.Types).flatMap(([name, code]): [number, string][] =>
    typeof code === 'number' ? [[code, name.toLowerCase()]] : [],
  ),
)

function toColumn({ name, type, columnType }: mysql.FieldPacket): Column {
  const known = TYPE_NAMES.get(columnType ?? type ?? -1)
  return known === undefined ? { name } : { name, type: known }
}
