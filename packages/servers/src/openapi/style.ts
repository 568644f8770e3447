/**
 * Writes parameter values as the description's styles say (OpenAPI 3.1, "Style Values"). Every value is encoded, so that
 * none can end the place it was given for: no slash in a path, no second parameter in a query, no line in a header.
 */

import { isObject } from '@portico/sdk/internal'
import { ToolError } from '@portico/sdk/server'
import type { Parameter } from './operation.ts'

/** One path segment's worth of text. */
export function writePathValue(parameter: Parameter, value: unknown): string {
  const { name, style, explode } = parameter
  const items = itemsOf(parameter, value)
  for (const text of items.values) refuseTraversal(parameter, text)
  const join = (separator: string, assign: string) =>
    items.keyed
      ? items.values.map((text, at) => `${encode(items.keys[at] ?? '')}${assign}${encode(text)}`).join(separator)
      : items.values.map(encode).join(separator)
  const written =
    style === 'label'
      ? `.${join(explode ? '.' : ',', explode ? '=' : ',')}`
      : style === 'matrix'
        ? writeMatrix(name, explode, items, join)
        : join(',', explode ? '=' : ',')
  if (written === '' || written === '.' || written === '..') {
    throw new ToolError(`"${parameter.argument}" is not a value that can stand in a path.`)
  }
  return written
}

/** Name and value pairs of a query, already encoded. */
export function writeQueryValue(parameter: Parameter, value: unknown): string[] {
  const { name, style, explode } = parameter
  const key = encode(name)
  if (style === 'deepObject' && isObject(value)) {
    return Object.entries(value).flatMap(([member, item]) =>
      [item]
        .flat()
        .map((one) => `${key}${encode('[')}${encode(member)}${encode(']')}=${encode(scalar(parameter, one))}`),
    )
  }
  const items = itemsOf(parameter, value)
  if (explode && items.keyed) return items.values.map((text, at) => `${encode(items.keys[at] ?? '')}=${encode(text)}`)
  if (explode && Array.isArray(value)) return items.values.map((text) => `${key}=${encode(text)}`)
  const separator = SEPARATORS[style] ?? ','
  return [`${key}=${flat(items).map(encode).join(separator)}`]
}

/** The value of a header or a cookie. */
export function writeHeaderValue(parameter: Parameter, value: unknown): string {
  const items = itemsOf(parameter, value)
  const text =
    parameter.explode && items.keyed
      ? items.values.map((item, at) => `${items.keys[at]}=${item}`).join(',')
      : flat(items).join(',')
  // A line end would begin a header of the caller's own.
  if (!/^[\x20-\x7e]*$/.test(text)) {
    throw new ToolError(`"${parameter.argument}" has characters that cannot be sent in a header.`)
  }
  return parameter.in === 'cookie' ? encode(text) : text
}

interface Items {
  readonly keyed: boolean
  readonly keys: readonly string[]
  readonly values: readonly string[]
}

const SEPARATORS: { readonly [style: string]: string } = { spaceDelimited: '%20', pipeDelimited: '%7C' }

function itemsOf(parameter: Parameter, value: unknown): Items {
  if (parameter.asJson) return { keyed: false, keys: [], values: [JSON.stringify(value)] }
  if (Array.isArray(value)) return { keyed: false, keys: [], values: value.map((item) => scalar(parameter, item)) }
  if (!isObject(value)) return { keyed: false, keys: [], values: [scalar(parameter, value)] }
  const entries = Object.entries(value)
  return {
    keyed: true,
    keys: entries.map(([key]) => key),
    values: entries.map(([, item]) => scalar(parameter, item)),
  }
}

function flat({ keyed, keys, values }: Items): string[] {
  return keyed ? values.flatMap((text, at) => [keys[at] ?? '', text]) : [...values]
}

function writeMatrix(
  name: string,
  explode: boolean,
  items: Items,
  join: (by: string, assign: string) => string,
): string {
  if (!explode) return `;${encode(name)}=${join(',', ',')}`
  if (items.keyed) return `;${join(';', '=')}`
  return items.values.map((text) => `;${encode(name)}=${encode(text)}`).join('')
}

function scalar(parameter: Parameter, value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'object') return JSON.stringify(value)
  const text = String(value)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\x00-\x1f\x7f]/.test(text)) throw new ToolError(`"${parameter.argument}" has control characters in it.`)
  return text
}

/**
 * Servers and proxies differ in when they decode a path. A value that is a step upward in any reading is refused
 * rather than encoded once and hoped for.
 */
function refuseTraversal(parameter: Parameter, text: string): void {
  let reading = text
  for (let round = 0; round < 4; round++) {
    if (reading.split(/[/\\]/).some((part) => part === '..' || part === '.')) {
      throw new ToolError(`"${parameter.argument}" would lead out of its place in the path, and was not sent.`)
    }
    const next = reading.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    if (/[\x00-\x1f\x7f]/.test(next)) throw new ToolError(`"${parameter.argument}" has control characters in it.`)
    if (next === reading) return
    reading = next
  }
  throw new ToolError(`"${parameter.argument}" is encoded too many times over.`)
}

/** As `encodeURIComponent`, and the rest of the reserved characters too; half a character becomes a replacement. */
function encode(text: string): string {
  return encodeURIComponent(Buffer.from(text, 'utf8').toString('utf8')).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
