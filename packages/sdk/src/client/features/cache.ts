/**
 * Results that the server gave a time to live (2026-07-28, "Caching"). Only lists, reads and discovery come here, keyed
 * by server, by who asks unless the result is public, by method and by what tells one request from another. Change
 * notices remove what they make stale. Answers that took a round of input never come here.
 */

import type { JsonObject } from '../../jsonrpc/message.ts'
import type { Change } from '../../protocol/subscriptions.ts'
import { BoundedEntries } from './bounded-entries.ts'

/** A result that is kept, and until when it is good. */
export interface CacheEntry {
  readonly result: JsonObject
  /** Milliseconds since the epoch. */
  readonly freshUntil: number
}

/** Where results are kept. An implementation may be shared by many clients and many servers. */
export interface ResultCache {
  get(key: string): CacheEntry | undefined | Promise<CacheEntry | undefined>
  set(key: string, entry: CacheEntry): void | Promise<void>
  /** Forgets every entry whose key begins so. */
  deletePrefix(prefix: string): void | Promise<void>
}

/**
 * Keeps results in memory, for one client or several; beyond `maxEntries`, or about `maxBytes` of them, the oldest give
 * way.
 *
 * @example
 * ```ts
 * import { connect, createMemoryCache } from '@portico/sdk/client'
 *
 * const cache = createMemoryCache(500)
 * const client = await connect('https://mcp.example.com/mcp', { cache, cacheIdentity: 'ana' })
 * ```
 */
export function createMemoryCache(maxEntries = MAX_ENTRIES, maxBytes = MAX_BYTES): ResultCache {
  const entries = new BoundedEntries<CacheEntry>(maxEntries, maxBytes)
  return {
    get(key) {
      const entry = entries.get(key)
      if (entry !== undefined && entry.freshUntil <= Date.now()) entries.delete(key)
      return entries.get(key)
    },
    set: (key, entry) => entries.set(key, entry),
    deletePrefix(prefix) {
      for (const key of entries.keys()) if (key.startsWith(prefix)) entries.delete(key)
    },
  }
}

/** One client's view of a cache. */
export class CachedResults {
  readonly #cache: ResultCache | undefined
  readonly #server: string
  readonly #identity: string
  /** Grows with every change, so that a result asked for before one is not kept after it. */
  #epoch = 0
  /** Reads that are good until `updated`, in this process alone: a cache that outlives it would not hear of changes. */
  readonly #held = new BoundedEntries<JsonObject>(MAX_ENTRIES, MAX_BYTES)
  /** Set while the cache is being told of a change. */
  #clearing: Promise<unknown> | undefined

  constructor(cache: ResultCache | undefined, server: string, identity: string) {
    this.#cache = cache
    this.#server = server
    this.#identity = identity
  }

  /** The result for a request, from the cache while it is fresh and otherwise from `load`. */
  async through(
    method: string,
    subject: string,
    load: () => Promise<{ result: JsonObject; asked: boolean }>,
    held = false,
  ): Promise<JsonObject> {
    const cache = this.#cache
    if (cache === undefined) return (await load()).result
    // Whoever reads because of a change must not get what was kept before it.
    if (this.#clearing !== undefined) await this.#clearing
    const kept = held ? this.#held.get(subject) : undefined
    if (kept !== undefined) return structuredClone(kept)
    const now = Date.now()
    for (const owner of [this.#identity, PUBLIC]) {
      const entry = await cache.get(this.#key(owner, method, subject))
      // A copy, so that what one caller does to it is not seen by the next.
      if (entry !== undefined && now < entry.freshUntil) return structuredClone(entry.result)
    }
    const epoch = this.#epoch
    const { result, asked } = await load()
    if (!asked && epoch === this.#epoch) {
      if (held) this.#hold(subject, result)
      await this.#keep(method, subject, result)
    }
    return result
  }

  /** Forgets what a change has made stale. */
  async invalidate(change: Change): Promise<void> {
    this.#epoch++
    if (change.kind === 'resource') this.#release(change.uri)
    const prefixes = staleBy(change).flatMap(([method, subject]) =>
      [this.#identity, PUBLIC].map((owner) => this.#key(owner, method, subject)),
    )
    const cleared = Promise.all([this.#clearing, ...prefixes.map((prefix) => this.#cache?.deletePrefix(prefix))])
    const clearing = cleared
      .catch(() => {})
      .then(() => {
        if (this.#clearing === clearing) this.#clearing = undefined
      })
    this.#clearing = clearing
    await cleared
  }

  #hold(uri: string, result: JsonObject): void {
    this.#held.set(uri, structuredClone(result))
  }

  /** An update may name a part of the resource that was subscribed to. */
  #release(updated: string): void {
    for (const uri of this.#held.keys()) if (updated.startsWith(uri)) this.#held.delete(uri)
  }

  async #keep(method: string, subject: string, result: JsonObject): Promise<void> {
    const { ttlMs, cacheScope } = result
    if (typeof ttlMs !== 'number' || !(ttlMs > 0)) return
    const owner = cacheScope === 'public' ? PUBLIC : this.#identity
    const freshUntil = Date.now() + Math.min(ttlMs, LONGEST_MS)
    await this.#cache?.set(this.#key(owner, method, subject), { result: structuredClone(result), freshUntil })
  }

  /** Without a subject this is the prefix of all keys of a method. */
  #key(owner: string, method: string, subject: string | undefined): string {
    const prefix = `${JSON.stringify([this.#server, owner, method])}\n`
    return subject === undefined ? prefix : prefix + subject
  }
}

const PUBLIC = '*'
const MAX_ENTRIES = 1_000
const MAX_BYTES = 64 * 1024 * 1024
/** A day: what a server says beyond it is not worth trusting. */
const LONGEST_MS = 86_400_000

function staleBy(change: Change): [method: string, subject: string | undefined][] {
  switch (change.kind) {
    case 'tools':
      return [['tools/list', undefined]]
    case 'prompts':
      return [['prompts/list', undefined]]
    case 'resources':
      return [
        ['resources/list', undefined],
        ['resources/templates/list', undefined],
      ]
    case 'resource':
      return [['resources/read', change.uri]]
    case 'extension':
      return []
  }
}
