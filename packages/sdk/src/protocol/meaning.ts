/**
 * What of a definition carries meaning: everything that reaches a model, a client or a person. Locks of servers, pins of
 * hosts and whoever else asks whether a definition has changed ask here, so that they agree.
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

/**
 * A definition without the name that it is found by and without what changes by itself as data does (`size`,
 * `lastModified`). Members that nobody knows yet are in it.
 */
export function meaningOf(kind: ItemKind, definition: object): JsonObject {
  const { [ITEM_KEYS[kind]]: _key, size: _size, ...kept } = definition as JsonObject
  if (kind !== 'tool' && isObject(kept.annotations)) {
    const { lastModified: _changed, ...annotations } = kept.annotations
    kept.annotations = annotations
    if (Object.keys(annotations).length === 0) delete kept.annotations
  }
  return kept
}
