/**
 * The flat form that a server asks to be filled in, made of its JSON Schema: strings, numbers, yes or no, and choices.
 * The schema is a stranger's: what is not understood becomes a plain text field, and there are only so many fields.
 */

import type { Question } from '../../app/data/question-store.ts'
import { toCount } from '../../app/text/text.ts'

export type Schema = Extract<Question['body'], { readonly kind: 'form' }>['schema']

export interface Choice {
  readonly value: string
  readonly label: string
}

export interface Field {
  readonly name: string
  readonly label: string
  readonly description?: string
  readonly required: boolean
  readonly type: 'text' | 'email' | 'uri' | 'date' | 'date-time' | 'number' | 'integer' | 'boolean' | 'one' | 'many'
  readonly choices: readonly Choice[]
  readonly initial: FieldValue
  readonly min?: number
  readonly max?: number
  /** Asks for what should never go through a form (sec-101). */
  readonly sensitive: boolean
}

export type FieldValue = string | number | boolean | readonly string[]
export type FieldValues = { readonly [name: string]: FieldValue }

const MAX_FIELDS = 100
const MAX_CHOICES = 500
const SENSITIVE =
  /passw|secret|token|api[-_ ]?key|private[-_ ]?key|credential|\bcvv\b|\bpin\b|\bssn\b|card[-_ ]?number/i

export function toFields(schema: Schema): readonly Field[] {
  const properties = isRecord(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(properties)
    .slice(0, MAX_FIELDS)
    .map(([name, one]) => toField(name, isRecord(one) ? one : {}, required.includes(name)))
}

export function initialValues(fields: readonly Field[]): FieldValues {
  return Object.fromEntries(fields.map(({ name, initial }) => [name, initial]))
}

export interface Filled {
  readonly content: Schema
  /** By field; empty when it may be sent. */
  readonly problems: { readonly [name: string]: string }
}

/** What is sent: fields that were left empty are left out. */
export function toContent(fields: readonly Field[], values: FieldValues): Filled {
  const content: [string, FieldValue][] = []
  const problems: [string, string][] = []
  for (const field of fields) {
    const value = values[field.name] ?? field.initial
    const problem = checkField(field, value)
    if (problem !== undefined) problems.push([field.name, problem])
    const isEmpty = value === '' || (Array.isArray(value) && value.length === 0 && !field.required)
    if (!isEmpty) content.push([field.name, value])
  }
  // Names are the server's; entries become own members, whatever they are called.
  return { content: Object.fromEntries(content) as Schema, problems: Object.fromEntries(problems) }
}

function toField(name: string, schema: Schema, required: boolean): Field {
  const label = textOf(schema.title) ?? name
  const description = textOf(schema.description)
  const { type, choices } = typeOf(schema)
  const [min, max] = boundsOf(schema, type)
  return {
    name,
    label,
    ...(description !== undefined && { description }),
    required,
    type,
    choices,
    initial: initialOf(schema.default, type, choices),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    sensitive: SENSITIVE.test(`${name} ${label}`),
  }
}

function typeOf(schema: Schema): Pick<Field, 'type' | 'choices'> {
  const { type, format } = schema
  if (type === 'array') {
    const items = isRecord(schema.items) ? schema.items : {}
    return { type: 'many', choices: choicesOf(items) }
  }
  const choices = choicesOf(schema)
  if (choices.length > 0) return { type: 'one', choices }
  if (type === 'boolean' || type === 'number' || type === 'integer') return { type, choices: [] }
  if (format === 'email' || format === 'uri' || format === 'date' || format === 'date-time') {
    return { type: format, choices: [] }
  }
  return { type: 'text', choices: [] }
}

function choicesOf(schema: Schema): readonly Choice[] {
  const titled = [schema.oneOf, schema.anyOf].find(Array.isArray)
  if (titled !== undefined) {
    const choices = titled.filter(isRecord).flatMap((one) => {
      if (typeof one.const !== 'string') return []
      return [{ value: one.const, label: textOf(one.title) ?? one.const }]
    })
    return unique(choices)
  }
  const values = Array.isArray(schema.enum) ? schema.enum.filter((one) => typeof one === 'string') : []
  const names = Array.isArray(schema.enumNames) ? schema.enumNames : []
  return unique(values.map((value, at) => ({ value, label: textOf(names[at]) ?? value })))
}

function unique(choices: readonly Choice[]): readonly Choice[] {
  return [...new Map(choices.map((one) => [one.value, one])).values()].slice(0, MAX_CHOICES)
}

function initialOf(value: unknown, type: Field['type'], choices: readonly Choice[]): FieldValue {
  const isChoice = (one: unknown): one is string => choices.some((choice) => choice.value === one)
  if (type === 'boolean') return value === true
  if (type === 'many') return Array.isArray(value) ? value.filter(isChoice) : []
  if (type === 'one') return isChoice(value) ? value : ''
  if (type === 'number' || type === 'integer') return typeof value === 'number' ? value : ''
  return typeof value === 'string' ? value : ''
}

function boundsOf(schema: Schema, type: Field['type']): readonly [number | undefined, number | undefined] {
  if (type === 'number' || type === 'integer') return [numberOf(schema.minimum), numberOf(schema.maximum)]
  if (type === 'many') return [numberOf(schema.minItems), numberOf(schema.maxItems)]
  return [numberOf(schema.minLength), numberOf(schema.maxLength)]
}

function checkField(field: Field, value: FieldValue): string | undefined {
  const { type, required, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = field
  if (type === 'boolean') return undefined
  if (type === 'many') {
    const count = Array.isArray(value) ? value.length : 0
    if (count === 0 && !required) return undefined
    if (count < min || (count === 0 && required)) return `Choose at least ${Math.max(1, min)}`
    return count > max ? `Choose at most ${max}` : undefined
  }
  if (value === '') return required ? 'Required' : undefined
  if (type === 'number' || type === 'integer') {
    if (typeof value !== 'number' || !Number.isFinite(value)) return 'Must be a number'
    if (type === 'integer' && !Number.isInteger(value)) return 'Must be a whole number'
    if (value < min) return `At least ${min}`
    return value > max ? `At most ${max}` : undefined
  }
  return checkText(String(value), type, min, max)
}

function checkText(value: string, type: Field['type'], min: number, max: number): string | undefined {
  const length = [...value].length
  if (length < min) return `At least ${toCount(min, 'character')}`
  if (length > max) return `At most ${toCount(max, 'character')}`
  if (type === 'email' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)) return 'Must be an email address'
  if (type === 'uri' && !URL.canParse(value)) return 'Must be a complete address such as https://example.com'
  if (type === 'date' && !/^\d{4}-\d\d-\d\d$/.test(value)) return 'Must be a date such as 2026-07-28'
  if (type === 'date-time' && Number.isNaN(Date.parse(value))) return 'Must be a date and time'
  return undefined
}

function isRecord(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
