/** A server's form as fields of a chat, and what was typed there as the values that the server asked for. */

import type { JsonObject } from '@portico/sdk/client'
import { isObject } from '@portico/sdk/internal'
import type { ChatField, ChatSubmitted, FormProblems } from './adapter.ts'

const MAX_FIELDS = 40
const MAX_OPTIONS = 100
const FLAG = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
]

/** Undefined where a chat cannot show the form. */
export function toFields(schema: JsonObject): ChatField[] | undefined {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  const fields = Object.entries(properties).map(([name, property]) =>
    isObject(property) ? toField(name, property, required.includes(name)) : undefined,
  )
  const shown = fields.filter((field) => field !== undefined)
  return shown.length === fields.length && shown.length <= MAX_FIELDS ? shown : undefined
}

function toField(name: string, property: JsonObject, required: boolean): ChatField | undefined {
  const { type, title, description, default: initial } = property
  const field = {
    name,
    label: typeof title === 'string' && title !== '' ? title : name,
    ...(typeof description === 'string' && { hint: description }),
    ...((typeof initial === 'string' || typeof initial === 'number' || typeof initial === 'boolean') && {
      initial: String(initial),
    }),
    required,
  }
  const options = optionsOf(property)
  if (options !== undefined) return options.length > MAX_OPTIONS ? undefined : { ...field, kind: 'choice', options }
  if (type === 'boolean') return { ...field, kind: 'choice', options: FLAG }
  if (type === 'number' || type === 'integer') return { ...field, kind: 'number' }
  if (type === 'string') return { ...field, kind: 'text' }
  const items = type === 'array' && isObject(property.items) ? optionsOf(property.items) : undefined
  if (items === undefined || items.length > MAX_OPTIONS) return undefined
  return { ...field, kind: 'choices', options: items }
}

function optionsOf({ enum: values, enumNames, oneOf, anyOf }: JsonObject): ChatField['options'] {
  if (Array.isArray(values)) {
    const names = Array.isArray(enumNames) ? enumNames : []
    return values.map((value, at) => ({ value: String(value), label: String(names[at] ?? value) }))
  }
  const titled = Array.isArray(oneOf) ? oneOf : anyOf
  if (!Array.isArray(titled)) return undefined
  return titled.map((one) => {
    const { const: value, title } = isObject(one) ? one : {}
    return { value: String(value), label: String(title ?? value) }
  })
}

/** The values in the types of the schema, or what is wrong with them; the host holds them against the schema again. */
export function fromFields(
  schema: JsonObject,
  values: ChatSubmitted['values'],
): { readonly content: JsonObject } | { readonly problems: NonNullable<FormProblems> } {
  const content: { [name: string]: JsonObject[string] } = {}
  const problems: { [name: string]: string } = {}
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  for (const [name, property] of Object.entries(properties)) {
    const given = Object.hasOwn(values, name) ? values[name] : undefined
    const { type } = isObject(property) ? property : {}
    if (given === undefined || given.length === 0) {
      if (required.includes(name)) problems[name] = 'This field is required.'
    } else if (typeof given !== 'string') content[name] = [...given]
    else if (type === 'boolean') content[name] = given === 'true'
    else if (type === 'number' || type === 'integer') {
      const number = Number(given)
      const isFit = given.trim() !== '' && Number.isFinite(number) && (type === 'number' || Number.isInteger(number))
      if (isFit) content[name] = number
      else problems[name] = `This must be a ${type === 'integer' ? 'whole ' : ''}number.`
    } else content[name] = given
  }
  return Object.keys(problems).length > 0 ? { problems } : { content }
}
