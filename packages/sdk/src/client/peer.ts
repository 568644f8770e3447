/**
 * One link with its calls: gives requests their ids, waits for the answers, keeps the clocks, and hands what the server
 * sends of its own accord to whoever made the peer. It lives as long as its link; `client/client.ts` gets a new one with
 * each new connection, and `connect/negotiation.ts` uses it first, to settle the revision.
 */

import { INTERNAL_ERROR, INVALID_REQUEST, PorticoError, RpcError } from '../jsonrpc/errors.ts'
import { LONGEST_TIMER_MS } from '../jsonrpc/longest-timer.ts'
import type { JsonObject, RequestId, RpcNotification, RpcRequest, RpcResponse } from '../jsonrpc/message.ts'
import { PendingCall, PendingCalls } from '../jsonrpc/pending.ts'
import { Answers } from './asking/answers.ts'
import type { Envelope, Link, LinkEvents, Outgoing } from './link.ts'
import type { Relayed, RequestRelay } from './relay.ts'

/** A report of how far a call has come. */
export interface Progress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

interface PeerRequestOptions {
  /** `Infinity` for a request that is meant to stay open. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  readonly envelope?: Envelope
  /** Called with the id before the request goes out. */
  readonly onId?: (id: RequestId) => void
}

/** One request on its way over one link: what goes out, its clock, and who hears the end. */
export abstract class PeerCall extends PendingCall implements Outgoing {
  abstract readonly method: string
  abstract readonly params: JsonObject
  meta: JsonObject | undefined
  envelope: Envelope | undefined
  headers: Outgoing['headers']
  progress = false
  fresh = false
  /** Progress starts the clock anew. */
  resets = false
  /** Nothing extends the call beyond this long after `sentAt`, in whole milliseconds; nothing at all when undefined. */
  ceilingMs: number | undefined
  sentAt = 0
  onProgress: ((progress: Progress) => void) | undefined
  /** The last progress reported. */
  last: number | undefined
  /** The time that one answer, or one sign of progress, may take; undefined for a request that is meant to stay open. */
  patienceMs: number | undefined
  link: Link | undefined
  relay: RequestRelay | undefined

  override abandoned(reason: string): void {
    this.link?.cancel(this.id, reason)
  }
}

/** What a peer does with what the server sends of its own accord. */
export interface PeerEvents {
  /** Answers a request of the server's (older revisions). Rejections become JSON-RPC errors. */
  request(message: RpcRequest, signal: AbortSignal, relay: Relayed | undefined): Promise<JsonObject>
  notification(message: RpcNotification): void
  /** Counts a report of progress; false when there are too many and it is to be dropped. */
  admits(): boolean
  /** Calls a listener that came with a request; what it throws ends nothing. */
  tell<Value>(listener: (value: Value) => void, subject: string, value: Value): void
  irregular(reason: string, detail?: string): void
  closed(error: PorticoError): void
}

export class ClientPeer implements LinkEvents {
  readonly link: Link
  readonly #events: PeerEvents
  readonly #pending = new PendingCalls()
  readonly #asked = new Map<RequestId, AbortController>()
  readonly #answers: Answers
  /** Calls that were answered by a task, whose progress goes on (2025-11-25). */
  readonly #tasks = new Map<RequestId, PeerCall>()
  #closed: PorticoError | undefined
  #quietUntil = 0

