/** Fills in what a JSON Schema names as `default`: members that are absent, at the root and in objects and items below. */

import type { JsonObject } from '../../jsonrpc/message.ts'

/** Gives the value itself, or a copy with more members; never changes what it is given. */
type FillDefaults = (value: unknown) => unknown

/** Undefined where the schema names no default. `$ref` is not followed. */
export function compileDefaults(schema: unknown): FillDefaults | undefined {
  if (!isObject(schema)) return undefined
  const members: [key: string, fallback: unknown, deeper: FillDefaults | undefined][] = []
  for (const [key, member] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
    const fallback = isObject(member) ? member.default : undefined
    const deeper = compileDefaults(member)
    if (fallback !== undefined || deeper !== undefined) members.push([key, fallback, deeper])
  }
  const items = compileDefaults(schema.items)
  if (members.length === 0 && items === undefined) return undefined
  return (value) => {
    if (Array.isArray(value)) return items === undefined ? value : value.map(items)
    if (!isObject(value)) return value
    const added: [string, unknown][] = []
    for (const [key, fallback, deeper] of members) {
      const own = Object.hasOwn(value, key) ? value[key] : undefined
      const given = own === undefined ? structuredClone(fallback) : own
      const filled = deeper === undefined ? given : deeper(given)
      if (filled !== own) added.push([key, filled])
    }
    return added.length === 0 ? value : { ...value, ...Object.fromEntries(added) }
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
