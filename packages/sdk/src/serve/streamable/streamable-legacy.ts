/**
 * The 2025 form of Streamable HTTP (2025-03-26 to 2025-11-25): sessions opened by `initialize`, resumable streams, a
 * standalone stream by GET, an end by DELETE. Finding the session and the form of the answer is done here; what a
 * message means is the endpoint's business.
 */

import { atExpiry } from '../../auth/client/expiry.ts'
import type { Principal } from '../../auth/principal.ts'
import type { RpcRequest } from '../../jsonrpc/message.ts'
import type { Endpoint } from '../../session/endpoint.ts'
import type { RequestHead } from '../../session/exchange.ts'
import type { OutletOwner } from '../../transport/event-stream-outlet.ts'
import type { EventStream, EventStreamOwner } from '../../transport/http-event-stream.ts'
import { EVENT_STREAM_HEADERS, type Reply } from '../../transport/http-reply.ts'
import { acceptsEvents, SESSION_HEADER, VERSION_HEADER } from '../rules/http-headers.ts'
import { type Load, RequestCount } from '../rules/http-load.ts'
import { type Refusal, refuse } from '../rules/http-refusal.ts'
import {
  ACCEPTS_NO_EVENTS,
  NO_SESSION,
  STATE_AWAY,
  STREAM_OPEN,
  UNKNOWN_SESSION,
  UNKNOWN_STREAM,
  unsupportedVersion,
} from '../rules/refusals.ts'
import type { SessionStore } from './session-store.ts'
import { checkBatch, type Message, serveBatch, takeNotification } from './streamable-batch.ts'
import { ResumableOutlet } from './streamable-outlet.ts'
import { HttpSession, type SessionSettings } from './streamable-session.ts'
import { parseEventId, type ResumableStream } from './streamable-stream.ts'

/** How notices of changed resources begin. */
const UPDATED = '{"jsonrpc":"2.0","method":"notifications/resources/updated"'

export class LegacyHttp {
  readonly #endpoint: Endpoint
  readonly #load: Load
  readonly #sessions: SessionStore<HttpSession>
  readonly #settings: SessionSettings

  constructor(endpoint: Endpoint, load: Load, sessions: SessionStore<HttpSession>, settings: SessionSettings) {
    this.#endpoint = endpoint
    this.#load = load
    this.#sessions = sessions
    this.#settings = settings
  }

