/**
 * The MCP endpoint on HTTP, for all revisions at once, knowing neither Node's nor the web's request: guard first, then
 * who is asking, then which era a message belongs to. The adapters in `http.ts` and `fetch.ts` feed it requests; the
 * modules beside it serve each form of the transport.
 */

import type { Principal } from '../auth/principal.ts'
import { type JsonLimits, parseJson } from '../framing/json.ts'
import { PARSE_ERROR } from '../jsonrpc/errors.ts'
import { classify, isObject, type JsonObject } from '../jsonrpc/message.ts'
import { revisionOf } from '../protocol/revisions.ts'
import type { Endpoint } from '../session/endpoint.ts'
import type { RequestHead } from '../session/exchange.ts'
import type { EventStreamSettings } from '../transport/http-event-stream.ts'
import { Heartbeat } from '../transport/http-heartbeat.ts'
import type { Reply } from '../transport/http-reply.ts'
import { createMemoryEvents, type EventStoreFactory } from './event-store.ts'
import { createGuard, type Guard, type GuardOptions } from './guard.ts'
import { acceptsEvents, checkPostHead, isJson, pathOf, SESSION_HEADER, VERSION_HEADER } from './http-headers.ts'
import { Load } from './http-load.ts'
import { isRefusal, type Refusal, refuse } from './http-refusal.ts'
import { SERVE_LIMITS, type ServeLimits } from './limits.ts'
import { createMemorySessions, type SessionStore } from './session-store.ts'
import { SseHttp } from './sse.ts'
import { LegacyHttp } from './streamable-legacy.ts'
import { isModern, isModernVersion, ModernHttp } from './streamable-modern.ts'
import type { HttpSession } from './streamable-session.ts'
import { StatelessHttp } from './streamable-stateless.ts'

export interface StreamableOptions extends GuardOptions {
  /** The path of the MCP endpoint; when absent, every path is. */
  readonly path?: string
  /** The path of the event stream of the old HTTP+SSE transport; when absent, only the MCP endpoint offers it. */
  readonly ssePath?: string
  /** Where clients of the old transport post; the path of their event stream when absent. */
  readonly messagesPath?: string
  /** Says who a request comes from, on every request. Undefined lets it pass as anonymous. */
  readonly authenticate?: (head: RequestHead) => Authentication | Promise<Authentication>
  /** False serves the older revisions without sessions: nothing is kept between requests. */
  readonly sessions?: SessionStore<HttpSession> | false
  readonly events?: EventStoreFactory
  readonly limits?: Partial<ServeLimits>
  /** Bounds on the JSON of a message. */
  readonly json?: JsonLimits
  /** Failures that no client may see; by default they go to the server's own error hook. */
  readonly onError?: (error: unknown) => void
}

export type Authentication = Principal | Refusal | undefined

/** One HTTP request, as an adapter presents it. */
export interface HttpRequest {
  readonly head: RequestHead
  readonly reply: Reply
  /** Reads the body, or what a framework in front has already made of it. Not called when the head decides. */
  read(maxBytes: number, done: (body: Body) => void): void
}

export type Body =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'not-utf8' }

type Route = 'mcp' | 'sse' | 'messages'

export class Streamable {
  readonly load: Load
  readonly limits: ServeLimits
  readonly #endpoint: Endpoint
  readonly #options: StreamableOptions
  readonly #guard: Guard
  readonly #modern: ModernHttp
  readonly #legacy: LegacyHttp | undefined
  readonly #stateless: StatelessHttp | undefined
  readonly #sse: SseHttp | undefined
  readonly #sessions: SessionStore<HttpSession> | undefined
  #draining = false

