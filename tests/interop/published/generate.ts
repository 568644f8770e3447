/** Arguments made from a tool's input schema, for tools that the table of cases does not know. */

import type { Json } from '../client-under-test.ts'

/** The smallest arguments that the schema allows, as far as that can be seen without thinking. */
export function argumentsFor(schema: Json): Json {
  const properties = (schema.properties ?? {}) as { [name: string]: Json }
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.fromEntries(required.map((name) => [name, valueFor(properties[name] ?? {})]))
}

function valueFor(schema: Json): unknown {
  if (schema.default !== undefined) return schema.default
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  switch (type) {
    case 'number':
    case 'integer':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    case 'array':
      return Array.from({ length: Number(schema.minItems ?? 1) }, () => valueFor((schema.items ?? {}) as Json))
    case 'object':
      return argumentsFor(schema)
    default:
      return schema.format === 'uri' ? 'https://example.com/' : 'words'
  }
}