  /** Serves a message, or says why not; so do the methods below. */
  post(message: Message, head: RequestHead, principal: Principal | undefined, reply: Reply): Refusal | undefined {
    const isOpening = message.kind === 'request' && message.message.method === 'initialize'
    if (isOpening && head.header(SESSION_HEADER) === undefined) {
      return this.#initialize(message.message, head, principal, reply)
    }
    const found = this.#find(head, principal)
    if (!(found instanceof HttpSession)) return found
    if (message.kind === 'request') return this.#request(message.message, found, { principal, head, reply })
    if (message.kind === 'notification') takeNotification(message.message, this.#endpoint, found.session)
    else found.session.answers?.settle(message.message)
    reply.empty(202)
    return undefined
  }

  batch(
    items: readonly unknown[],
    head: RequestHead,
    principal: Principal | undefined,
    reply: Reply,
  ): Refusal | undefined {
    const found = this.#find(head, principal)
    if (!(found instanceof HttpSession)) return found
    const { session } = found
    const messages = checkBatch(items, session, this.#settings.limits.maxBatch)
    if ('status' in messages) return messages
    const requests = messages.flatMap((item) => (item.kind === 'request' ? [item.message.id] : []))
    const outlet = (owner: OutletOwner) => new ResumableOutlet(reply, found, owner, { requests })
    return serveBatch(messages, { endpoint: this.#endpoint, session, principal, load: this.#load, head, reply, outlet })
  }

  /** Opens the standalone stream, or goes on with one that lost its connection. */
  get(head: RequestHead, principal: Principal | undefined, reply: Reply): Refusal | undefined {
    const found = this.#find(head, principal)
    if (!(found instanceof HttpSession)) return found
    if (!acceptsEvents(head)) return ACCEPTS_NO_EVENTS
    const lastEventId = head.header('last-event-id')
    if (lastEventId !== undefined) {
      // What is over for longer than `replayMs` is gone, whether or not the store has looked at it since.
      found.sweep(Date.now())
      const cursor = parseEventId(lastEventId)
      const stream = cursor === undefined ? undefined : found.stream(cursor.stream)
      if (cursor === undefined || stream === undefined) return UNKNOWN_STREAM
      return this.#attach(found, { stream, after: cursor.seq }, principal, reply)
    }
    const stream = found.standalone
    if (stream.attached) return STREAM_OPEN
    return this.#attach(found, { stream, after: stream.written }, principal, reply)
  }

  delete(head: RequestHead, principal: Principal | undefined, reply: Reply): Refusal | undefined {
    const found = this.#find(head, principal)
    if (!(found instanceof HttpSession)) return found
    const forgotten = this.end(found)
    if (forgotten === undefined) reply.empty(204)
    else {
      forgotten.then(
        () => reply.empty(204),
        () => refuse(reply, STATE_AWAY),
      )
    }
    return undefined
  }

  /** Ends a session for good; a promise where no other process is to take it up. */
  end(session: HttpSession): Promise<void> | undefined {
    const forgotten = this.#settings.shared?.ended(session.id)
    this.#sessions.delete(session.id)
    session.end()
    return forgotten
  }

  #initialize(
    message: RpcRequest,
    head: RequestHead,
    principal: Principal | undefined,
    reply: Reply,
  ): Refusal | undefined {
    const refusal = this.#load.enter('request', principal)
    if (refusal !== undefined) return refusal
    const session = new HttpSession(principal, this.#settings)
    const bound = this.#sessions.add(session)
    if (bound !== undefined) {
      this.#load.answered('request')
      this.#load.leave('request', principal)
      const text = `There is no room for another session: ${bound} (${this.#settings.limits[bound]}) reached`
      return { status: bound === 'maxSessions' ? 503 : 429, message: text, headers: ['retry-after', '10'] }
    }
    const count = new RequestCount(this.#load, principal)
    const owner = {
      answered: () => {
        count.answered()
        if (session.session.initialized) return
        this.#sessions.delete(session.id)
        session.end()
      },
      settled: () => count.settled(),
    }
    const headers = () => (session.session.initialized ? [SESSION_HEADER, session.id] : undefined)
    const plain = new ResumableOutlet(reply, session, owner, { requests: [message.id], headers })
    const outlet = this.#settings.shared?.outlet(message, session, plain) ?? plain
    this.#endpoint.serveLegacy({ message, outlet, scope: session.session.incoming, principal, head }, session.session)
    return undefined
  }

  /** The principal is the request's own: the same as the session's, but perhaps by a token with other scopes. */
  #request(
    message: RpcRequest,
    found: HttpSession,
    { principal, head, reply }: { principal: Principal | undefined; head: RequestHead; reply: Reply },
  ): Refusal | undefined {
    const refusal = this.#load.enter('request', principal)
    if (refusal !== undefined) return refusal
    const count = new RequestCount(this.#load, principal)
    const plain = new ResumableOutlet(reply, found, count, { requests: [message.id] })
    const outlet = this.#settings.shared?.outlet(message, found, plain) ?? plain
    const { session } = found
    this.#endpoint.serveLegacy({ message, outlet, scope: session.incoming, principal, head }, session)
    return undefined
  }

  #attach(
    found: HttpSession,
    { stream, after }: { readonly stream: ResumableStream; readonly after: number },
    principal: Principal | undefined,
    reply: Reply,
  ): Refusal | undefined {
    // Whoever comes for an answer was let in with the request: were there no room now, it would be lost.
    const load = stream === found.standalone ? this.#load : undefined
    const refusal = load?.enter('listener', principal)
    if (refusal !== undefined) return refusal
    found.uses++
    const writer = reply.stream(EVENT_STREAM_HEADERS)
    const callOff = atExpiry(principal, () => writer.end())
    const listener = new Listener(found, stream, load, callOff)
    if (stream === found.standalone) {
      stream.attach(writer, after, listener, (text) => this.#mayHave(text, principal))
      found.session.reader = principal
    } else stream.attach(writer, after, listener)
    return undefined
  }

  /** The credential of a stream may be narrower than the one that what was kept for it was judged by. */
  #mayHave(text: string, principal: Principal | undefined): boolean {
    if (!text.startsWith(UPDATED)) return true
    const { params } = JSON.parse(text) as { params: { uri: string } }
    return this.#endpoint.mayHear(params.uri, principal)
  }

  #find(head: RequestHead, principal: Principal | undefined): HttpSession | Refusal {
    const id = head.header(SESSION_HEADER)
    if (id === undefined) return NO_SESSION
    const found = this.#sessions.get(id)
    if (found === undefined || !found.belongsTo(principal)) return UNKNOWN_SESSION
    return checkLegacyVersion(head, this.#endpoint) ?? found
  }
}

/** A connection that a GET opened; `load` counts it until it closes, if it counts. */
class Listener implements EventStreamOwner {
  readonly #session: HttpSession
  readonly #stream: ResumableStream
  readonly #load: Load | undefined
  readonly #callOff: () => void

  constructor(session: HttpSession, stream: ResumableStream, load: Load | undefined, callOff: () => void) {
    this.#session = session
    this.#stream = stream
    this.#load = load
    this.#callOff = callOff
  }

  streamClosed(connection: EventStream): void {
    this.#stream.streamClosed(connection)
    if (this.#stream === this.#session.standalone && !this.#stream.attached) this.#session.session.reader = undefined
    this.#callOff()
    this.#session.uses--
    this.#load?.answered('listener')
    // The principal that it was counted for has the same id, which is what counts.
    this.#load?.leave('listener', this.#session.session.principal)
  }
}

/** A version header that names no old revision served here is refused (2025-06-18, transports, "Protocol Version Header"). */
export function checkLegacyVersion(head: RequestHead, endpoint: Endpoint): Refusal | undefined {
  const version = head.header(VERSION_HEADER)
  const served: readonly string[] = endpoint.versions
  if (version === undefined || served.includes(version)) return undefined
  return unsupportedVersion(endpoint.versions)
}
