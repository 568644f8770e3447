/** Gets the schema of a service: by introspection, or from a file of it. Either is bounded, and checked by `graphql` itself. */

import { readFile, stat } from 'node:fs/promises'
import { PorticoError } from '@portico/sdk/server'
import {
  buildClientSchema,
  buildSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
} from 'graphql'
import type { GraphqlService } from './service.ts'

export async function introspect(service: GraphqlService): Promise<GraphQLSchema> {
  const { data } = await service.send({ query: getIntrospectionQuery({ inputValueDeprecation: false }) })
  if (data === undefined || data === null) {
    throw invalid('The service does not describe itself (introspection is off). Give its schema: option schemaFile.')
  }
  return fromIntrospection(data)
}

/** SDL, or the JSON of an introspection. */
export async function readSchemaFile(path: string, maxBytes: number): Promise<GraphQLSchema> {
  const { size } = await stat(path)
  if (size > maxBytes) throw invalid(`${path} has more than ${maxBytes} bytes (option maxSchemaBytes).`)
  const text = await readFile(path, 'utf8')
  if (!/^\s*\{/.test(text)) {
    try {
      return buildSchema(text, { noLocation: true })
    } catch (cause) {
      throw invalid('The schema file cannot be read as GraphQL.', cause)
    }
  }
  const parsed: unknown = JSON.parse(text)
  const data = typeof parsed === 'object' && parsed !== null && 'data' in parsed ? parsed.data : parsed
  return fromIntrospection(data)
}

function fromIntrospection(data: unknown): GraphQLSchema {
  try {
    // Its own checks tell whether it is one.
    return buildClientSchema(data as IntrospectionQuery, { assumeValid: false })
  } catch (cause) {
    throw invalid('What the service says of its schema cannot be understood.', cause)
  }
}

function invalid(message: string, cause?: unknown): PorticoError {
  return new PorticoError('invalid-definition', message, { cause })
}
