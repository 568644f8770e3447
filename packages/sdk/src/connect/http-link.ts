/**
 * A link over Streamable HTTP, of either era: each request is a POST with its own answer. Modern requests are mirrored
 * into headers; the older revisions have a session id, a stream for notices, and an end that is announced.
 */

import { type Link, type LinkEvents, type Outgoing, requestText } from '../client/link.ts'
import { PorticoError } from '../jsonrpc/errors.ts'
import { IdTable } from '../jsonrpc/id-table.ts'
import type { RequestId, RpcNotification, RpcResponse } from '../jsonrpc/message.ts'
import { standardHeaders, VERSION_HEADER } from '../protocol/headers/headers.ts'
import type { Revision } from '../protocol/revision.ts'
import {
  discard,
  type HttpAnswer,
  type HttpCall,
  type HttpDialer,
  type HttpOutcome,
  type HttpRequest,
} from '../transport/http-client/http-client.ts'
import type { FramedLimits } from './answer-limits.ts'
import { unwritable } from './channel-link.ts'
import { statusError } from './http-answer.ts'
import { type ExchangeHost, HttpExchange } from './http-exchange.ts'
import { HttpListener, type ListenerHost } from './http-listener.ts'

type HeaderRecord = { readonly [name: string]: string }
/** Headers for every request, such as `authorization`: fixed, or asked for each time. */
export type HeaderSource = HeaderRecord | (() => HeaderRecord | Promise<HeaderRecord>)

export interface HttpLinkOptions {
  readonly url: URL
  readonly dialer: HttpDialer
  readonly headers?: HeaderSource
  /** How long a stream that has a heartbeat may be silent: 20 s unless given. */
  readonly silenceMs?: number
  readonly limits: FramedLimits
  /** The parameter that `Mcp-Name` mirrors, for methods of extensions. */
  readonly nameSources?: { readonly [method: string]: string }
  /** Called for 401 and 403. True when new headers are ready and the request may be sent once more. */
  readonly onRefused?: (refusal: { status: number; challenge: string | undefined }) => Promise<boolean>
}