  constructor(link: Link, events: PeerEvents) {
    this.link = link
    this.#events = events
    this.#answers = new Answers(link, () => this.#tooMany())
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

  request(method: string, params: JsonObject, options: PeerRequestOptions): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const call = new PromisedCall({ method, params }, options, resolve, reject)
      if (this.start(call, options.timeoutMs, performance.now(), options.onId)) this.link.request(call)
    })
  }

  /**
   * Gives a call its id and starts its clock. The caller then hands it to the link, unless this is false: it has failed.
   */
  start(call: PeerCall, timeoutMs: number, now: number, onId?: (id: RequestId) => void): boolean {
    if (this.#closed !== undefined) {
      call.failed(new PorticoError('closed', this.#closed.message, { cause: this.#closed, delivery: 'not-sent' }))
      return false
    }
    call.id = this.#pending.nextId()
    call.link = this.link
    call.timeoutMs = call.patienceMs = timeoutMs <= LONGEST_TIMER_MS ? timeoutMs : undefined
    call.sentAt = Math.floor(now)
    if (!this.#pending.add(call, now)) return false
    onId?.(call.id)
    return true
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

  /** Cancels a call that carries no signal. */
  cancel(call: PeerCall, reason: unknown): void {
    this.#pending.cancel(call, reason)
  }

  /** Reports the progress of a call that was answered by a task, until the function that it gives is called. */
  keepProgress(call: PeerCall): () => void {
    this.#tasks.set(call.id, call)
    return () => this.#tasks.delete(call.id)
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

  message(message: RpcRequest | RpcNotification, owner: RequestId | undefined): void {
    if ('id' in message) this.#request(message, owner)
    else if (message.method === 'notifications/progress') {
      if (this.#events.admits()) this.#progress(message.params)
    } else if (message.method === 'notifications/cancelled' && this.#cancelledByServer(message.params)) return
    else if (owner === undefined || !this.#logged(message, owner)) this.#events.notification(message)
  }

  failed(id: RequestId, error: PorticoError): void {
    this.#pending.fail(id, error)
  }

  held(id: RequestId, waiting: boolean): void {
    const call = this.#clocked(id)
    if (call !== undefined) this.#pending.extend(id, waiting ? HOLD_MS : call.patienceMs)
  }

  paused(id: RequestId, retryMs: number): void {
    // Only `start` adds calls here, and it takes no others.
    const call = this.#pending.get(id) as PeerCall | undefined
    const relay = call?.relay
    if (relay?.paused !== undefined) this.#events.tell((ms) => relay.paused?.(ms), 'a pause', retryMs)
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
    const token = progressToken as RequestId
    // Kept ones were clocked when they went out.
    const call = this.#clocked(token) ?? (this.#tasks.get(token) as ClockedCall | undefined)
    if (call === undefined || typeof progress !== 'number' || !(progress > (call.last ?? Number.NEGATIVE_INFINITY)))
      return
    call.last = progress
    if (call.resets) this.#restart(call)
    if (call.onProgress === undefined) return
    this.#events.tell(call.onProgress, 'progress', {
      progress,
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message }),
    })
  }

  #clocked(id: RequestId): ClockedCall | undefined {
    // Only `start` adds calls here, and it takes no others; `patienceMs` is looked at.
    const call = this.#pending.get(id) as PeerCall | undefined
    return call?.patienceMs === undefined ? undefined : (call as ClockedCall)
  }

  #restart(call: ClockedCall): void {
    const left = timeLeft(call)
    if (left > 0) this.#pending.extend(call.id, Math.min(call.patienceMs, left))
  }

  /**
   * Ends the answering of a question that an older server takes back. False for any other id, since a modern server may
   * end a `subscriptions/listen` in this way (`features/subscriptions.ts`).
   */
  #cancelledByServer(params: JsonObject | undefined): boolean {
    const id = params?.requestId as RequestId
    const asked = this.#asked.get(id)
    if (asked === undefined) return false
    this.#asked.delete(id)
    asked.abort(params?.reason)
    return true
  }

  /** A ping is answered on the spot; whatever else is asked is counted while somebody finds the answer. */
  #request(message: RpcRequest, owner: RequestId | undefined): void {
    if (message.method === 'ping') this.#answers.send({ jsonrpc: '2.0', id: message.id, result: {} })
    else if (this.#asked.size < MAX_ASKED) void this.#answer(message, owner)
    else this.#answers.send({ jsonrpc: '2.0', id: message.id, error: TOO_MANY })
  }

  #tooMany(): void {
    if (performance.now() < this.#quietUntil) return
    this.#quietUntil = performance.now() + QUIET_MS
    this.#events.irregular('The server asks faster than it takes answers', 'some of its requests were left out')
  }

  async #answer({ id, method, params }: RpcRequest, owner: RequestId | undefined): Promise<void> {
    if (this.#asked.has(id)) return
    const controller = new AbortController()
    this.#asked.set(id, controller)
    // A person may be reading: what waits on this answer must not run out of time meanwhile.
    for (const call of this.#allClocked()) {
      const left = timeLeft(call)
      if (left > call.patienceMs) this.#pending.extend(call.id, Math.min(left, LONGEST_TIMER_MS))
    }
    let response: RpcResponse
    try {
      const relay = this.#relayOf(owner)
      const result = await this.#events.request({ jsonrpc: '2.0', id, method, params }, controller.signal, relay)
      response = { jsonrpc: '2.0', id, result }
    } catch (error) {
      response = { jsonrpc: '2.0', id, error: toErrorObject(error) }
    }
    if (this.#asked.get(id) === controller) {
      this.#asked.delete(id)
      this.#answers.send(response)
    }
    if (this.#asked.size === 0) for (const call of this.#allClocked()) this.#restart(call)
  }

  /** Where the transport does not say whose a question is, the newest request that is relayed takes it. */
  #relayOf(owner: RequestId | undefined): Relayed | undefined {
    // Only `start` adds calls here, and it takes no others.
    const of = (call: unknown) => (call as PeerCall | undefined)?.relay
    const relay = owner === undefined ? undefined : of(this.#pending.get(owner))
    if (relay !== undefined) return { relay, owned: true }
    const newest = [...this.#pending.values()].findLast((call) => of(call) !== undefined)
    const guess = of(newest)
    return guess && { relay: guess, owned: false }
  }

  /** Gives a log message to whoever the request on whose stream it came is relayed for. */
  #logged({ method, params }: RpcNotification, owner: RequestId): boolean {
    if (method !== 'notifications/message') return false
    const relay = (this.#pending.get(owner) as PeerCall | undefined)?.relay
    if (relay?.log === undefined) return false
    if (this.#events.admits()) this.#events.tell((said) => relay.log?.(said), 'log', params ?? {})
    return true
  }

  #allClocked(): ClockedCall[] {
    return this.#pending.values().flatMap(({ id }) => this.#clocked(id) ?? [])
  }
}

type ClockedCall = PeerCall & { patienceMs: number }

/** Until the ceiling, beyond which nothing extends a call. */
function timeLeft({ sentAt, ceilingMs, patienceMs }: ClockedCall): number {
  return sentAt + Math.max(ceilingMs ?? patienceMs, patienceMs) - performance.now()
}

/** A request whose answer is awaited as it is: those of the handshake. */
class PromisedCall extends PeerCall {
  readonly method: string
  readonly params: JsonObject
  override answered: (result: JsonObject) => void
  override failed: (error: Error) => void

  constructor(
    { method, params }: { readonly method: string; readonly params: JsonObject },
    options: PeerRequestOptions,
    resolve: (result: JsonObject) => void,
    reject: (error: Error) => void,
  ) {
    super()
    this.method = method
    this.params = params
    this.envelope = options.envelope
    this.signal = options.signal
    this.answered = resolve
    this.failed = reject
  }
}

/** Requests of a server's that may wait for an answer; what a person can be asked at a time is far less (`maxOpenQuestions`). */
const MAX_ASKED = 256
const TOO_MANY = { code: INVALID_REQUEST, message: `More than ${MAX_ASKED} requests wait for an answer` }
/** How often a flood is reported. */
const QUIET_MS = 1_000

/** However long a person takes, a request ends some day. */
const HOLD_MS = 600_000

/** What a handler threw stays here; the server learns only that there is no answer. */
function toErrorObject(error: unknown): { code: number; message: string; data?: unknown } {
  if (error instanceof RpcError) return error.toErrorObject()
  return { code: INTERNAL_ERROR, message: 'The client could not answer this request' }
}
