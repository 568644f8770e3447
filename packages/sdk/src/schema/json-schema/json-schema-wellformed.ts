/**
 * Whether an author's JSON Schema is well-formed: what can be said of it as soon as it is defined, without the engine
 * (`json-schema.ts`), which is loaded for the first value that needs it. Refuses nothing that the engine takes. Left to the
 * engine are references where parts of the schema have an `$id` of their own, and the size of patterns.
 */

import { invalidDefinition } from '../../jsonrpc/errors.ts'
import { toNative } from '../pattern/pattern-native.ts'
import { SCHEMA_LIMITS, type SchemaLimits } from './json-schema-limits.ts'
import {
  countSubschema,
  DEFAULT_BASE,
  type Dialect,
  dialectOf,
  isSchemaObject,
  LEADS_OUT,
  notASchema,
  ownString,
  pointerKeys,
  resolveUri,
  type SchemaObject,
  shapeOf,
  splitReference,
  unresolved,
} from './json-schema-place.ts'

/** Throws what the engine would throw for the same schema. */
export function requireWellFormed(schema: unknown, limits: SchemaLimits = {}): void {
  new WellFormed(schema, limits).check()
}

type Form = readonly [keywords: RegExp, what: string, fits: (value: unknown) => boolean]

const FORMS: readonly Form[] = [
  [/^(minimum|maximum|exclusiveM(in|ax)imum|multipleOf)$/, 'a number', (value) => typeof value === 'number'],
  [
    /^(min|max)(Length|Items|Properties)$/,
    'a whole number from 0',
    (value) => Number.isInteger(value) && (value as number) >= 0,
  ],
  [/^(format|pattern|\$ref|\$dynamicRef)$/, 'a string', isText],
  [/^required$/, 'an array of strings', isNames],
  [
    /^(additionalProperties|contains|else|if|not|propertyNames|then|unevaluated(Items|Properties))$/,
    'a schema',
    (value) => !Array.isArray(value),
  ],
  [/^(enum|(all|any|one)Of|prefixItems)$/, 'an array', Array.isArray],
  [
    /^(\$defs|definitions|properties|patternProperties|dependencies|dependent(Schemas|Required))$/,
    'an object',
    isSchemaObject,
  ],
]
/** Keywords that check nothing, which differ by dialect; what stands under them is read only where a reference leads there. */
const UNREAD = /^(contentSchema|additionalItems|dependencies)$/
const UNREAD_ONCE =
  /^(contentSchema|additionalItems|prefixItems|dependent(Schemas|Required)|unevaluated(Items|Properties))$/

const TYPES = /^(string|number|integer|boolean|object|array|null)$/

class WellFormed {
  readonly #root: unknown
  readonly #maxDepth: number
  readonly #maxCount: number
  readonly #walked = new Set<unknown>()
  readonly #anchors = new Set<string>()
  readonly #references = new Set<string>()
  #count = 0
  /** Parts have addresses of their own. */
  #divided = false

  constructor(root: unknown, limits: SchemaLimits) {
    this.#root = root
    this.#maxDepth = limits.maxSchemaDepth ?? SCHEMA_LIMITS.maxSchemaDepth
    this.#maxCount = limits.maxSubschemas ?? SCHEMA_LIMITS.maxSubschemas
  }

