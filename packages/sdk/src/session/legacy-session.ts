/**
 * A session of the older revisions (2024-11-05 to 2025-11-25): what `initialize` agreed on, what the client subscribed
 * to, which requests are under way in either direction. A pipe or socket has one for its lifetime; Streamable HTTP
 * keeps them by id. How unrelated messages reach the client is the transport's business and comes in as `post`.
 */

import type { Principal } from '../auth/principal.ts'
import type { Outlet, Urgency } from '../jsonrpc/channel.ts'
import { PorticoError } from '../jsonrpc/errors.ts'
import { IncomingCalls } from '../jsonrpc/incoming.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { PendingCalls, type PendingOptions } from '../jsonrpc/pending.ts'
import type { ClientCapabilities } from '../protocol/capabilities.ts'
import type { Implementation } from '../protocol/content.ts'
import type { LogLevel } from '../protocol/logging.ts'
import type { Revision } from '../protocol/revision.ts'
import type { Conversation } from './conversation.ts'

/** `new` answers only `initialize` and `ping`; `initializing` may be sent only ping and logging; `ready` is all. */
export type Phase = 'new' | 'initializing' | 'ready' | 'closed'

export interface Agreement {
  readonly revision: Revision
  readonly capabilities: ClientCapabilities
  readonly clientInfo: Implementation
}

export const SUBSCRIPTION_LIMITS = {
  /** UTF-16 units of all resource URIs that one session, or one listener, is subscribed to. */
  maxSubscriptionLength: 256 * 1024,
} as const

export class LegacySession implements Conversation {
  readonly principal: Principal | undefined
  readonly incoming = new IncomingCalls()
  // An idle session is little more than its agreement: what only some sessions need is made when one does.
  #subscriptions: Set<string> | undefined
  #subscribedLength = 0
  /** Messages about no request in particular go here. */
  readonly post: (text: string, urgency: Urgency, key?: string | number) => void
  phase: Phase = 'new'
  logLevel: LogLevel | undefined = 'info'
  #pending: PendingCalls | undefined
  #agreement: Agreement | undefined
  #onClose: (() => void) | (() => void)[] | undefined
  #onReady: (() => void)[] | undefined

  constructor(post: LegacySession['post'], principal: Principal | undefined) {
    this.post = post
    this.principal = principal
  }

  /** Keeps what `initialize` settled. */
  agree(agreement: Agreement): void {
    this.#agreement = agreement
    this.phase = 'initializing'
  }

  get revision(): Revision {
    return this.#agreed().revision
  }

  get capabilities(): ClientCapabilities {
    return this.#agreed().capabilities
  }

  get clientInfo(): Implementation | undefined {
    return this.#agreement?.clientInfo
  }

  get initialized(): boolean {
    return this.#agreement !== undefined
  }

  /** Sends a request to the client: on the outlet of the request it serves, or as an unrelated message. */
  request(
    method: string,
    params: JsonObject,
    outlet: Outlet | undefined,
    options: PendingOptions,
  ): Promise<JsonObject> {
    if (this.phase === 'closed') {
      return Promise.reject(new PorticoError('closed', 'The session has ended', { delivery: 'not-sent' }))
    }
    if (options.signal?.aborted) {
      const { reason: cause } = options.signal
      return Promise.reject(new PorticoError('aborted', 'The call was cancelled', { cause, delivery: 'not-sent' }))
    }
    const id = this.answers.nextId()
    const answer = this.answers.wait(id, {
      ...options,
      abandoned: (abandonedId, reason) => {
        const notice = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: abandonedId, reason } }
        // Nothing more goes out for a request that was cancelled, so this has to travel by itself then.
        this.#send(JSON.stringify(notice), options.signal?.aborted ? undefined : outlet)
        options.abandoned?.(abandonedId, reason)
      },
    })
    this.#send(JSON.stringify({ jsonrpc: '2.0', id, method, params }), outlet)
    return answer
  }

  /** The client said `initialized`: from now on it may be sent anything. */
  becomeReady(): void {
    if (this.phase !== 'initializing') return
    this.phase = 'ready'
    const waiting = this.#onReady ?? []
    this.#onReady = undefined
    for (const wake of waiting) wake()
  }

  /** Resolves when the client may be asked: before `initialized`, only ping and logging may be sent (lifecycle). */
  whenReady(signal: AbortSignal): Promise<void> | void {
    if (this.phase !== 'initializing') return
    return new Promise((resolve, reject) => {
      const refuse = (): void => reject(new PorticoError('aborted', 'The call was cancelled'))
      if (signal.aborted) return refuse()
      signal.addEventListener('abort', refuse, { once: true })
      this.#onReady ??= []
      this.#onReady.push(() => {
        signal.removeEventListener('abort', refuse)
        resolve()
      })
    })
  }

  get subscriptions(): ReadonlySet<string> {
    return this.#subscriptions ?? NOTHING
  }

  /** False when the client is subscribed to as much as it may be. */
  subscribe(uri: string): boolean {
    this.#subscriptions ??= new Set()
    if (this.#subscriptions.has(uri)) return true
    if (this.#subscribedLength + uri.length > SUBSCRIPTION_LIMITS.maxSubscriptionLength) return false
    this.#subscribedLength += uri.length
    this.#subscriptions.add(uri)
    return true
  }

  unsubscribe(uri: string): void {
    if (this.#subscriptions?.delete(uri)) this.#subscribedLength -= uri.length
  }

  /** Settles what `request` waits for. */
  get answers(): PendingCalls {
    this.#pending ??= new PendingCalls()
    return this.#pending
  }

  /** Runs `action` when the session ends. */
  onClose(action: () => void): void {
    // Nearly always there is one, and an array for it would be larger than it.
    if (this.#onClose === undefined) this.#onClose = action
    else this.#onClose = typeof this.#onClose === 'function' ? [this.#onClose, action] : [...this.#onClose, action]
  }

  close(reason = 'The session has ended'): void {
    if (this.phase === 'closed') return
    this.phase = 'closed'
    this.incoming.cancelAll(reason)
    this.#pending?.failAll(new PorticoError('closed', reason, { delivery: 'unknown' }))
    const actions = this.#onClose
    this.#onClose = undefined
    if (typeof actions === 'function') actions()
    else for (const action of actions ?? []) action()
  }

  #send(text: string, outlet: Outlet | undefined): void {
    if (outlet === undefined) this.post(text, 'keep')
    else outlet.send(text, 'keep')
  }

  #agreed(): Agreement {
    if (this.#agreement === undefined) throw new PorticoError('closed', 'The session is not initialized')
    return this.#agreement
  }
}

const NOTHING: ReadonlySet<string> = new Set()
