/** The sql server as it is listed and started by name. */

import type { ServerEntry } from '../entry.ts'
import { countValue, flagValue, listValue, STRUCTURED, textValue } from '../entry-values.ts'

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
    structured: STRUCTURED,
  },
  async create(values) {
    const { createSqlServer } = await import('./server.ts')
    return createSqlServer({
      structured: flagValue(values, 'structured'),
      url: textValue(values, 'url') ?? process.env.PORTICO_SQL_URL,
      write: flagValue(values, 'write'),
      schemas: listValue(values, 'schemas'),
      maxRows: countValue(values, 'maxRows'),
      timeoutMs: countValue(values, 'timeoutMs'),
      maxCellBytes: countValue(values, 'maxCellBytes'),
      maxResultBytes: countValue(values, 'maxResultBytes'),
      maxDatabaseBytes: countValue(values, 'maxDatabaseBytes'),
      allowUnasked: flagValue(values, 'allowUnasked'),
      allowPowerfulRole: flagValue(values, 'allowPowerfulRole'),
    })
  },
}
