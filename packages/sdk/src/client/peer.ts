/**
 * One link with its calls: gives requests their ids, waits for the answers, keeps the clocks, and hands what the server
 * sends of its own accord to whoever made the peer. It lives as long as its link; `client/client.ts` gets a new one with
 * each new connection, and `connect/negotiation.ts` uses it first, to settle the revision.
 */

import { INTERNAL_ERROR, PorticoError, RpcError } from '../jsonrpc/errors.ts'
import type { JsonObject, RequestId, RpcNotification, RpcRequest, RpcResponse } from '../jsonrpc/message.ts'
import { PendingCalls } from '../jsonrpc/pending.ts'
import { callListener } from './events.ts'
import type { Link, LinkEvents, Outgoing } from './link.ts'

export interface Progress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

export interface PeerRequestOptions {
  /** `Infinity` for a request that is meant to stay open. */
  readonly timeoutMs: number
  /** With a ceiling, progress starts the clock anew until this many milliseconds have passed in all. */
  readonly ceilingMs?: number
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: Progress) => void
  readonly headers?: Outgoing['headers']
  /** Called with the id before the request goes out. */
  readonly onId?: (id: RequestId) => void
}

/** What a peer does with what the server sends of its own accord. */
export interface PeerEvents {
  /** Answers a request of the server's (older revisions). Rejections become JSON-RPC errors. */
  request(message: RpcRequest, signal: AbortSignal): Promise<JsonObject>
  notification(message: RpcNotification): void
  /** Counts a report of progress; false when there are too many and it is to be dropped. */
  admits(): boolean
  irregular(reason: string, detail?: string): void
  closed(error: PorticoError): void
}

