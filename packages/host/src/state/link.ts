/**
 * One connection to a database, made when it is first needed and made anew after it was lost. Everybody who asks meanwhile
 * waits for the same attempt, and nobody waits for ever.
 */

import { PorticoError } from '@portico/sdk/server'

interface LinkOptions<Connection> {
  /** Connects; `lost` is to be called when the connection ended by itself. */
  connect(lost: () => void): Promise<Connection>
  end(connection: Connection): void
  /** What a failed attempt is told as. */
  failure(cause: unknown): PorticoError
  readonly connectMs?: number
}

const CONNECT_MS = 5000
/** A database that refused a moment ago is not asked again by every call. */
const REST_MS = 100

export class Link<Connection> {
  readonly #options: LinkOptions<Connection>
  #current: Promise<Connection> | undefined
  #failed: { readonly error: PorticoError; readonly until: number } | undefined
  #closed = false

  constructor(options: LinkOptions<Connection>) {
    this.#options = options
  }

  /** The connection, or an error within the time it may take. */
  async get(): Promise<Connection> {
    if (this.#closed) throw new PorticoError('closed', 'The store was closed')
    if (this.#failed !== undefined && performance.now() < this.#failed.until) throw this.#failed.error
    this.#current ??= this.#connect()
    return this.#current
  }

  /** Gives up the connection that there is; the next call makes another. */
  drop(): void {
    const current = this.#current
    this.#current = undefined
    current?.then(this.#options.end, () => {})
  }

  close(): void {
    this.#closed = true
    this.drop()
  }

  #connect(): Promise<Connection> {
    const { connect, end, failure, connectMs = CONNECT_MS } = this.#options
    const lost = () => {
      if (this.#current === attempt) this.drop()
    }
    const connecting = connect(lost)
    const attempt = withLimit(connecting, connectMs).catch((cause: unknown) => {
      if (this.#current === attempt) this.#current = undefined
      // One that comes after its time is not left open.
      connecting.then(end, () => {})
      const error = failure(cause)
      this.#failed = { error, until: performance.now() + REST_MS }
      throw error
    })
    return attempt
  }
}

/** Rejects when the work is not done in time. */
export async function withLimit<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limitMs / 1000} seconds`)), limitMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
