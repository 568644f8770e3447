/**
 * The door of the schema folder: whatever a server author brings (Zod, Valibot, ArkType or any other Standard Schema, or
 * plain JSON Schema) becomes one `CompiledSchema` with its JSON form for the wire and one `validate`. Made once per
 * definition; a library's own schema is checked by that library, JSON Schema by the bounded engine beside this file, which
 * is loaded for the first value that is not plainly valid.
 */

import { invalidDefinition } from '../jsonrpc/errors.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { onDemand } from '../jsonrpc/on-demand.ts'
import type { JsonSchemaValidator } from './json-schema/json-schema.ts'
import { compileDefaults } from './json-schema/json-schema-defaults.ts'
import type { Issue } from './json-schema/json-schema-issues.ts'
import { SCHEMA_LIMITS, type SchemaLimits, TRUSTED_VALIDATION_STEPS } from './json-schema/json-schema-limits.ts'
import { compilePlainObject } from './json-schema/json-schema-plain.ts'
import { requireWellFormed } from './json-schema/json-schema-wellformed.ts'
import type { AnySchema, InferOutput } from './schema-types.ts'
import {
  isStandardJsonSchema,
  isStandardSchema,
  type StandardResult,
  type StandardSchemaV1,
} from './standard-schema.ts'

export type { Issue } from './json-schema/json-schema-issues.ts'
export { SCHEMA_LIMITS, type SchemaLimits } from './json-schema/json-schema-limits.ts'
export type {
  AnySchema,
  FromJsonSchema,
  InferInput,
  InferOutput,
} from './schema-types.ts'

export type Checked<Value = unknown> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly issues: Issue[] }

export interface CompiledSchema<Value = unknown> {
  /** JSON Schema for the wire, made once. */
  readonly json: JsonObject
  /** A promise only if the library gave one, or while the engine is loaded. The value may be transformed by a library; JSON Schema only fills in defaults of what is passed in. */
  validate(value: unknown): Checked<Value> | Promise<Checked<Value>>
}

interface DefineOptions {
  /** Which side of a transforming schema goes on the wire: what is passed in, or what comes out. */
  readonly io?: 'input' | 'output'
  readonly limits?: SchemaLimits
  /** False leaves absent members absent: in an answer that somebody gave, what was left out was left out. */
  readonly defaults?: boolean
}

/** Throws `invalid-definition` or `limit-exceeded` for a schema that cannot be used. */
export function defineSchema<const S extends AnySchema>(
  schema: S,
  options: DefineOptions = {},
): CompiledSchema<InferOutput<S>> {
  // The overall cast is the one place where a schema's type and its run-time check are declared to agree.
  return compile(schema, options) as CompiledSchema<InferOutput<S>>
}

function compile(schema: AnySchema, options: DefineOptions): CompiledSchema {
  if (isStandardSchema(schema)) return fromStandard(schema, toJson(schema, options.io ?? 'input'))
  if (isObject(schema) && isStandardSchema(schema.schema)) {
    if (!isObject(schema.json))
      throw invalidDefinition('a schema given as { schema, json } needs an object as its "json"')
    return fromStandard(schema.schema, schema.json)
  }
  if (!isObject(schema)) throw invalidDefinition('a schema must be a Standard Schema or a JSON Schema object')
  if (Object.values(schema).some(isStandardSchema)) {
    throw invalidDefinition(
      'a record of schemas is no schema yet: wrap it in z.object({...}), or what your library has for it',
    )
  }
  return fromJson(schema, options)
}

const engine = onDemand(() => import('./json-schema/json-schema.ts'))

/** The schema is the author's own, so its patterns may be what they like; the value is anybody's. */
function fromJson(json: JsonObject, { io, limits = {}, defaults = true }: DefineOptions): CompiledSchema {
  requireWellFormed(json, limits)
  const { maxValidationSteps = TRUSTED_VALIDATION_STEPS, maxValueDepth = SCHEMA_LIMITS.maxValueDepth } = limits
  const fits = maxValueDepth > 0 ? compilePlainObject(json, maxValidationSteps) : undefined
  const fill = io === 'input' && defaults ? compileDefaults(json) : undefined
  let validator: JsonSchemaValidator | undefined
  const validate = (given: unknown): Checked | Promise<Checked> => {
    const value = fill === undefined ? given : fill(given)
    if (fits?.(value)) return { ok: true, value }
    if (validator === undefined) {
      const loaded = engine()
      if (loaded instanceof Promise) return loaded.then(() => validate(given))
      validator = loaded.compileJsonSchema(json, { ...limits, trusted: true })
    }
    const issues = validator.validate(value)
    return issues === undefined ? { ok: true, value } : { ok: false, issues }
  }
  return { json, validate }
}

