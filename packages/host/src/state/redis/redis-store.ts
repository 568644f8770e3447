/** The table of texts in Redis or Valkey. */

import {
  type Change,
  type Kept,
  type KeptEntry,
  type Lease,
  type ListRange,
  type Store,
  toVersion,
} from '@portico/sdk/state'
import type { RedisDatabase } from './redis-database.ts'
import { HOLDER, LEASE, LIST, RELEASE, RENEW, WRITE } from './redis-scripts.ts'

/** A version or an epoch, before what it belongs to. */
const DIGITS = 16
/** After every key that begins with a prefix: no key has a character above "~". */
const BEYOND = '\x7f'

export class RedisStore implements Store {
  readonly #redis: RedisDatabase
  readonly #entries: string
  readonly #leases: string
  readonly #count: string
  readonly #index: string
  readonly #expiries: string

  constructor(redis: RedisDatabase) {
    this.#redis = redis
    this.#entries = `${redis.tag}entry:`
    this.#leases = `${redis.tag}lease:`
    this.#count = `${redis.tag}count`
    this.#index = `${redis.tag}index`
    this.#expiries = `${redis.tag}expiries`
  }

  async get(key: string): Promise<Kept | undefined> {
    const entry = await this.#redis.send('GET', `${this.#entries}${key}`).catch(noText)
    return typeof entry === 'string' ? toKept(entry) : undefined
  }

  async write(changes: readonly Change[]): Promise<readonly number[] | undefined> {
    const words = changes.flatMap(({ key, value, ifVersion = '', ttlMs = '' }) => [
      key,
      value === undefined ? '' : '1',
      value ?? '',
      `${ifVersion}`,
      `${ttlMs}`,
    ])
    const keys = [this.#count, this.#index, this.#expiries]
    const versions = await this.#redis.run(WRITE, keys, [this.#entries, ...words])
    return Array.isArray(versions)
      ? versions.map((version) => (Number(version) === 0 ? 0 : toVersion(version)))
      : undefined
  }

  async list(prefix: string, { after = '', limit }: ListRange): Promise<readonly KeptEntry[]> {
    const from = after >= prefix && after !== '' ? `(${after}` : `[${prefix}`
    const words = [this.#entries, from, `(${prefix}${BEYOND}`, `${limit}`]
    const found = await this.#redis.run(LIST, [this.#index], words)
    return Array.isArray(found) ? toEntries(found.map(String)) : []
  }

  async lease(key: string, owner: string, forMs: number): Promise<Lease | undefined> {
    const epoch = await this.#redis.run(LEASE, [this.#count, `${this.#leases}${key}`], [owner, `${forMs}`])
    return typeof epoch === 'string' ? { owner, epoch: toVersion(epoch) } : undefined
  }

  async renew(key: string, { epoch }: Lease, forMs: number): Promise<boolean> {
    return Number(await this.#redis.run(RENEW, [`${this.#leases}${key}`], [`${epoch}`, `${forMs}`])) === 1
  }

  async release(key: string, { epoch }: Lease): Promise<void> {
    await this.#redis.run(RELEASE, [`${this.#leases}${key}`], [`${epoch}`])
  }

  async holder(key: string): Promise<Lease | undefined> {
    const held = await this.#redis.run(HOLDER, [`${this.#leases}${key}`], [])
    if (typeof held !== 'string') return undefined
    return { owner: held.slice(DIGITS), epoch: toVersion(held.slice(0, DIGITS)) }
  }

  /** The connection is that of the bus too; `redis-state.ts` closes it. */
  async close(): Promise<void> {}
}

function toKept(entry: string): Kept {
  const digits = entry.slice(0, DIGITS)
  return { value: entry.slice(DIGITS), version: toVersion(digits.length === DIGITS ? digits : undefined) }
}

/** Under the key is something else than a text, which only somebody else can have put there. */
function noText(error: unknown): string {
  if (error instanceof Error && error.cause instanceof Error && error.cause.message.startsWith('WRONGTYPE')) return ''
  throw error
}

function toEntries(found: readonly string[]): KeptEntry[] {
  const entries: KeptEntry[] = []
  for (let at = 0; at + 1 < found.length; at += 2)
    entries.push({ key: found[at] ?? '', ...toKept(found[at + 1] ?? '') })
  return entries
}
