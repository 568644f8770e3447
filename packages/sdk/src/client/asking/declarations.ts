/**
 * Writes TypeScript declarations for a server that nobody here has the source of, from the tools it lists. The result
 * goes to `connect<Name>(…)` and gives `client.tools` types. Schemas are the server's: what is not understood, too deep or
 * too long becomes `unknown`, and no text of theirs can leave the string or comment that it is put into.
 */

import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { Tool } from '../../protocol/tools.ts'

/**
 * Writes TypeScript for the tools that a server lists: the text of a module that exports one interface called `name`,
 * which `connect<Name>(…)` takes to give `client.tools` its types.
 *
 * @example
 * ```ts
 * import { connect, declarationsFor } from '@portico/sdk/client'
 * import { writeFile } from 'node:fs/promises'
 *
 * const client = await connect('https://mcp.example.com/mcp')
 * await writeFile('weather.d.ts', declarationsFor(await client.listTools(), 'Weather'))
 * ```
 */
export function declarationsFor(tools: readonly Tool[], name: string): string {
  const lines = [`export interface ${toIdentifier(name)} {`, "  readonly '~tools'?: {"]
  for (const tool of [...tools].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (tool.description !== undefined) lines.push(...toComment(tool.description, '    '))
    lines.push(`    readonly ${JSON.stringify(tool.name)}: {`)
    lines.push(`      readonly '~input'?: ${toType(tool.inputSchema, 3)}`)
    if (tool.outputSchema !== undefined) lines.push(`      readonly '~output'?: ${toType(tool.outputSchema, 3)}`)
    else lines.push("      readonly '~output'?: undefined")
    lines.push('    }')
  }
  lines.push('  }', '}', '')
  return lines.join('\n')
}

const MAX_DEPTH = 12
const MAX_MEMBERS = 500

function toType(schema: unknown, indent: number, root: unknown = schema, depth = 0): string {
  if (!isObject(schema) || depth > MAX_DEPTH) return 'unknown'
  const next = (child: unknown, deeper = indent) => toType(child, deeper, root, depth + 1)
  if (typeof schema.$ref === 'string') return next(resolve(schema.$ref, root))
  if ('const' in schema) return toLiteral(schema.const)
  if (Array.isArray(schema.enum)) return toUnion(schema.enum.slice(0, MAX_MEMBERS).map(toLiteral))
  const choices = schema.anyOf ?? schema.oneOf
  if (Array.isArray(choices)) return toUnion(choices.slice(0, MAX_MEMBERS).map((choice) => next(choice)))
  if (Array.isArray(schema.type)) return toUnion(schema.type.map((type) => next({ ...schema, type })))
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'number':
    case 'integer':
      return 'number'
    case 'array':
      return schema.items === undefined ? 'unknown[]' : `(${next(schema.items)})[]`
    case 'object':
      return toObject(schema, indent, next)
    default:
      return isObject(schema.properties) ? toObject(schema, indent, next) : 'unknown'
  }
}

function toObject(schema: JsonObject, indent: number, next: (child: unknown, indent: number) => string): string {
  const properties = Object.entries(isObject(schema.properties) ? schema.properties : {}).slice(0, MAX_MEMBERS)
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  if (properties.length === 0) {
    if (schema.additionalProperties === false) return '{}'
    const values = isObject(schema.additionalProperties) ? next(schema.additionalProperties, indent) : 'unknown'
    return `{ [name: string]: ${values} }`
  }
  const pad = '  '.repeat(indent + 1)
  const lines = properties.flatMap(([key, value]) => {
    const comment = isObject(value) && typeof value.description === 'string' ? toComment(value.description, pad) : []
    return [...comment, `${pad}${JSON.stringify(key)}${required.has(key) ? '' : '?'}: ${next(value, indent + 1)}`]
  })
  return `{\n${lines.join('\n')}\n${'  '.repeat(indent)}}`
}

function toUnion(types: readonly string[]): string {
  return types.length === 0 ? 'never' : [...new Set(types)].join(' | ')
}

function toLiteral(value: unknown): string {
  const literal = value === null || ['string', 'number', 'boolean'].includes(typeof value)
  return literal ? JSON.stringify(value) : 'unknown'
}

/** Follows a reference within the schema; any other leads nowhere. */
function resolve(reference: string, root: unknown): unknown {
  if (!reference.startsWith('#')) return undefined
  let at: unknown = root
  for (const step of reference.slice(1).split('/').slice(1, 32)) {
    const key = decode(step)
    at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }
  return at
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return step
  }
}

function toComment(text: string, pad: string): string[] {
  const safe = text
    .slice(0, 500)
    .replaceAll('*/', '* /')
    .split(/[\r\n\u2028\u2029]+/)
  return safe.length === 1
    ? [`${pad}/** ${safe[0]} */`]
    : [`${pad}/**`, ...safe.map((line) => `${pad} * ${line}`), `${pad} */`]
}

function toIdentifier(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter(Boolean)
  const joined = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')
  return /^[A-Za-z]/.test(joined) ? joined : `Server${joined}`
}
