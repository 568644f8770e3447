/**
 * What a server offers on one connection, where that differs from the catalogue: a process or session of its own may change
 * its lists for its own client alone, and a server that knows its users may show each something else. Read through the
 * connection itself, judged as the catalogue judges (`upstream/catalogue/listing.ts`), and seen by its caller only.
 */

import type { Client } from '@portico/sdk/client'
import type { ServerConfig } from '../../config/server-config.ts'
import type { CatalogueItem } from '../../upstream/catalogue/item.ts'
import { judgeList, type ListedItem, type ListKind, readList } from '../../upstream/catalogue/listing.ts'
import type { Nameable } from '../../upstream/catalogue/names.ts'
import { fingerprintOf } from '../../upstream/pins/fingerprint.ts'
import type { PinStore } from '../../upstream/pins/pins.ts'

export interface OwnListsHost {
  readonly config: ServerConfig
  /** The server's items as everybody sees them. */
  shared(): readonly CatalogueItem[]
  /** Its definitions may be other ones than those approved: the server has some for each user. */
  readonly personal: boolean
  changed(kinds: readonly ListKind[]): void
  /** The name of an item that not everybody sees. */
  nameOf(item: Nameable): string
}

const ALL: readonly ListKind[] = ['tools', 'resources', 'prompts']

export class OwnLists {
  readonly #host: OwnListsHost
  readonly #lists = new Map<ListKind, readonly CatalogueItem[]>()
  readonly #reading = new Map<ListKind, Promise<void>>()
  readonly #again = new Set<ListKind>()
  /** Grows with every change. */
  version = 0

  constructor(host: OwnListsHost) {
    this.#host = host
  }

  /** Lists that are the connection's own; those of the catalogue hold for the others. */
  get kinds(): ReadonlySet<ListKind> {
    return new Set(this.#lists.keys())
  }

  get items(): readonly CatalogueItem[] {
    return [...this.#lists.values()].flat()
  }

  /** Reads lists anew; announcements that come meanwhile are taken together. Failures leave what was known. */
  async refresh(client: Client, kinds: readonly ListKind[] = ALL): Promise<void> {
    await Promise.all(kinds.map((kind) => this.#refresh(client, kind)))
  }

  #refresh(client: Client, kind: ListKind): Promise<void> {
    const reading = this.#reading.get(kind)
    if (reading !== undefined) {
      this.#again.add(kind)
      return reading
    }
    const read = this.#read(client, kind).finally(() => this.#reading.delete(kind))
    this.#reading.set(kind, read)
    return read
  }

  async #read(client: Client, kind: ListKind): Promise<void> {
    do {
      this.#again.delete(kind)
      const listing = await readList(client, this.#host.config, kind)
      const judged = judgeList(this.#host.config, listing, this.#pins())
      this.#lists.set(
        kind,
        judged.items.map((item) => this.#named(item)),
      )
      this.version++
      this.#host.changed([kind])
    } while (this.#again.has(kind))
  }

  /** What is approved is what the catalogue shows; another definition under an approved name waits like everywhere. */
  #pins(): PinStore {
    const { shared, personal } = this.#host
    const known = new Map(shared().map((item) => [`${item.kind} ${item.ownName}`, item]))
    const check: PinStore['check'] = ({ kind, ownName, meaning }, accepts = false) => {
      const fingerprint = fingerprintOf(meaning)
      const approved = known.get(`${kind} ${ownName}`)
      if (personal || accepts || approved === undefined || approved.fingerprint === fingerprint) return { fingerprint }
      const quarantine = { since: Date.now(), approvedFingerprint: approved.fingerprint, difference: [] }
      return { fingerprint, quarantine }
    }
    // Judging a list does no more with the pins than this.
    return { check } as PinStore
  }

  #named(item: ListedItem): CatalogueItem {
    const { server, kind, ownName, fingerprint, findings, definition, quarantine } = item
    const shared = this.#host.shared().find((one) => one.kind === kind && one.ownName === ownName)
    const base = { server, kind, ownName, fingerprint, findings, ...(quarantine && { quarantine }) }
    // The kind and its definition come from the same list.
    return { ...base, name: shared?.name ?? this.#host.nameOf(item), definition } as unknown as CatalogueItem
  }
}
