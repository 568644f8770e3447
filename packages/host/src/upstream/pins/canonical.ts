/**
 * The fingerprint of a definition: all of it that reaches a model, a client or a person, in one order, under SHA-256. Only
 * what changes by itself as data does (`size`, `lastModified`) is left out, and members that nobody knows yet are in.
 */

import { createHash } from 'node:crypto'
import type { JsonObject } from '@portico/sdk/client'
import type { ItemKind } from '../catalogue/item.ts'

/** The member that an item is found by. */
const KEYS: { readonly [Kind in ItemKind]: string } = {
  tool: 'name',
  resource: 'uri',
  template: 'uriTemplate',
  prompt: 'name',
}

/** What earlier versions pinned, by kind. */
const ONCE_PINNED: { readonly [Kind in ItemKind]: readonly string[] } = {
  tool: ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'],
  resource: ['name', 'title', 'description', 'mimeType'],
  template: ['name', 'title', 'description', 'mimeType'],
  prompt: ['title', 'description', 'arguments'],
}

/** The part of a definition that is pinned. */
export function meaningOf(kind: ItemKind, definition: object): JsonObject {
  const { [KEYS[kind]]: _key, size: _size, ...kept } = definition as JsonObject
  if (kind !== 'tool' && isObject(kept.annotations)) {
    const { lastModified: _changed, ...annotations } = kept.annotations
    kept.annotations = annotations
    if (Object.keys(annotations).length === 0) delete kept.annotations
  }
  return kept
}

/** As much of a meaning as earlier versions pinned. */
export function onceMeaningOf(kind: ItemKind, meaning: JsonObject): JsonObject {
  const members = ONCE_PINNED[kind].filter((member) => meaning[member] !== undefined)
  return Object.fromEntries(members.map((member) => [member, meaning[member]])) as JsonObject
}

export function fingerprintOf(meaning: JsonObject): string {
  return `sha256:${createHash('sha256').update(canonical(meaning)).digest('hex')}`
}

/** What an item is found by at its server. */
export function ownNameOf(kind: ItemKind, definition: object): string {
  // The client takes no item whose key is not a string.
  return (definition as JsonObject)[KEYS[kind]] as string
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
