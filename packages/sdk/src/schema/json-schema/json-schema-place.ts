/** Where subschemas stand in a schema, and by which rules it is read: what the engine and the check before it both know. */

import { invalidDefinition, PorticoError } from '../../jsonrpc/errors.ts'

export type Dialect = '2020-12' | 'draft-07'
export type SchemaObject = { readonly [key: string]: unknown }

/** The base of a document without `$id`; its own scheme keeps it from meeting any real address. */
export const DEFAULT_BASE = 'schema:///'

/** As the keyword's value, in an array, or as the members of an object. */
export function shapeOf(keyword: string): 'one' | 'many' | 'named' | undefined {
  if (ONE.test(keyword)) return 'one'
  if (MANY.test(keyword)) return 'many'
  return NAMED.test(keyword) ? 'named' : undefined
}

const ONE =
  /^(additional(Items|Properties)|contains|contentSchema|else|if|items|not|propertyNames|then|unevaluated(Items|Properties))$/
const MANY = /^((all|any|one)Of|prefixItems)$/
const NAMED = /^(\$defs|definitions|dependencies|dependentSchemas|patternProperties|properties)$/

/** The dialect that a schema declares, or the one around it. */
export function dialectOf(schema: unknown, inherited: Dialect): Dialect {
  const declared = isSchemaObject(schema) ? ownString(schema, '$schema') : undefined
  if (declared === undefined) return inherited
  const [, dialect] = /^https?:\/\/json-schema\.org\/(draft\/2020-12|draft-07)\/schema#?$/.exec(declared) ?? []
  if (dialect === 'draft-07') return dialect
  if (dialect !== undefined && declared.startsWith('https')) return '2020-12'
  throw invalidDefinition(`unsupported dialect ${JSON.stringify(declared)}; use JSON Schema 2020-12 or draft-07`)
}

export function isSchemaObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function ownString(schema: SchemaObject, key: string): string | undefined {
  if (!Object.hasOwn(schema, key)) return undefined
  const value = schema[key]
  if (typeof value !== 'string') throw invalidDefinition(`${key} must be a string`)
  return value
}

export function resolveUri(reference: string, base: string): string {
  try {
    return new URL(reference, base).href
  } catch {
    // Not resolvable against this base (a path against a urn:, say): the name stands for itself.
    return reference
  }
}

const LONGEST_REFERENCE = 2_048

export function splitReference(reference: string): [address: string, fragment: string] {
  // Every resolution costs the length of base and reference, so neither may be long.
  if (reference.length > LONGEST_REFERENCE) throw limit(`a $ref or $id is longer than ${LONGEST_REFERENCE} characters`)
  const hash = reference.indexOf('#')
  if (hash < 0) return [reference, '']
  try {
    return [reference.slice(0, hash), decodeURIComponent(reference.slice(hash + 1))]
  } catch {
    throw invalidDefinition(`the reference ${JSON.stringify(reference)} is not a valid URI reference`)
  }
}

/** The keys of a JSON Pointer, one after the other. */
export function pointerKeys(pointer: string): string[] {
  const parts = pointer.slice(1).split('/')
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

export function unresolved(reference: string, why: string): PorticoError {
  return invalidDefinition(`cannot resolve $ref ${JSON.stringify(reference)}: ${why}`)
}

export const LEADS_OUT = 'it leads out of this schema, and remote schemas are not fetched'

/** Counts one more subschema of a document, or says which bound that passes. */
export function countSubschema(count: number, depth: number, maxCount: number, maxDepth: number): number {
  if (count >= maxCount) throw limit(`the schema holds more than ${maxCount} subschemas (maxSubschemas)`)
  if (depth >= maxDepth) throw limit(`the schema nests deeper than ${maxDepth} (maxSchemaDepth)`)
  return count + 1
}

export function notASchema(where: string): PorticoError {
  return invalidDefinition(`the schema at ${where} must be an object or a boolean`)
}

function limit(message: string): PorticoError {
  return new PorticoError('limit-exceeded', message)
}
