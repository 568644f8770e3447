/** The connection to one Redis or Valkey: commands and scripts, each with a bounded wait, errors told alike. */

import { PorticoError } from '@portico/sdk/server'
import { Link, withLimit } from '../link.ts'
import { unavailable } from '../opened-state.ts'
import type { RedisConnection, RedisLibrary } from './redis-library.ts'
import type { RedisScript } from './redis-scripts.ts'

export interface RedisPlace {
  readonly url: string
  readonly prefix: string
}

const CONNECT_MS = 5000
const COMMAND_MS = 10_000

export class RedisDatabase {
  readonly #library: RedisLibrary
  readonly #url: string
  readonly #link: Link<RedisConnection>
  readonly place: string
  /** Before every key: one hash tag, so that a cluster keeps them together. */
  readonly tag: string
  #closed = false

  constructor(library: RedisLibrary, { url, prefix }: RedisPlace) {
    this.#library = library
    this.#url = url
    this.tag = `{${prefix}}:`
    this.place = placeOf(url)
    this.#link = new Link({
      connect: (lost) => this.connect(lost),
      end: (connection) => endQuietly(connection),
      failure: (cause) => this.failure(cause),
    })
  }

  async send(...command: string[]): Promise<unknown> {
    const connection = await this.#link.get()
    return this.#within(connection.sendCommand(command))
  }

  /** Runs a script that Redis may have already. */
  async run({ text, sha }: RedisScript, keys: readonly string[], words: readonly string[]): Promise<unknown> {
    const connection = await this.#link.get()
    const rest = [String(keys.length), ...keys, ...words]
    return this.#within(
      connection.sendCommand(['EVALSHA', sha, ...rest]).catch((error: unknown) => {
        if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
        return connection.sendCommand(['EVAL', text, ...rest])
      }),
    )
  }

  /** A connection of its own. */
  async connect(lost: () => void): Promise<RedisConnection> {
    const connection = this.#library.createClient({
      url: this.#url,
      name: 'portico',
      disableOfflineQueue: true,
      // Connections are made anew by whoever needs one, so that nobody waits in a queue for a server that is away.
      socket: { connectTimeout: CONNECT_MS, reconnectStrategy: false },
    })
    connection.on('error', lost)
    connection.on('end', lost)
    try {
      await connection.connect()
      return connection
    } catch (error) {
      endQuietly(connection)
      throw error
    }
  }

  close(): void {
    this.#closed = true
    this.#link.close()
  }

  failure(cause: unknown): PorticoError {
    if (cause instanceof PorticoError) return cause
    if (this.#closed) return new PorticoError('closed', 'The store was closed')
    const words = cause instanceof Error ? cause.message || cause.name : String(cause)
    return unavailable(
      `Redis at ${this.place} cannot be used: ${words}. ${remedyFor(words)}. The next call tries again.`,
      cause,
    )
  }

  async #within(work: Promise<unknown>): Promise<unknown> {
    try {
      return await withLimit(work, COMMAND_MS)
    } catch (error) {
      // Redis answers with words in capitals; all else is the connection.
      if (!(error instanceof Error) || !/^[A-Z]{3,} /.test(error.message)) this.#link.drop()
      throw this.failure(error)
    }
  }
}

export function endQuietly(connection: RedisConnection): void {
  try {
    connection.destroy()
  } catch {
    // It was closed already.
  }
}

function remedyFor(words: string): string {
  if (/^(WRONGPASS|NOAUTH|NOPERM)/.test(words))
    return 'See that name and password in the URL are right and may run scripts'
  if (words.startsWith('OOM')) return 'Give the server more memory'
  if (words.startsWith('READONLY')) return 'Name the primary in the URL, not a replica'
  return 'See that the server runs and can be reached from here'
}

/** Where it is, without name and password. */
function placeOf(url: string): string {
  const { hostname, port, pathname } = new URL(url)
  return `${hostname}${port === '' ? '' : `:${port}`}${pathname}`
}
