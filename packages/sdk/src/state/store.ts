/**
 * The place where state lives that any process may take up: a small table of texts with guarded writes, expiry and leases.
 * Books of one kind of state each (tasks are one) are written on it, so that a new database is one file. Beside it is the
 * bus (`bus.ts`), which only says that something changed.
 */

import { PorticoError } from '../jsonrpc/errors.ts'

/** A value as it is kept. */
export interface Kept {
  readonly value: string
  /**
   * A whole number from 1 on that no other write of this key ever has or had, greater with every later write. What no store
   * wrote has `FOREIGN_VERSION`.
   */
  readonly version: number
}

/** A value of a list, with its key. */
export interface KeptEntry extends Kept {
  readonly key: string
}

/** One of the changes that a write makes, all of them or none. */
export interface Change {
  readonly key: string
  /** What is kept from now on; left out, the key is deleted (which is no error where there is none). */
  readonly value?: string
  /** The write happens only if the key has this version now; 0 only if there is no such key. Left out, in any case. */
  readonly ifVersion?: number
  /**
   * Milliseconds until the value is gone by itself, by the clock of the store. Left out, it stays until it is deleted, also
   * where the value that it replaces would have expired.
   */
  readonly ttlMs?: number
}

/** What a list leaves out and how much it gives. */
export interface ListRange {
  /** Only keys that come after this one, which need not exist. */
  readonly after?: string
  /** At most so many entries: a whole number from 1 to `STORE_LIMITS.maxListed`. */
  readonly limit: number
}

/** A right to work on something, held by one owner until it is released or time runs out. */
export interface Lease {
  readonly owner: string
  /**
   * A whole number from 1 on, greater than that of every earlier lease of the same key, also of those that were released,
   * that expired, or that another process held. Whoever works under a lease writes it into the values that it guards, so
   * that a former holder, whose guarded write is then refused, cannot undo the work of a later one.
   */
  readonly epoch: number
}

/**
 * A table of texts that several processes may share.
 *
 * - Keys are 1 to 512 printable ASCII characters without blank; their order is that of their bytes. Values are
 *   well-formed texts without U+0000, as `JSON.stringify` makes them, of at most 8 MiB in UTF-8. `requireChanges`,
 *   `requireKey` and `requireRange` refuse what is not so; every implementation calls them first.
 * - When a call resolves, what it wrote is durable as far as the store promises that at all, and every later `get` or `list`
 *   of any process sees it.
 * - The database is not trusted. Under a key there may be what no store wrote: it is read as a value like any other, which
 *   whoever reads has to tell from its own, under `FOREIGN_VERSION`; a write that is guarded by that replaces it, and no other
 *   guarded one. What stands in the place of a lease, and is none, is held by nobody. A count that cannot be read goes on
 *   from the clock.
 * - Expired is gone: no call sees a value or lease after its time, whether or not it was swept. Time is the store's own.
 * - A call rejects with a `PorticoError`: `closed` after `close`, `store-unavailable` when the database is away. A write that
 *   rejects so may have happened. No call waits for ever, and a later one finds the database when it is back.
 */
export interface Store {
  /** The value of a key, or undefined. */
  get(key: string): Promise<Kept | undefined>
  /**
   * Makes all changes at once, or none. The versions are in the order of the changes, 0 for a key that was deleted; undefined
   * means that a version was not the one asked for, and nothing was changed. A key is named once at most, and there are 1 to
   * `STORE_LIMITS.maxChanges` changes.
   */
  write(changes: readonly Change[]): Promise<readonly number[] | undefined>
  /**
   * What there is under keys that begin with a prefix (which may be empty), in the order of keys. Fewer entries than the
   * limit means that there are no more.
   */
  list(prefix: string, range: ListRange): Promise<readonly KeptEntry[]>
  /**
   * Takes a lease for so many milliseconds; undefined while anybody holds it, the same owner included. Leases have keys of
   * their own: a value under the same key is another thing.
   */
  lease(key: string, owner: string, forMs: number): Promise<Lease | undefined>
  /** Lets a held lease last so many milliseconds from now; false when this epoch no longer holds it. */
  renew(key: string, lease: Lease, forMs: number): Promise<boolean>
  /** Gives a lease back; nothing happens when this epoch no longer holds it. */
  release(key: string, lease: Lease): Promise<void>
  /** Who holds a lease now, or undefined. */
  holder(key: string): Promise<Lease | undefined>
  /** Ends this process's use of the store; what is kept elsewhere stays. Closing twice is no error. */
  close(): Promise<void>
}

