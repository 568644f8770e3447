/**
 * Turns a name in the catalogue, or an address, with arguments into a call of one server: waits for servers that are still
 * starting, reads a list that is too old, and refuses what has changed since it was approved.
 */

import type { JsonObject } from '@portico/sdk/client'
import { HostError } from '../../errors.ts'
import { type Linking, Links } from '../connection/links.ts'
import { abortable } from '../connection/waiting.ts'
import type { CatalogueEntry } from './catalogue-entry.ts'
import type { CatalogueIndex } from './catalogue-index.ts'
import type { AddressCall, ItemCall } from './catalogue-types.ts'
import type { ItemKind } from './item.ts'
import { isWithheld, type ListedItem, listOf, type Missing } from './listing.ts'

interface ItemCallParts {
  readonly entries: ReadonlyMap<string, CatalogueEntry>
  /** How old a list may be. */
  readonly ttlMs: number
  /** As the lists are now. */
  index(): CatalogueIndex
  /** Waits until a condition holds, or nothing more is to be expected. */
  settle(isDone: () => boolean, signal: AbortSignal | undefined): Promise<void>
  /** Tells of changes that came in meanwhile. */
  tell(): void
}

export class ItemCalls {
  readonly #parts: ItemCallParts
  readonly #links = new Links()

  constructor(parts: ItemCallParts) {
    this.#parts = parts
  }

  /** The arguments that `toUse` would give where it has nothing to wait for and nothing to refuse; undefined elsewhere. */
  atOnce(name: string, kind: ItemKind, args: JsonObject): JsonObject | undefined {
    const found = this.#parts.index().find(name, kind)
    if (found === undefined || found.item.quarantine !== undefined || this.#isOld(found.listed)) return undefined
    const { presets } = found.listed
    return presets === undefined ? args : { ...args, ...presets }
  }

  async toUse(name: string, kind: ItemKind, args: JsonObject, signal?: AbortSignal): Promise<ItemCall> {
    signal?.throwIfAborted()
    const isListed = () => this.#parts.index().find(name, kind) !== undefined
    if (!isListed()) await this.#parts.settle(isListed, signal)
    const first = this.#parts.index().find(name, kind)
    if (first !== undefined) await abortable(this.#freshen(first.listed), signal)
    this.#parts.tell()
    const found = this.#parts.index().find(name, kind)
    if (found === undefined) throw this.#unknown(name, kind)
    const { item, listed } = found
    if (item.quarantine !== undefined) {
      const { difference } = item.quarantine
      const message = `"${name}" changed since it was approved and waits for a new approval`
      throw new HostError('quarantined', message, { data: { server: item.server, item: item.ownName, difference } })
    }
    return { server: item.server, ownName: item.ownName, arguments: { ...args, ...listed.presets }, item }
  }

  async toRead(uri: string, signal?: AbortSignal): Promise<AddressCall> {
    const isListed = () => this.#parts.index().find(uri, 'resource') !== undefined
    // A server that is still starting may list what a template of another could make.
    if (!isListed()) await this.#parts.settle(isListed, signal)
    const found = this.#parts.index().whose(uri)
    if (found.kind === 'found' && !this.#isWithheld(found.server, found.ownUri)) {
      const { item, server, ownUri } = found
      if (item === undefined) return { server, ownName: ownUri, arguments: {} }
      return { ...(await this.toUse(item.name, item.kind, {}, signal)), ownName: ownUri }
    }
    if (found.kind === 'ambiguous') {
      const reason = `Several servers could be meant by ${uri}: name one of ${found.names.join(', ')}`
      throw new HostError('unknown-item', reason, { data: { name: uri, names: found.names } })
    }
    const server = found.kind === 'unknown' ? this.#unlisted(found.ownUri, found.server) : undefined
    if (found.kind === 'unknown' && server !== undefined) return { server, ownName: found.ownUri, arguments: {} }
    return this.toUse(uri, 'resource', {}, signal)
  }

  linked(server: string, result: Linking): void {
    this.#links.note('', server, result)
  }

  #isWithheld(server: string, uri: string): boolean {
    const config = this.#parts.entries.get(server)?.config
    return config !== undefined && isWithheld(config, uri)
  }

  /** Whose an address is that nobody lists: of the one that linked to it, or of the only one there is. */
  #unlisted(uri: string, named: string | undefined): string | undefined {
    const isMeant = (name: string) => (named === undefined || name === named) && !this.#isWithheld(name, uri)
    const linking = this.#links.of('', uri).filter((name) => this.#parts.entries.has(name) && isMeant(name))
    if (linking.length === 1) return linking[0]
    const all = [...this.#parts.entries.values()].filter(({ config }) => !config.settings.disabled)
    const [only] = all
    return all.length === 1 && only !== undefined && isMeant(only.name) ? only.name : undefined
  }

  /** A listing that is too old, or that was never read in this process, says nothing about what would be called now. */
  async #freshen(listed: ListedItem): Promise<void> {
    if (this.#isOld(listed)) await this.#parts.entries.get(listed.server)?.read([listOf(listed.kind)], true)
  }

  #isOld({ server, kind }: ListedItem): boolean {
    const entry = this.#parts.entries.get(server)
    if (entry === undefined || entry.config.settings.trusted) return false
    return entry.ageOf(listOf(kind)) > this.#parts.ttlMs
  }

  #unknown(name: string, kind: ItemKind): HostError {
    const [nearest] = this.#parts.index().search(name, { limit: 1, kinds: [kind] })
    const hint = nearest === undefined ? '' : `; did you mean "${nearest.item.name}"?`
    return new HostError('unknown-item', `There is no ${kind} "${name}"${hint}`, {
      data: { name, missing: missingFrom(this.#parts.entries.values()) },
    })
  }
}

/** What is not in the catalogue because its server is not there, or did not say. */
export function missingFrom(entries: Iterable<CatalogueEntry>): readonly Missing[] {
  return [...entries].flatMap((entry) => entry.missing() ?? [])
}