function fromStandard(schema: StandardSchemaV1, json: JsonObject): CompiledSchema {
  const { vendor } = schema['~standard']
  return {
    json,
    validate(value) {
      const result = schema['~standard'].validate(value)
      return 'then' in result ? result.then((late) => toChecked(late, vendor)) : toChecked(result, vendor)
    },
  }
}

function toChecked(result: StandardResult<unknown>, vendor: string): Checked {
  if (result.issues === undefined) return { ok: true, value: result.value }
  // `Array.from`, since libraries hand out array subclasses whose own `map` would make more of them.
  const issues = Array.from(result.issues, ({ message, path = [] }): Issue => {
    const keys = Array.from(path, (part) => {
      const key = typeof part === 'object' ? part.key : part
      return typeof key === 'symbol' ? String(key) : key
    })
    return { path: keys, message, keyword: vendor }
  })
  return { ok: false, issues }
}

/** Libraries describe themselves by the standard's own extension, or by a method of theirs. */
function toJson(schema: StandardSchemaV1, io: 'input' | 'output'): JsonObject {
  const { vendor } = schema['~standard']
  let json: unknown
  try {
    json = describeSelf(schema, io)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const at = faultyPath(schema, io)
    const where = at === '' ? '' : ` at "${at}"`
    const text = `the ${vendor} schema cannot be written as JSON Schema${where} (${reason}); ${CONVERT}, or ${ADVICE}`
    throw invalidDefinition(text, cause)
  }
  if (isObject(json)) return json
  const advice = vendor === 'zod' ? zodAdvice(io) : ADVICE
  throw invalidDefinition(`this ${vendor} schema does not describe itself as JSON Schema; ${advice}`)
}

const ADVICE = 'pass { schema, json } to give its JSON Schema beside it'
const CONVERT = 'end it in what JSON can carry, such as .pipe(z.string())'

/** Zod writes what comes out unless told otherwise, where members with a default are required: a model would have to give them. */
function zodAdvice(io: 'input' | 'output'): string {
  const direction = io === 'input' ? ", { io: 'input' }" : ''
  const older = 'with Zod 3 { schema, json: zodToJsonSchema(schema) }'
  return `Zod does from 4.2 on, zod/mini does not. Pass { schema, json: z.toJSONSchema(schema${direction}) }, ${older}`
}

/** Which member of an object schema, or of the items of an array, is the one that cannot be written. */
function faultyPath(schema: StandardSchemaV1, io: 'input' | 'output'): string {
  const { shape, element } = schema as { readonly shape?: unknown; readonly element?: unknown }
  const children: [string, unknown][] = isObject(shape) ? Object.entries(shape) : [['[]', element]]
  for (const [key, child] of children) {
    if (!isStandardSchema(child) || isWritable(child, io)) continue
    const deeper = faultyPath(child, io)
    return deeper === '' ? key : `${key}.${deeper}`
  }
  return ''
}

function isWritable(schema: StandardSchemaV1, io: 'input' | 'output'): boolean {
  try {
    return describeSelf(schema, io) !== undefined
  } catch {
    return false
  }
}

function describeSelf(schema: StandardSchemaV1, io: 'input' | 'output'): unknown {
  return isStandardJsonSchema(schema)
    ? schema['~standard'].jsonSchema[io]({ target: 'draft-2020-12' })
    : callOwnConverter(schema, io)
}

function callOwnConverter(schema: StandardSchemaV1, io: 'input' | 'output'): unknown {
  // Not part of any interface: looked for by name and called only if it is there.
  const converters = schema as { readonly toJSONSchema?: unknown; readonly toJsonSchema?: unknown }
  if (typeof converters.toJSONSchema === 'function') return converters.toJSONSchema({ io })
  if (typeof converters.toJsonSchema === 'function') return converters.toJsonSchema()
  return undefined
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
