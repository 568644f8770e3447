/**
 * JSON as Cedar takes it. Arguments and claims come from outside: what Cedar's own JSON form would read as a reference
 * to an entity or a call of a function is left out, and size and depth are bounded.
 */

import { PorticoError } from '@portico/sdk/server'

/** A value that Cedar knows: JSON without null and without fractions. */
export type CedarValue = string | number | boolean | CedarValue[] | { [name: string]: CedarValue }

/** The attributes of an entity in Cedar, by name. */
export type CedarRecord = { readonly [name: string]: CedarValue }

const MAX_DEPTH = 16
const MAX_VALUES = 10_000

/** Numbers beyond whole ones, null and undefined do not exist in Cedar and are left out. Throws beyond the bounds. */
export function toCedarRecord(source: { readonly [name: string]: unknown }): { [name: string]: CedarValue } {
  return toRecord(source, { left: MAX_VALUES }, 0)
}

interface Budget {
  left: number
}

function toRecord(source: object, budget: Budget, depth: number): { [name: string]: CedarValue } {
  const entries: [string, CedarValue][] = []
  for (const [name, value] of Object.entries(source)) {
    // `__entity`, `__extn` and `__expr` have a meaning in Cedar's JSON, which only the operator may use.
    if (name.startsWith('__')) continue
    const converted = toValue(value, budget, depth + 1)
    if (converted !== undefined) entries.push([name, converted])
  }
  return Object.fromEntries(entries)
}

function toValue(value: unknown, budget: Budget, depth: number): CedarValue | undefined {
  if (depth > MAX_DEPTH || --budget.left < 0) {
    throw new PorticoError('limit-exceeded', 'The values to decide on are too many or too deep')
  }
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined
  if (Array.isArray(value)) {
    return value.map((one) => toValue(one, budget, depth + 1)).filter((one) => one !== undefined)
  }
  return typeof value === 'object' && value !== null ? toRecord(value, budget, depth) : undefined
}
