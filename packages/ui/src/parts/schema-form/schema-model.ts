/**
 * A JSON Schema as fields that a form can show. Schemas are a server's words: references are followed only inside the
 * schema, nesting and number of fields are bounded, and what the form has no field for becomes a field of JSON text.
 * `schema-values.ts` fills and checks the fields, `schema-form.tsx` draws them.
 */

import { isRecord, type JsonValue, memberOf } from '../json.ts'

interface FieldWords {
  readonly title?: string
  readonly description?: string
  readonly default?: JsonValue
  readonly examples: readonly JsonValue[]
  readonly nullable: boolean
  readonly deprecated: boolean
}

export interface Choice {
  readonly value: JsonValue
  readonly label: string
}

export interface Member {
  readonly name: string
  readonly required: boolean
  readonly field: Field
}

export type Field = FieldWords &
  (
    | {
        readonly kind: 'text'
        readonly format?: string
        readonly minLength?: number
        readonly maxLength?: number
        readonly pattern?: string
        /** Bytes, written as base64. */
        readonly isFile?: true
      }
    | {
        readonly kind: 'number'
        readonly integer: boolean
        readonly minimum?: number
        readonly maximum?: number
        readonly above?: number
        readonly below?: number
        readonly multipleOf?: number
      }
    | { readonly kind: 'boolean' }
    /** One of these. */
    | { readonly kind: 'choice'; readonly choices: readonly Choice[] }
    /** Any of these. */
    | {
        readonly kind: 'choices'
        readonly choices: readonly Choice[]
        readonly minItems?: number
        readonly maxItems?: number
      }
    | { readonly kind: 'object'; readonly members: readonly Member[]; readonly additional: boolean }
    | { readonly kind: 'list'; readonly item: Field; readonly minItems?: number; readonly maxItems?: number }
    /** One of several shapes. */
    | { readonly kind: 'pick'; readonly options: readonly { readonly label: string; readonly field: Field }[] }
    | { readonly kind: 'fixed'; readonly value: JsonValue }
    | { readonly kind: 'json'; readonly why: string }
  )

export type FieldOf<K extends Field['kind']> = Extract<Field, { readonly kind: K }>

const MAX_DEPTH = 7
const MAX_FIELDS = 400
const MAX_CHOICES = 2_000

export function toField(schema: unknown): Field {
  return new SchemaReader(schema).read(schema, 0)
}

class SchemaReader {
  readonly #root: unknown
  #left = MAX_FIELDS

  constructor(root: unknown) {
    this.#root = root
  }

  read(given: unknown, depth: number): Field {
    const schema = this.#resolve(given)
    if (schema === undefined) return asJson({}, 'it has an external reference')
    if (depth > MAX_DEPTH || --this.#left < 0) return asJson(schema, 'it is nested too deeply for a form')
    const words = wordsOf(schema)
    if (Object.hasOwn(schema, 'const')) return { ...words, kind: 'fixed', value: schema.const as JsonValue }
    if (Array.isArray(schema.enum)) return fromEnum(words, schema)
    const variants = [schema.oneOf, schema.anyOf].find(Array.isArray)
    if (variants !== undefined) return this.#fromVariants(words, schema, variants, depth)
    if (Array.isArray(schema.allOf)) return this.#fromAll(schema, schema.allOf, depth)
    return this.#fromType(words, schema, depth)
  }

  #fromType(words: FieldWords, schema: Schema, depth: number): Field {
    const types = typesOf(schema)
    if (types.length > 1) {
      const options = types.map((type) => ({ label: type, field: this.read({ ...schema, type }, depth + 1) }))
      return { ...words, kind: 'pick', options }
    }
    switch (types[0]) {
      case 'string':
        return textField(words, schema)
      case 'number':
      case 'integer':
        return numberField(words, schema, types[0] === 'integer')
      case 'boolean':
        return { ...words, kind: 'boolean' }
      case 'object':
        return this.#object(words, schema, depth)
      case 'array':
        return this.#list(words, schema, depth)
      case 'null':
        return { ...words, kind: 'fixed', value: null }
      default:
        return asJson(schema, 'it may be anything')
    }
  }

