/**
 * Whose an address is. The server that lists it comes first; a template never takes over what another server lists; where
 * several servers could be meant, nobody wins and the caller is told the names that tell them apart. Used for the host's
 * catalogue and for what each caller of a gateway sees of it.
 */

import { parseTemplate, type UriTemplate } from '@portico/sdk/internal'
import { normaliseAddress } from '../../config/command/address.ts'
import type { CatalogueItem } from './item.ts'
import { qualify, unqualify } from './names.ts'

export interface FoundAddress {
  readonly kind: 'found'
  readonly server: string
  /** The address as the server knows it. */
  readonly ownUri: string
  /** What the server's addresses are preceded by where they were asked for that way. */
  readonly prefix: string
  /** The resource, or the template that it is made from; none for another spelling of a listed one. */
  readonly item?: CatalogueItem
}

export type AddressLookup =
  | FoundAddress
  | { readonly kind: 'ambiguous'; readonly names: readonly string[] }
  /** It is listed, and not to be used. */
  | { readonly kind: 'closed' }
  /** With the server, where the address names one. */
  | { readonly kind: 'unknown'; readonly ownUri: string; readonly server?: string }

interface Addresses {
  /** What can be used, under its names. */
  readonly shown: readonly CatalogueItem[]
  /** Everything that is listed, shown or not: what is out of sight is not to be had by another way. */
  readonly listed: readonly CatalogueItem[]
}

type Template = Extract<CatalogueItem, { kind: 'template' }>

export class AddressIndex {
  readonly #byName = new Map<string, CatalogueItem>()
  readonly #templates: readonly Template[]
  readonly #closed: readonly Template[]
  /** Servers by what they list, and whether that can be used. */
  readonly #owners = new Map<string, Map<string, boolean>>()

  constructor({ shown, listed }: Addresses) {
    const usable = new Set(shown)
    for (const item of shown) if (item.kind === 'resource') this.#byName.set(item.name, item)
    this.#templates = shown.filter((item) => item.kind === 'template')
    this.#closed = listed.filter((item) => item.kind === 'template' && !usable.has(item)) as readonly Template[]
    for (const item of listed) {
      const normal = item.kind === 'resource' ? normaliseAddress(item.ownName) : undefined
      if (normal === undefined) continue
      const servers = this.#owners.get(normal) ?? new Map<string, boolean>()
      this.#owners.set(normal, servers)
      servers.set(item.server, usable.has(item) || servers.get(item.server) === true)
    }
  }

  find(uri: string): AddressLookup {
    const exact = this.#byName.get(uri)
    if (exact !== undefined) return toFound(exact.server, exact.ownName, uri, exact)
    const qualified = unqualify(uri)
    const { server, address: ownUri } = qualified ?? { server: undefined, address: uri }
    const isAsked = (one: string) => server === undefined || one === server
    const normal = normaliseAddress(ownUri)
    const listing = [...((normal !== undefined && this.#owners.get(normal)) || [])].filter(([one]) => isAsked(one))
    if (listing.length > 0) {
      const open = listing.flatMap(([one, isUsable]) => (isUsable ? [one] : []))
      // What another server lists, or this one where nobody may see it, is no template's business.
      const template = this.#fitting(ownUri).find((item) => open.includes(item.server))
      return settle(open, ownUri, uri, template) ?? { kind: 'closed' }
    }
    const templates = this.#fitting(ownUri).filter((item) => isAsked(item.server))
    const servers = [...new Set(templates.map((item) => item.server))]
    const found = settle(servers, ownUri, uri, templates[0])
    if (found !== undefined) return found
    if (this.#closed.some((item) => isAsked(item.server) && fits(item, ownUri))) return { kind: 'closed' }
    return { kind: 'unknown', ownUri, ...(server && { server }) }
  }

  /** Templates that can have made an address, the one that spells out most first. */
  #fitting(uri: string): readonly Template[] {
    const fitting = this.#templates.filter((item) => fits(item, uri))
    return fitting.sort((a, b) => (parsed(b)?.literalPrefix.length ?? 0) - (parsed(a)?.literalPrefix.length ?? 0))
  }
}

/** Undefined when there is nobody. */
function settle(
  servers: readonly string[],
  ownUri: string,
  uri: string,
  item: CatalogueItem | undefined,
): AddressLookup | undefined {
  const [server] = servers
  if (server === undefined) return undefined
  if (servers.length > 1) return { kind: 'ambiguous', names: servers.map((one) => qualify(one, ownUri)) }
  return toFound(server, ownUri, uri, item)
}

function toFound(server: string, ownUri: string, uri: string, item: CatalogueItem | undefined): FoundAddress {
  const prefix = unqualify(uri) === undefined ? '' : uri.slice(0, uri.indexOf('/') + 1)
  return { kind: 'found', server, ownUri, prefix, ...(item && { item }) }
}

const PARSED = new WeakMap<CatalogueItem, UriTemplate | null>()

/** Undefined for a template that nobody can read. It matches nothing. */
function parsed(item: Template): UriTemplate | undefined {
  const known = PARSED.get(item)
  if (known !== undefined) return known ?? undefined
  let made: UriTemplate | null = null
  try {
    made = parseTemplate(item.ownName)
  } catch {
    // The server wrote something else than a template.
  }
  PARSED.set(item, made)
  return made ?? undefined
}

function fits(item: Template, uri: string): boolean {
  const template = parsed(item)
  return template !== undefined && uri.startsWith(template.literalPrefix) && template.match(uri) !== undefined
}

/** The text before the first variable: every address of the template begins with it. */
export function literalOf(item: Template): string {
  return parsed(item)?.literalPrefix ?? ''
}
