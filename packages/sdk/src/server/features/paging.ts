/** Pages of a list that is made for the moment: cursors name the list, the last item shown, and its place. */

import type { JsonObject } from '../../jsonrpc/message.ts'
import { invalidParam } from '../call/method.ts'

/** Above this, lists go out in pages also where nobody asked for them: clients bound what they take at once. */
const MAX_UNPAGED = 5000
const DEFAULT_PAGE_SIZE = 1000

export interface Page<Item> {
  readonly items: readonly Item[]
  readonly nextCursor: string | undefined
}

/** How many of `count` items go into a page. */
export function pageSizeFor(pageSize: number | undefined, count: number): number {
  return pageSize ?? (count > MAX_UNPAGED ? DEFAULT_PAGE_SIZE : count)
}

/** The cursor of a request for a list. Some clients send null or an empty text for the first page. */
export function cursorOf({ cursor }: JsonObject): unknown {
  return cursor === null || cursor === '' ? undefined : cursor
}

/** Where the last item shown is gone, its place stands in for it. */
export function pageOf<Item>(
  member: string,
  items: readonly Item[],
  cursor: unknown,
  pageSize: number | undefined,
): Page<Item> {
  const from = cursor === undefined ? 0 : placeAfter(member, items, cursor)
  const page = items.slice(from, from + pageSizeFor(pageSize, items.length))
  const to = from + page.length
  if (to >= items.length || page.length === 0) return { items: page, nextCursor: undefined }
  return { items: page, nextCursor: writeCursor(member, to - 1, keyOf(items[to - 1])) }
}

function placeAfter(member: string, items: readonly unknown[], cursor: unknown): number {
  const last = readCursor(cursor, member)
  if (last === undefined) throw notACursor()
  const at = items.findIndex((item) => keyOf(item) === last.key)
  return at >= 0 ? at + 1 : Math.max(0, last.place)
}

function keyOf(item: unknown): string {
  const { uri, uriTemplate, name } = item as { uri?: string; uriTemplate?: string; name?: string }
  return uri ?? uriTemplate ?? name ?? ''
}

export function writeCursor(member: string, place: number, key: string): string {
  const bytes = new TextEncoder().encode(JSON.stringify([member, place, key]))
  return btoa(String.fromCharCode(...bytes))
}

export function readCursor(cursor: unknown, member: string): { place: number; key: string } | undefined {
  try {
    if (typeof cursor !== 'string') return undefined
    const bytes = Uint8Array.from(atob(cursor), (char) => char.charCodeAt(0))
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    if (!Array.isArray(value) || value.length !== 3 || value[0] !== member) return undefined
    const [, place, key] = value
    return Number.isInteger(place) && typeof key === 'string' ? { place, key } : undefined
  } catch {
    return undefined
  }
}

export function notACursor(): Error {
  return invalidParam('cursor', 'is not a cursor of this list')
}
