/**
 * Everything that all servers offer, under names that tell them apart. Follows the servers' lists (`catalogue-entry.ts`),
 * puts them into one index (`catalogue-index.ts`), and has names turned into calls (`item-calls.ts`). What a server that
 * is down would add is missing, and said to be.
 */

import type { JsonObject } from '@portico/sdk/client'
import type { ServerConfig } from '../../config/server-config.ts'
import type { Linking } from '../connection/links.ts'
import { Listeners } from '../connection/listeners.ts'
import { abortable } from '../connection/waiting.ts'
import type { ServerIntroduction } from '../identity.ts'
import { approvedIntroduction } from '../pins/introduction.ts'
import { createPinStore, type ObservedItem, type PinStore } from '../pins/pins.ts'
import type { Upstreams } from '../upstreams.ts'
import { CatalogueEntry } from './catalogue-entry.ts'
import { CatalogueIndex, type IndexMemory, toQuarantineWords } from './catalogue-index.ts'
import { pageOf } from './catalogue-page.ts'
import type {
  AddressCall,
  Catalogue,
  CatalogueEvents,
  CatalogueOptions,
  CataloguePage,
  ItemCall,
  ListOptions,
} from './catalogue-types.ts'
import type { CatalogueItem, ItemKind } from './item.ts'
import { ItemCalls, missingFrom } from './item-calls.ts'
import { KINDS_OF, type ListingProblem, type ListKind, type Missing, toObservedItem } from './listing.ts'
import type { Collision } from './names.ts'
import type { SearchHit, SearchOptions } from './search.ts'

export type * from './catalogue-types.ts'

const TTL_MS = 60_000
const RELIST_MS = 300_000
const PATIENCE_MS = 2_000
/** Once there are items, who needs not all waits this long for the next server, or as long as the others took. */
const QUIET_MS = 100

/**
 * Makes one catalogue of all servers' tools, resources and prompts, each under a name of its own, and keeps it current.
 *
 * @example
 * ```ts
 * import { createCatalogue, createUpstreams } from '@portico/host/upstream'
 *
 * const catalogue = createCatalogue(createUpstreams())
 * const { items, missing } = await catalogue.list({ kinds: ['tool'] })
 * ```
 */
export function createCatalogue(upstreams: Upstreams, options: CatalogueOptions = {}): Catalogue {
  return new ServersCatalogue(upstreams, options)
}

class ServersCatalogue implements Catalogue {
  readonly #upstreams: Upstreams
  readonly #pins: PinStore
  readonly #patienceMs: number
  readonly #entries = new Map<string, CatalogueEntry>()
  readonly #listeners = new Listeners<CatalogueEvents>({ change: true, quarantine: true })
  readonly #calls: ItemCalls
  readonly #memory: IndexMemory = { clashed: new Set(), made: new WeakMap() }
  readonly #stops: (() => void)[]
  readonly #relist: ReturnType<typeof setInterval>
  #current: CatalogueIndex
  /** As it was when its change was last told. */
  #told: CatalogueIndex
  /** The lists that differ from `#told`, and whether they do from `#current`. */
  readonly #changed = new Set<ListKind>()
  #isStale = false
  #telling: ReturnType<typeof setImmediate> | undefined
  #waiters = new Set<() => void>()
  #lastNews = 0

