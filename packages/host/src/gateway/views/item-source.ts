/** The items that one caller's view is cut from: the catalogue, with what the caller's own connections say instead of it. */

import type { RequestContext } from '@portico/sdk/server'
import type { CatalogueItem } from '../../upstream/catalogue/item.ts'
import { listOf } from '../../upstream/catalogue/listing.ts'
import { distinctName } from '../../upstream/catalogue/names.ts'
import type { CallerConnections } from '../connections/caller-connections.ts'
import type { GatewayCatalogue } from '../gateway-host.ts'

export class ItemSource {
  readonly #catalogue: GatewayCatalogue
  readonly #connections: CallerConnections
  /** The same array for the same lists, so that what is made from it can be kept. */
  #kept = new Map<string, readonly CatalogueItem[]>()
  #base: readonly CatalogueItem[] | undefined

  constructor(catalogue: GatewayCatalogue, connections: CallerConnections) {
    this.#catalogue = catalogue
    this.#connections = connections
  }

  of(ctx: RequestContext): readonly CatalogueItem[] {
    const base = this.#catalogue.items()
    if (base !== this.#base) {
      this.#base = base
      this.#kept = new Map()
    }
    const own = this.#connections.ofCaller(ctx).filter(({ lists }) => lists.version > 0)
    if (own.length === 0) return base
    const key = own.map(({ id, lists }) => `${id}.${lists.version}`).join(' ')
    const known = this.#kept.get(key)
    if (known !== undefined) return known
    const replaced = new Map(own.map((connection) => [connection.server, connection.lists.kinds]))
    const kept = base.filter(({ server, kind }) => replaced.get(server)?.has(listOf(kind)) !== true)
    const made = withOwnItems(
      kept,
      own.flatMap(({ lists }) => lists.items),
    )
    const [oldest] = this.#kept.keys()
    if (this.#kept.size >= MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest)
    this.#kept.set(key, made)
    return made
  }
}

/** A server that lists something for one caller gets no name by it that another has. */
function withOwnItems(kept: readonly CatalogueItem[], own: readonly CatalogueItem[]): readonly CatalogueItem[] {
  const taken = new Set(kept.map(({ kind, name }) => `${kind} ${name}`))
  const reserved = new Set(kept.map((item) => `${item.kind} ${distinctName(item)}`))
  const named = own.flatMap((item) => {
    const names = [item.name, distinctName(item), distinctName(item, 'long')]
    const name = names.find((one) => !taken.has(`${item.kind} ${one}`) && !reserved.has(`${item.kind} ${one}`))
    if (name === undefined) return []
    taken.add(`${item.kind} ${name}`)
    return [name === item.name ? item : { ...item, name }]
  })
  return [...kept, ...named]
}

const MAX_KEPT = 1_000

/** The catalogue by name, made once for each state of it. */
export class CatalogueIndex {
  readonly #catalogue: GatewayCatalogue
  #items: readonly CatalogueItem[] = []
  #tools = new Map<string, CatalogueItem>()
  #all = new Set<CatalogueItem>()

  constructor(catalogue: GatewayCatalogue) {
    this.#catalogue = catalogue
  }

  tool(name: string): CatalogueItem | undefined {
    this.#update()
    return this.#tools.get(name)
  }

  has(item: CatalogueItem): boolean {
    this.#update()
    return this.#all.has(item)
  }

  #update(): void {
    const items = this.#catalogue.items()
    if (items === this.#items) return
    this.#items = items
    this.#tools = new Map(items.flatMap((item) => (item.kind === 'tool' ? [[item.name, item]] : [])))
    this.#all = new Set(items)
  }
}
