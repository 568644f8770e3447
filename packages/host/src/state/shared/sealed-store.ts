/**
 * A store whose values nobody can read or alter without the key: AES-256-GCM before they leave the process, with the name of
 * the value bound in. The first key seals, every key opens, so that keys are changed one replica after the other.
 */

import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import type { DamagedRow } from '@portico/sdk/internal'
import { PorticoError } from '@portico/sdk/server'
import type { Change, Kept, KeptEntry, Lease, ListRange, Store } from '@portico/sdk/state'
import { HostError } from '../../errors.ts'

interface SealKey {
  /** Says which key sealed a value, and nothing about the key. */
  readonly id: string
  readonly bytes: Buffer
}

/** An entry with whether the newest key has sealed it. */
interface SealedEntry extends KeptEntry {
  readonly current: boolean
}

/** A store that seals. */
export interface SealedStore extends Store {
  list(prefix: string, range: ListRange): Promise<readonly SealedEntry[]>
}

const NONCE = 12
const TAG = 16
const MARK = 'p1'

/**
 * A store whose values are sealed with 32-byte keys, newest first: the first seals, all open. Names of keys and leases stay as
 * they are: what uses it names nobody in them.
 *
 * @example
 * ```ts
 * import { openState, sealStore } from '@portico/host/state'
 *
 * const { store } = await openState({ redis: 'redis://127.0.0.1:6379' })
 * const sealed = sealStore(store, [Buffer.from(process.env.STATE_KEY ?? '', 'base64')])
 * await sealed.write([{ key: 'greeting', value: 'only for those with the key' }])
 * ```
 */
export function sealStore(store: Store, keys: readonly Uint8Array[], { lasting = [] }: SealOptions = {}): SealedStore {
  if (keys.length === 0) throw new PorticoError('invalid-arguments', 'Sealing needs a key')
  return new SealingStore(store, keys.map(toSealKey), lasting)
}

/** Options of `sealStore`. */
export interface SealOptions {
  /**
   * Beginnings of keys whose values must not be forgotten: a list with one that cannot be opened fails and names it. Other lists
   * leave such a row out, so that what somebody else wrote does not stand in the way of the rest. To `get` one fails always.
   */
  readonly lasting?: readonly string[]
}

class SealingStore implements SealedStore {
  readonly #store: Store
  readonly #keys: readonly SealKey[]
  readonly #lasting: readonly string[]

  constructor(store: Store, keys: readonly SealKey[], lasting: readonly string[]) {
    this.#store = store
    this.#keys = keys
    this.#lasting = lasting
  }

  async get(key: string): Promise<Kept | undefined> {
    const kept = await this.#store.get(key)
    return kept && { value: this.#open(key, kept.value, kept.version), version: kept.version }
  }

  write(changes: readonly Change[]): Promise<readonly number[] | undefined> {
    return this.#store.write(
      changes.map((change) =>
        change.value === undefined ? change : { ...change, value: this.#seal(change.key, change.value) },
      ),
    )
  }

  async list(prefix: string, range: ListRange): Promise<readonly SealedEntry[]> {
    return (await this.#store.list(prefix, range)).flatMap((entry) => {
      try {
        return this.#openEntry(entry)
      } catch (error) {
        if (this.#lasting.some((one) => entry.key.startsWith(one))) throw error
        return []
      }
    })
  }

  lease(key: string, owner: string, forMs: number): Promise<Lease | undefined> {
    return this.#store.lease(key, owner, forMs)
  }

  renew(key: string, lease: Lease, forMs: number): Promise<boolean> {
    return this.#store.renew(key, lease, forMs)
  }

  release(key: string, lease: Lease): Promise<void> {
    return this.#store.release(key, lease)
  }

  holder(key: string): Promise<Lease | undefined> {
    return this.#store.holder(key)
  }

  close(): Promise<void> {
    return this.#store.close()
  }

  #openEntry({ key, value, version }: KeptEntry): SealedEntry {
    const isCurrent = value.startsWith(`${MARK}.${this.#keys[0]?.id}.`)
    return { key, value: this.#open(key, value, version), version, current: isCurrent }
  }

  #seal(name: string, value: string): string {
    // There is one key at least.
    const { id, bytes } = this.#keys[0] as SealKey
    const nonce = randomBytes(NONCE)
    const cipher = createCipheriv('aes-256-gcm', bytes, nonce).setAAD(Buffer.from(name))
    const sealed = Buffer.concat([nonce, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()])
    return `${MARK}.${id}.${sealed.toString('base64')}`
  }

  #open(name: string, sealed: string, version: number): string {
    const [mark, id, text = ''] = sealed.split('.', 3)
    const key = mark === MARK ? this.#keys.find((one) => one.id === id) : undefined
    if (key === undefined) {
      throw unreadable(
        { row: name, version },
        'was sealed with a key that is not known here',
        'Add that key behind the newest in `state.keys`',
      )
    }
    const bytes = Buffer.from(text, 'base64')
    try {
      const decipher = createDecipheriv('aes-256-gcm', key.bytes, bytes.subarray(0, NONCE), { authTagLength: TAG })
        .setAAD(Buffer.from(name))
        .setAuthTag(bytes.subarray(-TAG))
      return Buffer.concat([decipher.update(bytes.subarray(NONCE, -TAG)), decipher.final()]).toString('utf8')
    } catch (cause) {
      throw unreadable(
        { row: name, version },
        'was altered',
        'Find out who else writes to the database, bring the row back from a backup',
        cause,
      )
    }
  }
}

/** Names of rows name nobody, so they can be told. */
function unreadable({ row, version }: DamagedRow, what: string, remedy: string, cause?: unknown): HostError {
  const message = `The row "${row}" of the shared state ${what}. ${remedy}, or delete the row: what it held is then forgotten`
  return new HostError('secret-missing', message, { cause, data: { row, version } })
}

function toSealKey(secret: Uint8Array): SealKey {
  if (secret.length !== 32) throw new PorticoError('invalid-arguments', 'A key of the shared state has 32 bytes')
  const bytes = Buffer.from(hkdfSync('sha256', secret, new Uint8Array(), 'portico shared state', 32))
  return { id: createHash('sha256').update(bytes).digest('base64url').slice(0, 8), bytes }
}