  constructor(upstreams: Upstreams, options: CatalogueOptions) {
    this.#upstreams = upstreams
    this.#pins = options.pins ?? createPinStore()
    this.#calls = new ItemCalls({
      entries: this.#entries,
      ttlMs: options.ttlMs ?? TTL_MS,
      index: () => this.#index,
      settle: (isDone, signal) => this.#settle(isDone, signal),
      tell: () => this.#tell(),
    })
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS
    this.#current = this.#told = new CatalogueIndex([], this.#memory)
    this.#stops = [
      upstreams.on('servers', () => this.#follow()),
      upstreams.on('state', ({ server, state }) => {
        this.#entries.get(server)?.stateChanged(state)
        this.#wake()
      }),
      upstreams.on('change', ({ server, kind }) => this.#entries.get(server)?.changed(kind)),
    ]
    this.#relist = setInterval(() => {
      // Those who do not announce changes, and those who say that they do.
      for (const entry of this.#entries.values()) entry.readIfConnected()
    }, options.relistMs ?? RELIST_MS)
    this.#relist.unref()
    this.#follow()
  }

  items(kinds?: readonly ItemKind[]): readonly CatalogueItem[] {
    const { items } = this.#index
    return kinds === undefined ? items : items.filter(({ kind }) => kinds.includes(kind))
  }

  async list({ kinds, cursor, limit, signal }: ListOptions = {}): Promise<CataloguePage> {
    await this.#settle(() => false, signal)
    this.#tell()
    return { ...pageOf(this.items(kinds), cursor, limit), missing: this.missing() }
  }

  async gather(signal?: AbortSignal): Promise<void> {
    const isQuiet = (open: readonly CatalogueEntry[]) => {
      const began = Math.min(...open.map(({ since }) => since))
      const tookMs = this.#lastNews - began
      const quietMs = Date.now() - Math.max(began, this.#lastNews)
      return quietMs >= Math.max(QUIET_MS, tookMs) && this.#index.items.length > 0
    }
    await this.#settle(isQuiet, signal, QUIET_MS)
  }

  starting(signal?: AbortSignal): Promise<void> | undefined {
    return this.#isStarting() ? this.#started(signal) : undefined
  }

  async #started(signal: AbortSignal | undefined): Promise<void> {
    while (this.#isStarting()) await abortable(this.#nextChange(this.#patientUntil() - Date.now()), signal)
  }

  #isStarting(): boolean {
    return Date.now() < this.#patientUntil()
  }

  /** Until when servers that are starting are waited for: 0 if none is. */
  #patientUntil(): number {
    let until = 0
    for (const { isStarting, since } of this.#entries.values()) {
      if (isStarting) until = Math.max(until, since + this.#patienceMs)
    }
    return until
  }

  find(name: string, kind?: ItemKind): CatalogueItem | undefined {
    return this.#index.find(name, kind)?.item
  }

  findOwn(server: string, ownName: string, kind: ItemKind): CatalogueItem | undefined {
    return this.#index.findOwn(server, ownName, kind)
  }

  search(query: string, options: SearchOptions = {}): readonly SearchHit[] {
    return this.#index.search(query, options)
  }

  toCallNow(name: string, args: JsonObject): JsonObject | undefined {
    return this.#calls.atOnce(name, 'tool', args)
  }

  async toCall(name: string, args: JsonObject, signal?: AbortSignal): Promise<ItemCall> {
    return this.#calls.toUse(name, 'tool', args, signal)
  }

  async toPrompt(name: string, args: JsonObject, signal?: AbortSignal): Promise<ItemCall> {
    return this.#calls.toUse(name, 'prompt', args, signal)
  }

  toRead(uri: string, signal?: AbortSignal): Promise<AddressCall> {
    return this.#calls.toRead(uri, signal)
  }

  linked(server: string, result: Linking): void {
    this.#calls.linked(server, result)
  }

  missing(): readonly Missing[] {
    return missingFrom(this.#entries.values())
  }

  collisions(): readonly Collision[] {
    return this.#index.collisions
  }

  introduction(server: string): ServerIntroduction {
    return approvedIntroduction(this.#upstreams.view(server), this.#pins)
  }

  problems(): readonly ListingProblem[] {
    return [...this.#entries.values()].flatMap((entry) => entry.problems)
  }

  observedItems(): readonly ObservedItem[] {
    return [...this.#entries.values()].flatMap((entry) => entry.items.map(toObservedItem))
  }

  approve(server: string, ownName?: string, kind?: ItemKind): number {
    const count = this.#pins.approve(server, ownName, kind)
    if (count > 0) this.#entries.get(server)?.judgeAgain()
    this.#tell()
    return count
  }

  judgeAgain(): void {
    for (const entry of this.#entries.values()) entry.judgeAgain()
    this.#tell()
  }

  async refresh(server?: string, signal?: AbortSignal): Promise<void> {
    const entries = [...this.#entries.values()].filter(({ name }) => server === undefined || name === server)
    await abortable(Promise.all(entries.map((entry) => entry.read())), signal)
    this.#tell()
  }

  on<E extends keyof CatalogueEvents>(event: E, listener: (value: CatalogueEvents[E]) => void): () => void {
    return this.#listeners.on(event, listener)
  }

  onChange(listener: (kinds: readonly ItemKind[]) => void): () => void {
    return this.#listeners.on('change', ({ kinds }) => listener(kinds))
  }

  async close(): Promise<void> {
    clearInterval(this.#relist)
    clearImmediate(this.#telling)
    for (const stop of this.#stops) stop()
    for (const entry of this.#entries.values()) entry.close()
    this.#wake()
    await this.#pins.flush()
  }

  /** Waits until a condition holds, or all servers have answered or failed, or the time for the first listing is up. */
  async #settle(
    isDone: (open: readonly CatalogueEntry[]) => boolean,
    signal: AbortSignal | undefined,
    lookMs = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    for (;;) {
      signal?.throwIfAborted()
      const open = [...this.#entries.values()].filter((entry) => !entry.isSettled)
      if (open.length === 0 || isDone(open)) return
      const waitMs = Math.max(...open.map(({ since }) => since + this.#patienceMs - Date.now()))
      // Also for whoever comes too late to wait: it is there the next time.
      for (const entry of open) entry.want()
      if (waitMs <= 0) return
      await abortable(this.#nextChange(Math.min(waitMs, lookMs)), signal)
    }
  }

  #nextChange(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#waiters.delete(done)
        resolve()
      }
      // What has arrived while this process was held up comes first.
      const timer = setTimeout(() => setImmediate(done), waitMs)
      this.#waiters.add(done)
    })
  }

  #wake(): void {
    for (const done of [...this.#waiters]) done()
  }

  /** Keeps an entry for each server there is. */
  #follow(): void {
    const configs = new Map<string, ServerConfig>(this.#upstreams.views().map(({ name, config }) => [name, config]))
    for (const [name, entry] of this.#entries) {
      if (configs.has(name)) continue
      entry.close()
      this.#entries.delete(name)
    }
    for (const [name, config] of configs) {
      const entry = this.#entries.get(name)
      if (entry !== undefined) entry.reconfigure(config)
      else this.#add(config)
    }
    this.#touch(['tools', 'resources', 'prompts'])
    this.#tell()
  }

  #add(config: ServerConfig): void {
    const entry = new CatalogueEntry(config, {
      pins: this.#pins,
      client: () => this.#upstreams.client(config.name),
      state: () => this.#upstreams.state(config.name),
      changed: (kinds) => {
        this.#lastNews = Date.now()
        this.#touch(kinds)
      },
      settled: () => this.#tellSoon(),
      degrade: (words) => this.#upstreams.degrade(config.name, 'lists', words),
    })
    this.#entries.set(config.name, entry)
    entry.begin()
  }

  /** As the lists are now; made when somebody looks, so that many servers that answer together cost one. */
  get #index(): CatalogueIndex {
    if (this.#isStale) {
      this.#isStale = false
      this.#current = new CatalogueIndex(
        [...this.#entries.values()].flatMap(({ items }) => items),
        this.#memory,
      )
    }
    return this.#current
  }

  #touch(kinds: readonly ListKind[]): void {
    for (const kind of kinds) this.#changed.add(kind)
    this.#isStale = true
    this.#tellSoon()
  }

  /** Once for all answers that have come in together. */
  #tellSoon(): void {
    this.#telling ??= setImmediate(() => this.#tell())
  }

  #tell(): void {
    clearImmediate(this.#telling)
    this.#telling = undefined
    if (this.#changed.size > 0) {
      const kinds = [...this.#changed]
      this.#changed.clear()
      const before = this.#told
      this.#told = this.#index
      this.#tellQuarantine(before)
      this.#listeners.emit('change', { kinds: kinds.flatMap((list) => KINDS_OF[list]) })
    }
    this.#wake()
  }

  #tellQuarantine(before: CatalogueIndex): void {
    const held = this.#told.held()
    for (const [name] of this.#entries) this.#upstreams.degrade(name, 'quarantine', toQuarantineWords(held.get(name)))
    for (const item of [...held.values()].flat()) {
      const old = before.find(item.name, item.kind)?.item
      if (old?.fingerprint !== item.fingerprint) this.#listeners.emit('quarantine', { item })
    }
  }
}