export class HttpLink implements Link, ExchangeHost, ListenerHost {
  readonly kind = 'http'
  readonly label: string
  url: URL
  events: LinkEvents = NOBODY
  readonly #options: HttpLinkOptions
  readonly #exchanges = new IdTable<HttpExchange>()
  readonly #nameSource = (method: string) => {
    const { nameSources = {} } = this.#options
    if (Object.hasOwn(nameSources, method)) return nameSources[method]
    // The prefix is reserved for tasks, whose methods all name one.
    return method.startsWith('tasks/') ? 'taskId' : undefined
  }
  #revision: Revision | undefined
  #session: string | undefined
  #posted: { revision: Revision | undefined; session: string | undefined; headers: HeaderRecord } = {
    revision: undefined,
    session: undefined,
    headers: POST_HEADERS,
  }
  #listener: HttpListener | undefined
  #closed = false

  constructor(options: HttpLinkOptions) {
    this.#options = options
    this.url = options.url
    this.label = `${options.url.origin}${options.url.pathname}`
  }

  get limits(): FramedLimits {
    return this.#options.limits
  }

  get silenceMs(): number | undefined {
    return this.#options.silenceMs
  }

  get inSession(): boolean {
    return this.#session !== undefined
  }

  open(events: LinkEvents): void {
    this.events = events
  }

  request(outgoing: Outgoing): void {
    if (this.#closed) {
      const error = new PorticoError('closed', `The connection to ${this.label} was closed`, { delivery: 'not-sent' })
      this.events.failed(outgoing.id, error)
      return
    }
    if (outgoing.method === 'initialize') this.#session = undefined
    const exchange = new HttpExchange(this, outgoing, outgoing.envelope !== undefined)
    this.#exchanges.set(outgoing.id, exchange)
    exchange.start()
  }

  cancel(id: RequestId, reason: string): void {
    const exchange = this.#exchanges.get(id)
    if (exchange === undefined) return
    this.#exchanges.delete(id)
    exchange.abort()
    // Closing the stream is the cancellation of a modern request and means nothing on an older one.
    if (exchange.modern || exchange.outgoing.method === 'initialize') return
    void this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason } })
  }

  send(message: RpcNotification | RpcResponse): Promise<void> {
    return new Promise((resolve) => {
      // Twice does no harm: the second answer to a question finds nobody who waits, and a notice says the same again.
      const call = this.#post(JSON.stringify(message), {
        answered: (answer) => {
          if (answer.status >= 400)
            this.events.irregular('The server refused a message', statusError(answer, false).message)
          discard(answer, call)
          resolve()
        },
        failed: (error) => {
          this.events.irregular('A message could not be sent', error.message)
          resolve()
        },
      })
    })
  }

  agree(revision: Revision): void {
    this.#revision = revision
  }

  listen(): void {
    if (this.#listener === undefined && !this.#closed && this.#revision?.era === 'legacy') {
      this.#listener = new HttpListener(this)
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#listener?.close()
    for (const exchange of this.#exchanges.values()) exchange.abort()
    this.#exchanges.clear()
    await this.#endSession()
    this.#options.dialer.close()
  }

  dispatch(outgoing: Outgoing, outcome: HttpOutcome, resumeAfter?: string): HttpCall {
    if (resumeAfter !== undefined) return this.get(outcome, resumeAfter)
    const { method } = outgoing
    let body: string
    try {
      body = requestText(outgoing)
    } catch (cause) {
      queueMicrotask(() => outcome.failed(unwritable(cause)))
      return { abort() {} }
    }
    return this.#send(
      {
        method: 'POST',
        headers: this.#headersOf(outgoing),
        body,
        repeatable: HANDSHAKES.has(method),
        fresh: outgoing.fresh,
      },
      outcome,
    )
  }

  get(outcome: HttpOutcome, lastEventId: string): HttpCall {
    const resume: HeaderRecord = lastEventId === '' ? {} : { 'last-event-id': toHeaderBytes(lastEventId) }
    return this.#send(
      { method: 'GET', headers: { accept: 'text/event-stream', ...this.#sessionHeaders(), ...resume } },
      outcome,
    )
  }

  /** Keeps the session id that `initialize` was answered with (sec-30: visible ASCII or nothing). */
  noteHead({ method }: Outgoing, answer: HttpAnswer): PorticoError | undefined {
    if (method !== 'initialize' || answer.status !== 200) return undefined
    const session = answer.header('mcp-session-id')
    if (session !== undefined && !/^[\x21-\x7e]{1,4096}$/.test(session)) {
      return new PorticoError('invalid-message', 'The session id is not visible ASCII', { delivery: 'unknown' })
    }
    this.#session = session
    return undefined
  }

  remedy(answer: HttpAnswer): Promise<boolean> | undefined {
    if (answer.status !== 401 && answer.status !== 403) return undefined
    return this.#options.onRefused?.({ status: answer.status, challenge: answer.header('www-authenticate') })
  }

  sessionLost(error: PorticoError): void {
    this.#session = undefined
    this.events.closed(error)
  }

  ended(exchange: HttpExchange): void {
    this.#exchanges.delete(exchange.outgoing.id)
  }

  #sessionHeaders(): HeaderRecord {
    return {
      ...(this.#revision !== undefined && { [VERSION_HEADER]: this.#revision.version }),
      ...(this.#session !== undefined && { 'mcp-session-id': this.#session }),
    }
  }

  /** Those of every POST, and those that mirror a modern request. Names were checked where they were made. */
  #headersOf({ method, params, envelope, headers }: Outgoing): HeaderRecord {
    if (envelope === undefined) return method === 'initialize' ? POST_HEADERS : this.#postHeaders()
    const own = { ...POST_HEADERS, ...standardHeaders(envelope.version, method, params, this.#nameSource) }
    return headers === undefined || headers.length === 0 ? own : { ...own, ...Object.fromEntries(headers) }
  }

  /** The headers of every POST in a session: the same object until the handshake settles something else. */
  #postHeaders(): HeaderRecord {
    const { revision, session, headers } = this.#posted
    if (revision === this.#revision && session === this.#session) return headers
    const made = { ...POST_HEADERS, ...this.#sessionHeaders() }
    this.#posted = { revision: this.#revision, session: this.#session, headers: made }
    return made
  }

  #post(body: string, outcome: HttpOutcome): HttpCall {
    return this.#send({ method: 'POST', headers: this.#postHeaders(), body, repeatable: true }, outcome)
  }

  #send({ method, headers: own, body, repeatable, fresh }: OwnRequest, outcome: HttpOutcome): HttpCall {
    const { dialer, headers } = this.#options
    if (typeof headers !== 'function') {
      return dialer.request({ method, url: this.url, headers: merge(headers, own), body, repeatable, fresh }, outcome)
    }
    let call: HttpCall | undefined
    let aborted = false
    void Promise.resolve()
      .then(headers)
      .then(
        (given) => {
          if (aborted) return
          const all = merge(given, own)
          call = dialer.request({ method, url: this.url, headers: all, body, repeatable, fresh }, outcome)
        },
        (cause) => {
          const message = 'The headers for the request could not be made'
          if (!aborted) outcome.failed(new PorticoError('connect-failed', message, { cause, delivery: 'not-sent' }))
        },
      )
    return {
      abort() {
        aborted = true
        call?.abort()
      },
    }
  }

  /** Tells the server that the session is over; it may not care (405) and gets no more than a moment to say so. */
  async #endSession(): Promise<void> {
    if (this.#session === undefined) return
    const headers = this.#sessionHeaders()
    this.#session = undefined
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, GOODBYE_MS)
      function done() {
        clearTimeout(timer)
        resolve()
      }
      this.#send({ method: 'DELETE', headers }, { answered: done, failed: done })
    })
  }
}

/** A request on this link; its address is the link's. */
type OwnRequest = Omit<HttpRequest, 'url'>

const POST_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const GOODBYE_MS = 1_000
/**
 * What agrees on a revision does no harm twice. Of other requests a server may know the ids: what is safe to repeat gets
 * a new one (`client/requests.ts`).
 */
const HANDSHAKES: ReadonlySet<string> = new Set(['server/discover', 'initialize'])

/** The caller's headers, and over them what the protocol prescribes. Names are compared as HTTP does. */
function merge(given: HeaderRecord | undefined, own: HeaderRecord): HeaderRecord {
  if (given === undefined || Object.keys(given).length === 0) return own
  const names = new Set(Object.keys(own).map((name) => name.toLowerCase()))
  return { ...Object.fromEntries(Object.entries(given).filter(([name]) => !names.has(name.toLowerCase()))), ...own }
}

/** Event ids may hold any character; a header carries bytes, one to a character of the string that stands for them. */
function toHeaderBytes(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text))
}

/** Before `open` there is nobody to tell. */
const NOBODY: LinkEvents = { response() {}, message() {}, failed() {}, irregular() {}, closed() {} }
