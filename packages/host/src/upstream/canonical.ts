/**
 * The fingerprint of a definition: what a model is told, in one order, under SHA-256. Looks and program data (`icons`,
 * `_meta`) and what changes by itself (`size`, `lastModified`) are left out, so that only a changed meaning changes it.
 */

import { createHash } from 'node:crypto'
import type { JsonObject } from '@portico/sdk/client'
import type { ItemKind } from './item.ts'

/** The members that carry meaning, by kind, beside the one the item is found by. */
const MEANING: { readonly [Kind in ItemKind]: readonly string[] } = {
  tool: ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'],
  resource: ['name', 'title', 'description', 'mimeType'],
  template: ['name', 'title', 'description', 'mimeType'],
  prompt: ['title', 'description', 'arguments'],
}

/** The part of a definition that is pinned. */
export function meaningOf(kind: ItemKind, definition: object): JsonObject {
  // Read by names from a table; what a server sent has whatever members it has.
  const given = definition as JsonObject
  const kept: JsonObject = {}
  for (const member of MEANING[kind]) if (given[member] !== undefined) kept[member] = given[member]
  return kept
}

export function fingerprintOf(meaning: JsonObject): string {
  return `sha256:${createHash('sha256').update(canonical(meaning)).digest('hex')}`
}

/** What an item is found by at its server. */
export function ownNameOf(kind: ItemKind, definition: object): string {
  const key = kind === 'resource' ? 'uri' : kind === 'template' ? 'uriTemplate' : 'name'
  // The client takes no item whose key is not a string.
  return (definition as JsonObject)[key] as string
}

/** JSON with sorted keys. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const keys = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
