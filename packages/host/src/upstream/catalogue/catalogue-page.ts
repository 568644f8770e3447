/** The catalogue's order, and its pages: a cursor names the item that a page ended with, so that changes in between harm nothing. */

import { RpcError } from '@portico/sdk/client'
import type { CatalogueItem, ItemKind } from './item.ts'

export const KIND_ORDER: readonly ItemKind[] = ['tool', 'prompt', 'resource', 'template']

/** The items after a cursor, which are in order. */
export function pageOf(
  all: readonly CatalogueItem[],
  cursor: string | undefined,
  limit: number | undefined,
): { readonly items: readonly CatalogueItem[]; readonly nextCursor?: string } {
  const after = cursor === undefined ? undefined : fromCursor(cursor)
  const start = after === undefined ? 0 : all.findIndex((item) => orderOf(item) > after)
  const rest = start < 0 ? [] : all.slice(start)
  const items = limit === undefined ? rest : rest.slice(0, Math.max(1, limit))
  const last = items.at(-1)
  return last === undefined || items.length === rest.length ? { items } : { items, nextCursor: toCursor(last) }
}

/** Tools before prompts before resources, each by name: an order that no arrival changes. */
export function orderOf({ kind, name }: CatalogueItem): string {
  return `${KIND_ORDER.indexOf(kind)}${name}`
}

/** Says where a page ended. Whoever makes one up gets no more than another place in the list. */
function toCursor(item: CatalogueItem): string {
  return Buffer.from(JSON.stringify({ after: orderOf(item) })).toString('base64url')
}

function fromCursor(cursor: string): string {
  try {
    const { after } = JSON.parse(Buffer.from(cursor.slice(0, 4_096), 'base64url').toString()) as { after?: unknown }
    if (typeof after === 'string') return after
  } catch {
    // Told below.
  }
  throw new RpcError(-32602, 'Invalid params: the cursor is not one of this list')
}
