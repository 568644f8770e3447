/**
 * The four lists (tools, resources, templates, prompts) as they go out: items serialized once per revision and joined,
 * whole lists kept as text where no visibility rule applies, pages with opaque cursors when a page size is set.
 */

import type { JsonObject } from '../../jsonrpc/message.ts'
import type { Revision } from '../../protocol/revision.ts'
import type { ServerCall } from '../call/call.ts'
import type { ServerMethod } from '../call/method.ts'
import { isRestricted, isVisible } from '../items/access.ts'
import type { Access, CacheHint } from '../items/item-options.ts'
import type { Registry } from '../items/registry.ts'
import { cursorOf, notACursor, type Page, pageSizeFor, readCursor, writeCursor } from './paging.ts'

interface Listed {
  readonly access: Access
}

interface ListOptions<Item extends Listed, Shown> {
  readonly registry: Registry<Item>
  /** The member of the result that holds the items. */
  readonly member: string
  /** The item as the neutral model shows it. */
  readonly show: (item: Item) => Shown
  readonly write: (shown: Shown, revision: Revision) => JsonObject
  readonly pageSize: number | undefined
  readonly cache: CacheHint
  /** Whether what `all` is put together with varies by principal. */
  readonly alsoRestricted?: () => boolean
}

/** A list's result: its items are in the member that the list is named by. */
interface ListResult {
  nextCursor?: string
  _meta?: JsonObject
}

/** The result's text without its closing brace, so that the envelope's own members can follow. */
type ListText = string

export class ItemList<Item extends Listed, Shown> {
  readonly #options: ListOptions<Item, Shown>
  /** Serialized items by revision, in list order, beside the items they came from. */
  readonly #texts = new Map<Revision, Map<Item, string>>()
  readonly #whole = new Map<Revision, ListText>()
  #restricted: boolean | undefined

  constructor(options: ListOptions<Item, Shown>) {
    this.#options = options
    options.registry.watch(() => {
      this.#whole.clear()
      this.#texts.clear()
      this.#restricted = undefined
    })
  }

  /** Whether the list may differ from one principal to another, so that it cannot be shared. */
  get restricted(): boolean {
    if (this.#restricted === undefined) {
      this.#restricted = [...this.#options.registry.values()].some((item) => isRestricted(item.access))
    }
    return this.#restricted
  }

  /** The answer to a list request, as text: `{"tools":[…],"nextCursor":…` and cache hints, without the last brace. */
  text(call: ServerCall): ListText {
    const { revision } = call.conversation
    const cursor = cursorOf(call.params)
    const { registry, pageSize } = this.#options
    const whole = !this.restricted && cursor === undefined && pageSizeFor(pageSize, registry.size) >= registry.size
    const kept = whole ? this.#whole.get(revision) : undefined
    if (kept !== undefined) return kept
    const items = this.#visible(call)
    const page = this.#page(items, cursor)
    const { nextCursor } = page
    const texts = this.#itemTexts(revision)
    const parts: string[] = []
    for (const [, item] of page.items) parts.push(this.#itemText(texts, item, revision))
    let text = `{"${this.#options.member}":[${parts.join(',')}]`
    if (nextCursor !== undefined) text += `,"nextCursor":${JSON.stringify(nextCursor)}`
    if (revision.traits.cacheHints)
      text += `,${JSON.stringify(cacheHints(this.#options.cache, this.restricted)).slice(1, -1)}`
    if (whole) this.#whole.set(revision, text)
    return text
  }

  /** The answer to a list request as objects, for middleware that wants to alter them. */
  shown<Result extends ListResult>(call: ServerCall): Result {
    const { items, nextCursor } = this.#page(this.#visible(call), cursorOf(call.params))
    const shown = { [this.#options.member]: items.map(([, item]) => this.#copy(item)) }
    // The member's name is what makes the result of one list differ from another's.
    return (nextCursor === undefined ? shown : { ...shown, nextCursor }) as unknown as Result
  }

  /** Everything that the caller may see, for lists to which something is added. */
  all(call: ServerCall): Shown[] {
    return this.#visible(call).map(([, item]) => this.#copy(item))
  }

  /** Writes a result that middleware has had in its hands. */
  write(result: ListResult, call: ServerCall): JsonObject {
    const { revision } = call.conversation
    const { cache, member, alsoRestricted } = this.#options
    const items = (result as { readonly [member: string]: unknown })[member] as readonly Shown[]
    return {
      ...result,
      [member]: items.map((item) => this.#options.write(item, revision)),
      // Whoever made this result may have looked at the principal, so it is for sharing only if the author says so.
      ...(revision.traits.cacheHints &&
        cacheHints({ scope: 'private', ...cache }, this.restricted || alsoRestricted?.() === true)),
    }
  }

  /** The method that answers with the list. */
  method<Result extends ListResult>(method: string, served: () => boolean): ServerMethod<Result> {
    return {
      method,
      served,
      ready: (call) => this.text(call),
      run: (call) => this.shown<Result>(call),
      write: (result, call) => this.write(result, call),
    }
  }

  #page(items: readonly [string, Item][], cursor: unknown): Page<[string, Item]> {
    const { registry, member, pageSize } = this.#options
    let from = 0
    if (cursor !== undefined) {
      const last = readCursor(cursor, member)
      if (last === undefined) throw notACursor()
      const at = items.findIndex(([key]) => key === last.key)
      const next = items.findIndex(([key]) => registry.placeOf(key) > last.place)
      from = at >= 0 ? at + 1 : next >= 0 ? next : items.length
    }
    const to = Math.min(from + pageSizeFor(pageSize, items.length), items.length)
    const last = items[to - 1]
    const nextCursor =
      to < items.length && last !== undefined ? writeCursor(member, registry.placeOf(last[0]), last[0]) : undefined
    return { items: items.slice(from, to), nextCursor }
  }

  #visible(call: ServerCall): [string, Item][] {
    const all = [...this.#options.registry.entries()]
    if (!this.restricted) return all
    const { principal } = call.conversation
    return all.filter(([, item]) => isVisible(item.access, principal))
  }

  /** What one request's middleware does to an item is for that request alone. */
  #copy(item: Item): Shown {
    return structuredClone(this.#options.show(item))
  }

  #itemTexts(revision: Revision): Map<Item, string> {
    let texts = this.#texts.get(revision)
    if (texts === undefined) {
      texts = new Map()
      this.#texts.set(revision, texts)
    }
    return texts
  }

  #itemText(texts: Map<Item, string>, item: Item, revision: Revision): string {
    let text = texts.get(item)
    if (text === undefined) {
      text = JSON.stringify(this.#options.write(this.#options.show(item), revision))
      texts.set(item, text)
    }
    return text
  }
}

/** Required on the newest revision; what varies by principal is private whatever the hint says. */
export function cacheHints(hint: CacheHint, restricted: boolean): { ttlMs: number; cacheScope: 'public' | 'private' } {
  return {
    ttlMs: Math.max(0, Math.trunc(hint.ttlMs ?? 0)),
    cacheScope: restricted ? 'private' : (hint.scope ?? 'public'),
  }
}
