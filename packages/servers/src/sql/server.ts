/** The sql server put together: the engine that the url names, and the tools, resources and prompt over it. */

import { createServer } from '@portico/sdk/server'
import { type AnswerOptions, toAnswers } from '../answers.ts'
import type { ReadyServer } from '../entry.ts'
import { Catalogue } from './catalogue.ts'
import { readTarget } from './connection-url.ts'
import type { Engine } from './engine.ts'
import { SQL_LIMITS, type SqlLimits } from './limits.ts'
import { createPrompts, createResources } from './resources.ts'
import { createExecute, createTools } from './tools.ts'

/** Options of `createSqlServer`: which database, what may be done with it, and how large an answer may be. */
export interface SqlServerOptions extends Partial<SqlLimits>, AnswerOptions {
  /** `sqlite:path`, `postgres://…`, `mysql://…` or `mariadb://…`. A sample shop unless given. */
  readonly url?: string
  /** Offers `execute`, which asks before each change. Off by default. */
  readonly write?: boolean
  /** The schemas (databases in MySQL) to list. What may be queried is the role's affair. */
  readonly schemas?: readonly string[]
  /** Changes data for clients that cannot ask their user. */
  readonly allowUnasked?: boolean
  /** Connects as a role that can reach the files or programs of the database's machine. */
  readonly allowPowerfulRole?: boolean
  /** Size of an SQLite file where it has to be copied to be read. 1 GiB unless given. */
  readonly maxDatabaseBytes?: number
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
  const { write = false, allowUnasked = false } = options
  const limits: SqlLimits = {
    maxRows: options.maxRows ?? SQL_LIMITS.maxRows,
    timeoutMs: options.timeoutMs ?? SQL_LIMITS.timeoutMs,
    maxCellBytes: options.maxCellBytes ?? SQL_LIMITS.maxCellBytes,
    maxResultBytes: options.maxResultBytes ?? SQL_LIMITS.maxResultBytes,
  }
  const engine = await openEngine(options, limits)
  const catalogue = new Catalogue(engine)
  const server = createServer({
    name: 'sql',
    version: '0.1.0',
    title: 'SQL database',
    instructions: instructionsFor(engine, write),
    tools: toAnswers(createTools({ engine, catalogue, limits, write }), options),
    resources: createResources({ engine, catalogue, limits }),
    prompts: createPrompts({ engine, catalogue }),
  })
  if (write) {
    const changed = (): void => {
      catalogue.forget()
      server.changed('resources')
      server.changed('sql://schema')
    }
    const execute = createExecute({ engine, limits, allowUnasked, onSchemaChange: changed })
    server.tool('execute', toAnswers({ execute }, options).execute)
  }
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= engine.close()
    return closing
  }
  return { server, close }
}

/** Each driver is loaded only for its own kind of url. */
async function openEngine(options: SqlServerOptions, limits: SqlLimits): Promise<Engine> {
  const { write = false, schemas, allowPowerfulRole = false } = options
  const target = readTarget(options.url)
  switch (target.kind) {
    case 'sample':
    case 'sqlite': {
      const { openSqlite } = await import('./sqlite/sqlite.ts')
      const file = target.kind === 'sqlite' ? target.file : undefined
      return openSqlite({ file, write, limits, maxDatabaseBytes: options.maxDatabaseBytes ?? MAX_DATABASE_BYTES })
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

function instructionsFor({ dialect, placeholder }: Engine, write: boolean): string {
  const changes = write ? 'Changes go through execute, which asks the user.' : 'It can only be read.'
  return `A ${dialect} database. Look at list_tables and describe_table before you write a query. Pass values as params (${placeholder}), never inside the statement. ${changes}`
}
