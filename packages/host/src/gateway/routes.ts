/**
 * Which server a resource is read from: the one that lists its URI, the one whose template it fits, or the one that
 * linked to it in an answer to the same principal. Servers' own URIs and those that are shown differ where two servers
 * have the same one.
 */

import { parseTemplate, type UriTemplate } from '@portico/sdk/relay'
import type { CallToolResult } from '@portico/sdk/server'
import type { CatalogueItem } from '../upstream/item.ts'
import { keyOf, type View } from './view.ts'

export interface Route {
  readonly server: string
  /** The URI as the server knows it. */
  readonly ownUri: string
  /** What the server's URIs are preceded by when they are shown. */
  readonly prefix: string
}

const MAX_LINKS = 1_000
const MAX_PRINCIPALS = 1_000

export class Routes {
  readonly #templates = new WeakMap<CatalogueItem, UriTemplate | null>()
  /** Servers by the URIs that they linked to, for each principal. */
  readonly #links = new Map<string, Map<string, string>>()

  find(view: View, uri: string, principal: string): Route | undefined {
    const exact = view.byName.get(keyOf('resource', uri))
    if (exact !== undefined) return toRoute(exact, uri)
    for (const item of view.items.template) {
      const template = this.#template(item)
      if (template !== null && uri.startsWith(template.literalPrefix) && template.match(uri) !== undefined) {
        return toRoute(item, uri)
      }
    }
    const server = this.#links.get(principal)?.get(uri)
    return server === undefined ? undefined : { server, ownUri: uri, prefix: '' }
  }

  /** Remembers what a result links to, so that the caller can read it. */
  note(principal: string, server: string, { content }: CallToolResult): void {
    for (const block of content) {
      const uri =
        block.type === 'resource_link' ? block.uri : block.type === 'resource' ? block.resource?.uri : undefined
      if (typeof uri === 'string') this.#remember(principal, server, uri)
    }
  }

  #remember(principal: string, server: string, uri: string): void {
    const links = this.#links.get(principal) ?? new Map<string, string>()
    this.#links.delete(principal)
    this.#links.set(principal, links)
    links.delete(uri)
    links.set(uri, server)
    dropOldest(links, MAX_LINKS)
    dropOldest(this.#links, MAX_PRINCIPALS)
  }

  #template(item: CatalogueItem): UriTemplate | null {
    const known = this.#templates.get(item)
    if (known !== undefined) return known
    let parsed: UriTemplate | null = null
    try {
      if (item.kind === 'template') parsed = parseTemplate(item.name)
    } catch {
      // A template that nobody can read matches nothing.
    }
    this.#templates.set(item, parsed)
    return parsed
  }
}

function toRoute(item: CatalogueItem, uri: string): Route {
  const { name, ownName } = item
  const prefix = name !== ownName && name.endsWith(ownName) ? name.slice(0, -ownName.length) : ''
  const ownUri = item.kind === 'resource' ? item.ownName : uri.slice(prefix.length)
  return { server: item.server, ownUri, prefix }
}

function dropOldest(map: Map<string, unknown>, most: number): void {
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}
