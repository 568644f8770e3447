/**
 * The usual schema of arguments, an object whose members are scalars of one type each, held against a value in one loop.
 * It only ever says that a value is plainly valid; what is wrong with any other is for the keywords beside this file.
 */

import { isSchemaObject, type SchemaObject } from './json-schema-place.ts'

/** Whether a value is plainly valid. */
type Fits = (value: unknown) => boolean

/** The keywords of such a schema, and those that check nothing; of a scalar, the members that it should have say nothing. */
const KEYWORDS =
  /^(type|title|description|default|examples|x-mcp-header|\$schema|properties|required|additionalProperties)$/
const SCALARS = /^(string|number|integer|boolean)$/

/**
 * Undefined for a schema that says more than that, or that `maxSteps` may not be enough for. The schema has been
 * compiled: its keywords are well-formed.
 */
export function compilePlainObject(schema: unknown, maxSteps: number): Fits | undefined {
  if (!isPlain(schema) || schema.type !== 'object' || isSchemaObject(schema.additionalProperties)) return undefined
  const properties = (schema.properties ?? {}) as SchemaObject
  const required = new Set((schema.required ?? []) as readonly string[])
  const members: Member[] = []
  for (const key of new Set([...Object.keys(properties), ...required])) {
    // A name that every object inherits is not found by looking.
    if (key in Object.prototype) return undefined
    const member = properties[key] ?? {}
    if (!isPlain(member)) return undefined
    const { type } = member
    if (key in properties && !SCALARS.test(String(type))) return undefined
    members.push([key, type, required.has(key)])
  }
  return 2 * members.length < maxSteps ? fitting(members, schema.additionalProperties !== false) : undefined
}

function isPlain(schema: unknown): schema is SchemaObject {
  return isSchemaObject(schema) && Object.keys(schema).every((key) => KEYWORDS.test(key))
}

type Member = readonly [key: string, type: unknown, isRequired: boolean]

function fitting(members: readonly Member[], isOpen: boolean): Fits {
  return (value) => {
    if (typeof value !== 'object' || value === null) return false
    const prototype = Object.getPrototypeOf(value)
    if (prototype !== Object.prototype && prototype !== null) return false
    let found = 0
    for (let i = 0; i < members.length; i++) {
      const [key, type, isRequired] = members[i]!
      const member = (value as SchemaObject)[key]
      if (member === undefined) {
        if (isRequired) return false
      } else if (type !== undefined) {
        found++
        if (
          type === 'number'
            ? !Number.isFinite(member)
            : type === 'integer'
              ? !Number.isInteger(member)
              : typeof member !== type
        )
          return false
      }
    }
    return isOpen || Object.keys(value).length === found
  }
}
