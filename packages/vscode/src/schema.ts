/** Fields out of a JSON Schema of an object, and values out of what a person typed for them. */

interface FieldSchema {
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly oneOf?: readonly { readonly const?: unknown; readonly title?: string }[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
}

export interface Field {
  readonly name: string
  readonly schema: FieldSchema
  readonly required: boolean
}

/** A value, or what is wrong with the words. No value at all for no words. */
type FieldReading = { readonly value: unknown } | { readonly problem: string }

export function toFields(schema: unknown): Field[] {
  const { properties, required } = (schema ?? {}) as { properties?: unknown; required?: unknown }
  const needed = new Set(Array.isArray(required) ? required : [])
  const found = typeof properties === 'object' && properties !== null ? Object.entries(properties) : []
  const fields = found
    .filter((entry): entry is [string, FieldSchema] => typeof entry[1] === 'object' && entry[1] !== null)
    .map(([name, one]) => ({ name, schema: one, required: needed.has(name) }))
  return [...fields.filter((field) => field.required), ...fields.filter((field) => !field.required)]
}

/** What there is to choose from, where there is. */
export function choicesOf({ type, enum: values, oneOf }: FieldSchema): readonly unknown[] {
  if (type === 'boolean') return [true, false]
  if (Array.isArray(oneOf) && oneOf.every((one) => one.const !== undefined)) return oneOf.map((one) => one.const)
  return Array.isArray(values) ? values : []
}

export function readField({ schema, required }: Field, words: string): FieldReading {
  if (words === '')
    return required && schema.default === undefined ? { problem: 'This is required.' } : { value: undefined }
  if (schema.type === 'number' || schema.type === 'integer') return readNumber(schema, words)
  if (schema.type === 'string') return readText(schema, words)
  try {
    return { value: JSON.parse(words) }
  } catch {
    if (schema.type === 'array') return { value: words.split(',').map((one) => one.trim()) }
    return { problem: 'This must be JSON.' }
  }
}

function readNumber({ type, minimum, maximum }: FieldSchema, words: string): FieldReading {
  const value = Number(words)
  if (words.trim() === '' || !Number.isFinite(value)) return { problem: 'This must be a number.' }
  if (type === 'integer' && !Number.isInteger(value)) return { problem: 'This must be a whole number.' }
  if (minimum !== undefined && value < minimum) return { problem: `At least ${minimum}.` }
  if (maximum !== undefined && value > maximum) return { problem: `At most ${maximum}.` }
  return { value }
}

function readText({ minLength, maxLength }: FieldSchema, words: string): FieldReading {
  if (minLength !== undefined && words.length < minLength) return { problem: `At least ${minLength} characters.` }
  if (maxLength !== undefined && words.length > maxLength) return { problem: `At most ${maxLength} characters.` }
  return { value: words }
}
