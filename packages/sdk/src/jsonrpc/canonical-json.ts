/**
 * One text for one JSON value, whatever the order of its keys: what is hashed, pinned, sealed, approved and compared.
 * JSON Schema has an equality of its own, which spends a budget (`schema/json-schema/json-schema-state.ts`).
 */

import { PorticoError } from './errors.ts'

/** Deeper than any message that is let in. */
export const MAX_CANONICAL_DEPTH = 256

/**
 * JSON with sorted keys and no spaces. Members that JSON does not have are left out, as `JSON.stringify` does. A value
 * that nests deeper than 256 levels, or holds itself, is refused with what `tooDeep` makes.
 */
export function toCanonicalJson(value: unknown, tooDeep: () => Error = refuse): string {
  return write(value, tooDeep, 0)
}

function write(value: unknown, tooDeep: () => Error, depth: number): string {
  if (typeof value !== 'object' || value === null) return isJson(value) ? JSON.stringify(value) : 'null'
  if (depth > MAX_CANONICAL_DEPTH) throw tooDeep()
  if (Array.isArray(value)) return `[${value.map((one) => write(one, tooDeep, depth + 1)).join(',')}]`
  let members = ''
  // Without an order of its own, `sort` compares code units.
  for (const key of Object.keys(value).sort()) {
    const member = (value as { readonly [key: string]: unknown })[key]
    if (!isJson(member)) continue
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${write(member, tooDeep, depth + 1)}`
  }
  return `{${members}}`
}

function isJson(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol' && typeof value !== 'bigint'
}

function refuse(): PorticoError {
  return new PorticoError('limit-exceeded', `A value nests deeper than ${MAX_CANONICAL_DEPTH} levels`)
}
