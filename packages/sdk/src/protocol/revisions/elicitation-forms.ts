/**
 * Questions to a person, for revisions whose forms are poorer. 2025-06-18 has no `mode`, no defaults but of booleans, no
 * titled choices other than `enumNames`, and no choice of several: that becomes a text field which lists the options,
 * and `liftElicitResult` turns what was typed back into the array that the asking handler expects.
 */

import { PorticoError } from '../../jsonrpc/errors.ts'
import type {
  Choice,
  ElicitFormParams,
  ElicitParams,
  ElicitResult,
  ElicitUrlParams,
  ElicitValue,
  FormField,
  FormSchema,
  MultiChoiceField,
  SingleChoiceField,
  StringField,
} from '../elicitation.ts'
import type { Revision } from '../revision.ts'
import { omit, replace } from './omission.ts'
import type { Vocabulary } from './vocabulary.ts'

type ElicitationWriter = (params: ElicitParams) => ElicitParams

export function createElicitationWriter(vocabulary: Vocabulary): ElicitationWriter {
  const { elicitation, richForms, urlElicitation, elicitationIds } = vocabulary
  return (params) => {
    if (!elicitation) throw cannotSay('elicitation')
    if (params.mode === 'url') {
      if (!urlElicitation) throw cannotSay('elicitation by URL')
      return elicitationIds ? withId(params) : omit(params, ['elicitationId'])
    }
    return richForms ? params : toPlainForm(params)
  }
}

/**
 * Reads an answer back into the terms of the question as it was asked, before a revision flattened it. Answers of
 * revisions with rich forms, and fields that were not flattened, are left alone.
 */
export function liftElicitResult(revision: Revision, params: ElicitParams, result: ElicitResult): ElicitResult {
  if (revision.traits.richForms || params.mode === 'url' || result.content === undefined) return result
  const fields = params.requestedSchema.properties
  const lifted = mapContent(result.content, (name, value) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    return field?.type === 'array' && typeof value === 'string' ? toChoices(field, value) : value
  })
  return replace(result, 'content', lifted)
}

function cannotSay(what: string): PorticoError {
  return new PorticoError('capability-missing', `The client's protocol revision has no ${what}.`, {
    delivery: 'not-sent',
  })
}

/** 2025-11-25 requires an id; one that the caller did not choose is one that it will not refer to again. */
function withId(params: ElicitUrlParams): ElicitUrlParams {
  return params.elicitationId === undefined ? { ...params, elicitationId: crypto.randomUUID() } : params
}

function toPlainForm(params: ElicitFormParams): ElicitFormParams {
  const kept = omit(params, ['mode'])
  return replace(kept, 'requestedSchema', toPlainSchema(kept.requestedSchema))
}

function toPlainSchema(schema: FormSchema): FormSchema {
  const entries = Object.entries(schema.properties)
  const plain = entries.map(([name, field]): [string, FormField] => [name, toPlainField(field)])
  const kept = omit(schema, ['$schema'])
  if (plain.every(([, field], index) => field === entries[index]?.[1])) return kept
  return { ...kept, properties: Object.fromEntries(plain) }
}

function toPlainField(field: FormField): FormField {
  if (field.type === 'boolean') return field
  if (field.type === 'array') return toListField(field)
  const kept = omit(field, ['default'])
  return 'oneOf' in kept && kept.oneOf !== undefined ? toNamedEnum(kept, kept.oneOf) : kept
}

function toNamedEnum(field: SingleChoiceField, choices: Choice[]): SingleChoiceField {
  return {
    ...omit(field, ['oneOf']),
    enum: choices.map((choice) => choice.const),
    enumNames: choices.map((choice) => choice.title),
  }
}

function toListField(field: MultiChoiceField): StringField {
  const choices = choicesOf(field)
  const { name } = separatorOf(choices)
  const options = choices.map((choice) =>
    choice.title === choice.const ? choice.const : `${choice.const} (${choice.title})`,
  )
  const hint = `Any of the following, ${name}-separated${amountOf(field)}: ${options.join('; ')}`
  const description = field.description === undefined ? hint : `${field.description}\n${hint}`
  return { ...(field.title === undefined ? {} : { title: field.title }), type: 'string', description }
}

function amountOf({ minItems, maxItems }: MultiChoiceField): string {
  const bounds = [
    ...(minItems === undefined ? [] : [`at least ${minItems}`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems}`]),
  ]
  return bounds.length === 0 ? '' : ` (${bounds.join(', ')})`
}

function choicesOf(field: MultiChoiceField): Choice[] {
  if ('anyOf' in field.items) return field.items.anyOf
  return field.items.enum.map((value) => ({ const: value, title: value }))
}

const SEPARATORS = [
  { mark: ',', name: 'comma' },
  { mark: ';', name: 'semicolon' },
  { mark: '|', name: 'bar' },
] as const

/** A comma, unless an option holds one: then the next mark that none holds. */
function separatorOf(choices: readonly Choice[]): (typeof SEPARATORS)[number] {
  const unused = SEPARATORS.find(
    ({ mark }) => !choices.some((choice) => choice.const.includes(mark) || choice.title.includes(mark)),
  )
  return unused ?? SEPARATORS[0]
}

/** Options may be typed by value or by title; what is neither is kept, for the schema to refuse. */
function toChoices(field: MultiChoiceField, typed: string): string[] {
  const choices = choicesOf(field)
  const words = typed.split(separatorOf(choices).mark).map((word) => word.trim())
  return words
    .filter((word) => word !== '')
    .map((word) => {
      if (choices.some((choice) => choice.const === word)) return word
      const titled = choices.find((choice) => choice.title.toLowerCase() === word.toLowerCase())
      return titled?.const ?? word
    })
}

/** The answers of a client that was asked by a poorer form: several choices as the one text that it has for them. */
export function toPlainAnswers(result: ElicitResult): ElicitResult {
  const content = mapContent(result.content ?? {}, (_, value) => (Array.isArray(value) ? value.join(', ') : value))
  return replace(result, 'content', content)
}

type Content = { [name: string]: ElicitValue }

/** Names come from the wire; `fromEntries` defines them, so that `__proto__` is a name like any other. */
function mapContent(content: Content, write: (name: string, value: ElicitValue) => ElicitValue): Content {
  const entries = Object.entries(content)
  const written = entries.map(([name, value]): [string, ElicitValue] => [name, write(name, value)])
  return written.every(([, value], index) => value === entries[index]?.[1]) ? content : Object.fromEntries(written)
}
