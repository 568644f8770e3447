/**
 * The connections of one server, by who they are for. Ends those that nobody uses any more. What their losses mean is for
 * `retry.ts`.
 */

import type { ConnectionRequest } from '../upstream.ts'
import { isOwn, shapeOf, type UpstreamConnection } from './connection.ts'

interface PoolOptions {
  readonly idleMs: number
  /** Kept however long it is unused. */
  readonly isKept: (connection: UpstreamConnection) => boolean
  /** One was ended for want of use, or because its user let it go. */
  readonly ended: (connection: UpstreamConnection) => void
}

export class ConnectionPool {
  readonly #connections = new Map<string, UpstreamConnection>()
  readonly #options: PoolOptions
  readonly #keys = new WeakMap<ConnectionRequest, { readonly key: string; readonly shareable: boolean }>()
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(options: PoolOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#connections.size
  }

  /** How many are connected at this moment. */
  get standingCount(): number {
    return [...this.#connections.values()].filter(({ standing }) => standing).length
  }

  /** One that is connected: the host's own, if it is. */
  get best(): UpstreamConnection | undefined {
    const all = [...this.#connections.values()].filter(({ standing }) => standing)
    return all.find(({ request }) => isOwn(request)) ?? all[0]
  }

  /** None of the host's own is waiting to be restored. */
  get isWhole(): boolean {
    const isLost = ({ request, client, standing }: UpstreamConnection) =>
      isOwn(request) && client !== undefined && !standing
    return ![...this.#connections.values()].some(isLost)
  }

  /** The one that such a request would get, if it is connected. The same request object is looked up by its key once. */
  standing(request: ConnectionRequest, shareable: boolean): UpstreamConnection | undefined {
    let known = this.#keys.get(request)
    if (known?.shareable !== shareable) {
      known = { key: poolKey(request, shareable), shareable }
      this.#keys.set(request, known)
    }
    const found = this.#connections.get(known.key)
    return found?.standing === true ? found : undefined
  }

  get(key: string): UpstreamConnection | undefined {
    return this.#connections.get(key)
  }

  has(connection: UpstreamConnection): boolean {
    return this.#connections.get(connection.key) === connection
  }

  add(connection: UpstreamConnection): void {
    this.#connections.set(connection.key, connection)
    this.#timer ??= setInterval(() => this.#endIdle(), Math.max(10, this.#options.idleMs / 4)).unref()
  }

  /** Takes one out without ending it. False when another has its place. */
  forget(connection: UpstreamConnection): boolean {
    return this.has(connection) && this.#connections.delete(connection.key)
  }

  async end(connection: UpstreamConnection): Promise<void> {
    this.forget(connection)
    await connection.close().catch(() => {})
  }

  /** The host's own. */
  get own(): readonly UpstreamConnection[] {
    return [...this.#connections.values()].filter(({ request }) => isOwn(request))
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#connections.values()].map((one) => this.end(one)))
  }

  /** Ends what is one principal's, or one session's. What the host itself uses is nobody's to end. */
  async release({ principal, session }: Pick<ConnectionRequest, 'principal' | 'session'>): Promise<void> {
    const ended = [...this.#connections.values()].filter(({ request }) => {
      const isTheirs = request.principal?.id === principal?.id && (session === undefined || request.session === session)
      return isTheirs && !isOwn(request)
    })
    await Promise.all(ended.map((one) => this.#retire(one)))
  }

  close(): Promise<void> {
    clearInterval(this.#timer)
    return this.endAll()
  }

  #endIdle(): void {
    const { idleMs, isKept } = this.#options
    for (const one of this.#connections.values()) {
      if (isKept(one) || !one.isIdle || performance.now() - one.lastUsed < idleMs) continue
      void this.#retire(one)
    }
  }

  async #retire(connection: UpstreamConnection): Promise<void> {
    const ending = this.end(connection)
    this.#options.ended(connection)
    await ending
  }
}

/** Callers that bring answers of their own never share a connection: a question must find the one it is for. */
export function poolKey(request: ConnectionRequest, shareable: boolean): string {
  const shape = shapeOf(request.questions)
  return JSON.stringify(shareable && shape === '' ? [] : [shape, request.principal?.id, request.session])
}