/** Timers of more milliseconds fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

interface Clock {
  readonly timeoutMs: number
  readonly ceilingAt: number
  readonly onProgress: ((progress: Progress) => void) | undefined
  last: number
}

export class ClientPeer implements LinkEvents {
  readonly link: Link
  readonly #events: PeerEvents
  readonly #pending = new PendingCalls()
  readonly #clocks = new Map<RequestId, Clock>()
  readonly #asked = new Map<RequestId, AbortController>()
  readonly #abandoned = (id: RequestId, reason: string) => {
    this.#clocks.delete(id)
    this.link.cancel(id, reason)
  }
  #closed: PorticoError | undefined

  constructor(link: Link, events: PeerEvents) {
    this.link = link
    this.#events = events
    link.open(this)
  }

  /** Why nothing more can be sent, once that is so. */
  get closedBy(): PorticoError | undefined {
    return this.#closed
  }

  /** How many calls wait for their answer. */
  get pending(): number {
    return this.#pending.size
  }

  async request(method: string, params: JsonObject, options: PeerRequestOptions): Promise<JsonObject> {
    if (this.#closed !== undefined) {
      throw new PorticoError('closed', this.#closed.message, { cause: this.#closed, delivery: 'not-sent' })
    }
    const { signal, timeoutMs, ceilingMs, onProgress, headers } = options
    const id = this.#pending.nextId()
    const limited = timeoutMs <= LONGEST_TIMER_MS
    const answer = this.#pending.wait(id, {
      timeoutMs: limited ? timeoutMs : undefined,
      signal,
      abandoned: this.#abandoned,
    })
    if (signal?.aborted) return answer
    options.onId?.(id)
    const clocked = ceilingMs !== undefined || onProgress !== undefined
    if (limited) {
      const ceilingAt = performance.now() + Math.max(ceilingMs ?? timeoutMs, timeoutMs)
      this.#clocks.set(id, { timeoutMs, ceilingAt, onProgress, last: Number.NEGATIVE_INFINITY })
    }
    this.link.request({ id, method, params: clocked ? withToken(params, id) : params, headers })
    try {
      return await answer
    } finally {
      this.#clocks.delete(id)
    }
  }

  /** Resolves when the notification is on its way: where each message has its own connection, what follows could overtake it. */
  async notify(method: string, params?: JsonObject): Promise<void> {
    if (this.#closed !== undefined) return
    await this.link.send(params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params })
  }

  close(): Promise<void> {
    this.#end(new PorticoError('closed', 'The client was closed', { delivery: 'unknown' }))
    return this.link.close()
  }

  /** Ends one call as if the server had answered it. */
  settle(response: RpcResponse): void {
    this.#pending.settle(response)
  }

  response(response: RpcResponse): void {
    if (this.#pending.settle(response)) return
    const id = response.id
    this.#events.irregular('An answer came that nobody waits for', id === undefined ? undefined : String(id))
  }

  message(message: RpcRequest | RpcNotification): void {
    if ('id' in message) void this.#answer(message)
    else if (message.method === 'notifications/progress') {
      if (this.#events.admits()) this.#progress(message.params)
    } else if (message.method === 'notifications/cancelled' && this.#cancelledByServer(message.params)) return
    else this.#events.notification(message)
  }

  failed(id: RequestId, error: PorticoError): void {
    this.#pending.fail(id, error)
  }

  held(id: RequestId, waiting: boolean): void {
    const clock = this.#clocks.get(id)
    if (clock !== undefined) this.#pending.extend(id, waiting ? HOLD_MS : clock.timeoutMs)
  }

  irregular(reason: string, detail?: string): void {
    this.#events.irregular(reason, detail)
  }

  closed(error: PorticoError): void {
    if (this.#end(error)) this.#events.closed(error)
  }

  #end(error: PorticoError): boolean {
    if (this.#closed !== undefined) return false
    this.#closed = error
    this.#clocks.clear()
    const unmade = error.code === 'connect-failed'
    const code = unmade || error.code === 'limit-exceeded' ? error.code : 'closed'
    const delivery = unmade ? 'not-sent' : 'unknown'
    this.#pending.failAll(new PorticoError(code, error.message, { cause: error, delivery }))
    for (const controller of this.#asked.values()) controller.abort(error)
    this.#asked.clear()
    return true
  }

  /** Progress that does not grow is ignored, so that a stuck server cannot keep a call alive for nothing. */
  #progress(params: JsonObject | undefined): void {
    const { progressToken, progress, total, message } = params ?? {}
    const clock = this.#clocks.get(progressToken as RequestId)
    if (clock === undefined || typeof progress !== 'number' || !(progress > clock.last)) return
    clock.last = progress
    this.#restart(progressToken as RequestId, clock)
    if (clock.onProgress === undefined) return
    callListener(clock.onProgress, {
      progress,
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message }),
    })
  }

  #restart(id: RequestId, clock: Clock): void {
    const left = clock.ceilingAt - performance.now()
    if (left > 0) this.#pending.extend(id, Math.min(clock.timeoutMs, left))
  }

  /** Older servers cancel what they asked us; a modern one may so end a `subscriptions/listen`. */
  #cancelledByServer(params: JsonObject | undefined): boolean {
    const id = params?.requestId as RequestId
    const asked = this.#asked.get(id)
    if (asked === undefined) return false
    this.#asked.delete(id)
    asked.abort(params?.reason)
    return true
  }

  async #answer({ id, method, params }: RpcRequest): Promise<void> {
    if (this.#asked.has(id)) return
    const controller = new AbortController()
    this.#asked.set(id, controller)
    // A person may be reading: what waits on this answer must not run out of time meanwhile.
    for (const [waiting, clock] of this.#clocks) {
      const left = clock.ceilingAt - performance.now()
      if (left > clock.timeoutMs) this.#pending.extend(waiting, Math.min(left, LONGEST_TIMER_MS))
    }
    let response: RpcResponse
    try {
      const result = await this.#events.request({ jsonrpc: '2.0', id, method, params }, controller.signal)
      response = { jsonrpc: '2.0', id, result }
    } catch (error) {
      response = { jsonrpc: '2.0', id, error: toErrorObject(error) }
    }
    if (this.#asked.get(id) === controller) {
      this.#asked.delete(id)
      void this.link.send(response)
    }
    if (this.#asked.size === 0) for (const [waiting, clock] of this.#clocks) this.#restart(waiting, clock)
  }
}

/** However long a person takes, a request ends some day. */
const HOLD_MS = 600_000

/** The id of a request serves as its progress token: unique among those under way, as the specification asks. */
function withToken(params: JsonObject, id: RequestId): JsonObject {
  return { ...params, _meta: { ...(params._meta as JsonObject | undefined), progressToken: id } }
}

/** What a handler threw stays here; the server learns only that there is no answer. */
function toErrorObject(error: unknown): { code: number; message: string; data?: unknown } {
  if (error instanceof RpcError) return error.toErrorObject()
  return { code: INTERNAL_ERROR, message: 'The client could not answer this request' }
}
