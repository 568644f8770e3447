/** Lists that come in pages: follows the cursors, bounded in pages, items and bytes, and takes only items that are what they should be. */

import { PorticoError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { weightOf } from '../../jsonrpc/weight.ts'
import { withoutNulls, wrongMember } from '../../protocol/shapes.ts'
import type { Emitter } from '../events.ts'
import type { ListedNames } from '../listed-names.ts'
import type { ClientLimits } from '../options.ts'

export interface ListKind<Item> {
  readonly method: string
  /** The member of the result that holds the items. */
  readonly member: string
  /** The member of an item that must be a string: what it is found by. */
  readonly key: string
  /** Takes an item or says why it is left out. */
  readonly accept?: (item: Item) => string | undefined
}

/** What reading pages needs of the client. */
interface PagesHost {
  readonly limits: ClientLimits
  readonly emitter: Emitter
  readonly listed: ListedNames
}

/** One page after the other. `load` fetches the page at a cursor. */
export async function* readPages<Item>(
  kind: ListKind<Item>,
  load: (cursor: string | undefined) => Promise<JsonObject>,
  { limits, emitter: events, listed }: PagesHost,
): AsyncGenerator<Item[], void, void> {
  const seen = new Set<string>()
  let cursor: string | undefined
  let items = 0
  let weight = 0
  for (let page = 1; ; page++) {
    const result = await load(cursor)
    const found = result[kind.member]
    if (!Array.isArray(found)) {
      throw invalid(kind, `"${kind.member}" must be an array`)
    }
    items += found.length
    if (items > limits.maxListItems) throw limit(kind, `maxListItems (${limits.maxListItems})`)
    const next = result.nextCursor
    // A single page is bounded as an answer is. Cursors count too: each is kept until the last page has come.
    if (page > 1 || typeof next === 'string') weight += weightOf(result, limits.maxListBytes)
    if (page > 1 && weight > limits.maxListBytes) throw limit(kind, `maxListBytes (${limits.maxListBytes})`)
    const accepted = found
      .map((item) => (isObject(item) ? withoutNulls(item) : item))
      .filter((item): item is Item & JsonObject => accepts(kind, item, events))
    listed.note(
      kind.method,
      accepted.map((item) => String(item[kind.key])),
      page === 1,
    )
    yield accepted
    if (next === undefined || next === null) return
    if (typeof next !== 'string') throw invalid(kind, '"nextCursor" must be a string')
    if (seen.has(next)) throw invalid(kind, 'the same cursor came twice')
    if (page >= limits.maxPages) throw limit(kind, `maxPages (${limits.maxPages})`)
    seen.add(next)
    cursor = next
  }
}

export async function collect<Item>(pages: AsyncIterable<Item[]>): Promise<Item[]> {
  const all: Item[] = []
  for await (const page of pages) for (const item of page) all.push(item)
  return all
}

/** A malformed item is left out rather than spoiling the list it came in. */
function accepts<Item>(kind: ListKind<Item>, item: unknown, events: Emitter): item is Item {
  const named = isObject(item) && typeof item[kind.key] === 'string'
  const subject = named ? String(item[kind.key]) : undefined
  const wrong = named ? wrongMember(item) : undefined
  // `kind` says which members an item needs beyond its key; `accept` looks at them.
  const unfit = () => (wrong === undefined ? kind.accept?.(item as Item) : `its "${wrong}" is of the wrong type`)
  const reason = named ? unfit() : `it has no "${kind.key}"`
  if (reason === undefined) return true
  const tool = kind.member === 'tools'
  events.emit('warning', {
    kind: tool ? 'tool-left-out' : 'item-left-out',
    message: `${subject === undefined ? 'An item' : `"${subject}"`} of ${kind.method} was left out: ${reason}`,
    subject,
  })
  return false
}

function invalid(kind: { method: string }, reason: string): PorticoError {
  return new PorticoError('invalid-message', `The result of ${kind.method} is not valid: ${reason}`, {
    delivery: 'unknown',
  })
}

function limit(kind: { method: string }, what: string): PorticoError {
  return new PorticoError('limit-exceeded', `${what} exceeded by ${kind.method}`, { delivery: 'unknown' })
}
