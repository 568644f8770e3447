/** Values for the fields of a form: what stands there at first, what is wrong with what was typed. */

import { toCount } from '../../app/text/text.ts'
import { isRecord, type JsonRecord, type JsonValue, memberOf } from '../json.ts'
import type { Field, FieldOf } from './schema-model.ts'

export interface FieldProblem {
  /** `filter.tags.0` */
  readonly path: string
  readonly message: string
}

/** Defaults, fixed values, and the frames of what must be there. */
function initialValue(field: Field): JsonValue | undefined {
  if (field.default !== undefined) return field.default
  if (field.kind === 'fixed') return field.value
  if (field.kind !== 'object') return undefined
  return Object.fromEntries(
    field.members.flatMap(({ name, required, field: member }) => {
      const value = required ? initialOf(member) : member.default
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** What must be there: a switch that is off says no. */
function initialOf(field: Field): JsonValue | undefined {
  return initialValue(field) ?? (field.kind === 'boolean' ? false : undefined)
}

/** What a new entry of a list, or an optional object, begins with. */
export function blankValue(field: Field): JsonValue {
  const value = initialValue(field)
  if (value !== undefined) return value
  switch (field.kind) {
    case 'list':
    case 'choices':
      return []
    case 'boolean':
      return false
    case 'number':
      return field.minimum ?? 0
    case 'choice':
      return field.choices[0]?.value ?? ''
    case 'pick':
      return field.options[0] === undefined ? null : blankValue(field.options[0].field)
    case 'json':
      return null
    default:
      return ''
  }
}

export function initialArguments(field: Field): JsonRecord {
  const value = initialValue(field)
  // A record that came from JSON or was made just above.
  return isRecord(value) ? (value as JsonRecord) : {}
}

const MAX_PROBLEMS = 100

/** The server has the last word; this says early what it would refuse. */
export function problemsOf(field: Field, value: JsonValue | undefined): readonly FieldProblem[] {
  const problems: FieldProblem[] = []
  collect(field, value, '', problems)
  return problems
}

function collect(field: Field, value: JsonValue | undefined, path: string, problems: FieldProblem[]): void {
  if (value === undefined || problems.length >= MAX_PROBLEMS) return
  if (value === null && field.nullable) return
  const message = checkKind(field, value)
  if (message !== undefined) problems.push({ path, message })
  else if (field.kind === 'object') collectMembers(field, value, path, problems)
  else if (field.kind === 'list' && Array.isArray(value)) {
    for (const [index, item] of value.entries()) collect(field.item, item, join(path, String(index)), problems)
  } else if (field.kind === 'pick') {
    const option = field.options[pickedOption(field, value)]
    if (option !== undefined) collect(option.field, value, path, problems)
  }
}

function collectMembers(field: FieldOf<'object'>, value: JsonValue, path: string, problems: FieldProblem[]): void {
  for (const { name, required, field: member } of field.members) {
    const given = memberOf(value, name)
    if (given === undefined && required) problems.push({ path: join(path, name), message: 'Required' })
    collect(member, given, join(path, name), problems)
  }
  if (field.additional || !isRecord(value)) return
  const known = new Set(field.members.map(({ name }) => name))
  for (const name of Object.keys(value)) {
    if (!known.has(name)) problems.push({ path: join(path, name), message: 'Unknown field' })
  }
}

/** Which of several shapes a value has: the one with the fewest problems. */
export function pickedOption(field: FieldOf<'pick'>, value: JsonValue | undefined): number {
  let best = 0
  let fewest = Number.POSITIVE_INFINITY
  for (const [index, option] of field.options.entries()) {
    const problems: FieldProblem[] = []
    collect(option.field, value, '', problems)
    const isOtherKind = value !== undefined && checkKind(option.field, value) !== undefined
    // A field of JSON text takes anything; a shape that is known says more.
    const weight = problems.length + (isOtherKind ? 10 : 0) + (option.field.kind === 'json' ? 0.5 : 0)
    if (weight < fewest) [best, fewest] = [index, weight]
  }
  return best
}

function checkKind(field: Field, value: JsonValue): string | undefined {
  switch (field.kind) {
    case 'text':
      return typeof value === 'string' ? checkText(field, value) : 'Must be text'
    case 'number':
      return typeof value === 'number' ? checkNumber(field, value) : 'Must be a number'
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'Must be yes or no'
    case 'choice':
      return field.choices.some((choice) => isSame(choice.value, value)) ? undefined : 'Must be one of the choices'
    case 'choices':
    case 'list':
      return Array.isArray(value) ? checkCount(field, value.length) : 'Must be a list'
    case 'object':
      return isRecord(value) ? undefined : 'Must be an object'
    case 'fixed':
      return isSame(field.value, value) ? undefined : `Must be ${JSON.stringify(field.value)}`
    default:
      return undefined
  }
}

function checkText({ minLength, maxLength, pattern, format }: FieldOf<'text'>, value: string): string | undefined {
  const length = [...value].length
  if (minLength !== undefined && length < minLength) {
    return minLength === 1 ? 'Must not be empty' : `At least ${toCount(minLength, 'character')}`
  }
  if (maxLength !== undefined && length > maxLength) return `At most ${toCount(maxLength, 'character')}`
  if (pattern !== undefined && isPlainPattern(pattern) && value.length <= 1_000 && !matches(pattern, value)) {
    return `Must match ${pattern}`
  }
  const check = format === undefined ? undefined : FORMATS.get(format)
  return check === undefined || check.test(value) ? undefined : check.words
}

/**
 * A server's pattern could keep the page busy for ever. Only patterns without a repeated group are tried here; the
 * server checks the others.
 */
function isPlainPattern(pattern: string): boolean {
  return (
    pattern.length <= 200 &&
    !/[)][*+?{]|\\[1-9]|\(\?<?[=!]/.test(pattern) &&
    (pattern.match(/[*+{]/g) ?? []).length <= 2
  )
}

function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value)
  } catch {
    return true
  }
}

function checkNumber(field: FieldOf<'number'>, value: number): string | undefined {
  // JSON has no word for what is beyond every number.
  if (!Number.isFinite(value)) return 'Must be a number'
  if (field.integer && !Number.isInteger(value)) return 'Must be a whole number'
  if (field.minimum !== undefined && value < field.minimum) return `At least ${field.minimum}`
  if (field.maximum !== undefined && value > field.maximum) return `At most ${field.maximum}`
  if (field.above !== undefined && value <= field.above) return `More than ${field.above}`
  if (field.below !== undefined && value >= field.below) return `Less than ${field.below}`
  if (
    field.multipleOf !== undefined &&
    Math.abs(value / field.multipleOf - Math.round(value / field.multipleOf)) > 1e-9
  ) {
    return `A multiple of ${field.multipleOf}`
  }
  return undefined
}

function checkCount({ minItems, maxItems }: FieldOf<'list' | 'choices'>, count: number): string | undefined {
  if (minItems !== undefined && count < minItems) return `At least ${minItems}`
  if (maxItems !== undefined && count > maxItems) return `At most ${maxItems}`
  return undefined
}

interface Format {
  readonly test: (value: string) => boolean
  readonly words: string
}

const FORMATS = new Map<string, Format>([
  ['email', { test: (value) => /^[^\s@]{1,64}@[^\s@]{1,255}$/.test(value), words: 'Must be an email address' }],
  ['uri', { test: (value) => URL.canParse(value), words: 'Must be an address such as https://example.com' }],
  ['url', { test: (value) => URL.canParse(value), words: 'Must be an address such as https://example.com' }],
  ['date', { test: (value) => /^\d{4}-\d\d-\d\d$/.test(value), words: 'Must be a date such as 2026-07-28' }],
  [
    'date-time',
    {
      test: (value) => /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d/.test(value) && !Number.isNaN(Date.parse(value)),
      words: 'Must be a time such as 2026-07-28T12:00:00Z',
    },
  ],
  ['uuid', { test: (value) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value), words: 'Must be a UUID' }],
])

export function isSame(one: JsonValue, other: JsonValue): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

export function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

export function problemAt(problems: readonly FieldProblem[], path: string): string | undefined {
  return problems.find((problem) => problem.path === path)?.message
}
