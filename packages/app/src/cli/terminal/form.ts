/**
 * A server's form in the terminal, field by field, with the kinds of fields that elicitation has. What does not fit is
 * asked again; Ctrl-D leaves the form. The client checks the whole once more before the server sees it.
 */

import type { ElicitFormParams, ElicitResult } from '@portico/sdk/client'
import { counted } from './counted.ts'
import type { Io } from './io.ts'
import { toLine } from './plain-text.ts'
import type { Terminal } from './terminal.ts'

export type FormSchema = ElicitFormParams['requestedSchema']
type Field = FormSchema['properties'][string]
type FieldValue = NonNullable<ElicitResult['content']>[string]

/** The answers, or undefined when the person left. */
export async function askForm(
  schema: FormSchema,
  terminal: Terminal,
  io: Io,
  signal?: AbortSignal,
): Promise<{ [name: string]: FieldValue } | undefined> {
  const answers = new Map<string, FieldValue>()
  const required = new Set(schema.required ?? [])
  for (const [name, field] of Object.entries(schema.properties)) {
    const answer = await askField({ name, field, required: required.has(name) }, terminal, io, signal)
    if (answer === undefined) return undefined
    if (answer.value !== undefined) answers.set(name, answer.value)
  }
  // Field names are the server's to choose; `fromEntries` makes them members and nothing else.
  return Object.fromEntries(answers)
}

interface NamedField {
  readonly name: string
  readonly field: Field
  readonly required: boolean
}

async function askField(
  { name, field, required }: NamedField,
  terminal: Terminal,
  io: Io,
  signal?: AbortSignal,
): Promise<{ readonly value: FieldValue | undefined } | undefined> {
  const title = toLine(field.title ?? name, 80)
  if (field.description !== undefined) io.say(`  ${io.paint.dim(toLine(field.description))}`)
  const hint = hintOf(field, required)
  for (;;) {
    const line = await terminal.ask(`  ${title}${hint === '' ? '' : ` ${io.paint.dim(`(${hint})`)}`}: `, { signal })
    if (line === undefined) return undefined
    const text = line.trim()
    if (text === '' && field.default !== undefined) return { value: undefined }
    if (text === '' && !required) return { value: undefined }
    const read = readField(field, text)
    if ('value' in read) return read
    io.say(`  ${io.paint.yellow(read.problem)}`)
  }
}

function hintOf(field: Field, required: boolean): string {
  const choices = choicesOf(field)
  const kind =
    choices.length > 0
      ? choices.map(({ value, title }) => (title === value ? value : `${value} = ${title}`)).join(', ')
      : field.type === 'boolean'
        ? 'y or n'
        : field.type === 'string'
          ? 'format' in field
            ? field.format
            : undefined
          : field.type
  const parts = [
    kind,
    boundsOf(field),
    field.type === 'array' ? 'separate several with commas' : undefined,
    field.default !== undefined ? `leave empty for ${String(field.default)}` : required ? undefined : 'optional',
  ]
  return toLine(parts.filter((part) => part !== undefined).join('; '), 300)
}

/** The least and the most that a number, or the length of a text, may be. */
function boundsOf(field: Field): string | undefined {
  const { minimum, maximum, minLength, maxLength } = field as Bounds
  const isNumber = field.type === 'number' || field.type === 'integer'
  if (!isNumber && field.type !== 'string') return undefined
  const [least, most] = isNumber ? [minimum, maximum] : [minLength, maxLength]
  const what = isNumber ? '' : ' characters'
  if (least !== undefined && most !== undefined) return `${least} to ${most}${what}`
  if (least !== undefined) return `at least ${least}${what}`
  return most === undefined ? undefined : `at most ${most}${what}`
}

interface Bounds {
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
}

function readField(field: Field, text: string): { readonly value: FieldValue } | { readonly problem: string } {
  const choices = choicesOf(field)
  if (field.type === 'array') {
    const values = text === '' ? [] : text.split(',').map((one) => one.trim())
    const wrong = values.find((value) => !choices.some((choice) => choice.value === value))
    return wrong === undefined ? { value: values } : { problem: `"${wrong}" is not one of the choices.` }
  }
  if (choices.length > 0) {
    const found = choices.find(({ value, title }) => value === text || title === text)
    return found === undefined ? { problem: `"${text}" is not one of the choices.` } : { value: found.value }
  }
  if (field.type === 'boolean') {
    if (/^(y|yes|true)$/i.test(text)) return { value: true }
    return /^(n|no|false)$/i.test(text) ? { value: false } : { problem: 'Answer y or n.' }
  }
  if (field.type === 'number' || field.type === 'integer') return readNumber(field, text)
  return readText(field, text)
}

function readNumber(field: Field, text: string): { readonly value: number } | { readonly problem: string } {
  const number = Number(text)
  const { minimum, maximum } = field as { minimum?: number; maximum?: number }
  if (text === '' || !Number.isFinite(number)) return { problem: 'This must be a number.' }
  if (field.type === 'integer' && !Number.isInteger(number)) return { problem: 'This must be a whole number.' }
  if (minimum !== undefined && number < minimum) return { problem: `At least ${minimum}.` }
  if (maximum !== undefined && number > maximum) return { problem: `At most ${maximum}.` }
  return { value: number }
}

function readText(field: Field, text: string): { readonly value: string } | { readonly problem: string } {
  const { minLength, maxLength } = field as { minLength?: number; maxLength?: number }
  if (minLength !== undefined && text.length < minLength)
    return { problem: `At least ${counted(minLength, 'character')}.` }
  if (maxLength !== undefined && text.length > maxLength)
    return { problem: `At most ${counted(maxLength, 'character')}.` }
  if (text === '') return { problem: 'This field is required.' }
  return { value: text }
}

/** A field as any revision may have written it: everything in it is the server's. */
interface AnyField {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly enumNames?: readonly string[]
  readonly oneOf?: readonly { readonly const: string; readonly title?: string }[]
  readonly items?: { readonly enum?: readonly string[]; readonly anyOf?: AnyField['oneOf'] }
}

function choicesOf(field: Field): { readonly value: string; readonly title: string }[] {
  const any = field as AnyField
  const titled = any.oneOf ?? any.items?.anyOf
  if (titled !== undefined) return titled.map(({ const: value, title }) => ({ value, title: title ?? value }))
  const values = any.enum ?? any.items?.enum ?? []
  return values.map((value, at) => ({ value, title: any.enumNames?.[at] ?? value }))
}
