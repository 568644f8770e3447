/**
 * What of a definition carries meaning: everything that reaches a model, a client or a person; and which definitions
 * changed between two readings. Fingerprints of a server, pins and lock files of hosts all ask here, so that they agree.
 */

import { isObject, type JsonObject } from '../jsonrpc/message.ts'

/** The kinds of items that servers define. */
export type ItemKind = 'tool' | 'resource' | 'template' | 'prompt'

/** The member that an item of each kind is found by. */
export const ITEM_KEYS = {
  tool: 'name',
  resource: 'uri',
  template: 'uriTemplate',
  prompt: 'name',
} as const satisfies { readonly [Kind in ItemKind]: string }

/** The same for any kind: an item of a kind that is not in the table is found by its name. */
export function itemKeyOf(kind: string): string {
  return Object.hasOwn(ITEM_KEYS, kind) ? ITEM_KEYS[kind as ItemKind] : 'name'
}

/**
 * A definition without the name that it is found by and without what changes by itself as data does (`size`,
 * `lastModified`). Members that nobody knows yet are in it.
 */
export function meaningOf(kind: string, definition: object): JsonObject {
  const { [itemKeyOf(kind)]: _key, size: _size, ...kept } = definition as JsonObject
  if (kind !== 'tool' && isObject(kept.annotations)) {
    const { lastModified: _changed, ...annotations } = kept.annotations
    kept.annotations = annotations
    if (Object.keys(annotations).length === 0) delete kept.annotations
  }
  return kept
}

/** An item that is new, gone, or not as it was. */
export type ItemChange<T> =
  | { readonly change: 'added'; readonly key: string; readonly after: T }
  | { readonly change: 'removed'; readonly key: string; readonly before: T }
  | { readonly change: 'changed'; readonly key: string; readonly before: T; readonly after: T }

/** What changed between two readings of a list: gone and changed items in their order, then the new ones. */
export function compareItems<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  isSame: (before: T, after: T) => boolean,
): ItemChange<T>[] {
  const changes: ItemChange<T>[] = []
  for (const [key, old] of before) {
    const now = after.get(key)
    if (now === undefined) changes.push({ change: 'removed', key, before: old })
    else if (!isSame(old, now)) changes.push({ change: 'changed', key, before: old, after: now })
  }
  for (const [key, now] of after) if (!before.has(key)) changes.push({ change: 'added', key, after: now })
  return changes
}