  check(): void {
    const dialect = dialectOf(this.#root, '2020-12')
    this.#walk(this.#root, dialect, 0, '#')
    const addresses = ['', DEFAULT_BASE]
    const id = isSchemaObject(this.#root) ? ownString(this.#root, '$id') : undefined
    if (id !== undefined) addresses.push(resolveUri(splitReference(id)[0], DEFAULT_BASE))
    const base = addresses.at(-1)!
    // Those of the parts that a reference points to are met as well.
    for (const reference of this.#references) {
      const [address, fragment] = splitReference(reference)
      if (this.#divided) continue
      if (address !== '' && !addresses.includes(resolveUri(address, base))) throw unresolved(reference, LEADS_OUT)
      if (fragment.startsWith('/')) this.#point(reference, fragment, dialect)
      else if (fragment !== '' && !this.#anchors.has(fragment)) throw unresolved(reference, 'no such anchor')
    }
  }

  /** The target may stand where no keyword expects a schema. */
  #point(reference: string, pointer: string, dialect: Dialect): void {
    let target: unknown = this.#root
    for (const key of pointerKeys(pointer)) {
      if (typeof target !== 'object' || target === null || !Object.hasOwn(target, key)) {
        throw unresolved(reference, 'nothing is there')
      }
      target = (target as SchemaObject)[key]
    }
    if (!this.#walked.has(target)) this.#walk(target, dialect, 0, pointer)
  }

  #walk(schema: unknown, around: Dialect, depth: number, where: string): void {
    this.#count = countSubschema(this.#count, depth, this.#maxCount, this.#maxDepth)
    if (typeof schema === 'boolean') return
    if (!isSchemaObject(schema)) throw notASchema(where)
    this.#walked.add(schema)
    const dialect = this.#identify(schema, around, where)
    const old = dialect === 'draft-07'
    const reference = ownString(schema, '$ref')
    if (reference !== undefined) this.#references.add(reference)
    for (const [keyword, value] of Object.entries(schema)) {
      // In draft-07 nothing beside a reference counts, but definitions are still pointed into.
      if (old && reference !== undefined && !/^(\$defs|definitions)$/.test(keyword)) continue
      if ((old ? UNREAD_ONCE : UNREAD).test(keyword)) continue
      requireForm(keyword, value, old)
      if (keyword === '$dynamicRef') this.#references.add(String(value))
      const shape = shapeOf(keyword)
      const spot = `${where}/${keyword}`
      if (shape === 'named' ? isSchemaObject(value) : Array.isArray(value) && shape !== undefined) {
        for (const [key, child] of Object.entries(value as object)) {
          if (keyword === 'dependencies' && Array.isArray(child)) continue
          this.#walk(child, dialect, depth + 1, `${spot}/${key}`)
        }
      } else if (shape === 'one') this.#walk(value, dialect, depth + 1, spot)
    }
  }

  /** Notes what can be referred to by name, and says which dialect holds from here on. */
  #identify(schema: SchemaObject, around: Dialect, where: string): Dialect {
    if (around === 'draft-07' && Object.hasOwn(schema, '$ref')) return around
    const [address, name] = splitReference(ownString(schema, '$id') ?? '')
    const apart = address !== '' && where !== '#'
    const dialect = apart ? dialectOf(schema, around) : around
    if (apart) this.#divided = true
    if (dialect === 'draft-07') {
      if (name !== '') this.#anchors.add(name)
      return dialect
    }
    for (const keyword of ['$anchor', '$dynamicAnchor']) {
      const anchor = ownString(schema, keyword)
      if (anchor !== undefined) this.#anchors.add(anchor)
    }
    return dialect
  }
}

/** Refuses a value that its keyword cannot have. */
function requireForm(keyword: string, value: unknown, old: boolean): void {
  for (const [keywords, what, fits] of FORMS) {
    if (keywords.test(keyword) && !fits(value)) throw invalidDefinition(`the keyword "${keyword}" must be ${what}`)
  }
  if (keyword === 'type' && !(isText(value) ? [value] : isNames(value) ? value : [0]).every(isType)) {
    throw invalidDefinition(
      'the keyword "type" must be one or several of "string", "number", "integer", "boolean", "object", "array", "null"',
    )
  }
  if (keyword === 'multipleOf' && (value as number) <= 0) {
    throw invalidDefinition('the keyword "multipleOf" must be above 0')
  }
  if (keyword === 'items' && !old && Array.isArray(value)) {
    throw invalidDefinition('"items" must be a schema; use "prefixItems", or say draft-07 in "$schema"')
  }
  if (keyword === 'dependentRequired' && !Object.values(value as SchemaObject).every(isNames)) {
    throw invalidDefinition('the members of "dependentRequired" must be arrays of strings')
  }
  if (keyword === 'pattern') toNative(String(value))
  if (keyword === 'patternProperties') Object.keys(value as SchemaObject).forEach(toNative)
}

function isType(name: unknown): boolean {
  return TYPES.test(String(name))
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText)
}
