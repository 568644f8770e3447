/**
 * A window of rows in a list that is too long to hold: which rows are here, where in the list they stand, and what must
 * be asked for next so that what is in sight is here. Rows are asked for by their ids, so where a far place is in a
 * filtered list is a guess that is put right at the list's ends.
 */

import type { TimelineRow } from 'portico/web-api'

export interface RowWindow {
  /** Rows that the filter lets through, here or not. */
  readonly total: number
  /** Where in the list the first of `rows` stands. */
  readonly base: number
  readonly rows: readonly TimelineRow[]
}

/** The ids that exist at all. */
export interface IdSpan {
  readonly oldest: number
  readonly newest: number
}

export type Need =
  | { readonly kind: 'tail' }
  | { readonly kind: 'older'; readonly before: number }
  | { readonly kind: 'newer'; readonly after: number }
  | { readonly kind: 'jump'; readonly index: number; readonly after: number }

export const PAGE = 300
const MAX_KEPT = 3_000

export const EMPTY_WINDOW: RowWindow = { total: 0, base: 0, rows: [] }

export function rowAt({ base, rows }: RowWindow, index: number): TimelineRow | undefined {
  return rows[index - base]
}

/** -1 where it is not here. */
export function indexOf({ base, rows }: RowWindow, id: number | undefined): number {
  if (id === undefined) return -1
  const place = rows.findIndex((row) => row.id === id)
  return place === -1 ? -1 : base + place
}

/** What is missing for the rows from `first` to `last`. */
export function needOf(window: RowWindow, first: number, last: number, span: IdSpan): Need | undefined {
  const { base, rows, total } = window
  const [head, tail] = [rows[0], rows.at(-1)]
  if (head === undefined || tail === undefined) return { kind: 'tail' }
  if (last < first) return undefined
  const end = base + rows.length
  const index = Math.max(0, Math.min(total - PAGE, first - Math.floor(PAGE / 3)))
  if (last < base - PAGE) {
    const id = between({ index: 0, id: span.oldest }, { index: base, id: head.id }, index)
    return { kind: 'jump', index, after: id - 1 }
  }
  if (first > end + PAGE) {
    const id = between({ index: end - 1, id: tail.id }, { index: total - 1, id: span.newest }, index)
    return { kind: 'jump', index, after: id - 1 }
  }
  if (first < base) return { kind: 'older', before: head.id }
  if (last >= end && end < total) return { kind: 'newer', after: tail.id }
  return undefined
}

interface Anchor {
  readonly index: number
  readonly id: number
}

/** Exact where every id is in the list, otherwise as if they were spread evenly. */
function between(low: Anchor, high: Anchor, index: number): number {
  const part = (index - low.index) / Math.max(1, high.index - low.index)
  return Math.round(low.id + (high.id - low.id) * Math.min(1, Math.max(0, part)))
}

export function withTail(rows: readonly TimelineRow[], total: number): RowWindow {
  return { total, base: total - rows.length, rows }
}

export function withOlder(window: RowWindow, older: readonly TimelineRow[], total: number, limit: number): RowWindow {
  const rows = [...older, ...window.rows]
  // Fewer than were asked for: this is the beginning of the list, whatever was guessed.
  const base = older.length < limit ? 0 : Math.max(0, window.base - older.length)
  return keepBelow({ total: Math.max(total, base + rows.length), base, rows: rows.slice(0, MAX_KEPT) })
}

export function withNewer(window: RowWindow, newer: readonly TimelineRow[], total: number, limit: number): RowWindow {
  const rows = [...window.rows, ...newer]
  const isEnd = newer.length < limit
  const dropped = Math.max(0, rows.length - MAX_KEPT)
  const base = isEnd ? total - rows.length : window.base
  return keepBelow({
    total: isEnd ? total : Math.max(total, base + rows.length),
    base: base + dropped,
    rows: rows.slice(dropped),
  })
}

/** A guess that came out too near to the end is given up for the end itself, from where the next one is better. */
export function withJump(index: number, rows: readonly TimelineRow[], total: number, limit: number): RowWindow {
  if (rows.length < limit) return { total, base: total, rows: [] }
  return keepBelow({ total, base: Math.min(index, total - rows.length), rows })
}

/** Rows that are here and have been told anew, such as a request that has been answered since. */
export function withChanged(window: RowWindow, changed: readonly TimelineRow[]): RowWindow {
  const byId = new Map(changed.map((row) => [row.id, row]))
  return { ...window, rows: window.rows.map((row) => byId.get(row.id) ?? row) }
}

/** The list has grown at its end and, when it is full, lost as many at its beginning. */
export function withTotal(window: RowWindow, total: number, lost: number): RowWindow {
  const gone = Math.max(0, lost - window.base)
  return {
    total: Math.max(total, window.rows.length - gone),
    base: Math.max(0, window.base - lost),
    rows: gone === 0 ? window.rows : window.rows.slice(gone),
  }
}

function keepBelow(window: RowWindow): RowWindow {
  return window.base >= 0 ? window : { ...window, base: 0 }
}
