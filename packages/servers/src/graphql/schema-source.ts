/**
 * Gets the schema of a service: by introspection, or from a file of it. Either is read and checked by `graphql` itself, in
 * a process that is held to time and memory; what comes back from there needs no more checks.
 */

import { PorticoError } from '@portico/sdk/server'
import { buildClientSchema, type GraphQLSchema, getIntrospectionQuery } from 'graphql'
import { askProcess } from '../machine/ask-process.ts'
import { readNamedFile } from '../machine/named-file.ts'
import type { SchemaReply, SchemaRequest } from './schema-protocol.ts'
import type { GraphqlService } from './service.ts'

const BOUNDS = { timeoutMs: 10_000, memoryMb: 512 }

export async function introspect(service: GraphqlService): Promise<GraphQLSchema> {
  const { data } = await service.send({ query: getIntrospectionQuery({ inputValueDeprecation: false }) })
  if (data === undefined || data === null) {
    throw invalid('The service does not describe itself (introspection is off). Give its schema: option schemaFile.')
  }
  const request = { kind: 'introspection', text: JSON.stringify(data) } as const
  return build(request, 'What the service says of its schema cannot be understood')
}

/** SDL, or the JSON of an introspection. */
export async function readSchemaFile(path: string, maxBytes: number): Promise<GraphQLSchema> {
  const text = await readNamedFile(path, { what: 'The schema file', maxBytes, option: 'maxSchemaBytes' })
  const kind = /^\s*\{/.test(text) ? 'introspection' : 'sdl'
  return build({ kind, text }, 'The schema file cannot be read as GraphQL')
}

async function build(request: SchemaRequest, otherwise: string): Promise<GraphQLSchema> {
  const { data, failed } = await ask(request)
  if (data === undefined) throw invalid(`${otherwise}: ${failed ?? 'unknown'}.`)
  return buildClientSchema(data, { assumeValid: true })
}

async function ask(request: SchemaRequest): Promise<SchemaReply> {
  try {
    return await askProcess<SchemaReply>(import.meta.url, 'schema-process', request, BOUNDS)
  } catch (error) {
    return { failed: error instanceof Error ? error.message : 'unknown' }
  }
}

function invalid(message: string): PorticoError {
  return new PorticoError('invalid-definition', message)
}
