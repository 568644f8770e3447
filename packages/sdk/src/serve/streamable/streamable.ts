/**
 * The MCP endpoint on HTTP, for all revisions at once, knowing neither Node's nor the web's request: first it checks where
 * the request comes from, then who is asking, then which era a message belongs to. The adapters `http-node.ts` and
 * `fetch-handler.ts` feed it; the modules beside it serve each form of the transport and return a refusal where they do not.
 */

import type { Principal } from '../../auth/principal.ts'
import { limitPassed, parseJson } from '../../framing/json.ts'
import { Receiving } from '../../framing/receiving.ts'
import { PARSE_ERROR, PorticoError } from '../../jsonrpc/errors.ts'
import { classify, isObject, isRequestId, type RequestId } from '../../jsonrpc/message.ts'
import { tellObserver } from '../../jsonrpc/observer.ts'
import { revisionOf } from '../../protocol/revisions.ts'
import type { Endpoint } from '../../session/endpoint.ts'
import { isModernMessage, isModernVersion } from '../../session/era.ts'
import type { RequestHead } from '../../session/exchange.ts'
import type { EventStreamSettings } from '../../transport/http-event-stream.ts'
import { Heartbeat } from '../../transport/http-heartbeat.ts'
import type { Reply } from '../../transport/http-reply.ts'
import { type Authenticate, isThenable, serveDocument, toAdmission } from '../rules/authorization.ts'
import {
  acceptsEvents,
  checkPostHead,
  isJson,
  isPath,
  pathOf,
  SESSION_HEADER,
  VERSION_HEADER,
} from '../rules/http-headers.ts'
import { Load } from '../rules/http-load.ts'
import { isRefusal, type Refusal, refuse } from '../rules/http-refusal.ts'
import { type ServeLimits, withDefaults } from '../rules/limits.ts'
import { createOriginCheck, type OriginCheck } from '../rules/origin-check.ts'
import {
  busy,
  DRAINING,
  INTERNAL,
  invalidMessage,
  NO_BATCHES,
  NOT_FOUND,
  NOT_JSON,
  NOT_UTF8,
  notAllowed,
  tooLarge,
  unparsable,
} from '../rules/refusals.ts'
import { createMemoryEvents } from './event-store.ts'
import type { Body, HttpRequest } from './http-request.ts'
import { createMemorySessions, type SessionStore } from './session-store.ts'
import { SseHttp } from './sse.ts'
import { LegacyHttp } from './streamable-legacy.ts'
import { ModernHttp } from './streamable-modern.ts'
import type { Authentication, HttpSharedSessions, StreamableOptions } from './streamable-options.ts'
import type { HttpSession, SessionSettings } from './streamable-session.ts'
import { StatelessHttp } from './streamable-stateless.ts'

type Route = 'mcp' | 'sse' | 'messages'

export class Streamable {
  readonly load: Load
  readonly limits: ServeLimits
  readonly #endpoint: Endpoint
  readonly #options: StreamableOptions
  readonly #originCheck: OriginCheck
  readonly #authentication: Authenticate | undefined
  readonly #modern: ModernHttp
  readonly #sessions: SessionStore<HttpSession> | undefined
  /** The 2025 form with sessions or without; neither when only modern revisions are served. */
  readonly #legacy: LegacyHttp | undefined
  readonly #stateless: StatelessHttp | undefined
  readonly #sse: SseHttp | undefined
  /** Where other processes serve the same sessions. */
  readonly #shared: HttpSharedSessions | undefined
  #draining = false

