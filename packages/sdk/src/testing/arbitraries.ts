/**
 * Random values that fit a JSON Schema, for `property-calls.ts`. Covers what input schemas are made of; a construct that is
 * not understood gives any JSON value, which the server then has to refuse properly. The generators are fast-check's.
 */

import type * as FastCheck from 'fast-check'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'

type Arbitrary = FastCheck.Arbitrary<unknown>
type Maker = typeof FastCheck

const MAX_DEPTH = 8
const MAX_EXTRA_ITEMS = 5

export function arbitraryOf(fc: Maker, schema: unknown, root: unknown = schema, depth = 0): Arbitrary {
  if (!isObject(schema) || depth > MAX_DEPTH) return fc.jsonValue({ maxDepth: 1 })
  const of = (child: unknown): Arbitrary => arbitraryOf(fc, child, root, depth + 1)
  if (typeof schema.$ref === 'string') return of(resolve(schema.$ref, root))
  if ('const' in schema) return fc.constant(schema.const)
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return fc.constantFrom(...schema.enum)
  for (const keyword of ['anyOf', 'oneOf']) {
    const choices = schema[keyword]
    if (!Array.isArray(choices) || choices.length === 0) continue
    const { [keyword]: _choices, ...rest } = schema
    return fc.oneof(...choices.map((choice) => of(merge(rest, choice))))
  }
  if (Array.isArray(schema.allOf)) {
    const { allOf, ...rest } = schema
    return of(allOf.reduce((merged: JsonObject, part: unknown) => merge(merged, part), rest))
  }
  const { type } = schema
  if (Array.isArray(type)) return fc.oneof(...type.map((one: unknown) => of({ ...schema, type: one })))
  const implied = isObject(schema.properties) ? 'object' : undefined
  return ofType(fc, depth < MAX_DEPTH / 2 ? schema : withoutOptional(schema), type ?? implied, of)
}

/** What refers to itself has to end somewhere. */
function withoutOptional(schema: JsonObject): JsonObject {
  if (!isObject(schema.properties)) return schema
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  const properties = Object.fromEntries(Object.entries(schema.properties).filter(([name]) => required.has(name)))
  return { ...schema, properties, additionalProperties: false }
}

function ofType(fc: Maker, schema: JsonObject, type: unknown, of: (child: unknown) => Arbitrary): Arbitrary {
  switch (type) {
    case 'string':
      return strings(fc, schema)
    case 'integer':
      return integers(fc, schema)
    case 'number':
      return numbers(fc, schema)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return arrays(fc, schema, of)
    case 'object':
      return objects(fc, schema, of)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

function strings(fc: Maker, schema: JsonObject): Arbitrary {
  const { format, pattern } = schema
  if (typeof pattern === 'string') {
    try {
      return fc.stringMatching(new RegExp(pattern, 'u'))
    } catch {
      // A pattern that the generator cannot follow: any text, most of which is then refused.
    }
  }
  const minLength = whole(schema.minLength) ?? 0
  const maxLength = whole(schema.maxLength) ?? minLength + 40
  switch (format) {
    case 'email':
      return fc.emailAddress()
    case 'uri':
    case 'url':
      return fc.webUrl()
    case 'uuid':
      return fc.uuid()
    case 'ipv4':
      return fc.ipV4()
    case 'ipv6':
      return fc.ipV6()
    case 'date-time':
      return dates(fc).map((date) => date.toISOString())
    case 'date':
      return dates(fc).map((date) => date.toISOString().slice(0, 10))
    default:
      return fc.string({ unit: 'binary', minLength, maxLength: Math.max(minLength, maxLength) })
  }
}

function dates(fc: Maker): FastCheck.Arbitrary<Date> {
  return fc.date({ min: new Date('1900-01-01'), max: new Date('2199-12-31'), noInvalidDate: true })
}

function integers(fc: Maker, schema: JsonObject): Arbitrary {
  const { min, max } = range(schema, 1)
  const step = whole(schema.multipleOf) ?? 1
  const low = Math.ceil((min ?? Math.max(Number.MIN_SAFE_INTEGER, (max ?? 0) - 2 ** 31)) / step)
  const high = Math.floor((max ?? Math.min(Number.MAX_SAFE_INTEGER, (min ?? 0) + 2 ** 31)) / step)
  return low > high ? fc.integer() : fc.maxSafeInteger().map((n) => (low + (Math.abs(n) % (high - low + 1))) * step)
}

function numbers(fc: Maker, schema: JsonObject): Arbitrary {
  const { min, max } = range(schema, 0)
  if (min !== undefined && max !== undefined && min > max) return fc.double()
  return fc.double({
    ...(min !== undefined && { min, minExcluded: min === schema.exclusiveMinimum && min !== max }),
    ...(max !== undefined && { max, maxExcluded: max === schema.exclusiveMaximum && min !== max }),
    noNaN: true,
    noDefaultInfinity: true,
  })
}

function range(schema: JsonObject, step: number): { min: number | undefined; max: number | undefined } {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  const above = typeof exclusiveMinimum === 'number' ? exclusiveMinimum + step : undefined
  const below = typeof exclusiveMaximum === 'number' ? exclusiveMaximum - step : undefined
  return {
    min: typeof minimum === 'number' ? Math.max(minimum, above ?? minimum) : above,
    max: typeof maximum === 'number' ? Math.min(maximum, below ?? maximum) : below,
  }
}

function arrays(fc: Maker, schema: JsonObject, of: (child: unknown) => Arbitrary): Arbitrary {
  if (Array.isArray(schema.prefixItems)) return fc.tuple(...schema.prefixItems.map(of))
  const minLength = whole(schema.minItems) ?? 0
  const maxLength = Math.max(minLength, Math.min(whole(schema.maxItems) ?? Infinity, minLength + MAX_EXTRA_ITEMS))
  const items = of(schema.items ?? {})
  if (schema.uniqueItems !== true) return fc.array(items, { minLength, maxLength })
  return fc.uniqueArray(items, { minLength, maxLength, selector: (item) => JSON.stringify(item) })
}

function objects(fc: Maker, schema: JsonObject, of: (child: unknown) => Arbitrary): Arbitrary {
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : []
  const named = new Set(properties.map(([name]) => name))
  const required = (Array.isArray(schema.required) ? schema.required : []).filter((name) => named.has(name))
  const known = fc.record(Object.fromEntries(properties.map(([name, child]) => [name, of(child)])), {
    requiredKeys: required,
    noNullPrototype: true,
  })
  if (named.size > 0 || schema.additionalProperties === false) return known
  return fc.dictionary(fc.string({ maxLength: 10 }), of(schema.additionalProperties ?? {}), { maxKeys: 4 })
}

/** Both at once, as far as that can be said without a solver: members of objects add up, the later wins elsewhere. */
function merge(a: JsonObject, b: unknown): JsonObject {
  if (!isObject(b)) return a
  const properties = { ...(isObject(a.properties) && a.properties), ...(isObject(b.properties) && b.properties) }
  const required = [...(Array.isArray(a.required) ? a.required : []), ...(Array.isArray(b.required) ? b.required : [])]
  return {
    ...a,
    ...b,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  }
}

function resolve(reference: string, root: unknown): unknown {
  if (!reference.startsWith('#')) return {}
  let at: unknown = root
  for (const step of reference.slice(1).split('/').slice(1, 32)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }
  return at
}

function whole(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined
}
