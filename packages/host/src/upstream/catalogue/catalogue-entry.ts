/**
 * One server's part of the catalogue: which of its lists were read when, what is in them, and when to read them again.
 * `catalogue.ts` has one for each server.
 */

import type { Client } from '@portico/sdk/client'
import type { ServerConfig } from '../../config/server-config.ts'
import type { PinStore } from '../pins/pins.ts'
import type { DegradationWords } from '../server-status.ts'
import type { UpstreamState } from '../upstream.ts'
import {
  judgeList,
  KINDS_OF,
  type ListedItem,
  type Listing,
  type ListingProblem,
  type ListKind,
  type Missing,
  type RawListing,
  readList,
  recallList,
} from './listing.ts'

interface EntryHost {
  readonly pins: PinStore
  client(): Promise<Client>
  state(): UpstreamState | undefined
  changed(kinds: readonly ListKind[]): void
  /** It has been listed, or it is known that it cannot be. */
  settled(): void
  /** Its lists cannot be read although it is connected; undefined takes that back. */
  degrade(words: DegradationWords | undefined): void
}

const ALL: readonly ListKind[] = ['tools', 'resources', 'prompts']
/** Announcements that come faster are taken together. */
const SPACING_MS = 250
/** After a reading, changes wait so many times as long as it kept the processor: other servers' calls need it, too. */
const REST = 10
const LONGEST_REST_MS = 60_000
/** Lists that could not be read are read again after pauses that double, from the first to the longest. */
const RETRY_MS = { first: 1_000, longest: 60_000 }
const SETTLED_STATES: readonly string[] = ['failed', 'needs-sign-in', 'disabled']

interface Shelf {
  readonly raw: RawListing
  readonly listing: Listing
  /** When it was read; 0 for what was only recalled. */
  readonly at: number
}

export class CatalogueEntry {
  readonly name: string
  readonly #began = Date.now()
  readonly #host: EntryHost
  readonly #processorMs: () => number
  readonly #shelves = new Map<ListKind, Shelf>()
  readonly #stale = new Set<ListKind>()
  #config: ServerConfig
  #reading = new Map<ListKind, Promise<void>>()
  #timer: ReturnType<typeof setTimeout> | undefined
  /** From when on announced changes are read. */
  #readFrom = Number.NEGATIVE_INFINITY
  #failure: ListingProblem | undefined
  #failures = 0
  #retry: ReturnType<typeof setTimeout> | undefined
  #wanted = false
  /** How many readings are under way, from asking for a connection on. */
  #readings = 0
  #closed = false

  constructor(config: ServerConfig, host: EntryHost, processorMs: () => number = usedProcessorMs) {
    this.name = config.name
    this.#processorMs = processorMs
    this.#config = config
    this.#host = host
  }

  get config(): ServerConfig {
    return this.#config
  }

