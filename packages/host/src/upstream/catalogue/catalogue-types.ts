/** What a catalogue can be asked, and how it answers. `catalogue.ts` is the one over servers. */

import type { JsonObject } from '@portico/sdk/client'
import type { Linking } from '../connection/links.ts'
import type { ServerIntroduction } from '../identity.ts'
import type { ObservedItem, PinStore } from '../pins/pins.ts'
import type { CatalogueItem, ItemKind } from './item.ts'
import type { ListingProblem, Missing } from './listing.ts'
import type { Collision } from './names.ts'
import type { SearchHit, SearchOptions } from './search.ts'

/**
 * Options of `createCatalogue`: where approved definitions are kept, and how often lists are read. Times are in
 * milliseconds.
 */
export interface CatalogueOptions {
  readonly pins?: PinStore
  /** How old a listing may be when something is called; older ones are read again first. */
  readonly ttlMs?: number
  /** How often the lists of connected servers are read again, whether or not they announce changes. */
  readonly relistMs?: number
  /** How long the first listing waits for servers that have not answered yet. */
  readonly patienceMs?: number
}

/** One page of a catalogue's items; `nextCursor` gets the next one and is absent on the last. */
export interface CataloguePage {
  readonly items: readonly CatalogueItem[]
  readonly nextCursor?: string
  /** Servers whose items are not here. */
  readonly missing: readonly Missing[]
}

/** Which kinds of items `catalogue.list` returns, and how many on a page. */
export interface ListOptions {
  readonly kinds?: readonly ItemKind[]
  readonly cursor?: string
  /** Items on a page; all unless given. */
  readonly limit?: number
  readonly signal?: AbortSignal
}

/** What a name means: one server's own item, and all the arguments it is to get. */
export interface ItemCall {
  readonly server: string
  readonly ownName: string
  readonly arguments: JsonObject
  readonly item: CatalogueItem
}

/** The same for an address, which need not be that of an item. */
export type AddressCall = Omit<ItemCall, 'item'> & Partial<Pick<ItemCall, 'item'>>

/**
 * What `catalogue.on` tells of, by the name of the event. `quarantine`: an item changed and cannot be used until
 * approved.
 */
export interface CatalogueEvents {
  /** Items came, went or changed. */
  change: { readonly kinds: readonly ItemKind[] }
  quarantine: { readonly item: CatalogueItem }
}

/** The tools, resources and prompts of all connected servers: to list, search and look up before they are used. */
export interface Catalogue {
  /** What a server says of itself, as far as it is what was approved. */
  introduction(server: string): ServerIntroduction
  /** As known now, in the order of their names. */
  items(kinds?: readonly ItemKind[]): readonly CatalogueItem[]
  /** The same a page at a time, after servers that are just starting had a moment to answer. */
  list(options?: ListOptions): Promise<CataloguePage>
  /** Resolves when there is something to go by: all servers are listed or have failed, or no other follows for a while. */
  gather(signal?: AbortSignal): Promise<void>
  /** Resolves when servers that are just starting have been listed or have failed; undefined when none is. */
  starting(signal?: AbortSignal): Promise<void> | undefined
  find(name: string, kind?: ItemKind): CatalogueItem | undefined
  /** An item by the name that its own server gives it. */
  findOwn(server: string, ownName: string, kind: ItemKind): CatalogueItem | undefined
  search(query: string, options?: SearchOptions): readonly SearchHit[]
  /** For a tool: checks that it is what was approved and adds the presets. Rejects with `unknown-item` or `quarantined`. */
  /** The arguments that `toCall` would give, where nothing has to be waited for and nothing is refused; undefined elsewhere. */
  toCallNow(name: string, args: JsonObject): JsonObject | undefined
  toCall(name: string, args: JsonObject, signal?: AbortSignal): Promise<ItemCall>
  toPrompt(name: string, args: JsonObject, signal?: AbortSignal): Promise<ItemCall>
  /**
   * For a resource's URI: listed, made from a template, linked to, or of the only server there is. `ownName` is the URI to
   * read. `portico:server/…` says whose is meant; without it, one that several servers could mean is refused.
   */
  toRead(uri: string, signal?: AbortSignal): Promise<AddressCall>
  /** Notes what a result links to, so that it can be read. */
  linked(server: string, result: Linking): void
  missing(): readonly Missing[]
  collisions(): readonly Collision[]
  problems(): readonly ListingProblem[]
  /** What each item means, for lock files. */
  observedItems(): readonly ObservedItem[]
  /** Lets a changed item be used again, or all of a server's. Returns how many that were. */
  approve(server: string, ownName?: string, kind?: ItemKind): number
  /** Takes up approvals that were made elsewhere. */
  judgeAgain(): void
  /** Reads lists again now. */
  refresh(server?: string, signal?: AbortSignal): Promise<void>
  on<E extends keyof CatalogueEvents>(event: E, listener: (value: CatalogueEvents[E]) => void): () => void
  /** `on('change', …)` for those who need no more. */
  onChange(listener: (kinds: readonly ItemKind[]) => void): () => void
  /** Resolves when the pins are on disk. */
  close(): Promise<void>
}
