/**
 * Serves one duplex channel: every message of a pipe or socket comes in here and becomes an exchange for the endpoint.
 * Both eras share the connection: a request that carries the modern envelope stands for itself, any other belongs to
 * the connection's one legacy session. The channel knows no method, the endpoint no channel.
 */

import { atExpiry } from '../auth/client/expiry.ts'
import type { Principal } from '../auth/principal.ts'
import { FRAMING_LIMITS } from '../framing/limits.ts'
import { BatchReply, batchFault } from '../jsonrpc/batch.ts'
import type { Channel, Malformed } from '../jsonrpc/channel.ts'
import { INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR, PorticoError } from '../jsonrpc/errors.ts'
import { cancelNamed, IncomingCalls } from '../jsonrpc/incoming.ts'
import { classify, isRequestId, type RequestId, type RpcNotification, type RpcRequest } from '../jsonrpc/message.ts'
import { NotificationRate } from '../jsonrpc/notification-rate.ts'
import { tellObserver } from '../jsonrpc/observer.ts'
import { ConnectionOutlet, type OutletOwner } from './connection-outlet.ts'
import type { Endpoint } from './endpoint.ts'
import { isModernRequest } from './era.ts'
import { LegacySession } from './legacy-session.ts'

/** Who is on the other side of a channel, and how much it may do at once. */
export interface ConnectionOptions {
  /** Who the client is. The connection ends with the credential: what is under way may finish, nothing new is taken. */
  readonly principal?: Principal
  /** Messages in one batch, where the revision has batches. */
  readonly maxBatch?: number
  /** Requests being worked on at a time; without `load`, listeners too. */
  readonly maxInFlight?: number
  /** Counts what this connection does together with what others do. */
  readonly load?: ConnectionLoad
  /** Logs beyond this rate are dropped, of progress the newest waits for the next second. No bound unless given. */
  readonly notificationsPerSecond?: number
  /** How long requests may still take after the client has ended its side: 5 s unless given. */
  readonly graceMs?: number
  /** Told of what is ignored: late answers, noise. */
  readonly debug?: (note: string) => void
}

/** The bounds that connections share: of the whole process, and of everything that one principal does. */
interface ConnectionLoad {
  /** Counts one more, or says why not and counts nothing. */
  enter(kind: 'request' | 'listener', principal: Principal | undefined): { readonly message: string } | undefined
  /** The answer is there, or none will come. */
  answered(kind: 'request' | 'listener'): void
  /** The work is over. */
  leave(kind: 'request' | 'listener', principal: Principal | undefined): void
}

/** A channel that is being served. */
export interface Connection {
  /** Resolves when the channel is gone. */
  readonly closed: Promise<void>
  /** Cancels what is under way and closes. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
  /** Lets what is under way finish, at most for `graceMs`, and closes. */
  drain(graceMs?: number): Promise<void>
  /**
   * Takes a message that came by another way than the channel, as the POST requests of HTTP+SSE do. It is of the same
   * principal, and may bring a newer credential.
   */
  receive(value: unknown, principal: Principal | undefined): void
}

export const CONNECTION_LIMITS = { maxInFlight: 4096, graceMs: 5000 } as const

export function serveChannel(endpoint: Endpoint, channel: Channel, options: ConnectionOptions = {}): Connection {
  return new ServedConnection(endpoint, channel, options)
}

class ServedConnection implements Connection, OutletOwner {
  readonly closed: Promise<void>
  readonly #endpoint: Endpoint
  readonly #channel: Channel
  readonly #options: ConnectionOptions
  readonly #maxInFlight: number
  readonly #rate: NotificationRate | undefined
  readonly #session: LegacySession
  readonly #modern = new IncomingCalls()
  /** Requests with an outlet that is not ended yet, in both eras. */
  #inFlight = 0
  /** Requests whose work is not over, listeners not counted where the load counts them. */
  #running = 0
  /** Requests that end only when somebody ends them. */
  readonly #listens = new Set<ConnectionOutlet>()
  #sawModern = false
  #onIdle: (() => void) | undefined
  #draining: Promise<void> | undefined
  /** Why no new request is taken, once none is. */
  #refusal: string | undefined

