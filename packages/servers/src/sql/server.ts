/** The sql server put together: the engine that the url names, and the tools, resources and prompt over it. */

import { createServer, PorticoError } from '@portico/sdk/server'
import { type AnswerOptions, toAnswers } from '../answers.ts'
import type { ReadyServer } from '../entry.ts'
import { readTarget } from './connection-url.ts'
import { type Database, type Databases, openDatabases, type SqlDatabase } from './databases.ts'
import type { Engine } from './engine.ts'
import { SQL_LIMITS, type SqlLimits } from './limits.ts'
import { baseOf, createPrompts, createResources } from './resources.ts'
import { createExecute, createTools } from './tools.ts'

/** Options of `createSqlServer`: which database, what may be done with it, and how large an answer may be. */
export interface SqlServerOptions extends Partial<SqlLimits>, AnswerOptions, SqlDatabase {
  /** Several databases by name, each with its own rights, instead of `url`. Tools then take the argument `database`. */
  readonly databases?: { readonly [name: string]: SqlDatabase }
  /** Changes data for clients that cannot ask their user. */
  readonly allowUnasked?: boolean
  /** Size of an SQLite file where it has to be copied to be read. 1 GiB unless given. */
  readonly maxDatabaseBytes?: number
  /** Puts a `'` before texts that a spreadsheet would take for a formula, in CSV. Off by default: it changes what is there. */
  readonly escapeFormulas?: boolean
}

const MAX_DATABASE_BYTES = 1024 ** 3

/**
 * Makes a server that lets a client look into a database (SQLite, PostgreSQL, MySQL or MariaDB), and change it if
 * `write` is set. Without a `url` it has a sample shop to try it with.
 *
 * @example
 * ```ts
 * import { createSqlServer } from '@portico/servers/sql'
 * import { serveStdio } from '@portico/sdk/stdio'
 *
 * const { server } = await createSqlServer({ url: 'sqlite:shop.db', maxRows: 100 })
 * serveStdio(server)
 * ```
 */
export async function createSqlServer(options: SqlServerOptions = {}): Promise<ReadyServer> {
  const { allowUnasked = false, escapeFormulas = false } = options
  const limits: SqlLimits = {
    maxRows: options.maxRows ?? SQL_LIMITS.maxRows,
    timeoutMs: options.timeoutMs ?? SQL_LIMITS.timeoutMs,
    maxCellBytes: options.maxCellBytes ?? SQL_LIMITS.maxCellBytes,
    maxResultBytes: options.maxResultBytes ?? SQL_LIMITS.maxResultBytes,
  }
  const { databases: several } = options
  if (several !== undefined && options.url !== undefined) {
    throw new PorticoError('invalid-arguments', 'sql takes either "url" or "databases"')
  }
  const databases = await openDatabases(several ?? { '': options }, (database) =>
    openEngine(database, limits, options.maxDatabaseBytes ?? MAX_DATABASE_BYTES),
  )
  const server = createServer({
    name: 'sql',
    version: '0.1.0',
    title: 'SQL database',
    instructions: instructionsFor(databases),
    tools: toAnswers(createTools({ databases, limits }), options),
    resources: createResources({ databases, limits, escapeFormulas }),
    prompts: createPrompts(databases),
  })
  if (databases.canWrite) {
    const onSchemaChange = (database: Database): void => {
      database.catalogue.forget()
      server.changed('resources')
      server.changed(`${baseOf(database)}schema`)
    }
    const execute = createExecute({ databases, limits, allowUnasked, onSchemaChange })
    server.tool('execute', toAnswers({ execute }, options).execute)
  }
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= databases.close()
    return closing
  }
  return { server, close }
}

/** Each driver is loaded only for its own kind of url. */
async function openEngine(database: SqlDatabase, limits: SqlLimits, maxDatabaseBytes: number): Promise<Engine> {
  const { url, write = false, schemas, allowPowerfulRole = false } = database
  const target = readTarget(url)
  switch (target.kind) {
    case 'sample':
    case 'sqlite': {
      const { openSqlite } = await import('./sqlite/sqlite.ts')
      const file = target.kind === 'sqlite' ? target.file : undefined
      return openSqlite({ file, write, limits, maxDatabaseBytes })
    }
    case 'postgresql': {
      const { openPostgres } = await import('./postgres/postgres.ts')
      return openPostgres({ url: target.url, secrets: target.secrets, schemas, allowPowerfulRole, limits })
    }
    case 'mysql': {
      const { openMysql } = await import('./mysql/mysql.ts')
      return openMysql({ url: target.url, secrets: target.secrets, schemas, allowPowerfulRole, limits })
    }
  }
}

function instructionsFor({ all, isOne, placeholders }: Databases): string {
  const what = all.map(({ name, engine, write }) => {
    const changes = write ? 'Changes go through execute, which asks the user.' : 'It can only be read.'
    return isOne ? `A ${engine.dialect} database. ${changes}` : `Database ${name}: ${engine.dialect}. ${changes}`
  })
  return `${what.join(' ')} Look at list_tables and describe_table before you write a query. Pass values as params (${placeholders}), never inside the statement.`
}
