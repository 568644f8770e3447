/** Reads the values that a command line or a configuration file gave for an entry's options; a wrong kind is said by name. */

import { PorticoError } from '@portico/sdk/server'
import type { EntryOption, EntryValue } from './entry.ts'

interface EntryValues {
  readonly [option: string]: EntryValue | undefined
}

/** How a server answers, in the words of a command line: `answers.ts` has the rest. */
export const STRUCTURED: EntryOption = {
  type: 'boolean',
  about: 'Give results as values for programs too, with their schemas in the list of tools',
  fallback: 'false',
}

export function textValue(values: EntryValues, option: string): string | undefined {
  const value = values[option]
  if (value === undefined || typeof value === 'string') return value
  if (Array.isArray(value) && value.length <= 1) return value[0]
  throw wrong(option, 'one text')
}

export function flagValue(values: EntryValues, option: string): boolean | undefined {
  const value = values[option]
  if (value === undefined || typeof value === 'boolean') return value
  if (value === 'true' || value === 'false') return value === 'true'
  throw wrong(option, 'true or false')
}

/** A whole number above zero: every limit is one. */
export function countValue(values: EntryValues, option: string): number | undefined {
  const value = values[option]
  if (value === undefined) return undefined
  const count = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof count === 'number' && Number.isSafeInteger(count) && count > 0) return count
  throw wrong(option, 'a whole number above 0')
}

/** The same where 0 means none. */
export function countOrNone(values: EntryValues, option: string): number | undefined {
  const value = values[option]
  return value === 0 || value === '0' ? 0 : countValue(values, option)
}

export function listValue(values: EntryValues, option: string): readonly string[] | undefined {
  const value = values[option]
  if (value === undefined) return undefined
  if (typeof value === 'string') return [value]
  // The other kinds are no lists; what is left is one of texts.
  if (typeof value === 'object') return value
  throw wrong(option, 'a list of texts')
}

function wrong(option: string, wanted: string): PorticoError {
  return new PorticoError('invalid-arguments', `The option "${option}" must be ${wanted}`)
}
