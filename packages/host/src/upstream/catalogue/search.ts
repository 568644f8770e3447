/** Full-text search over the catalogue, in this process and without a network. Items in quarantine are not found. */

import { isObject } from '@portico/sdk/internal'
import MiniSearch from 'minisearch'
import type { CatalogueItem, ItemKind } from './item.ts'

/** How many items a search returns, and of which kinds. */
export interface SearchOptions {
  /** 10 unless given. */
  readonly limit?: number
  readonly kinds?: readonly ItemKind[]
}

/** An item that a search found; the higher the score, the better it fits. */
export interface SearchHit {
  readonly item: CatalogueItem
  readonly score: number
}

export interface SearchIndex {
  search(query: string, options: SearchOptions): readonly SearchHit[]
}

const MAX_QUERY = 500

export function createSearchIndex(items: readonly CatalogueItem[]): SearchIndex {
  const usable = items.filter(({ quarantine }) => quarantine === undefined)
  const index = new MiniSearch({
    fields: ['name', 'title', 'description', 'server', 'parameters'],
    searchOptions: { boost: { name: 3, title: 2 }, prefix: true, fuzzy: 0.15, combineWith: 'OR' },
    tokenize: wordsOf,
  })
  index.addAll(usable.map(toDocument))
  return {
    search(query, { limit = 10, kinds }) {
      const found = index.search(query.slice(0, MAX_QUERY), {
        filter: ({ id }) => kinds === undefined || kinds.includes(usable[id as number]?.kind ?? 'tool'),
      })
      return found.slice(0, limit).flatMap(({ id, score }) => {
        const item = usable[id as number]
        return item === undefined ? [] : [{ item, score }]
      })
    },
  }
}

function toDocument(item: CatalogueItem, id: number) {
  // What a definition has beyond its kind's own members is not looked at.
  const { title = '', description = '' } = item.definition as { title?: string; description?: string }
  return { id, name: item.ownName, title, description, server: item.server, parameters: parametersOf(item) }
}

function parametersOf(item: CatalogueItem): string {
  if (item.kind === 'prompt') return (item.definition.arguments ?? []).map(({ name }) => name).join(' ')
  const properties = item.kind === 'tool' ? item.definition.inputSchema.properties : undefined
  return isObject(properties) ? Object.keys(properties).join(' ') : ''
}

/** `readFile`, `read_file` and `read-file` are the same two words. */
function wordsOf(text: string): string[] {
  const spaced = text.replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
  return spaced.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
}
