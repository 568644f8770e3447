/**
 * The place in a schema that a keyword is compiled at: what it may ask of the compiler (`Site`), and the readers that
 * take a keyword's argument from untrusted JSON and refuse what is malformed.
 */

import { invalidDefinition } from '../../jsonrpc/errors.ts'
import type { Pattern } from '../pattern/pattern.ts'
import { type Dialect, isSchemaObject, type SchemaObject } from './json-schema-place.ts'
import type { Check, Node } from './json-schema-state.ts'

/** Tests of strings by the value of `format` that asks for them. */
export type Formats = ReadonlyMap<string, (text: string) => boolean>

export interface Site {
  readonly dialect: Dialect
  /** Which values of `format` are asserted rather than noted. */
  readonly formats: Formats | undefined
  child(schema: unknown): Node
  refer(reference: string): Node
  /** The check for a `$dynamicRef`. */
  referDynamic(reference: string): Check
  pattern(source: string): Pattern
}

/** Compiles the keywords of one group; undefined when the schema has none of them. */
export type Keywords = (schema: SchemaObject, site: Site) => Check | undefined

export function readNumber(schema: SchemaObject, key: string): number | undefined {
  return read(schema, key, 'a number', (value) => typeof value === 'number')
}

export function readCount(schema: SchemaObject, key: string): number | undefined {
  return read(schema, key, 'a whole number from 0', (value) => Number.isInteger(value) && (value as number) >= 0)
}

export function readString(schema: SchemaObject, key: string): string | undefined {
  return read(schema, key, 'a string', (value) => typeof value === 'string')
}

export function readArray(schema: SchemaObject, key: string): readonly unknown[] | undefined {
  return read(schema, key, 'an array', Array.isArray)
}

export function readNames(schema: SchemaObject, key: string): readonly string[] | undefined {
  return read(schema, key, 'an array of strings', isNames)
}

/** The members of an object-valued keyword. */
export function readEntries(schema: SchemaObject, key: string): [string, unknown][] | undefined {
  const value = read<SchemaObject>(schema, key, 'an object', isSchemaObject)
  return value === undefined ? undefined : Object.entries(value)
}

/** The subschema under a keyword, compiled. */
export function readChild(schema: SchemaObject, key: string, site: Site): Node | undefined {
  return Object.hasOwn(schema, key) ? site.child(schema[key]) : undefined
}

export function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

function read<T>(schema: SchemaObject, key: string, what: string, fits: (value: unknown) => boolean): T | undefined {
  if (!Object.hasOwn(schema, key)) return undefined
  const value = schema[key]
  if (!fits(value)) throw invalidDefinition(`the keyword "${key}" must be ${what}`)
  return value as T // `fits` has just said so
}
