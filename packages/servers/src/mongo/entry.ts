/** The mongo server as it is listed and started by name. */

import { PorticoError } from '@portico/sdk/server'
import type { ServerEntry } from '../entry.ts'
import { countValue, flagValue, listValue, textValue } from '../entry-values.ts'

export const entry: ServerEntry = {
  name: 'mongo',
  about: 'Read one MongoDB database as a user who can do no more: documents, aggregations, shapes, plans',
  positional: 'url',
  options: {
    url: {
      type: 'string',
      about: 'mongodb://… or mongodb+srv://…; the variable PORTICO_MONGO_URL keeps it out of sight',
    },
    database: { type: 'string', about: 'The one database that is read', fallback: 'that of the url' },
    collections: { type: 'string', multiple: true, about: 'Collections that may be read', fallback: 'all' },
    maxDocuments: { type: 'number', about: 'Documents in one answer', fallback: '200' },
    maxResultBytes: { type: 'number', about: 'Bytes in one answer', fallback: '262144' },
    maxValueBytes: { type: 'number', about: 'Bytes of one text; longer ones are cut', fallback: '4096' },
    timeoutMs: { type: 'number', about: 'How long one question may run', fallback: '15000' },
    allowPowerfulRole: {
      type: 'boolean',
      about: 'Connect as a user who could do more than read',
      fallback: 'false',
    },
  },
  async create(values) {
    const given = {
      database: textValue(values, 'database'),
      collections: listValue(values, 'collections'),
      maxDocuments: countValue(values, 'maxDocuments'),
      maxResultBytes: countValue(values, 'maxResultBytes'),
      maxValueBytes: countValue(values, 'maxValueBytes'),
      timeoutMs: countValue(values, 'timeoutMs'),
      allowPowerfulRole: flagValue(values, 'allowPowerfulRole'),
    }
    const url = textValue(values, 'url') ?? process.env.PORTICO_MONGO_URL
    if (url === undefined)
      throw new PorticoError('invalid-arguments', 'mongo needs the url of a database: set PORTICO_MONGO_URL')
    const { createMongoServer } = await import('./server.ts')
    return createMongoServer({ url, ...given })
  },
}
