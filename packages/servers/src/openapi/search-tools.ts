/** Three tools in place of hundreds: find an operation, read how it is called, call it. For large descriptions. */

import { ToolError, tool } from '@portico/sdk/server'
import { CURSOR_INPUT, countFrom, toCursor } from '../cursor.ts'
import { toWords } from '../network/search-words.ts'
import type { Description, Json } from './description.ts'
import type { Operation } from './operation.ts'
import { ANSWER_SCHEMA, describe, toInputSchema, toResult } from './operation-tool.ts'
import { isReading } from './selection.ts'
import { callOperation, type Service } from './service.ts'

export function createSearchTools(description: Description, service: Service, operations: readonly Operation[]) {
  const byId = new Map(operations.map((operation) => [operation.id, operation]))
  const find: Find = (id) => {
    const operation = byId.get(id)
    if (operation === undefined) throw new ToolError('There is no such operation. Find one with search_operations.')
    return operation
  }
  return {
    search_operations: searchTool(operations),
    describe_operation: describeTool(description, find),
    call_operation: callTool(service, find, operations.every(isReading)),
  }
}

type Find = (id: string) => Operation

function searchTool(operations: readonly Operation[]) {
  const indexed = operations.map((operation) => ({ operation, text: searchable(operation) }))
  return tool(
    {
      title: 'Search operations',
      description: `Finds operations of this API (${operations.length} in all) by words in their name, path, tags or description`,
      input: {
        type: 'object',
        properties: {
          query: { type: 'string', maxLength: 500, description: 'Words to look for; empty lists everything' },
          tag: { type: 'string', maxLength: 200, description: 'Only operations with this tag' },
          limit: { type: 'integer', minimum: 1, maximum: 100, default: 20, description: 'How many operations' },
          cursor: CURSOR_INPUT,
        },
        additionalProperties: false,
      },
      output: SEARCH_OUTPUT,
      readOnly: true,
      openWorld: false,
    },
    ({ query = '', tag, limit = 20, cursor }) => {
      const start = countFrom(cursor, [query, tag])
      const found = rank(
        indexed.filter(({ operation }) => tag === undefined || operation.tags.includes(tag)),
        query,
      )
      const page = found.slice(start, start + limit)
      const end = start + page.length
      return {
        total: found.length,
        operations: page.map(({ id, method, path, summary, tags }) => ({
          operation: id,
          method,
          path,
          summary: summary.slice(0, 200),
          tags: [...tags],
        })),
        ...(end < found.length && { nextCursor: toCursor(String(end), [query, tag]) }),
      }
    },
  )
}

function describeTool(description: Description, find: Find) {
  return tool(
    {
      title: 'Describe an operation',
      description: 'How an operation is called: what it does, and the schema of its arguments',
      input: OPERATION_INPUT,
      output: {
        type: 'object',
        properties: {
          about: { type: 'string', description: 'What it does, its method and path' },
          readOnly: { type: 'boolean', description: 'Whether it changes nothing' },
          arguments: { type: 'object', description: 'The JSON Schema of its arguments' },
        },
        required: ['about', 'readOnly', 'arguments'],
      },
      readOnly: true,
      openWorld: false,
    },
    ({ operation: id }) => {
      const operation = find(id)
      const schema = toInputSchema(description, operation)
      return { about: describe(operation), readOnly: isReading(operation), arguments: { ...schema } }
    },
  )
}

function callTool(service: Service, find: Find, onlyReads: boolean) {
  return tool(
    {
      title: 'Call an operation',
      description:
        'Calls an operation with the arguments that describe_operation names' +
        (onlyReads ? '' : '. What may change something is asked about first'),
      input: {
        type: 'object',
        properties: {
          operation: { type: 'string', maxLength: 64, description: 'Its name, from search_operations' },
          arguments: { type: 'object', description: 'As describe_operation says' },
        },
        required: ['operation'],
        additionalProperties: false,
      },
      output: ANSWER_SCHEMA,
      readOnly: onlyReads,
      destructive: !onlyReads,
      idempotent: onlyReads,
      openWorld: true,
    },
    async ({ operation, arguments: args = {} }, ctx) =>
      toResult(await callOperation(service, find(operation), args as Json, ctx)),
  )
}

const OPERATION_INPUT = {
  type: 'object',
  properties: { operation: { type: 'string', maxLength: 64, description: 'Its name, from search_operations' } },
  required: ['operation'],
  additionalProperties: false,
} as const

const SEARCH_OUTPUT = {
  type: 'object',
  properties: {
    total: { type: 'integer', description: 'How many operations fit' },
    operations: {
      type: 'array',
      description: 'The best first',
      items: {
        type: 'object',
        properties: {
          operation: { type: 'string', description: 'Its name' },
          method: { type: 'string', description: 'HTTP method' },
          path: { type: 'string', description: 'Path in the service' },
          summary: { type: 'string', description: 'What it does, in a line' },
          tags: { type: 'array', items: { type: 'string' }, description: 'What it belongs to' },
        },
        required: ['operation', 'method', 'path', 'summary', 'tags'],
      },
    },
    nextCursor: { type: 'string', description: 'There is more: "cursor" of the next page' },
  },
  required: ['total', 'operations'],
} as const

interface Indexed {
  readonly operation: Operation
  readonly text: { readonly name: string; readonly path: string; readonly rest: string }
}

function searchable({ id, path, method, tags, summary, description }: Operation): Indexed['text'] {
  return {
    name: id.toLowerCase(),
    path: path.toLowerCase(),
    rest: `${method} ${tags.join(' ')} ${summary} ${description.slice(0, 2_000)}`.toLowerCase(),
  }
}

/** Words found in the name count most; ties keep the description's own order. */
function rank(indexed: readonly Indexed[], query: string): Operation[] {
  const words = toWords(query)
  if (words.length === 0) return indexed.map(({ operation }) => operation)
  const scored = indexed.map(({ operation, text }) => {
    const hits = words.map(
      (word) =>
        (text.name.includes(word) ? 4 : 0) + (text.path.includes(word) ? 2 : 0) + (text.rest.includes(word) ? 1 : 0),
    )
    const whole = hits.every((hit) => hit > 0) ? 10 : 0
    return { operation, score: hits.some((hit) => hit > 0) ? hits.reduce((sum, hit) => sum + hit, whole) : 0 }
  })
  const found = scored.filter(({ score }) => score > 0)
  return found.sort((a, b) => b.score - a.score).map(({ operation }) => operation)
}
