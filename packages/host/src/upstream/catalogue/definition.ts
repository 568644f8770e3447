/**
 * A definition as the catalogue shows it: the server's words made visible and cut to size, with what a person has changed
 * about it. What the server sent stays with the pins; only this is ever given to a model or a person.
 */

import type { JsonObject } from '@portico/sdk/client'
import { isObject } from '@portico/sdk/internal'
import type { ItemOverride } from '../../config/server-config.ts'
import type { ItemKind, TextFinding } from './item.ts'
import { bounded, inspectName, neutralise } from './text.ts'
import { safeIcons } from './web-addresses.ts'

interface Shown {
  readonly definition: JsonObject
  readonly findings: readonly TextFinding[]
}

export const DEFINITION_LIMITS = {
  /** Characters of an item's own description. */
  maxDescription: 4_000,
  /** Characters of any other text in a definition. */
  maxText: 2_000,
  /** Characters of a whole definition as JSON. */
  maxDefinition: 131_072,
  maxDepth: 48,
  /** Items of one kind that are taken from one server. */
  maxItems: 2_000,
} as const

/** The definition to show, or in words why there is none. */
export function showDefinition(kind: ItemKind, raw: object, override: ItemOverride | undefined): Shown | string {
  const depth = depthOf(raw, DEFINITION_LIMITS.maxDepth)
  if (depth > DEFINITION_LIMITS.maxDepth) return `it is nested more than ${DEFINITION_LIMITS.maxDepth} deep`
  if (JSON.stringify(raw).length > DEFINITION_LIMITS.maxDefinition)
    return `its definition has more than ${DEFINITION_LIMITS.maxDefinition} characters`
  // Whoever decides about an item must see which one it is, and whoever uses it must be able to name it.
  if (neutralise(nameOf(kind, raw)).findings.length > 0) return 'its name holds characters that cannot be seen'
  const findings: TextFinding[] = namesOf(raw).flatMap(([part, name]) => inspectName(name, part))
  // An object stays one when its texts are replaced.
  const definition = visible(raw, '', findings) as JsonObject
  if (definition.icons !== undefined) definition.icons = safeIcons(definition.icons) as JsonObject[]
  if (override?.describe !== undefined) definition.description = override.describe
  if (override?.presets !== undefined) hidePresets(kind, definition, override.presets)
  return { definition, findings: findings.slice(0, MAX_FINDINGS) }
}

const MAX_FINDINGS = 100

function nameOf(kind: ItemKind, raw: object): string {
  const { name, uri, uriTemplate } = raw as { readonly [member: string]: unknown }
  return String(kind === 'resource' ? uri : kind === 'template' ? uriTemplate : name)
}

/** What an item is called by: by models, by people, and by its address. */
function namesOf(raw: object): [part: string, name: string][] {
  return Object.entries(raw).filter(
    (entry): entry is [string, string] => NAMES.has(entry[0]) && typeof entry[1] === 'string',
  )
}

const NAMES = new Set(['name', 'title', 'uri', 'uriTemplate'])

/** A copy with every text made visible, names of members included. */
function visible(value: unknown, path: string, findings: TextFinding[]): unknown {
  if (typeof value === 'string') {
    const most = path === 'description' ? DEFINITION_LIMITS.maxDescription : DEFINITION_LIMITS.maxText
    const { text, findings: found } = neutralise(bounded(value, most), path)
    findings.push(...found)
    return text
  }
  if (Array.isArray(value)) return value.map((one, index) => visible(one, `${path}.${index}`, findings))
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, one]): [string, unknown] => {
    const name = neutralise(key).text
    const below = path === '' ? name : `${path}.${name}`
    findings.push(...neutralise(key, below).findings)
    return [name, visible(one, below, findings)]
  })
  // `fromEntries` defines own members, so that one called `__proto__` is one like any other.
  return Object.fromEntries(entries)
}

/** What is always given is not the model's to choose, and need not be known to it. */
function hidePresets(kind: ItemKind, definition: JsonObject, presets: JsonObject): void {
  const isPreset = (name: unknown) => typeof name === 'string' && Object.hasOwn(presets, name)
  if (kind === 'prompt' && Array.isArray(definition.arguments)) {
    definition.arguments = definition.arguments.filter((one) => !isPreset(isObject(one) ? one.name : undefined))
  }
  const schema = definition.inputSchema
  if (kind !== 'tool' || !isObject(schema)) return
  if (isObject(schema.properties)) {
    schema.properties = Object.fromEntries(Object.entries(schema.properties).filter(([name]) => !isPreset(name)))
  }
  if (Array.isArray(schema.required)) schema.required = schema.required.filter((name) => !isPreset(name))
}

/** How deep a value is nested, as far as it matters. */
function depthOf(value: unknown, most: number): number {
  let level: unknown[] = [value]
  for (let depth = 0; ; depth++) {
    const inner = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
    if (inner.length === 0 || depth > most) return depth
    level = inner
  }
}