  constructor(endpoint: Endpoint, channel: Channel, options: ConnectionOptions) {
    this.#endpoint = endpoint
    this.#options = options
    const { notificationsPerSecond } = options
    if (notificationsPerSecond !== undefined) {
      this.#rate = new NotificationRate(notificationsPerSecond, channel)
    }
    this.#channel = this.#rate === undefined ? channel : withRate(channel, this.#rate)
    this.#maxInFlight = options.maxInFlight ?? CONNECTION_LIMITS.maxInFlight
    this.#session = new LegacySession(
      { post: (text, urgency, key) => this.#channel.send(text, urgency, key) },
      options.principal,
    )
    const callOff = atExpiry(options.principal, () => void this.#end('The credential of this connection has expired'))
    this.closed = new Promise((resolve) => {
      const events = {
        message: (value: unknown) => this.receive(value, options.principal),
        malformed: (fault: Malformed) => this.#malformed(fault),
        // Of channels whose two directions end apart; others go straight to `closed`.
        ended: () => this.#inputEnded(),
        closed: () => {
          callOff()
          this.#rate?.close()
          this.#cancelAll('The connection was closed')
          this.#onIdle?.()
          resolve()
        },
      }
      channel.open(events)
    })
  }

  close(): Promise<void> {
    this.#cancelAll('The server is closing the connection')
    return this.#channel.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  drain(graceMs?: number): Promise<void> {
    return this.#end('The server is shutting down', graceMs)
  }

  #end(reason: string, graceMs = this.#options.graceMs ?? CONNECTION_LIMITS.graceMs): Promise<void> {
    this.#refusal ??= reason
    this.#draining ??= this.#drain(graceMs)
    return this.#draining
  }

