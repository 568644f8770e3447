/**
 * Expansion of URI templates, levels 1 to 4, by the algorithm of RFC 6570 section 3.2.1: parts and values to a URI.
 */

import { PorticoError } from '../../jsonrpc/errors.ts'
import type { Operator, TemplatePart, Variable } from './uri-template-syntax.ts'
import { encodeReserved, encodeUnreserved } from './uri-template-syntax.ts'

type Scalar = string | number | boolean

/** Undefined, null and empty lists or records leave the variable out. */
type TemplateValue =
  | Scalar
  | null
  | undefined
  | readonly (Scalar | null | undefined)[]
  | { readonly [key: string]: Scalar | null | undefined }

export type TemplateValues = { readonly [name: string]: TemplateValue }

export function expandParts(parts: readonly TemplatePart[], values: TemplateValues): string {
  let uri = ''
  for (const part of parts) {
    if (part.kind === 'literal') {
      uri += part.text
      continue
    }
    let lead = part.operator.first
    for (const variable of part.variables) {
      const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined
      const text = expandVariable(part.operator, variable, value)
      if (text === undefined) continue
      uri += lead + text
      lead = part.operator.separator
    }
  }
  return uri
}

function expandVariable(operator: Operator, variable: Variable, value: TemplateValue): string | undefined {
  if (value === undefined || value === null) return undefined
  const encode = operator.reserved ? encodeReserved : encodeUnreserved
  if (typeof value !== 'object') {
    const text = String(value)
    const taken = variable.prefix === undefined ? text : toPrefix(text, variable.prefix)
    return withName(operator, variable.name, encode(taken))
  }
  if (variable.prefix !== undefined) {
    throw new PorticoError('invalid-arguments', `${variable.name}: a prefix can be taken of a string only`)
  }
  const pairs = toPairs(value)
  if (pairs.length === 0) return undefined
  if (variable.explode) {
    const items = pairs.map(([key, item]) => {
      if (key === undefined) return withName(operator, variable.name, encode(item))
      return operator.named ? withName(operator, encode(key), encode(item)) : `${encode(key)}=${encode(item)}`
    })
    return items.join(operator.separator)
  }
  const joined = pairs.map(([key, item]) => (key === undefined ? encode(item) : `${encode(key)},${encode(item)}`))
  return withName(operator, variable.name, joined.join(','))
}

/** The first `length` characters, surrogate pairs counted once. */
export function toPrefix(text: string, length: number): string {
  return text.length <= length
    ? text
    : Array.from(text.slice(0, length * 2))
        .slice(0, length)
        .join('')
}

function withName(operator: Operator, name: string, encoded: string): string {
  if (!operator.named) return encoded
  return encoded === '' ? name + operator.ifEmpty : `${name}=${encoded}`
}

/** The defined members of a list (without keys) or record. */
function toPairs(value: Exclude<TemplateValue, Scalar | null | undefined>): [string | undefined, string][] {
  const pairs: [string | undefined, string][] = []
  if (isList(value)) {
    for (const item of value) if (item !== undefined && item !== null) pairs.push([undefined, String(item)])
  } else {
    for (const [key, item] of Object.entries(value)) {
      if (item !== undefined && item !== null) pairs.push([key, String(item)])
    }
  }
  return pairs
}

/** `Array.isArray` does not narrow readonly arrays. */
function isList(value: object): value is readonly unknown[] {
  return Array.isArray(value)
}
