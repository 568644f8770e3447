/** The keywords that look at a value by itself: its type, the values allowed, and the bounds of numbers and strings. */

import { invalidDefinition } from '../../jsonrpc/errors.ts'
import { listOf, nameOf, quote, shorten } from './json-schema-issues.ts'
import { isNames, type Keywords, readArray, readCount, readNumber, readString } from './json-schema-site.ts'
import { type State, toCanonical } from './json-schema-state.ts'

const TYPES = new Map<string, (value: unknown) => boolean>([
  ['string', (value) => typeof value === 'string'],
  ['number', (value) => Number.isFinite(value)],
  ['integer', (value) => Number.isInteger(value)],
  ['boolean', (value) => typeof value === 'boolean'],
  ['object', (value) => typeof value === 'object' && value !== null && !Array.isArray(value)],
  ['array', Array.isArray],
  ['null', (value) => value === null],
])

export const type: Keywords = (schema) => {
  if (!Object.hasOwn(schema, 'type')) return undefined
  const names = typeof schema.type === 'string' ? [schema.type] : schema.type
  if (!isNames(names) || !names.every((name) => TYPES.has(name))) {
    throw invalidDefinition(`the keyword "type" must be one or several of ${listOf([...TYPES.keys()])}`)
  }
  const wanted = names
    .map((name) => (name === 'null' ? name : `${/^[aio]/.test(name) ? 'an' : 'a'} ${name}`))
    .join(' or ')
  const tests = names.map((name) => TYPES.get(name)!)
  const first = tests[0]
  const fail = (value: unknown, state: State): boolean => {
    if (state.quiet > 0) return false
    const got = typeof value === 'number' && names.includes('integer') ? quote(value) : nameOf(value)
    return state.fail('type', `expected ${wanted}, got ${got}`)
  }
  if (first !== undefined && tests.length === 1) return (value, state) => first(value) || fail(value, state)
  return (value, state) => tests.some((test) => test(value)) || fail(value, state)
}

/** `enum` and `const`: scalars by identity, the rest by canonical form. */
export const values: Keywords = (schema) => {
  const checks = [readArray(schema, 'enum'), Object.hasOwn(schema, 'const') ? [schema.const] : undefined]
    .map((allowed, index) => (allowed === undefined ? undefined : allow(allowed, index === 0 ? 'enum' : 'const')))
    .filter((check) => check !== undefined)
  const [first, second] = checks
  if (first === undefined || second === undefined) return first
  return (value, state) => first(value, state) && second(value, state)
}

function allow(allowed: readonly unknown[], keyword: string): (value: unknown, state: State) => boolean {
  const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null
  const scalars = new Set(allowed.filter(isScalar))
  const forms = new Set(allowed.filter((value) => !isScalar(value)).map((value) => toCanonical(value)))
  const list = listOf(allowed, (value) => (isScalar(value) ? quote(value) : shorten(toCanonical(value))))
  const message = allowed.length === 1 ? `must be ${list}` : `must be one of ${list}`
  return (value, state) => {
    if (scalars.has(value)) return true
    if (forms.size > 0 && typeof value === 'object' && forms.has(toCanonical(value, state.budget))) return true
    return state.quiet > 0 ? false : state.fail(keyword, `${message}, got ${quote(value)}`)
  }
}

export const numbers: Keywords = (schema) => {
  const minimum = readNumber(schema, 'minimum') ?? -Infinity
  const maximum = readNumber(schema, 'maximum') ?? Infinity
  const above = readNumber(schema, 'exclusiveMinimum')
  const below = readNumber(schema, 'exclusiveMaximum')
  const step = readNumber(schema, 'multipleOf')
  if (step !== undefined && step <= 0) throw invalidDefinition('the keyword "multipleOf" must be above 0')
  if (
    above === undefined &&
    below === undefined &&
    step === undefined &&
    minimum === -maximum &&
    maximum === Infinity
  ) {
    return undefined
  }
  return (value, state) => {
    if (typeof value !== 'number') return true
    if (value < minimum) return state.fail('minimum', `must be at least ${minimum}, got ${value}`)
    if (value > maximum) return state.fail('maximum', `must be at most ${maximum}, got ${value}`)
    if (above !== undefined && value <= above) {
      return state.fail('exclusiveMinimum', `must be more than ${above}, got ${value}`)
    }
    if (below !== undefined && value >= below) {
      return state.fail('exclusiveMaximum', `must be less than ${below}, got ${value}`)
    }
    if (step !== undefined && !isMultiple(value, step)) {
      return state.fail('multipleOf', `must be a multiple of ${step}, got ${value}`)
    }
    return true
  }
}

/** `%` is exact for whole numbers; decimal fractions are compared as they are written, since binary ones are not exact. */
function isMultiple(value: number, step: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(step)) return value % step === 0
  if (!Number.isFinite(value)) return false
  const [digits, exponent] = toDecimal(value)
  const [stepDigits, stepExponent] = toDecimal(step)
  const lowest = Math.min(exponent, stepExponent)
  const scaled = (of: bigint, at: number): bigint => of * 10n ** BigInt(at - lowest)
  return scaled(digits, exponent) % scaled(stepDigits, stepExponent) === 0n
}

/** A number as JSON writes it: whole digits, and the power of ten that they stand at. */
function toDecimal(value: number): [digits: bigint, exponent: number] {
  const [mantissa = '0', exponent = '0'] = String(value).split('e')
  const [whole, fraction = ''] = mantissa.split('.')
  return [BigInt(`${whole}${fraction}`), Number(exponent) - fraction.length]
}

export const strings: Keywords = (schema, site) => {
  const shortest = readCount(schema, 'minLength') ?? 0
  const longest = readCount(schema, 'maxLength') ?? Infinity
  const source = readString(schema, 'pattern')
  const format = readString(schema, 'format')
  const pattern = source === undefined ? undefined : site.pattern(source)
  // A pattern says little to a model; what its author says of the value says more.
  const about = readString(schema, 'description')
  const isFormat = format === undefined ? undefined : site.formats?.get(format)
  if (shortest === 0 && longest === Infinity && pattern === undefined && isFormat === undefined) return undefined
  return (value, state) => {
    if (typeof value !== 'string') return true
    if (value.length < 2 * shortest || value.length > longest) {
      const length = lengthOf(value, state)
      if (length < shortest) return state.fail('minLength', `must have at least ${shortest} characters, got ${length}`)
      if (length > longest) return state.fail('maxLength', `must have at most ${longest} characters, got ${length}`)
    }
    if (pattern !== undefined && !pattern.test(value, state.budget)) {
      return state.quiet > 0
        ? false
        : state.fail('pattern', `must match ${quote(about ?? source)}, got ${quote(value)}`)
    }
    if (isFormat === undefined) return true
    state.budget.spend(value.length >> 4)
    return isFormat(value) || state.fail('format', `must be a valid ${format}, got ${quote(value)}`)
  }
}

/** In code points, as JSON Schema counts. */
function lengthOf(text: string, state: State): number {
  state.budget.spend(text.length >> 2)
  let length = text.length
  for (let i = 0; i + 1 < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0xd800 || unit > 0xdbff) continue
    const low = text.charCodeAt(i + 1)
    if (low < 0xdc00 || low > 0xdfff) continue
    length--
    i++
  }
  return length
}
