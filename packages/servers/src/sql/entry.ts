/** The sql server as it is listed and started by name. */

import { PorticoError } from '@portico/sdk/server'
import type { ServerEntry } from '../entry.ts'
import { countValue, flagValue, listValue, STRUCTURED, textValue } from '../entry-values.ts'
import type { SqlDatabase } from './databases.ts'

export const entry: ServerEntry = {
  name: 'sql',
  about: 'Ask a PostgreSQL, MySQL, MariaDB or SQLite database; read-only until told otherwise',
  positional: 'url',
  options: {
    url: {
      type: 'string',
      about: 'sqlite:path, postgres://…, mysql://… or mariadb://…; the variable PORTICO_SQL_URL keeps it out of sight',
      fallback: 'a sample shop',
    },
    databases: {
      type: 'string',
      multiple: true,
      about: 'Several databases instead, each as name=url; name=env:VARIABLE takes the url from a variable',
    },
    writable: { type: 'string', multiple: true, about: 'Names of the databases that execute may change' },
    write: { type: 'boolean', about: 'Offer the tool execute, which asks before each change', fallback: 'false' },
    schemas: {
      type: 'string',
      multiple: true,
      about: 'Schemas (databases in MySQL) to list',
      fallback: 'all but system',
    },
    maxRows: { type: 'number', about: 'Rows in one page of a result', fallback: '200' },
    timeoutMs: { type: 'number', about: 'How long a statement may run', fallback: '15000' },
    maxCellBytes: { type: 'number', about: 'Bytes of one value; longer ones are cut', fallback: '4096' },
    maxResultBytes: { type: 'number', about: 'Bytes in one page of a result', fallback: '262144' },
    maxDatabaseBytes: {
      type: 'number',
      about: 'Size of an SQLite file, which is copied to be read',
      fallback: '1 GiB',
    },
    allowUnasked: { type: 'boolean', about: 'Change data for clients that cannot ask their user', fallback: 'false' },
    allowPowerfulRole: {
      type: 'boolean',
      about: 'Connect as a role that can reach files of the database’s machine',
      fallback: 'false',
    },
    escapeFormulas: {
      type: 'boolean',
      about: "Put a ' before texts of a CSV that a spreadsheet would take for a formula",
      fallback: 'false',
    },
    structured: STRUCTURED,
  },
  async create(values) {
    const shared = {
      write: flagValue(values, 'write'),
      schemas: listValue(values, 'schemas'),
      allowPowerfulRole: flagValue(values, 'allowPowerfulRole'),
    }
    const writable = listValue(values, 'writable')
    const several = toDatabases(listValue(values, 'databases'), writable, shared)
    const url = textValue(values, 'url')
    const { createSqlServer } = await import('./server.ts')
    return createSqlServer({
      ...shared,
      structured: flagValue(values, 'structured'),
      url: several === undefined ? (url ?? process.env.PORTICO_SQL_URL) : url,
      databases: several,
      escapeFormulas: flagValue(values, 'escapeFormulas'),
      maxRows: countValue(values, 'maxRows'),
      timeoutMs: countValue(values, 'timeoutMs'),
      maxCellBytes: countValue(values, 'maxCellBytes'),
      maxResultBytes: countValue(values, 'maxResultBytes'),
      maxDatabaseBytes: countValue(values, 'maxDatabaseBytes'),
      allowUnasked: flagValue(values, 'allowUnasked'),
    })
  },
}

/** `name=url`; the url may be that of a variable, since every program sees the words of a command line. */
function toDatabases(
  given: readonly string[] | undefined,
  writable: readonly string[] | undefined,
  shared: Omit<SqlDatabase, 'url'>,
): { [name: string]: SqlDatabase } | undefined {
  if (given === undefined || given.length === 0) {
    if (writable !== undefined) throw wrong('"writable" names databases of the option "databases"; there are none')
    return undefined
  }
  const found = new Map<string, SqlDatabase>()
  for (const words of given) {
    const [, name = '', url = ''] = /^([^=]+)=(.+)$/s.exec(words) ?? []
    // What was written is not repeated: it may be a url with a password.
    if (name === '' || found.has(name)) throw wrong('"databases" takes each database as name=url, each name once')
    const variable = /^env:(\w+)$/.exec(url)?.[1]
    const place = variable === undefined ? url : process.env[variable]
    if (place === undefined || place === '') throw wrong(`the variable ${variable} of the database ${name} is not set`)
    found.set(name, { ...shared, url: place, write: writable?.includes(name) ?? shared.write })
  }
  const unknown = writable?.find((name) => !found.has(name))
  if (unknown !== undefined) throw wrong(`"writable" names ${unknown}, which is no database of "databases"`)
  return Object.fromEntries(found)
}

function wrong(message: string): PorticoError {
  return new PorticoError('invalid-arguments', `sql: ${message}`)
}