  get items(): readonly ListedItem[] {
    if (this.#config.settings.disabled) return []
    return ALL.flatMap((kind) => this.#shelves.get(kind)?.listing.items ?? [])
  }

  get problems(): readonly ListingProblem[] {
    const own = ALL.flatMap((kind) => this.#shelves.get(kind)?.listing.problems ?? [])
    return this.#failure === undefined ? own : [...own, this.#failure]
  }

  get #isListed(): boolean {
    return ALL.every((kind) => this.#shelves.has(kind))
  }

  /** From when on its lists are waited for: since it was named, or since it is connected where that took long. */
  get since(): number {
    const state = this.#host.state()
    return state?.state === 'ready' ? Math.max(this.#began, state.since) : this.#began
  }

  /** It is being connected to, or its lists are being read, for the first time. */
  get isStarting(): boolean {
    const state = this.#host.state()?.state
    // A server that only its users are connected to is ready without anybody reading its lists for all.
    const isAwaited = state === 'ready' ? this.#readings > 0 || this.#timer !== undefined : state !== 'idle'
    return isAwaited && !this.isSettled
  }

  /** There is nothing to wait for. */
  get isSettled(): boolean {
    const state = this.#host.state()?.state ?? 'disabled'
    return this.#isListed || SETTLED_STATES.includes(state) || this.#failure !== undefined
  }

  /** Shows what a server had the last time, if it need not be connected to yet; otherwise waits for it to connect. */
  begin(): void {
    if (this.#config.settings.lazy) this.#recall()
    this.readIfConnected()
  }

  readIfConnected(): void {
    const state = this.#host.state()?.state
    if (state === 'ready' || state === 'degraded' || state === 'quarantined') void this.read()
  }

  /** Somebody waits for the lists: a lazy server that nothing is known of is connected to. */
  want(): void {
    if (this.#wanted || this.#host.state()?.state !== 'idle') return
    this.#wanted = true
    void this.read()
  }

  stateChanged({ state }: UpstreamState): void {
    if (SETTLED_STATES.includes(state)) this.#host.settled()
  }

  reconfigure(config: ServerConfig): void {
    if (this.#config === config) return
    this.#config = config
    this.#judge(ALL)
  }

  /** The server says, or it may be, that a list changed. */
  changed(kind: ListKind): void {
    this.#stale.add(kind)
    this.#readSoon()
  }

  #readSoon(): void {
    // What comes during a reading waits until it is known how much that took.
    if (this.#stale.size === 0 || this.#readings > 0 || this.#timer !== undefined || this.#closed) return
    const waitMs = Math.max(0, this.#readFrom - performance.now())
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.read([...this.#stale])
    }, waitMs)
    this.#timer.unref()
  }

  /** How long ago a list was read; for ever, when it is known to have changed since. */
  ageOf(kind: ListKind): number {
    if (this.#stale.has(kind) || this.#reading.has(kind)) return Number.POSITIVE_INFINITY
    return Date.now() - (this.#shelves.get(kind)?.at ?? 0)
  }

  /** Reads lists now. Unless `strict`, a failure only becomes a problem of the entry. */
  async read(kinds: readonly ListKind[] = ALL, strict = false): Promise<void> {
    this.#readings++
    try {
      await this.#readNow(kinds, strict)
    } finally {
      this.#readings--
      // Unless it was not to be had at all: whoever connects it reads then.
      if (performance.now() < this.#readFrom) this.#readSoon()
    }
  }

  async #readNow(kinds: readonly ListKind[], strict: boolean): Promise<void> {
    let client: Client
    try {
      client = await this.#host.client()
    } catch (error) {
      this.#host.settled()
      if (strict) throw error
      return
    }
    const before = this.#processorMs()
    const wasListed = this.#isListed
    const results = await Promise.allSettled(kinds.map((kind) => this.#readOnce(client, kind)))
    const restMs = Math.min(LONGEST_REST_MS, REST * (this.#processorMs() - before))
    // Of two that shared a reading, the one that had to wait for it took nothing itself.
    this.#readFrom = Math.max(this.#readFrom, performance.now() + Math.max(SPACING_MS, restMs))
    const [failed] = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    this.#failure =
      failed === undefined
        ? undefined
        : { server: this.name, message: `Its lists cannot be read: ${(failed as Error).message}` }
    this.#noteFailure()
    // Empty lists are no news by themselves; that nothing is missing any more is.
    if (!wasListed && this.#isListed) this.#host.changed(kinds)
    this.#host.settled()
    if (strict && failed !== undefined) throw failed
  }

  /** Says so where everybody looks, and tries again by itself. */
  #noteFailure(): void {
    clearTimeout(this.#retry)
    const { message } = this.#failure ?? {}
    this.#failures = message === undefined ? 0 : this.#failures + 1
    this.#host.degrade(
      message === undefined ? undefined : { reason: message, remedy: 'They are read again by itself.' },
    )
    if (message === undefined || this.#closed) return
    const { first, longest } = RETRY_MS
    const pauseMs = Math.min(first * 2 ** (this.#failures - 1), longest)
    this.#retry = setTimeout(() => this.readIfConnected(), Math.max(pauseMs, this.#readFrom - performance.now()))
    this.#retry.unref()
  }

  judgeAgain(): void {
    this.#judge(ALL)
  }

  /** Why its items are not all here, if they are not. */
  missing(): Missing | undefined {
    const state = this.#host.state()
    if (state === undefined || state.state === 'disabled') return undefined
    const { reason, remedy } = state
    if (this.#failure !== undefined) return { server: this.name, reason: this.#failure.message }
    const isUp = state.state === 'ready' || state.state === 'quarantined' || state.state === 'idle'
    if (this.#isListed && (isUp || state.state === 'degraded')) return undefined
    const words = reason ?? (isUp ? 'Its lists are being read.' : `It is ${state.state}.`)
    return { server: this.name, reason: words, ...(remedy !== undefined && { remedy }) }
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    clearTimeout(this.#retry)
  }

  /** One reading at a time; what was announced meanwhile is for the next. */
  #readOnce(client: Client, kind: ListKind): Promise<void> {
    const current = this.#reading.get(kind)
    if (current !== undefined && !this.#stale.has(kind)) return current
    this.#stale.delete(kind)
    const before = current?.catch(() => {}) ?? Promise.resolve()
    const reading = before
      .then(() => this.#readShelf(client, kind))
      .finally(() => {
        if (this.#reading.get(kind) === reading) this.#reading.delete(kind)
      })
    this.#reading.set(kind, reading)
    return reading
  }

  async #readShelf(client: Client, kind: ListKind): Promise<void> {
    const raw = await readList(client, this.#config, kind)
    if (this.#closed) return
    const before = this.#shelves.get(kind)
    const listing = judgeList(this.#config, raw, this.#host.pins)
    for (const itemKind of KINDS_OF[kind]) {
      const names = listing.items.filter((item) => item.kind === itemKind).map(({ ownName }) => ownName)
      this.#host.pins.listed(this.name, itemKind, new Set(names))
    }
    this.#shelves.set(kind, { raw, listing, at: Date.now() })
    const isNews = before === undefined ? listing.items.length > 0 : !areEqual(before.listing, listing)
    if (isNews) this.#host.changed([kind])
  }

  #recall(): void {
    for (const kind of ALL) {
      const raw = recallList(this.#host.pins, this.name, kind)
      this.#shelves.set(kind, { raw, listing: judgeList(this.#config, raw, this.#host.pins), at: 0 })
    }
    // Nothing at all is known of it: whoever lists has to ask.
    if (this.items.length === 0) this.#shelves.clear()
  }

  /** The same definitions under other settings or approvals. */
  #judge(kinds: readonly ListKind[]): void {
    for (const kind of kinds) {
      const shelf = this.#shelves.get(kind)
      if (shelf === undefined) continue
      this.#shelves.set(kind, { ...shelf, listing: judgeList(this.#config, shelf.raw, this.#host.pins) })
    }
    this.#host.changed(kinds)
  }
}

/** What a slow network, or a machine that is busy with other programs, adds nothing to. */
function usedProcessorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function areEqual(a: Listing, b: Listing): boolean {
  if (a.items.length !== b.items.length) return false
  return a.items.every((item, index) => {
    const other = b.items[index]
    const isSame = other?.kind === item.kind && other.ownName === item.ownName && other.fingerprint === item.fingerprint
    return isSame && (other?.quarantine === undefined) === (item.quarantine === undefined)
  })
}
