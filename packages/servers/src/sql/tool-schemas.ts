/** The shapes of the sql server's answers. */

const COLUMNS = {
  type: 'array',
  description: 'The columns, in the order of the values of a row',
  items: {
    type: 'object',
    properties: { name: { type: 'string' }, type: { type: 'string' } },
    required: ['name'],
    additionalProperties: false,
  },
} as const

const VALUES = {
  type: 'array',
  items: { type: 'array', items: { type: ['string', 'number', 'boolean', 'null'] } },
} as const

export const ROWS = {
  type: 'object',
  properties: {
    columns: COLUMNS,
    rows: VALUES,
    truncated: { type: 'boolean', description: 'Whether rows follow after these' },
    nextCursor: { type: 'string', description: 'Pass it as cursor for the next page' },
    note: { type: 'string' },
  },
  required: ['columns', 'rows', 'truncated'],
  additionalProperties: false,
} as const

export const EXECUTED = {
  type: 'object',
  properties: { affected: { type: 'integer', description: 'Rows that were changed' }, ...ROWS.properties },
  required: ['affected'],
  additionalProperties: false,
} as const

export const PLAN = {
  type: 'object',
  properties: { plan: { type: 'string' } },
  required: ['plan'],
  additionalProperties: false,
} as const

export const TABLES = {
  type: 'object',
  properties: {
    tables: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          table: { type: 'string' },
          kind: { type: 'string' },
          rows: { type: 'number', description: 'An estimate' },
          comment: { type: 'string' },
        },
        required: ['table', 'kind'],
        additionalProperties: false,
      },
    },
    total: { type: 'integer' },
    note: { type: 'string' },
    nextCursor: { type: 'string' },
  },
  required: ['tables', 'total'],
  additionalProperties: false,
} as const

export const TABLE = {
  type: 'object',
  properties: {
    table: { type: 'string' },
    kind: { type: 'string' },
    columns: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          type: { type: 'string' },
          nullable: { type: 'boolean' },
          primaryKey: { type: 'boolean' },
          default: { type: 'string' },
          comment: { type: 'string' },
        },
        required: ['name', 'type', 'nullable', 'primaryKey'],
        additionalProperties: false,
      },
    },
    indexes: { type: 'array', items: { type: 'string' } },
    foreignKeys: { type: 'array', items: { type: 'string' } },
  },
  required: ['table', 'kind', 'columns', 'indexes', 'foreignKeys'],
  additionalProperties: false,
} as const