/** What every store takes, and none has to take more of. */
export const STORE_LIMITS = {
  maxKeyLength: 512,
  maxValueBytes: 8 * 1024 * 1024,
  maxChanges: 64,
  maxListed: 1000,
} as const

/** The version of what is under a key and was not written by a store: damaged, or put there by somebody else. */
export const FOREIGN_VERSION = 1

/**
 * The version or epoch that a database gave, or `FOREIGN_VERSION` for what cannot be one. Every store reads its rows through this,
 * so that nothing else ever guards a later write.
 *
 * @example
 * ```ts
 * import { toVersion } from '@portico/sdk/state'
 *
 * console.log(toVersion('0000000000000042'), toVersion('garbage')) // 42 1
 * ```
 */
export function toVersion(found: unknown): number {
  const version = typeof found === 'string' && !/^\d+$/.test(found) ? Number.NaN : Number(found)
  return isWhole(version, FOREIGN_VERSION) ? version : FOREIGN_VERSION
}

const KEY = /^[\x21-\x7e]+$/
const MAX_BYTES_PER_UNIT = 3

/**
 * Throws unless a text can be a key (or, when it may be empty, a prefix).
 *
 * @example
 * ```ts
 * import { requireKey } from '@portico/sdk/state'
 *
 * requireKey('task/4f1c')
 * ```
 */
export function requireKey(key: string, mayBeEmpty = false): void {
  if (mayBeEmpty && key === '') return
  if (key.length > STORE_LIMITS.maxKeyLength) throw refusal(`A key has at most ${STORE_LIMITS.maxKeyLength} characters`)
  if (!KEY.test(key)) throw refusal('A key is made of printable ASCII characters without blank, one at least')
}

/**
 * Throws unless a store can take these changes.
 *
 * @example
 * ```ts
 * import { requireChanges } from '@portico/sdk/state'
 *
 * requireChanges([{ key: 'task/4f1c', value: '{}', ifVersion: 0, ttlMs: 60_000 }])
 * ```
 */
export function requireChanges(changes: readonly Change[]): void {
  const { maxChanges } = STORE_LIMITS
  if (changes.length < 1 || changes.length > maxChanges) throw refusal(`A write has 1 to ${maxChanges} changes`)
  const keys = new Set<string>()
  for (const { key, value, ifVersion, ttlMs } of changes) {
    requireKey(key)
    if (keys.has(key)) throw refusal('A write names a key once')
    keys.add(key)
    if (value !== undefined) requireValue(value)
    if (ifVersion !== undefined && !isWhole(ifVersion, 0)) throw refusal('ifVersion is a whole number from 0 on')
    if (ttlMs !== undefined) requireTime('ttlMs', ttlMs)
  }
}

/**
 * Throws unless a store can list this range.
 *
 * @example
 * ```ts
 * import { requireRange } from '@portico/sdk/state'
 *
 * requireRange('task/', { after: 'task/4f1c', limit: 100 })
 * ```
 */
export function requireRange(prefix: string, { after = '', limit }: ListRange): void {
  requireKey(prefix, true)
  requireKey(after, true)
  const { maxListed } = STORE_LIMITS
  if (!isWhole(limit, 1) || limit > maxListed) throw refusal(`limit is a whole number from 1 to ${maxListed}`)
}

/**
 * Throws unless it is a number of milliseconds that something can last: a whole one from 1 on.
 *
 * @example
 * ```ts
 * import { requireTime } from '@portico/sdk/state'
 *
 * requireTime('forMs', 30_000)
 * ```
 */
export function requireTime(name: string, ms: number): void {
  if (!isWhole(ms, 1)) throw refusal(`${name} is a whole number of milliseconds from 1 on`)
}

function requireValue(value: string): void {
  if (value.includes('\0') || !isWellFormed(value)) throw refusal('A value is a well-formed text without U+0000')
  const { maxValueBytes } = STORE_LIMITS
  if (value.length * MAX_BYTES_PER_UNIT <= maxValueBytes) return
  if (new TextEncoder().encode(value).length > maxValueBytes) {
    throw new PorticoError('limit-exceeded', `maxValueBytes: a value has at most ${maxValueBytes} bytes`)
  }
}

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}

function isWhole(value: number, least: number): boolean {
  return Number.isSafeInteger(value) && value >= least
}

function refusal(message: string): PorticoError {
  return new PorticoError('invalid-definition', message)
}