  constructor(endpoint: Endpoint, options: StreamableOptions, boundHost?: string) {
    const limits = { ...SERVE_LIMITS, ...options.limits }
    const stream: EventStreamSettings = {
      maxQueueBytes: limits.maxQueueBytes,
      notificationsPerSecond: limits.notificationsPerSecond,
      heartbeat: new Heartbeat(limits.keepAliveMs),
    }
    this.limits = limits
    this.load = new Load(limits)
    this.#endpoint = endpoint
    this.#options = options
    this.#guard = createGuard(options, boundHost)
    this.#modern = new ModernHttp(endpoint, this.load, stream)
    if (!endpoint.versions.some((version) => revisionOf(version)?.era === 'legacy')) return
    this.#sse = new SseHttp(endpoint, this.load, stream)
    if (options.sessions === false) {
      this.#stateless = new StatelessHttp(endpoint, this.load, stream, limits.maxBatch)
      return
    }
    this.#sessions = options.sessions ?? createMemorySessions<HttpSession>(limits)
    const events = options.events ?? createMemoryEvents(limits)
    this.#legacy = new LegacyHttp(endpoint, this.load, this.#sessions, { limits, stream, events })
  }

  /** Whether the URL is one of this server's paths. */
  owns(url: string): boolean {
    return this.#route(url) !== undefined
  }

  handle(request: HttpRequest): void {
    const { head, reply } = request
    try {
      const refusal = this.#checkHead(head, reply)
      if (refusal === undefined) this.#authenticate(request)
      else if (refusal !== ANSWERED) refuse(reply, refusal)
    } catch (error) {
      this.#fail(error, reply)
    }
  }

  /** Refuses new requests and ends listeners; requests under way go on. */
  drain(): void {
    if (this.#draining) return
    this.#draining = true
    this.#endpoint.drain()
  }

  /** Ends everything that is kept. */
  close(): void {
    this.#sessions?.close()
    this.#sse?.close()
  }

  /** What can be said without knowing who asks. */
  #checkHead(head: RequestHead, reply: Reply): Refusal | undefined {
    if (!this.owns(head.url)) return NOT_FOUND
    const refusal = this.#guard.check(head)
    if (refusal !== undefined) return refusal
    const origin = head.header('origin')
    if (origin !== undefined) reply.always(this.#guard.corsHeaders(origin))
    if (head.method === 'OPTIONS') {
      const allowed = ['allow', 'GET, POST, DELETE, OPTIONS']
      reply.empty(204, origin === undefined ? allowed : this.#guard.preflightHeaders(head))
      return ANSWERED
    }
    return this.#draining ? DRAINING : undefined
  }

  #authenticate(request: HttpRequest): void {
    const { authenticate } = this.#options
    if (authenticate === undefined) return this.#dispatch(request, undefined)
    const outcome = authenticate(request.head)
    if (outcome instanceof Promise) {
      outcome.then((found) => this.#admit(request, found)).catch((error) => this.#fail(error, request.reply))
    } else {
      this.#admit(request, outcome)
    }
  }

  #admit(request: HttpRequest, outcome: Authentication): void {
    if (outcome !== undefined && isRefusal(outcome)) refuse(request.reply, outcome)
    else this.#dispatch(request, outcome)
  }

  #dispatch(request: HttpRequest, principal: Principal | undefined): void {
    const { head, reply } = request
    const route = this.#route(head.url)
    if (route === 'sse' && head.method === 'GET' && this.#sse !== undefined) {
      return this.#sse.get(head, principal, reply, this.#options.messagesPath)
    }
    const isOldPost = route !== 'mcp' || this.#sse?.has(head.url) === true
    if (head.method === 'POST') return isOldPost ? this.#oldPost(request, principal) : this.#post(request, principal)
    if (route === 'mcp' && (head.method === 'GET' || head.method === 'DELETE') && this.#get(head, principal, reply))
      return
    const allow =
      route === 'sse' ? 'GET, POST' : route === 'messages' || this.#legacy === undefined ? 'POST' : ALL_METHODS
    refuse(reply, { status: 405, message: `Method not allowed: ${allow}`, headers: ['allow', allow] })
  }

  /** GET and DELETE belong to the older revisions; false when none that has them is served. */
  #get(head: RequestHead, principal: Principal | undefined, reply: Reply): boolean {
    const legacy = this.#legacy
    if (legacy === undefined) return false
    const version = head.header(VERSION_HEADER)
    if (head.header(SESSION_HEADER) === undefined) {
      if (isModernVersion(version)) return false
      // A client of 2024 tries the event stream on the URL it was given.
      if (head.method === 'GET' && version === undefined && acceptsEvents(head) && this.#sse !== undefined) {
        this.#sse.get(head, principal, reply, this.#options.messagesPath)
        return true
      }
    }
    if (head.method === 'GET') legacy.get(head, principal, reply)
    else legacy.delete(head, principal, reply)
    return true
  }

