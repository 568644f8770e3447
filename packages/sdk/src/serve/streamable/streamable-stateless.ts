/**
 * The 2025 form of Streamable HTTP without sessions, for servers that keep nothing between requests: every POST is
 * served by a session that lives as long as its answer takes. There is nothing to listen to, to resume or to end.
 */

import type { Principal } from '../../auth/principal.ts'
import type { RpcRequest } from '../../jsonrpc/message.ts'
import type { Revision } from '../../protocol/revision.ts'
import { revisionOf } from '../../protocol/revisions.ts'
import type { Endpoint } from '../../session/endpoint.ts'
import type { RequestHead } from '../../session/exchange.ts'
import { type Agreement, LegacySession } from '../../session/legacy-session.ts'
import { EventStreamOutlet, type OutletOwner } from '../../transport/event-stream-outlet.ts'
import type { EventStreamSettings } from '../../transport/http-event-stream.ts'
import type { Reply } from '../../transport/http-reply.ts'
import { VERSION_HEADER } from '../rules/http-headers.ts'
import { type Load, RequestCount } from '../rules/http-load.ts'
import type { Refusal } from '../rules/http-refusal.ts'
import { unsupportedVersion } from '../rules/refusals.ts'
import { checkBatch, type Message, serveBatch } from './streamable-batch.ts'
import { checkLegacyVersion } from './streamable-legacy.ts'

/** What a request without the version header speaks (2025-11-25, transports, "Protocol Version Header"). */
const DEFAULT_VERSION = '2025-03-26'

/** There is no stream for messages about no request. */
const NOWHERE = { post() {} }

export class StatelessHttp {
  readonly #endpoint: Endpoint
  readonly #load: Load
  readonly #settings: EventStreamSettings
  readonly #maxBatch: number
  readonly #agreements = new Map<Revision, Agreement>()

  constructor(endpoint: Endpoint, load: Load, settings: EventStreamSettings, maxBatch: number) {
    this.#endpoint = endpoint
    this.#load = load
    this.#settings = settings
    this.#maxBatch = maxBatch
  }

  /** Serves a message, or says why not. */
  post(message: Message, head: RequestHead, principal: Principal | undefined, reply: Reply): Refusal | undefined {
    if (message.kind === 'request') return this.#request(message.message, head, principal, reply)
    // There is no request of ours that a response could belong to, and no session that a notification could change.
    reply.empty(202)
    return undefined
  }

  batch(
    items: readonly unknown[],
    head: RequestHead,
    principal: Principal | undefined,
    reply: Reply,
  ): Refusal | undefined {
    const session = this.#session(head, principal)
    if (!(session instanceof LegacySession)) return session
    const messages = checkBatch(items, session, this.#maxBatch)
    if ('status' in messages) return messages
    const outlet = (count: OutletOwner) => this.#outlet(reply, session, count)
    return serveBatch(messages, { endpoint: this.#endpoint, session, principal, load: this.#load, head, reply, outlet })
  }

  #request(message: RpcRequest, head: RequestHead, principal: Principal | undefined, reply: Reply) {
    const isOpening = message.method === 'initialize'
    const session = isOpening ? new LegacySession(NOWHERE, principal) : this.#session(head, principal)
    if (!(session instanceof LegacySession)) return session
    const refusal = this.#load.enter('request', principal)
    if (refusal !== undefined) return refusal
    const outlet = this.#outlet(reply, session, new RequestCount(this.#load, principal))
    this.#endpoint.serveLegacy({ message, outlet, scope: session.incoming, principal, head }, session)
    return undefined
  }

  #outlet(reply: Reply, session: LegacySession, count: OutletOwner): EventStreamOutlet {
    return new EventStreamOutlet(reply, this.#settings, {
      answered() {
        count.answered()
        session.close()
      },
      settled: () => count.settled(),
    })
  }

  #agreement(revision: Revision): Agreement {
    let agreement = this.#agreements.get(revision)
    if (agreement === undefined) {
      agreement = Object.freeze({ revision, capabilities: {}, clientInfo: { name: 'unknown', version: '0' } })
      this.#agreements.set(revision, agreement)
    }
    return agreement
  }

  /** A session as if `initialize` had been: of the version that the header names, with a client that offers nothing. */
  #session(head: RequestHead, principal: Principal | undefined): LegacySession | Refusal {
    const refusal = checkLegacyVersion(head, this.#endpoint)
    if (refusal !== undefined) return refusal
    const revision = revisionOf(head.header(VERSION_HEADER) ?? DEFAULT_VERSION)
    if (revision === undefined) return unsupportedVersion()
    const session = new LegacySession(NOWHERE, principal)
    session.agree(this.#agreement(revision))
    session.becomeReady()
    return session
  }
}
