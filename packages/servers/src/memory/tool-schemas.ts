/** The shapes of the memory server's answers. */

const FACT = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    text: { type: 'string' },
    at: { type: 'string' },
    source: { type: 'string' },
  },
  required: ['id', 'text', 'at'],
  additionalProperties: false,
} as const

const RELATION = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    from: { type: 'string' },
    kind: { type: 'string' },
    to: { type: 'string' },
  },
  required: ['id', 'from', 'kind', 'to'],
  additionalProperties: false,
} as const

const ENTITY = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    kind: { type: 'string' },
    facts: { type: 'array', items: FACT },
    relations: { type: 'array', items: RELATION },
    uri: { type: 'string' },
  },
  required: ['name', 'kind', 'facts', 'relations', 'uri'],
  additionalProperties: false,
} as const

export const REMEMBERED = {
  type: 'object',
  properties: {
    entity: { type: 'string' },
    fact_id: { type: 'integer' },
    was_known: { type: 'boolean' },
    uri: { type: 'string' },
    kept: {
      type: 'array',
      items: {
        type: 'object',
        properties: { entity: { type: 'string' }, fact_id: { type: 'integer' }, was_known: { type: 'boolean' } },
        required: ['entity', 'fact_id', 'was_known'],
        additionalProperties: false,
      },
      description: 'One for each of several facts',
    },
  },
  additionalProperties: false,
} as const

export const CHANGED = {
  type: 'object',
  properties: { entity: { type: 'string' }, fact_id: { type: 'integer' }, before: { type: 'string' } },
  required: ['entity', 'fact_id', 'before'],
  additionalProperties: false,
} as const

export const RELATED = {
  type: 'object',
  properties: { relation_id: { type: 'integer' }, from: { type: 'string' }, to: { type: 'string' } },
  required: ['relation_id', 'from', 'to'],
  additionalProperties: false,
} as const

export const RECALLED = {
  type: 'object',
  properties: {
    found: { type: 'array', items: ENTITY },
    neighbours: { type: 'array', items: ENTITY, description: 'Things that the found ones are related to' },
  },
  required: ['found', 'neighbours'],
  additionalProperties: false,
} as const

export const FORGOTTEN = {
  type: 'object',
  properties: { forgotten: { type: 'string' } },
  required: ['forgotten'],
  additionalProperties: false,
} as const

export const LISTED = {
  type: 'object',
  properties: {
    entities: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, kind: { type: 'string' }, facts: { type: 'integer' } },
        required: ['name', 'kind', 'facts'],
        additionalProperties: false,
      },
    },
    nextCursor: { type: 'string' },
  },
  required: ['entities'],
  additionalProperties: false,
} as const

export const EXPORTED = {
  type: 'object',
  properties: { entities: { type: 'array', items: ENTITY }, nextCursor: { type: 'string' } },
  required: ['entities'],
  additionalProperties: false,
} as const
