/**
 * From the schemas of a description to JSON Schema 2020-12 for one tool: references are written out or become `$defs` of
 * that tool, and circles stay circles; 3.0's own words are translated; size is bounded, since every tool is read by a
 * model.
 */

import { toExcerpt } from '../text/cut.ts'
import { type Description, isRecord, type Json, Unusable } from './description.ts'

interface WriterOptions {
  /** Which half of read-only and write-only members is wanted. */
  readonly side: 'request' | 'response'
  readonly maxNodes: number
  /** Writes out what a reference points at, unless that contains itself. */
  readonly inline?: boolean
}

export class SchemaWriter {
  readonly #description: Description
  readonly #side: WriterOptions['side']
  readonly #names = new Map<string, string>()
  readonly #definitions = new Map<string, unknown>()
  readonly #inline: boolean
  readonly #open = new Set<string>()
  #left: number

  constructor(description: Description, { side, maxNodes, inline = false }: WriterOptions) {
    this.#description = description
    this.#side = side
    this.#left = maxNodes
    this.#inline = inline
  }

  /** True once something was left out for size. */
  get exhausted(): boolean {
    return this.#left <= 0
  }

  /** The `$defs` of everything written so far. */
  get definitions(): { $defs?: Json } {
    return this.#definitions.size === 0 ? {} : { $defs: Object.fromEntries(this.#definitions) }
  }

  write(schema: unknown, depth = 0): unknown {
    if (typeof schema === 'boolean') return schema
    if (!isRecord(schema) || depth > MAX_DEPTH || --this.#left <= 0) return {}
    if (typeof schema.$ref === 'string') {
      const target = this.#refer(schema.$ref, depth)
      if (this.#description.legacySchemas) return target
      return typeof target === 'object' ? { ...target, ...this.#members(schema, depth) } : target
    }
    return this.#description.legacySchemas
      ? withNull(schema, this.#members(schema, depth))
      : this.#members(schema, depth)
  }

  #refer(reference: string, depth: number): unknown {
    if (!this.#inline || this.#open.has(reference)) return { $ref: `#/$defs/${this.#define(reference, depth)}` }
    this.#open.add(reference)
    const written = this.write(this.#description.pointee(reference), depth + 1)
    this.#open.delete(reference)
    return written
  }

  #define(reference: string, depth: number): string {
    const known = this.#names.get(reference)
    if (known !== undefined) return known
    const target = this.#description.pointee(reference)
    const name = this.#nameFor(reference)
    // Named before it is written: a schema that contains itself finds the name.
    this.#names.set(reference, name)
    this.#definitions.set(name, {})
    this.#definitions.set(name, this.write(target, depth + 1))
    return name
  }

  #nameFor(reference: string): string {
    const last = reference.slice(reference.lastIndexOf('/') + 1).replace(/[^\w.-]+/g, '_') || 'schema'
    let name = last
    for (let count = 2; this.#definitions.has(name); count++) name = `${last}_${count}`
    return name
  }

  #members(schema: Json, depth: number): Json {
    const out: { [keyword: string]: unknown } = {}
    const hidden = this.#hiddenMembers(schema)
    for (const [keyword, value] of Object.entries(schema)) {
      if (COPIED.has(keyword)) out[keyword] = copied(keyword, value, MAX_TEXT[this.#side])
      else if (ONE.has(keyword)) out[keyword] = this.write(value, depth + 1)
      else if (SEVERAL.has(keyword) && Array.isArray(value)) {
        out[keyword] = value.map((part) => this.write(part, depth + 1))
      } else if (NAMED.has(keyword) && isRecord(value)) {
        const kept = Object.entries(value).filter(([name]) => keyword !== 'properties' || !hidden.has(name))
        out[keyword] = Object.fromEntries(kept.map(([name, part]) => [name, this.write(part, depth + 1)]))
      }
    }
    if (Array.isArray(out.required)) {
      const required = out.required.filter((name) => typeof name === 'string' && !hidden.has(name))
      if (required.length > 0) out.required = required
      else delete out.required
    }
    if (this.#description.legacySchemas) translateBounds(schema, out)
    return out
  }

  /** Members that this side never has: what only the service sets, or what only a caller sends. */
  #hiddenMembers({ properties }: Json): ReadonlySet<string> {
    if (!isRecord(properties)) return NONE
    const mark = this.#side === 'request' ? 'readOnly' : 'writeOnly'
    const hidden = Object.entries(properties).filter(([, part]) => isRecord(part) && part[mark] === true)
    return hidden.length === 0 ? NONE : new Set(hidden.map(([name]) => name))
  }
}

/** A schema that any value fits, for what cannot be said; `Unusable` goes on to whoever leaves the operation out. */
export function writeOrAny(writer: SchemaWriter, schema: unknown): unknown {
  try {
    return writer.write(schema)
  } catch (error) {
    if (error instanceof Unusable) return {}
    throw error
  }
}

const NONE: ReadonlySet<string> = new Set()
const MAX_DEPTH = 24
/** Characters of one description: what is sent must be understood, what comes back explains itself. */
const MAX_TEXT = { request: 600, response: 100 }

const COPIED = new Set(
  'type title description enum const default format pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems minProperties maxProperties minContains maxContains required dependentRequired contentEncoding contentMediaType'.split(
    ' ',
  ),
)
const ONE = new Set(
  'items additionalProperties not if then else contains propertyNames unevaluatedItems unevaluatedProperties'.split(
    ' ',
  ),
)
const SEVERAL = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const NAMED = new Set(['properties', 'patternProperties', 'dependentSchemas'])

function copied(keyword: string, value: unknown, length: number): unknown {
  return keyword === 'description' && typeof value === 'string' ? toExcerpt(value, length) : value
}

/** 3.0: `exclusiveMinimum: true` beside `minimum` is one number since. */
function translateBounds(schema: Json, out: { [keyword: string]: unknown }): void {
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof schema[flag] !== 'boolean') continue
    delete out[flag]
    if (schema[flag] !== true || typeof schema[bound] !== 'number') continue
    out[flag] = schema[bound]
    delete out[bound]
  }
}

/** 3.0: `nullable` is a second type since. */
function withNull(schema: Json, out: Json): unknown {
  if (schema.nullable !== true) return out
  if (typeof out.type !== 'string') return { anyOf: [out, { type: 'null' }] }
  const choices = Array.isArray(out.enum) && !out.enum.includes(null) ? { enum: [...out.enum, null] } : {}
  return { ...out, ...choices, type: [out.type, 'null'] }
}
