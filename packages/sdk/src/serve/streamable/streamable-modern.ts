/**
 * Requests of the modern revisions over HTTP: no session, every request on its own (2026-07-28, Streamable HTTP). The
 * headers are held against the body here; the envelope and everything beyond it are the endpoint's business.
 */

import { atExpiry } from '../../auth/client/expiry.ts'
import type { Principal } from '../../auth/principal.ts'
import type { IncomingCall } from '../../jsonrpc/incoming.ts'
import type { RpcRequest } from '../../jsonrpc/message.ts'
import { checkHeaders } from '../../protocol/headers/headers.ts'
import { claimedVersion } from '../../protocol/meta.ts'
import type { Endpoint } from '../../session/endpoint.ts'
import type { RequestHead } from '../../session/exchange.ts'
import { createSharedJson } from '../../session/shared-json.ts'
import { EventStreamOutlet, type OutletOwner } from '../../transport/event-stream-outlet.ts'
import type { EventStreamSettings } from '../../transport/http-event-stream.ts'
import type { Reply } from '../../transport/http-reply.ts'
import type { Load } from '../rules/http-load.ts'
import type { Refusal } from '../rules/http-refusal.ts'
import { headerMismatch, NO_RESPONSES } from '../rules/refusals.ts'
import type { Message } from './streamable-batch.ts'

const LISTEN = 'subscriptions/listen'

export class ModernHttp {
  readonly #endpoint: Endpoint
  readonly #load: Load
  readonly #settings: EventStreamSettings
  readonly #nameSource: (method: string) => string | undefined
  readonly #anonymous: LoadTicket
  readonly #shared = createSharedJson()
  /** The open listens that came this way. */
  readonly #listens = new Set<IncomingCall>()

  constructor(endpoint: Endpoint, load: Load, settings: EventStreamSettings) {
    this.#endpoint = endpoint
    this.#load = load
    this.#settings = settings
    this.#nameSource = (method) => endpoint.nameSource(method)
    this.#anonymous = new LoadTicket(load, undefined)
  }

  /** Serves a message, or says why not. */
  post(message: Message, head: RequestHead, principal: Principal | undefined, reply: Reply): Refusal | undefined {
    if (message.kind === 'response') return NO_RESPONSES
    if (message.kind === 'notification') {
      this.#endpoint.notify(message.message, undefined)
      reply.empty(202)
      return undefined
    }
    const request = message.message
    const mismatch = this.#checkHeaders(request, head, principal)
    if (mismatch !== undefined) return headerMismatch(mismatch)
    const isListen = request.method === LISTEN
    const refusal = this.#load.enter(isListen ? 'listener' : 'request', principal)
    if (refusal !== undefined) return refusal
    const listening = isListen ? new ListenerTicket(this.#load, principal, this.#listens) : undefined
    const ticket = listening ?? (principal === undefined ? this.#anonymous : new LoadTicket(this.#load, principal))
    const outlet = new EventStreamOutlet(reply, this.#settings, ticket)
    const kept = isListen ? this.#toShared(request) : request
    const call = this.#endpoint.serveModern({ message: kept, outlet, scope: undefined, principal, head })
    if (call === undefined) return undefined
    listening?.begin(call)
    // Going away is the cancellation (sec-15).
    outlet.call = call
    reply.watch(outlet)
    return undefined
  }

  /** Ends the listens that are open here with their results. */
  drain(): void {
    for (const call of [...this.#listens]) call.end()
  }

  /** What a listener said is kept for as long as it stays; those of one kind of client say the same. */
  #toShared(message: RpcRequest): RpcRequest {
    const { id, params } = message
    return { jsonrpc: '2.0', id, method: LISTEN, ...(params && { params: this.#shared.share(params) }) }
  }

  /** Without a claimed version there is nothing to compare: the endpoint refuses the envelope, which says more. */
  #checkHeaders(message: RpcRequest, head: RequestHead, principal: Principal | undefined): string | undefined {
    const { method, params } = message
    const version = claimedVersion(params)
    if (typeof version !== 'string') return undefined
    const tool = method === 'tools/call' ? params?.name : undefined
    return checkHeaders({
      head,
      method,
      params,
      version,
      paramHeaders: typeof tool === 'string' ? this.#endpoint.paramHeaders(tool, principal) : undefined,
      nameSource: this.#nameSource,
    })
  }
}

/** Counts one request, or all those of nobody in particular. */
class LoadTicket implements OutletOwner {
  readonly #load: Load
  readonly #principal: Principal | undefined

  constructor(load: Load, principal: Principal | undefined) {
    this.#load = load
    this.#principal = principal
  }

  answered(): void {
    this.#load.answered('request')
  }

  settled(): void {
    this.#load.leave('request', this.#principal)
  }
}

/** Counts one listener, which ends with its credential, with the server or when the client goes. */
class ListenerTicket implements OutletOwner {
  readonly #load: Load
  readonly #principal: Principal | undefined
  readonly #open: Set<IncomingCall>
  #call: IncomingCall | undefined
  #callOff: (() => void) | undefined

  constructor(load: Load, principal: Principal | undefined, open: Set<IncomingCall>) {
    this.#load = load
    this.#principal = principal
    this.#open = open
  }

  begin(call: IncomingCall): void {
    this.#call = call
    this.#open.add(call)
    if (this.#principal?.expiresAt !== undefined) {
      this.#callOff = atExpiry(this.#principal, () => call.cancel('The credential has expired'))
    }
  }

  answered(): void {
    this.#callOff?.()
    if (this.#call !== undefined) this.#open.delete(this.#call)
    this.#load.answered('listener')
  }

  settled(): void {
    this.#load.leave('listener', this.#principal)
  }
}
