/**
 * Who serves at present: each replica has a row with its address, which is gone by itself when the replica no longer renews
 * it. What a replica holds is its own for as long as its row lasts; one that finds its row gone asks again for each thing.
 */

import type { Store } from '@portico/sdk/state'
import type { Seal } from './seal.ts'

/** A replica as the others see it. */
export interface ReplicaView {
  readonly name: string
  /** Where the others reach it. */
  readonly url: string
  /** When it started, in milliseconds since 1970. */
  readonly since: number
  /** The sessions that it holds, when it last said so. */
  readonly sessions: number
  /** Whether it is going down, and takes up nothing new. */
  readonly leaving: boolean
}

interface Known {
  readonly view: ReplicaView | undefined
  readonly version: number
  /** By the clock that only goes forward. */
  readonly until: number
}

interface ReplicaOptions {
  readonly store: Store
  readonly seal: Seal
  readonly prefix: string
  readonly name: string
  readonly leaseMs: number
  /** How many sessions are held here. */
  readonly sessions: () => number
  /** This replica's row was gone and is there again: what it holds may be gone from the store, or be another's by now. */
  readonly regained: () => void
  readonly onError: (error: unknown) => void
}

/** How long a replica may believe what it read of another. */
const KNOWN_MS = 1_000
const MAX_REPLICAS = 1_000
const RETRY_MS = 500

export class ReplicaRows {
  readonly #options: ReplicaOptions
  readonly #known = new Map<string, Known>()
  readonly #since = Date.now()
  #url = ''
  #version = 0
  #validUntil = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #renewing: Promise<void> = Promise.resolve()
  #leaving = false
  #closed = false
  #lost = false
  #unsureUntil = 0
  /** Grows whenever what is held here may have gone to others meanwhile. */
  claim = 1

  constructor(options: ReplicaOptions) {
    this.#options = options
  }

  /** Whether what this replica holds is certainly its own. */
  get valid(): boolean {
    return performance.now() < this.#validUntil
  }

  get leaving(): boolean {
    return this.#leaving
  }

  /** Says where this replica is, and goes on saying so. */
  async start(url: string): Promise<void> {
    this.#url = url
    await this.#renew()
  }

  /** The address of a replica that is there, or undefined. */
  async find(name: string): Promise<ReplicaView | undefined> {
    const found = this.#known.get(name)
    if (found !== undefined && performance.now() < found.until) return found.view
    const kept = await this.#options.store.get(this.#key(name))
    const view = kept === undefined ? undefined : this.#read(name, kept.value)
    this.#learn(name, view, kept?.version ?? 0)
    return view
  }

  /** A replica that goes on serving, other than this one. */
  async another(): Promise<ReplicaView | undefined> {
    const others = (await this.all()).filter(({ name, leaving }) => name !== this.#options.name && !leaving)
    return others[Math.floor(Math.random() * others.length)]
  }

  async all(): Promise<readonly ReplicaView[]> {
    const prefix = this.#key('')
    const rows = await this.#options.store.list(prefix, { limit: MAX_REPLICAS })
    return rows.flatMap(({ key, value }) => this.#read(key.slice(prefix.length), value) ?? [])
  }

  /**
   * Nobody listens where a replica was: its row goes before its time. Should it be there all the same, it finds its row gone
   * when it renews it, and asks for everything again.
   */
  async gone(name: string): Promise<void> {
    const version = this.#known.get(name)?.version ?? 0
    this.#learn(name, undefined, 0)
    if (version > 0) await this.#options.store.write([{ key: this.#key(name), ifVersion: version }])
  }

  /**
   * Whether the store may have lost what was in it. One that does not know this replica knows no session either; and for a
   * while after that, those who hold the sessions write them anew.
   */
  async mayHaveForgotten(): Promise<boolean> {
    if (performance.now() < this.#unsureUntil) return true
    const { name, store } = this.#options
    const kept = await store.get(this.#key(name))
    const isKnown = kept !== undefined && this.#read(name, kept.value) !== undefined
    if (!isKnown) await this.#renew()
    return !isKnown
  }

  /** From now on the others take up nothing that would come here. */
  async leave(): Promise<void> {
    this.#leaving = true
    await this.#renew()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#renewing
    this.#validUntil = 0
    await this.#options.store.write([{ key: this.#key(this.#options.name) }])
  }

  #renew(): Promise<void> {
    clearTimeout(this.#timer)
    const write = (): Promise<void> => this.#write()
    // One after the other: each needs the version of the one before.
    this.#renewing = this.#renewing.then(write).catch((error: unknown) => {
      this.#options.onError(error)
      this.#again(RETRY_MS)
    })
    return this.#renewing
  }

  async #write(): Promise<void> {
    const { store, name, leaseMs, seal, sessions } = this.#options
    const key = this.#key(name)
    const view = { url: this.#url, since: this.#since, sessions: sessions(), leaving: this.#leaving }
    const began = performance.now()
    const value = seal.sealText(view, key)
    // With a version that this replica wrote itself, since whoever found it gone has deleted that.
    const ifVersion = this.#version
    const [version] = (await store.write([{ key, value, ifVersion, ttlMs: leaseMs }])) ?? []
    if (version === undefined) {
      this.#lost = true
      this.#validUntil = 0
      this.claim++
      this.#version = (await store.get(key))?.version ?? 0
      this.#again(0)
      return
    }
    this.#version = version
    this.#validUntil = began + leaseMs
    this.#again(leaseMs / 3)
    if (!this.#lost) return
    this.#lost = false
    this.#unsureUntil = began + leaseMs
    this.#options.regained()
  }

  #again(afterMs: number): void {
    clearTimeout(this.#timer)
    if (this.#closed) return
    this.#timer = setTimeout(() => void this.#renew(), afterMs)
    this.#timer.unref()
  }

  #learn(name: string, view: ReplicaView | undefined, version: number): void {
    if (this.#known.size >= MAX_REPLICAS) this.#known.clear()
    this.#known.set(name, { view, version, until: performance.now() + KNOWN_MS })
  }

  #key(name: string): string {
    return `${this.#options.prefix}replica/${name}`
  }

  /** A row that no replica wrote is as good as none. */
  #read(name: string, value: string): ReplicaView | undefined {
    const found = this.#options.seal.openText(value, this.#key(name)) as Omit<ReplicaView, 'name'> | undefined
    return found === undefined ? undefined : { name, ...found }
  }
}
