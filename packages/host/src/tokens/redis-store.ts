/**
 * Keeps credentials in Redis or Valkey, for programs on several machines: sealed before they leave the process
 * (`sealed-text.ts`), with a lock that all of them respect, so that one of them renews a token and the others find it.
 * Knows no client library: whatever can send a command will do.
 */

import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { createMemoryTokenStore, type TokenStore } from '@portico/sdk/auth'
import { PorticoError } from '@portico/sdk/server'
import { createTextSeal, type TextSeal } from './sealed-text.ts'

/** A connection to one primary: a client of the library `redis`, or a function around another's. */
export interface RedisClient {
  sendCommand(command: string[]): Promise<unknown>
}

/** Options of `createRedisTokenStore`. Times are in milliseconds. */
export interface RedisTokenStoreOptions {
  /** 32 bytes that everybody who shares the store has, and Redis does not. */
  readonly key: Uint8Array
  /** Before the name of each entry; `portico:tokens:` unless given. */
  readonly prefix?: string
  /** How long an entry stays that nobody renews; for ever unless given. */
  readonly keepMs?: number
  /** How long a lock holds without a sign of life. 10 seconds unless given. */
  readonly staleMs?: number
  /** How long to wait for somebody else's lock. 10 minutes unless given: a person may be signing in. */
  readonly waitMs?: number
}

/**
 * Keeps OAuth tokens in Redis or Valkey, encrypted, so that programs on several machines share them. Works with any
 * client library that can send a command.
 *
 * @example
 * ```ts
 * import { createRedisTokenStore, type RedisClient } from '@portico/host/tokens'
 *
 * export function openTokens(client: RedisClient, key: Uint8Array) {
 *   return createRedisTokenStore(client, { key, keepMs: 90 * 24 * 3_600_000 })
 * }
 * ```
 */
export function createRedisTokenStore(client: RedisClient, options: RedisTokenStoreOptions): TokenStore {
  return new RedisTokenStore(client, options)
}

class RedisTokenStore implements TokenStore {
  readonly #client: RedisClient
  readonly #seal: TextSeal
  readonly #options: Required<Omit<RedisTokenStoreOptions, 'key' | 'keepMs'>>
  readonly #expiry: readonly string[]
  /** Callers of one process queue here, so that one of them at a time asks Redis for the lock. */
  readonly #local = createMemoryTokenStore()

  constructor(client: RedisClient, { key, keepMs, ...options }: RedisTokenStoreOptions) {
    this.#client = client
    this.#seal = createTextSeal(key)
    this.#options = { prefix: 'portico:tokens:', staleMs: 10_000, waitMs: 600_000, ...options }
    this.#expiry = keepMs === undefined ? [] : ['PX', String(keepMs)]
  }

  async get(key: string): Promise<string | undefined> {
    const sealed = await this.#send('GET', this.#nameOf(key))
    return isText(sealed) && sealed.length <= MAX_CHARS ? this.#seal.unseal(key, String(sealed)) : undefined
  }

  async set(key: string, value: string): Promise<void> {
    await this.#send('SET', this.#nameOf(key), this.#seal.seal(key, value), ...this.#expiry)
  }

  async delete(key: string): Promise<void> {
    await this.#send('DEL', this.#nameOf(key))
  }

  withLock<T>(key: string, action: () => Promise<T>): Promise<T> {
    return this.#local.withLock(key, async () => {
      const name = `${this.#nameOf(key)}:lock`
      const owner = randomUUID()
      await this.#acquire(name, owner)
      const { staleMs } = this.#options
      const prolong = () => void this.#send('EVAL', PROLONG, '1', name, owner, String(staleMs)).catch(() => {})
      const alive = setInterval(prolong, staleMs / 4)
      try {
        return await action()
      } finally {
        clearInterval(alive)
        // What cannot be released runs out by itself; the outcome of the action counts.
        await this.#send('EVAL', RELEASE, '1', name, owner).catch(() => {})
      }
    })
  }

  async #acquire(name: string, owner: string): Promise<void> {
    const { staleMs, waitMs } = this.#options
    const until = performance.now() + waitMs
    while ((await this.#send('SET', name, owner, 'NX', 'PX', String(staleMs))) === null) {
      if (performance.now() > until) throw new PorticoError('timeout', 'The token store is locked by another process')
      await pause(20 + Math.random() * 30)
    }
  }

  #nameOf(key: string): string {
    return this.#options.prefix + this.#seal.nameOf(key)
  }

  #send(...command: string[]): Promise<unknown> {
    return this.#client.sendCommand(command)
  }
}

/** Far beyond what tokens take, so that what somebody else has put there is not worked on. */
const MAX_CHARS = 1_048_576

/** Only the owner may: after a long pause the lock may be another's. */
const PROLONG = "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('pexpire',KEYS[1],ARGV[2]) end return 0"
const RELEASE = "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) end return 0"

/** Clients answer with text, or with bytes where they are set to. */
function isText(reply: unknown): reply is string | Buffer {
  return typeof reply === 'string' || Buffer.isBuffer(reply)
}