  #post(request: HttpRequest, principal: Principal | undefined): void {
    const refusal = checkPostHead(request.head)
    if (refusal !== undefined) return refuse(request.reply, refusal)
    this.#read(request, (value) => this.#message(value, request.head, principal, request.reply))
  }

  #oldPost(request: HttpRequest, principal: Principal | undefined): void {
    const { head, reply } = request
    const sse = this.#sse
    if (sse === undefined) return refuse(reply, NOT_FOUND)
    const refusal = isJson(head.header('content-type')) ? sse.check(head, principal) : NOT_JSON
    if (refusal !== undefined) return refuse(reply, refusal)
    this.#read(request, (value) => sse.post(value, head, principal, reply))
  }

  #message(value: unknown, head: RequestHead, principal: Principal | undefined, reply: Reply): void {
    const legacy = this.#legacy ?? this.#stateless
    if (Array.isArray(value)) {
      if (legacy === undefined || isModernVersion(head.header(VERSION_HEADER))) return refuse(reply, NO_BATCHES)
      return legacy.batch(value, head, principal, reply)
    }
    const classified = classify(value)
    const { method, params } = toMethod(value)
    if (legacy === undefined || isModern(head, method, params)) this.#modern.post(classified, head, principal, reply)
    else legacy.post(classified, head, principal, reply)
  }

  /** Reads and parses the body, once. */
  #read(request: HttpRequest, done: (value: unknown) => void): void {
    const { reply } = request
    request.read(this.limits.maxBodyBytes, (body) => {
      try {
        if (body.kind === 'value') return done(body.value)
        if (body.kind === 'too-large') return refuse(reply, toTooLarge(this.limits.maxBodyBytes))
        if (body.kind === 'not-utf8') return refuse(reply, NOT_UTF8)
        const parsed = parseJson(body.text, this.#options.json)
        if (parsed.ok) return done(parsed.value)
        const code = parsed.kind === 'parse' ? PARSE_ERROR : undefined
        refuse(reply, { status: 400, message: `Parse error: ${parsed.reason}`, code })
      } catch (error) {
        this.#fail(error, reply)
      }
    })
  }

  #route(url: string): Route | undefined {
    const { path, ssePath, messagesPath } = this.#options
    if (path === undefined || url === path) return 'mcp'
    const pathname = pathOf(url)
    if (pathname === path) return 'mcp'
    if (this.#sse === undefined) return undefined
    if (pathname === ssePath) return 'sse'
    return pathname === messagesPath ? 'messages' : undefined
  }

  #fail(error: unknown, reply: Reply): void {
    if (this.#options.onError === undefined) this.#endpoint.report(error, 'http')
    else this.#options.onError(error)
    refuse(reply, { status: 500, message: 'Internal error' })
  }
}

const ALL_METHODS = 'GET, POST, DELETE'

/** Stands for "nothing more to do", where a refusal is expected. */
const ANSWERED: Refusal = { status: 204, message: '' }
const NOT_FOUND: Refusal = { status: 404, message: 'There is nothing at this path' }
const DRAINING: Refusal = { status: 503, message: 'The server is shutting down', headers: ['retry-after', '1'] }
const NOT_JSON: Refusal = { status: 415, message: 'Content-Type must be application/json' }
const NOT_UTF8: Refusal = { status: 400, message: 'Parse error: the body is not UTF-8', code: PARSE_ERROR }
const NO_BATCHES: Refusal = { status: 400, message: 'The body must be a single message in this revision' }

function toTooLarge(maxBodyBytes: number): Refusal {
  return { status: 413, message: `The body is too large: maxBodyBytes (${maxBodyBytes}) exceeded` }
}

/** The parts of an unchecked value that tell its era. */
function toMethod(value: unknown): { method: string | undefined; params: JsonObject | undefined } {
  if (!isObject(value)) return { method: undefined, params: undefined }
  const { method, params } = value
  return {
    method: typeof method === 'string' ? method : undefined,
    params: isObject(params) ? params : undefined,
  }
}
