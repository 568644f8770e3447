/** The process in which a schema is read and checked: a small one can be made to take for ever by what refers to what. */

import {
  buildClientSchema,
  buildSchema,
  type GraphQLSchema,
  type IntrospectionQuery,
  introspectionFromSchema,
  validateSchema,
} from 'graphql'
import type { SchemaReply, SchemaRequest } from './schema-protocol.ts'

process.on('message', (request: SchemaRequest) => process.send?.(answer(request)))
// Whoever asked is gone.
process.on('disconnect', () => process.exit())
process.send?.({ kind: 'ready' })

function answer(request: SchemaRequest): SchemaReply {
  try {
    const schema = read(request)
    const [mistake] = validateSchema(schema)
    if (mistake !== undefined) throw mistake
    return { data: introspectionFromSchema(schema, { inputValueDeprecation: true, oneOf: true }) }
  } catch (error) {
    return { failed: error instanceof Error ? error.message.slice(0, 500) : 'unknown' }
  }
}

function read(request: SchemaRequest): GraphQLSchema {
  if (request.kind === 'sdl') return buildSchema(request.text, { noLocation: true, assumeValid: false })
  const parsed: unknown = JSON.parse(request.text)
  const data = typeof parsed === 'object' && parsed !== null && 'data' in parsed ? parsed.data : parsed
  // Its own checks tell whether it is one.
  return buildClientSchema(data as IntrospectionQuery, { assumeValid: false })
}
