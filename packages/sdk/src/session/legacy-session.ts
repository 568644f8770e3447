/**
 * A session of the older revisions (2024-11-05 to 2025-11-25): what `initialize` agreed on, what the client subscribed
 * to, which requests are under way in either direction. A pipe or socket has one for its lifetime; Streamable HTTP
 * keeps them by id. How unrelated messages reach the client is the transport's business and comes in as a `MessageSink`.
 */

import type { Principal } from '../auth/principal.ts'
import type { Urgency } from '../jsonrpc/channel.ts'
import { PorticoError } from '../jsonrpc/errors.ts'
import { IncomingCalls } from '../jsonrpc/incoming.ts'
import type { PendingCalls } from '../jsonrpc/pending.ts'
import type { ClientCapabilities } from '../protocol/capabilities.ts'
import type { Implementation } from '../protocol/content.ts'
import type { LogLevel } from '../protocol/logging.ts'
import type { Revision } from '../protocol/revision.ts'
import { type ClientDescription, toKeptClient } from './client-description.ts'
import type { Conversation } from './conversation.ts'
import { KEPT_LIMITS, KeptText } from './kept-text.ts'

/** `new` answers only `initialize` and `ping`; `initializing` may be sent only ping and logging; `ready` is all. */
type Phase = 'new' | 'initializing' | 'ready' | 'closed'

export interface Agreement extends ClientDescription {
  readonly revision: Revision
}

/** Takes messages about no request in particular to the client. */
export interface MessageSink {
  post(text: string, urgency: Urgency, key?: string | number): void
}

/** One that hears of the end of many sessions, so that none of them keeps a function for it. */
export interface SessionWatcher {
  sessionClosed(session: LegacySession): void
}

type Closing = (() => void) | SessionWatcher

export class LegacySession implements Conversation {
  readonly principal: Principal | undefined
  /** Who hears messages about no request at present, where that is by a credential of its own. */
  reader: Principal | undefined
  readonly incoming = new IncomingCalls()
  // An idle session is little more than its agreement: what only some sessions need is made when one does.
  #subscriptions: Set<string> | undefined
  #subscribedLength = 0
  /** Made for the first thing that is kept for this session alone. */
  #kept: KeptText | undefined
  readonly #sink: MessageSink
  phase: Phase = 'new'
  logLevel: LogLevel | undefined = 'info'
  /** What the client was asked and has not answered yet, once it was asked something (`session-request.ts`). */
  answers: PendingCalls | undefined
  /** The id of the first question, where an earlier process may have asked under lower ones. */
  firstQuestion: number | undefined
  #revision: Revision | undefined
  #client: ClientDescription | undefined
  #onClose: Closing | Closing[] | undefined
  #onReady: (() => void)[] | undefined

  constructor(sink: MessageSink, principal: Principal | undefined) {
    this.#sink = sink
    this.principal = principal
  }

  /**
   * Keeps what `initialize` settled, unless the client says too much of itself: then it is false. An agreement that is
   * frozen is somebody's constant and kept as it is.
   */
  agree(agreement: Agreement): boolean {
    const { revision, capabilities, clientInfo } = agreement
    if (Object.isFrozen(agreement)) this.#client = agreement
    else {
      const kept = toKeptClient({ capabilities, clientInfo })
      if (kept === undefined || (kept.length > 0 && !this.#keep(kept.length))) return false
      this.#client = kept.client
    }
    this.#revision = revision
    this.phase = 'initializing'
    return true
  }

  get revision(): Revision {
    if (this.#revision === undefined) throw notInitialized()
    return this.#revision
  }

  get capabilities(): ClientCapabilities {
    if (this.#client === undefined) throw notInitialized()
    return this.#client.capabilities
  }

  get clientInfo(): Implementation | undefined {
    return this.#client?.clientInfo
  }

  get initialized(): boolean {
    return this.#revision !== undefined
  }

  /** Whether the revision that was agreed on has batches. */
  get batches(): boolean {
    return this.initialized && this.revision.traits.batches
  }

  /** Sends a message about no request in particular. */
  post(text: string, urgency: Urgency, key?: string | number): void {
    this.#sink.post(text, urgency, key)
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
    if (this.#subscribedLength + uri.length > KEPT_LIMITS.maxSubscriptionLength) return false
    if (!this.#keep(uri.length)) return false
    this.#subscribedLength += uri.length
    this.#subscriptions.add(uri)
    return true
  }

  /** False when it was not subscribed to. */
  unsubscribe(uri: string): boolean {
    if (!this.#subscriptions?.delete(uri)) return false
    this.#subscribedLength -= uri.length
    this.#kept?.remove(uri.length)
    return true
  }

  /**
   * Runs `action`, or tells the watcher, when the session ends. The function that comes back forgets it: what is over before the
   * session is not kept for its end.
   */
  onClose(action: Closing): () => void {
    // Nearly always there is one, and an array for it would be larger than it.
    if (this.#onClose === undefined) this.#onClose = action
    else if (Array.isArray(this.#onClose)) this.#onClose.push(action)
    else this.#onClose = [this.#onClose, action]
    return () => this.#forgetClosing(action)
  }

  #forgetClosing(action: Closing): void {
    if (this.#onClose === action) this.#onClose = undefined
    const at = Array.isArray(this.#onClose) ? this.#onClose.indexOf(action) : -1
    if (Array.isArray(this.#onClose) && at >= 0) this.#onClose.splice(at, 1)
  }

  close(reason = 'The session has ended'): void {
    if (this.phase === 'closed') return
    this.phase = 'closed'
    this.#kept?.clear()
    this.incoming.cancelAll(reason)
    this.answers?.failAll(new PorticoError('closed', reason, { delivery: 'unknown' }))
    const closing = this.#onClose ?? []
    this.#onClose = undefined
    for (const one of Array.isArray(closing) ? closing : [closing]) {
      if (typeof one === 'function') one()
      else one.sessionClosed(this)
    }
  }

  #keep(length: number): boolean {
    this.#kept ??= new KeptText()
    return this.#kept.add(length)
  }
}

function notInitialized(): PorticoError {
  return new PorticoError('closed', 'The session is not initialized')
}

const NOTHING: ReadonlySet<string> = new Set()