  /** `boundHost` is the address that the server listens on, where it does: a name that clients may call it by. */
  constructor(endpoint: Endpoint, options: StreamableOptions, boundHost?: string) {
    const limits = withDefaults(options.limits)
    const stream: EventStreamSettings = {
      maxQueueBytes: limits.maxQueueBytes,
      maxKeptBytes: limits.maxKeptBytes,
      notificationsPerSecond: limits.notificationsPerSecond,
      heartbeat: new Heartbeat(limits.keepAliveMs),
    }
    this.limits = limits
    this.#endpoint = endpoint
    this.#options = options
    this.#originCheck = createOriginCheck(options, boundHost)
    if (options.auth !== undefined && options.authenticate !== undefined) {
      throw new PorticoError('invalid-definition', 'Give either auth or authenticate')
    }
    this.#authentication = options.auth?.authenticate ?? options.authenticate
    this.load = new Load(limits, endpoint, this.#authentication !== undefined)
    this.#modern = new ModernHttp(endpoint, this.load, stream)
    const events = options.events ?? options.sharing?.events(limits) ?? createMemoryEvents(limits)
    const sessions = options.sessions || createMemorySessions<HttpSession>(limits)
    const settings: SessionSettings = { limits, stream, events, onError: (error) => this.#report(error) }
    const serve = (request: HttpRequest, principal: Principal | undefined): void => this.#serve(request, principal)
    this.#shared = options.sharing?.attach({ endpoint, load: this.load, sessions, settings, serve })
    if (!endpoint.versions.some((version) => revisionOf(version)?.era === 'legacy')) return
    this.#sse = new SseHttp(endpoint, this.load, stream, { maxBatch: limits.maxBatch, process: this.#shared?.name })
    if (options.sessions === false) {
      this.#stateless = new StatelessHttp(endpoint, this.load, stream, limits.maxBatch)
      return
    }
    this.#sessions = sessions
    this.#legacy = new LegacyHttp(endpoint, this.load, sessions, { ...settings, shared: this.#shared })
  }

  /** Whether the URL is one of this server's paths. */
  owns(url: string): boolean {
    return this.#document(url) !== undefined || this.#route(url) !== undefined
  }

  handle(request: HttpRequest): void {
    const { reply } = request
    try {
      const refusal = this.#enter(request)
      if (refusal !== undefined) refuse(reply, refusal)
    } catch (error) {
      this.#fail(error, reply)
    }
  }

  /** The sessions of the older revisions that are open here. */
  get sessions(): Iterable<HttpSession> {
    return this.#sessions?.values() ?? []
  }

  /** Ends one of them, as its client would by DELETE. */
  async endSession(session: HttpSession): Promise<void> {
    await this.#legacy?.end(session)
  }

  /** Refuses new requests, lets those under way finish within `graceMs`, then ends everything that is kept. */
  async close(graceMs: number): Promise<void> {
    // Others take up what is here, while whoever still comes is served.
    await this.#shared?.leave()
    this.#draining = true
    this.#modern.drain()
    let timer: ReturnType<typeof setTimeout> | undefined
    const grace = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs)
    })
    const idle = new Promise<void>((resolve) => this.load.onIdle(resolve))
    await Promise.race([Promise.all([idle, this.#sse?.drain(graceMs)]), grace])
    clearTimeout(timer)
    await this.#shared?.left()
    this.#sessions?.close()
    this.#sse?.close()
  }

  /** What the head alone decides: whether the path is served, whether the caller may come in, and who it is. */
  #enter(request: HttpRequest): Refusal | undefined {
    const { head, reply } = request
    const { url } = head
    reply.limits = this.limits
    const document = url.startsWith(WELL_KNOWN) ? this.#document(url) : undefined
    if (document !== undefined) return serveDocument(document, head, reply)
    const route = url === this.#options.path ? 'mcp' : this.#route(url)
    if (route === undefined) return NOT_FOUND
    const refusal = this.#originCheck.check(head)
    if (refusal !== undefined) return refusal
    const origin = head.header('origin')
    if (origin !== undefined) reply.always(this.#originCheck.corsHeaders(origin))
    if (head.method === 'OPTIONS') {
      reply.empty(204, origin === undefined ? ['allow', ALL_METHODS] : this.#originCheck.preflightHeaders(head))
      return undefined
    }
    if (this.#draining) return DRAINING
    const authenticate = this.#authentication
    if (authenticate === undefined) return this.#dispatch(request, route, undefined)
    const outcome = authenticate(head)
    if (!isThenable(outcome)) return this.#admit(request, route, outcome)
    void this.#admitLater(request, route, Promise.resolve(outcome))
    return undefined
  }

  async #admitLater(request: HttpRequest, route: Route, outcome: Promise<Authentication>): Promise<void> {
    try {
      const refusal = this.#admit(request, route, await outcome)
      if (refusal !== undefined) refuse(request.reply, refusal)
    } catch (error) {
      this.#fail(error, request.reply)
    }
  }

  #admit(request: HttpRequest, route: Route, outcome: Authentication): Refusal | undefined {
    const found = toAdmission(outcome)
    return found !== undefined && isRefusal(found) ? found : this.#dispatch(request, route, found)
  }

  /** Serves a request that other processes share, here. */
  #serve(request: HttpRequest, principal: Principal | undefined): void {
    const { reply } = request
    reply.limits = this.limits
    try {
      const refusal = this.#dispatch(request, this.#route(request.head.url) ?? 'mcp', principal, true)
      if (refusal !== undefined) refuse(reply, refusal)
    } catch (error) {
      this.#fail(error, reply)
    }
  }

  /** `isHere` says that whoever shares sessions has decided to serve it here. */
  #dispatch(request: HttpRequest, route: Route, principal: Principal | undefined, isHere = false): Refusal | undefined {
    if (!isHere && this.#shared?.take(request, principal) === true) return undefined
    const { head, reply } = request
    const { method } = head
    if (principal !== undefined) reply.reader = principal.id
    if (method === 'POST') {
      // Early documents post to the event stream's own path; only a URL that names a stream is of the old kind there.
      const isOld = route === 'messages' || (head.url.includes('?') && this.#sse?.has(head.url) === true)
      if (isOld) return this.#oldPost(request, principal)
      // Where processes share requests, only the body says which of them is to serve it.
      const isLong = Number(head.header('content-length')) > LONG_BODY && this.#shared === undefined
      const refusal = checkPostHead(head) ?? (isLong ? this.#foreseen(head, principal) : undefined)
      return refusal ?? this.#read(request, principal, undefined)
    }
    if (method === 'GET') {
      const version = head.header(VERSION_HEADER)
      const isBare = head.header(SESSION_HEADER) === undefined
      // A client of 2024 may try the event stream on the very URL it was given.
      const isOld = route === 'mcp' && this.#legacy && isBare && version === undefined && acceptsEvents(head)
      if ((route === 'sse' && isBare) || isOld)
        return this.#sse?.get(head, principal, reply, this.#options.messagesPath)
      // A session from `initialize` tells an old client; without one, the version does.
      if (route !== 'messages' && this.#legacy && !(isBare && isModernVersion(version))) {
        return this.#legacy.get(head, principal, reply)
      }
    }
    if (method === 'DELETE' && route !== 'messages' && this.#legacy) return this.#legacy.delete(head, principal, reply)
    const allow = route !== 'messages' && this.#legacy ? ALL_METHODS : route === 'sse' ? 'GET, POST' : 'POST'
    return notAllowed(allow)
  }

  /** A long body is not read for a request that would be refused then; what it is, its headers have to say. */
  #foreseen(head: RequestHead, principal: Principal | undefined): Refusal | undefined {
    const method = head.header('mcp-method')
    if (method === undefined || !isModernVersion(head.header(VERSION_HEADER))) return undefined
    const counts = method !== 'subscriptions/listen' && !method.startsWith('notifications/')
    return counts ? this.load.refusalOf('request', principal) : undefined
  }

  #oldPost(request: HttpRequest, principal: Principal | undefined): Refusal | undefined {
    const { head } = request
    const sse = this.#sse
    if (sse === undefined) return NOT_FOUND
    if (!isJson(head.header('content-type'))) return NOT_JSON
    return sse.check(head, principal) ?? this.#read(request, principal, sse)
  }

  /** Reads and parses the body, once; its message is for the event stream where there is one. */
  #read(request: HttpRequest, principal: Principal | undefined, sse: SseHttp | undefined): undefined {
    const count = () => new Receiving(this.limits, principal?.id ?? request.peer)
    request.read(this.limits.maxBodyBytes, count, (body) => {
      try {
        const parsed = this.#parse(body)
        if ('status' in parsed) refuse(request.reply, parsed, parsed.id)
        else this.#message(parsed.value, request, principal, sse)
      } catch (error) {
        this.#fail(error, request.reply)
      }
    })
  }

  /** Gives a message to the form of the transport that it belongs to. */
  #message(value: unknown, request: HttpRequest, principal: Principal | undefined, sse: SseHttp | undefined): void {
    const { head, reply } = request
    let refusal: Refusal | undefined
    let id: RequestId | null | undefined
    if (sse !== undefined) refusal = sse.post(value, head, principal, reply)
    else if (Array.isArray(value)) refusal = this.#batch(value, head, principal, reply)
    else {
      const message = classify(value)
      if (message.kind === 'invalid') {
        refusal = invalidMessage(message.reason)
        id = message.id
      } else {
        const legacy = this.#legacy ?? this.#stateless
        const form =
          legacy === undefined || isModernMessage(head.header(VERSION_HEADER), message) ? this.#modern : legacy
        if (form === this.#modern && message.kind === 'request') {
          if (this.#shared?.takeState(message.message, request, principal) === true) return
        }
        refusal = form.post(message, head, principal, reply)
        if (message.kind === 'request') id = message.message.id
      }
    }
    if (refusal !== undefined) refuse(reply, refusal, id)
  }

  #batch(
    value: readonly unknown[],
    head: RequestHead,
    principal: Principal | undefined,
    reply: Reply,
  ): Refusal | undefined {
    const legacy = this.#legacy ?? this.#stateless
    if (legacy === undefined || isModernVersion(head.header(VERSION_HEADER))) return NO_BATCHES
    return legacy.batch(value, head, principal, reply)
  }

  #parse(body: Body): { readonly value: unknown } | (Refusal & { readonly id?: RequestId }) {
    if (body.kind === 'value') {
      const reason = limitPassed(body.value, this.#options.json)
      return reason === undefined ? body : { ...unparsable(reason), id: idOf(body.value) }
    }
    if (body.kind === 'not-utf8') return NOT_UTF8
    if (body.kind === 'busy') return busy(body.reason)
    if (body.kind === 'too-large') return tooLarge(this.limits.maxBodyBytes)
    const parsed = parseJson(body.text, this.#options.json)
    if (parsed.ok) return parsed
    const code = parsed.kind === 'parse' ? PARSE_ERROR : undefined
    const id = parsed.found?.isRequest ? parsed.found.id : undefined
    return { ...unparsable(parsed.reason, code), ...(isRequestId(id) && { id }) }
  }

  #document(url: string): string | undefined {
    return url.startsWith(WELL_KNOWN) ? this.#options.auth?.documents?.get(pathOf(url)) : undefined
  }

  #route(url: string): Route | undefined {
    const { path, ssePath, messagesPath } = this.#options
    if (path === undefined || url === path) return 'mcp'
    if (isPath(url, path)) return 'mcp'
    if (this.#sse === undefined) return undefined
    if (isPath(url, messagesPath)) return 'messages'
    return isPath(url, ssePath) ? 'sse' : undefined
  }

  #fail(error: unknown, reply: Reply): void {
    this.#report(error)
    refuse(reply, INTERNAL)
  }

  #report(error: unknown): void {
    const { onError } = this.#options
    if (onError === undefined) this.#endpoint.report(error, 'http')
    else tellObserver(() => onError(error))
  }
}

const LONG_BODY = 64 * 1024

const ALL_METHODS = 'GET, POST, DELETE, OPTIONS'

const WELL_KNOWN = '/.well-known/'

/** The id that an answer to this message would have. */
function idOf(value: unknown): RequestId | undefined {
  return isObject(value) && 'method' in value && isRequestId(value.id) ? value.id : undefined
}
