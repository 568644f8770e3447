/**
 * Everything that was listed at one moment, under its names and ready to be looked up. The catalogue (`catalogue.ts`)
 * makes another one when lists have changed and somebody looks.
 */

import type { DegradationWords } from '../server-status.ts'
import { AddressIndex, type AddressLookup } from './addresses.ts'
import { KIND_ORDER, orderOf } from './catalogue-page.ts'
import type { CatalogueItem, ItemKind } from './item.ts'
import type { ListedItem } from './listing.ts'
import { assignNames, type Collision } from './names.ts'
import { createSearchIndex, type SearchHit, type SearchIndex, type SearchOptions } from './search.ts'

interface NamedItem {
  readonly item: CatalogueItem
  readonly listed: ListedItem
}

/** What outlives an index: names that once clashed stay distinct, and an item that stays is not made again. */
export interface IndexMemory {
  readonly clashed: Set<string>
  readonly made: WeakMap<ListedItem, CatalogueItem>
}

export class CatalogueIndex {
  /** In the order of their names. */
  readonly items: readonly CatalogueItem[]
  readonly collisions: readonly Collision[]
  readonly #byName: ReadonlyMap<string, NamedItem>
  #byOwnName: ReadonlyMap<string, CatalogueItem> | undefined
  #search: SearchIndex | undefined
  #addresses: AddressIndex | undefined

  constructor(all: readonly ListedItem[], { clashed, made }: IndexMemory) {
    const { names, collisions } = assignNames(all, clashed)
    const named = all.map((listed) => {
      const name = names.get(listed) ?? listed.ownName
      const known = made.get(listed)
      const item = known?.name === name ? known : toItem(listed, name)
      made.set(listed, item)
      return { listed, item, order: orderOf(item) }
    })
    named.sort((a, b) => (a.order < b.order ? -1 : 1))
    this.items = named.map(({ item }) => item)
    this.collisions = collisions
    this.#byName = new Map(named.map((one) => [keyOf(one.item.kind, one.item.name), one]))
  }

  find(name: string, kind?: ItemKind): NamedItem | undefined {
    const kinds = kind === undefined ? KIND_ORDER : [kind]
    for (const one of kinds) {
      const found = this.#byName.get(keyOf(one, name))
      if (found !== undefined) return found
    }
    return undefined
  }

  findOwn(server: string, ownName: string, kind: ItemKind): CatalogueItem | undefined {
    this.#byOwnName ??= new Map(
      // Backwards, so that of several the first in order is kept.
      this.items.toReversed().map((item) => [keyOf(item.kind, `${item.server} ${item.ownName}`), item]),
    )
    return this.#byOwnName.get(keyOf(kind, `${server} ${ownName}`))
  }

  search(query: string, options: SearchOptions): readonly SearchHit[] {
    this.#search ??= createSearchIndex(this.items)
    return this.#search.search(query, options)
  }

  /** Whose an address is. */
  whose(uri: string): AddressLookup {
    const isOpen = ({ kind, quarantine }: CatalogueItem) => kind === 'template' || quarantine === undefined
    this.#addresses ??= new AddressIndex({ shown: this.items.filter(isOpen), listed: this.items })
    return this.#addresses.find(uri)
  }

  /** Those that changed since they were approved, by server. */
  held(): ReadonlyMap<string, readonly CatalogueItem[]> {
    const held = new Map<string, CatalogueItem[]>()
    for (const item of this.items) {
      if (item.quarantine === undefined) continue
      const others = held.get(item.server)
      if (others === undefined) held.set(item.server, [item])
      else others.push(item)
    }
    return held
  }
}

/** What a server is shown to suffer from while items of it are held. */
export function toQuarantineWords(held: readonly CatalogueItem[] = []): DegradationWords | undefined {
  if (held.length === 0) return undefined
  const words = held.slice(0, 5).map(({ ownName }) => ownName)
  return {
    reason: `${held.length} of its items changed since approval: ${words.join(', ')}${held.length > 5 ? ', …' : ''}.`,
    remedy: 'Read the differences, then approve the items or disable the server.',
  }
}

function toItem(listed: ListedItem, name: string): CatalogueItem {
  const { server, kind, ownName, fingerprint, quarantine, findings } = listed
  const key = kind === 'resource' ? 'uri' : kind === 'template' ? 'uriTemplate' : 'name'
  // The kind says which type the client read the definition as, before its texts were made visible.
  return {
    kind,
    server,
    name,
    ownName,
    fingerprint,
    findings,
    definition: { ...listed.definition, [key]: name },
    ...(quarantine !== undefined && { quarantine }),
  } as unknown as CatalogueItem
}

function keyOf(kind: ItemKind, name: string): string {
  return `${kind} ${name}`
}
