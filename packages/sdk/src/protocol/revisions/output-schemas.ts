/**
 * Structured output for revisions in which it must be an object (2025-06-18, 2025-11-25). A value that is none travels
 * as `{ result: value }`, and the tool's `outputSchema` says the same of it. Whether a value is wrapped shows in the value
 * alone, so a schema that admits both objects and other things describes both forms: it never refuses a result that fits.
 */

import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { NAMED_SCHEMAS, SCHEMA_DATA } from '../schema-keywords.ts'

/** The value as an object. */
export function toStructuredObject(value: unknown): JsonObject {
  return isObject(value) ? value : { result: value }
}

/** The schema as a schema of objects: the same schema if it is one already. */
export function toObjectSchema(schema: JsonObject): JsonObject {
  if (schema.type === 'object') return schema
  const { $schema, $id, $defs, definitions, ...inner } = schema
  const hoisted: JsonObject = {}
  for (const [key, value] of Object.entries({ $schema, $id })) if (value !== undefined) hoisted[key] = value
  const mayBeObject = admitsObjects(schema.type)
  const home = mayBeObject ? '#/anyOf/0' : '#/properties/result'
  // Definitions move to the top, where `#/$defs/…` still finds them; other local references follow the schema's move.
  for (const [key, value] of Object.entries({ $defs, definitions })) {
    if (value !== undefined) hoisted[key] = moveNamed(value, home, 0)
  }
  const moved = moveReferences(inner, home, 0)
  if (!mayBeObject) return { ...hoisted, type: 'object', properties: { result: moved }, required: ['result'] }
  const wrapped = { properties: { result: { $ref: home } }, required: ['result'] }
  return { ...hoisted, type: 'object', anyOf: [moved, wrapped] }
}

/** Deeper than any schema written by people; beyond it, references are left as they are. */
const MAX_DEPTH = 200

function admitsObjects(type: unknown): boolean {
  return Array.isArray(type) ? type.includes('object') : typeof type !== 'string'
}

function moveReferences(schema: unknown, home: string, depth: number): unknown {
  if (Array.isArray(schema)) return schema.map((item) => moveReferences(item, home, depth + 1))
  // A schema with its own `$id` is a document of its own: its local references do not leave it.
  if (!isObject(schema) || depth > MAX_DEPTH || typeof schema.$id === 'string') return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if ((key === '$ref' || key === '$dynamicRef') && typeof value === 'string') return [key, movedTo(home, value)]
      if (SCHEMA_DATA.has(key)) return [key, value]
      if (NAMED_SCHEMAS.has(key)) return [key, moveNamed(value, home, depth + 1)]
      return [key, moveReferences(value, home, depth + 1)]
    }),
  )
}

function moveNamed(schemas: unknown, home: string, depth: number): unknown {
  if (!isObject(schemas)) return schemas
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, moveReferences(schema, home, depth + 1)]),
  )
}

function movedTo(home: string, reference: string): string {
  if (reference === '#') return home
  if (!reference.startsWith('#/')) return reference
  const hoisted = reference.startsWith('#/$defs/') || reference.startsWith('#/definitions/')
  return hoisted ? reference : home + reference.slice(1)
}