  #object(words: FieldWords, schema: Schema, depth: number): Field {
    const required = new Set(Array.isArray(schema.required) ? schema.required : [])
    const properties = isRecord(schema.properties) ? Object.entries(schema.properties) : []
    if (properties.length === 0 && schema.additionalProperties !== false && depth > 0) {
      return asJson(schema, 'its field names are free')
    }
    const members = properties.map(([name, member]) => ({
      name,
      required: required.has(name),
      field: this.read(member, depth + 1),
    }))
    // What must be there comes first; otherwise as the server wrote it.
    members.sort((a, b) => Number(b.required) - Number(a.required))
    return { ...words, kind: 'object', members, additional: schema.additionalProperties !== false }
  }

  #list(words: FieldWords, schema: Schema, depth: number): Field {
    if (Array.isArray(schema.prefixItems) || Array.isArray(schema.items)) {
      return asJson(schema, 'its items have different types')
    }
    const bounds = pickNumbers(schema, ['minItems', 'maxItems'])
    if (schema.items === undefined) return asJson(schema, 'its items may be anything')
    const item = this.read(schema.items, depth + 1)
    if (item.kind === 'choice' && schema.uniqueItems === true) {
      return { ...words, ...bounds, kind: 'choices', choices: item.choices }
    }
    return { ...words, ...bounds, kind: 'list', item }
  }

  #fromVariants(words: FieldWords, schema: Schema, variants: readonly unknown[], depth: number): Field {
    const resolved = variants.slice(0, 50).map((variant) => this.#resolve(variant) ?? {})
    const titled = resolved.every((variant) => Object.hasOwn(variant, 'const'))
    if (titled) {
      const choices = resolved.map((variant) => toChoice(variant.const as JsonValue, variant.title))
      return { ...words, kind: 'choice', choices }
    }
    const others = resolved.filter((variant) => variant.type !== 'null')
    const nullable = words.nullable || others.length < resolved.length
    const {
      oneOf: _oneOf,
      anyOf: _anyOf,
      title: _title,
      description: _description,
      default: _default,
      ...shared
    } = schema
    const options = others.map((variant, index) => ({
      label: typeof variant.title === 'string' ? variant.title : labelOf(variant, index),
      field: this.read(merge(shared, variant), depth + 1),
    }))
    const only = options[0]
    if (only === undefined) return { ...words, kind: 'fixed', value: null }
    if (options.length === 1) return { ...only.field, ...given(words), nullable }
    return { ...words, nullable, kind: 'pick', options }
  }

  #fromAll(schema: Schema, all: readonly unknown[], depth: number): Field {
    const { allOf: _allOf, ...rest } = schema
    let merged: Schema = rest
    for (const part of all.slice(0, 20)) merged = merge(merged, this.#resolve(part) ?? {})
    return this.read(merged, depth + 1)
  }

  /** Follows `$ref` inside the schema; a circle ends at the depth's bound. */
  #resolve(given: unknown): Schema | undefined {
    let schema: unknown = given === true ? {} : given
    for (let hops = 0; hops < 20; hops++) {
      if (!isRecord(schema)) return undefined
      if (typeof schema.$ref !== 'string') return schema
      const { $ref, ...beside } = schema
      const target = this.#find($ref)
      if (!isRecord(target)) return undefined
      schema = { ...target, ...beside }
    }
    return undefined
  }

  #find(reference: string): unknown {
    if (!reference.startsWith('#')) return undefined
    const path = reference.slice(1).split('/').slice(1)
    return path.reduce<unknown>((value, step) => {
      const name = decode(step).replaceAll('~1', '/').replaceAll('~0', '~')
      return Array.isArray(value) ? value[Number(name)] : memberOf(value, name)
    }, this.#root)
  }
}