  async #drain(graceMs: number): Promise<void> {
    for (const outlet of [...this.#listens]) outlet.call?.end()
    if (this.#inFlight > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, graceMs)
        this.#onIdle = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    await this.close()
  }

  receive(value: unknown, principal: Principal | undefined, batch?: BatchReply): void {
    if (batch === undefined && Array.isArray(value)) {
      this.#receiveBatch(value, principal)
      return
    }
    const classified = classify(value)
    switch (classified.kind) {
      case 'request':
        this.#request(classified.message, principal, batch)
        break
      case 'notification':
        this.#notification(classified.message)
        break
      case 'response':
        if (!this.#session.answers?.settle(classified.message)) this.#note('an answer to no open request')
        break
      case 'invalid':
        this.#refuse(classified.id, INVALID_REQUEST, `Invalid request: ${classified.reason}`, batch)
    }
  }

  #receiveBatch(items: readonly unknown[], principal: Principal | undefined): void {
    const fault = batchFault(items, this.#session.batches, this.#options.maxBatch ?? FRAMING_LIMITS.maxBatch)
    if (fault !== undefined) {
      this.#refuse(null, INVALID_REQUEST, `Invalid request: ${fault}`)
      return
    }
    const batch = new BatchReply((texts) => {
      if (texts.length > 0) this.#channel.send(`[${texts.join(',')}]`)
    })
    for (const item of items) this.receive(item, principal, batch)
    batch.seal()
  }

  #request(message: RpcRequest, principal: Principal | undefined, batch: BatchReply | undefined): void {
    const modern = isModernRequest(message.method, message.params)
    if (modern) this.#sawModern = true
    const listens = message.method === LISTEN
    // A listener may stay for days and is counted apart, where there is a load to count it.
    const kind = listens && this.#options.load !== undefined ? 'listener' : 'request'
    const fault = this.#requestFault(message, modern, batch, kind)
    if (fault !== undefined) {
      this.#refuse(message.id, fault[0], fault[1], batch)
      return
    }
    const outlet = new ConnectionOutlet(this.#channel, batch, this, kind)
    this.#inFlight++
    if (kind === 'request') this.#running++
    if (listens) this.#listens.add(outlet)
    const scope = modern ? this.#modern : this.#session.incoming
    const exchange = { message, outlet, scope, principal, head: undefined }
    try {
      outlet.call = modern ? this.#endpoint.serveModern(exchange) : this.#endpoint.serveLegacy(exchange, this.#session)
    } catch (error) {
      this.#endpoint.report(error, message.method)
      outlet.end(toErrorText(message.id, INTERNAL_ERROR, 'Internal error'))
      outlet.settled()
    }
  }

  /** Counts the request, or says what keeps it out. */
  #requestFault(
    message: RpcRequest,
    modern: boolean,
    batch: BatchReply | undefined,
    kind: Kind,
  ): [number, string] | undefined {
    if (batch !== undefined && (modern || message.method === 'initialize')) {
      return [INVALID_REQUEST, `Invalid request: "${message.method}" of this kind may not be part of a batch`]
    }
    if (this.#refusal !== undefined) return [INTERNAL_ERROR, this.#refusal]
    // The endpoint looks into the scope of the request's own era.
    const other = modern ? this.#session.incoming : this.#modern
    if (other.has(message.id)) return [INVALID_REQUEST, 'Invalid request: a request with this id is under way']
    const { load, principal } = this.#options
    if (kind === 'request' && this.#running >= this.#maxInFlight) {
      return [INTERNAL_ERROR, `Too many requests at once: maxInFlight (${this.#maxInFlight}) exceeded`]
    }
    const refusal = load?.enter(kind, principal)
    return refusal === undefined ? undefined : [INTERNAL_ERROR, refusal.message]
  }

  #notification(message: RpcNotification): void {
    if (message.method === 'notifications/cancelled') cancelNamed(message.params, this.#modern, this.#session.incoming)
    this.#endpoint.notify(message, this.#session)
  }

  #malformed(fault: Malformed): void {
    if (fault.kind === 'parse') this.#refuse(null, PARSE_ERROR, `Parse error: ${fault.reason}`)
    else if (fault.kind === 'limit') this.#beyondLimit(fault)
    else this.#note(fault.reason)
  }

  #note(note: string): void {
    const { debug } = this.#options
    if (debug !== undefined) tellObserver(() => debug(note))
  }

  /** Whoever waits for what the message was about hears of it: the client by its request's id, or the handler that asked. */
  #beyondLimit({ reason, found }: Malformed): void {
    const id = isRequestId(found?.id) ? found.id : null
    if (id !== null && found?.isRequest === false) {
      const error = { code: INVALID_REQUEST, message: `The answer was refused: ${reason}` }
      if (this.#session.answers?.settle({ jsonrpc: '2.0', id, error })) return
    }
    this.#refuse(found?.isRequest ? id : null, INVALID_REQUEST, `Invalid request: ${reason}`)
  }

  #refuse(id: RequestId | null, code: number, message: string, batch?: BatchReply): void {
    const text = toErrorText(id === null && this.#omitsUnknownId() ? undefined : id, code, message)
    if (batch === undefined) this.#channel.send(text)
    else batch.add(text)
  }

  /** An id that could not be read is null in JSON-RPC; newer revisions want it left out. */
  #omitsUnknownId(): boolean {
    if (!this.#session.initialized) return this.#sawModern
    return this.#session.revision.traits.errorsWithoutId
  }

  /** The client has said its last word, so what was asked of it stays unanswered, but its own requests are not lost. */
  #inputEnded(): void {
    this.#session.answers?.failAll(new PorticoError('closed', 'The client has ended its side', { delivery: 'unknown' }))
    void this.drain()
  }

  /** Called by an outlet when its request was answered. */
  answered(outlet: ConnectionOutlet): void {
    this.#inFlight--
    this.#listens.delete(outlet)
    this.#options.load?.answered(outlet.kind)
    if (this.#inFlight === 0) this.#onIdle?.()
  }

  /** Called by an outlet when the work on its request is over, answered or not. */
  settled(outlet: ConnectionOutlet): void {
    if (outlet.kind === 'request') this.#running--
    this.#options.load?.leave(outlet.kind, this.#options.principal)
  }

  #cancelAll(reason: string): void {
    this.#modern.cancelAll(reason)
    this.#session.close(reason)
  }
}

type Kind = ConnectionOutlet['kind']

const LISTEN = 'subscriptions/listen'

function withRate(channel: Channel, rate: NotificationRate): Channel {
  return {
    label: channel.label,
    open: (events) => channel.open(events),
    send: rate.send.bind(rate),
    flush: () => channel.flush(),
    close() {
      rate.flush()
      return channel.close()
    },
  }
}

function toErrorText(id: RequestId | null | undefined, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
}
