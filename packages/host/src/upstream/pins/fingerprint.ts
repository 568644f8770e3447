/**
 * The fingerprint of a definition's meaning, under SHA-256. What carries meaning is decided in the SDK, so that a server's
 * own lock and a host's pins agree.
 */

import { createHash } from 'node:crypto'
import type { JsonObject } from '@portico/sdk/client'
import { ITEM_KEYS, toCanonicalJson } from '@portico/sdk/internal'
import type { ItemKind } from '../catalogue/item.ts'

/** What earlier versions pinned, by kind. */
const ONCE_PINNED: { readonly [Kind in ItemKind]: readonly string[] } = {
  tool: ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'],
  resource: ['name', 'title', 'description', 'mimeType'],
  template: ['name', 'title', 'description', 'mimeType'],
  prompt: ['title', 'description', 'arguments'],
}

/** As much of a meaning as earlier versions pinned. */
export function onceMeaningOf(kind: ItemKind, meaning: JsonObject): JsonObject {
  const members = ONCE_PINNED[kind].filter((member) => meaning[member] !== undefined)
  return Object.fromEntries(members.map((member) => [member, meaning[member]])) as JsonObject
}

export function fingerprintOf(meaning: JsonObject): string {
  return `sha256:${createHash('sha256').update(toCanonicalJson(meaning)).digest('hex')}`
}

/** What an item is found by at its server. */
export function ownNameOf(kind: ItemKind, definition: object): string {
  // The client takes no item whose key is not a string.
  return (definition as JsonObject)[ITEM_KEYS[kind]] as string
}