type Schema = { readonly [name: string]: unknown }

function wordsOf(schema: Schema): FieldWords {
  const types = Array.isArray(schema.type) ? schema.type : []
  return {
    ...(typeof schema.title === 'string' && { title: schema.title }),
    ...(typeof schema.description === 'string' && { description: schema.description }),
    ...(schema.default !== undefined && { default: schema.default as JsonValue }),
    examples: Array.isArray(schema.examples) ? (schema.examples.slice(0, 20) as JsonValue[]) : [],
    nullable: types.includes('null') || schema.nullable === true,
    deprecated: schema.deprecated === true,
  }
}

/** Words that are there replace those of the variant. */
function given(words: FieldWords): Partial<FieldWords> {
  const { title, description } = words
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(words.default !== undefined && { default: words.default }),
  }
}

function typesOf(schema: Schema): readonly string[] {
  const { type } = schema
  if (typeof type === 'string') return [type]
  if (Array.isArray(type)) return type.filter((one): one is string => typeof one === 'string' && one !== 'null')
  if (isRecord(schema.properties)) return ['object']
  if (schema.items !== undefined) return ['array']
  return []
}

function fromEnum(words: FieldWords, schema: Schema): Field {
  const values = (schema.enum as JsonValue[]).slice(0, MAX_CHOICES)
  const names = Array.isArray(schema.enumNames) ? schema.enumNames : []
  const choices = values.flatMap((value, index) => (value === null ? [] : [toChoice(value, names[index])]))
  return { ...words, kind: 'choice', nullable: words.nullable || values.includes(null), choices }
}

function toChoice(value: JsonValue, title: unknown): Choice {
  return { value, label: typeof title === 'string' ? title : typeof value === 'string' ? value : JSON.stringify(value) }
}

function textField(words: FieldWords, schema: Schema): Field {
  return {
    ...words,
    kind: 'text',
    ...(typeof schema.format === 'string' && { format: schema.format }),
    ...(typeof schema.pattern === 'string' && { pattern: schema.pattern }),
    ...pickNumbers(schema, ['minLength', 'maxLength']),
    ...((schema.contentEncoding === 'base64' || schema.format === 'byte' || schema.format === 'base64') && {
      isFile: true as const,
    }),
  }
}

function numberField(words: FieldWords, schema: Schema, integer: boolean): Field {
  const { exclusiveMinimum: above, exclusiveMaximum: below } = schema
  return {
    ...words,
    kind: 'number',
    integer,
    ...pickNumbers(schema, ['minimum', 'maximum', 'multipleOf']),
    ...(typeof above === 'number' && { above }),
    ...(typeof below === 'number' && { below }),
  }
}

function pickNumbers<N extends string>(schema: Schema, names: readonly N[]): { readonly [name in N]?: number } {
  const found = names.filter((name) => typeof schema[name] === 'number').map((name) => [name, schema[name]])
  return Object.fromEntries(found)
}

function asJson(schema: Schema, why: string): Field {
  return { ...wordsOf(schema), kind: 'json', why }
}

function labelOf(variant: Schema, index: number): string {
  const type = typesOf(variant)[0]
  const fixed = isRecord(variant.properties)
    ? Object.values(variant.properties).find((member) => isRecord(member) && typeof member.const === 'string')
    : undefined
  if (isRecord(fixed)) return String(fixed.const)
  return type === undefined ? `Option ${index + 1}` : `${type === 'object' ? 'form' : type} ${index + 1}`
}

function merge(one: Schema, other: Schema): Schema {
  const required = [one.required, other.required].flatMap((names) => (Array.isArray(names) ? names : []))
  const both = [one.properties, other.properties].filter(isRecord)
  const properties = Object.fromEntries(both.flatMap((members) => Object.entries(members)))
  return {
    ...one,
    ...other,
    ...(both.length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
