/**
 * Where each request goes: to the session here, to the replica that has it, or to whoever takes it up because that replica is
 * no longer there. What is asked of the store is remembered for a while; a replica that no longer has a session says so.
 */

import { setTimeout as pause } from 'node:timers/promises'
import type {
  HttpBody,
  HttpRequest,
  HttpSession,
  Outlet,
  RpcRequest,
  SessionSettings,
  SharedEndpoint,
  SharedSessions,
} from '@portico/sdk/internal'
import { Receiving, refuse, STATE_AWAY } from '@portico/sdk/internal'
import type { Principal } from '@portico/sdk/server'
import { notKept, replyLost, replyNotSent } from './answers.ts'
import type { Forwarder, Passed } from './forward.ts'
import type { HeldSessions } from './held-sessions.ts'
import { fromHopPrincipal, type Hop } from './hop.ts'
import type { HopRequest } from './hop-request.ts'
import type { KeptEvents } from './kept-events.ts'
import type { ReplicaRows } from './replica-rows.ts'
import { restoreSession } from './restore.ts'
import type { KeptRow, SessionBook } from './session-book.ts'

interface RouteParts {
  readonly name: string
  readonly shared: SharedEndpoint
  readonly replicas: ReplicaRows
  readonly book: SessionBook
  readonly held: HeldSessions
  readonly events: KeptEvents
  readonly forwarder: Forwarder
  /** How long requests are served after this replica said that it goes. */
  readonly drainMs: number
  /** Tells a replica that it no longer has a session. */
  readonly tellTaken: (replica: string, id: string) => void
}

interface Passing {
  readonly request: HttpRequest
  readonly principal: Principal | undefined
  readonly body: string | undefined
}

interface Place {
  readonly owner: string
  readonly principal: string | undefined
  readonly until: number
}

const SESSION_HEADER = 'mcp-session-id'
const SESSION_ID = /^[0-9a-f]{40}$/
const OLD_SESSION = /[?&]session=[0-9a-f]{40}\.([0-9a-z]{1,32})(?:&|$)/
const STATE_PROCESS = /\.([0-9a-z]{1,32})$/
const CHANGING = new Set(['initialize', 'resources/subscribe', 'resources/unsubscribe', 'logging/setLevel'])
const PLACE_MS = 10_000
const MAX_PLACES = 20_000
const MAX_TRIES = 6
const AGAIN_MS = 10

export class Routes implements SharedSessions {
  readonly name: string
  readonly #parts: RouteParts
  readonly #settings: SessionSettings
  readonly #places = new Map<string, Place>()
  readonly #taking = new Map<string, Promise<boolean>>()
  /** Requests that are answered here for want of the replica that they name. */
  readonly #ownNow = new WeakSet<object>()

  constructor(parts: RouteParts) {
    this.name = parts.name
    this.#parts = parts
    this.#settings = { ...parts.shared.settings, shared: this }
  }

  take(request: HttpRequest, principal: Principal | undefined): boolean {
    const id = request.head.header(SESSION_HEADER)
    if (id === undefined) return this.#takeOld(request, principal)
    if (this.#parts.held.isHere(id) || !SESSION_ID.test(id)) return false
    this.#start(request, principal, (passing) => this.#route(id, passing))
    return true
  }

  takeState(message: RpcRequest, request: HttpRequest, principal: Principal | undefined): boolean {
    // Nobody else could serve it: whom its state names is the caller's word, and may never have been.
    if (this.#ownNow.has(request.head)) return false
    const state = message.params?.requestState
    const [, to] = (typeof state === 'string' && STATE_PROCESS.exec(state)) || []
    if (to === undefined || to === this.name) return false
    const read = withBody(request, { kind: 'value', value: message })
    this.#start(read, principal, (passing) => this.#passOrServe(to, passing))
    return true
  }

  outlet({ id, method }: RpcRequest, session: HttpSession, outlet: Outlet): Outlet {
    if (!CHANGING.has(method)) return outlet
    const { held, shared } = this.#parts
    const kept = async (): Promise<void> => {
      if (!session.session.initialized) return
      if (!held.has(session.id)) held.add(session, 0, 0)
      await held.keep(session.id)
    }
    const failed = (error: unknown): void => {
      this.#settings.onError(error)
      if (method === 'initialize') {
        shared.sessions.delete(session.id)
        session.end()
      }
      outlet.end(notKept(id), 503, ['retry-after', '1'])
    }
    return {
      send: (...sent) => outlet.send(...sent),
      end: (...answer) => void kept().then(() => outlet.end(...answer), failed),
      close: () => outlet.close(),
      settled: () => outlet.settled?.(),
    }
  }

  async ended(id: string): Promise<void> {
    await this.#parts.held.end(id)
  }

  async leave(): Promise<void> {
    const { replicas, drainMs } = this.#parts
    try {
      await replicas.leave()
      if ((await replicas.another()) === undefined) return
    } catch (error) {
      this.#settings.onError(error)
    }
    await new Promise((resolve) => setTimeout(resolve, drainMs))
  }

  async left(): Promise<void> {
    const { held, events, replicas } = this.#parts
    held.close()
    await events.flush()
    await replicas.close().catch((error: unknown) => this.#settings.onError(error))
  }

  /** A request that another replica passed on. */
  receive(request: HopRequest, hop: Hop): void {
    const principal = fromHopPrincipal(hop.principal)
    const id = request.header(SESSION_HEADER)
    const serve = (): void => {
      request.taken(() => this.#parts.shared.serve(request, principal))
    }
    if (id === undefined || this.#parts.held.isHere(id)) {
      serve()
      return
    }
    this.#isHereNow(id, principal).then(
      (isHere) => (isHere ? serve() : request.moved()),
      (error: unknown) => {
        this.#settings.onError(error)
        refuse(request, STATE_AWAY)
      },
    )
  }

  /** Another replica says that it has taken a session from this one. */
  taken(id: string): void {
    this.#parts.held.confirm(id).catch((error: unknown) => this.#settings.onError(error))
  }

  #takeOld(request: HttpRequest, principal: Principal | undefined): boolean {
    const { method, url } = request.head
    if (method !== 'POST' || !url.includes('?')) return false
    const to = OLD_SESSION.exec(url)?.[1]
    if (to === undefined || to === this.name) return false
    this.#start(request, principal, (passing) => this.#passOrServe(to, passing))
    return true
  }

  /** Reads the body and counts the request while it is elsewhere. */
  #start(request: HttpRequest, principal: Principal | undefined, run: (passing: Passing) => Promise<void>): void {
    const { load, settings } = this.#parts.shared
    const kind = request.head.method === 'GET' ? 'listener' : 'request'
    const refusal = load.enter(kind, principal)
    if (refusal !== undefined) {
      refuse(request.reply, refusal)
      return
    }
    const go = (body: HttpBody | undefined): void => {
      const passing = toPassing(request, principal, body)
      // A body that was not read to its end is refused here.
      const isRefused = body !== undefined && passing.body === undefined
      const running = isRefused ? Promise.resolve(this.#parts.shared.serve(passing.request, principal)) : run(passing)
      running
        .catch((error: unknown) => {
          this.#settings.onError(error)
          refuse(request.reply, STATE_AWAY)
        })
        .finally(() => {
          load.answered(kind)
          load.leave(kind, principal)
        })
    }
    const count = () => new Receiving(settings.limits, principal?.id ?? request.peer)
    if (request.head.method === 'POST') request.read(settings.limits.maxBodyBytes, count, go)
    else go(undefined)
  }

  async #route(id: string, passing: Passing): Promise<void> {
    const { held, shared, replicas } = this.#parts
    const { request, principal } = passing
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      // A session that is being handed over is with its next replica in a moment.
      if (tries > 0) await pause(AGAIN_MS * 2 ** tries)
      const place = await this.#placeOf(id)
      if (place === undefined && (await replicas.mayHaveForgotten())) return replyNotSent(request.reply, passing.body)
      // Whose it is not gets the same answer as for one that never was (sec-35).
      if (place === undefined || place.principal !== principal?.id) return shared.serve(request, principal)
      if (place.owner === this.name || place.owner === '') {
        if (await this.#isHereNow(id, principal)) return shared.serve(request, principal)
        if (replicas.leaving && (await this.#passToAnother(passing))) return
      } else {
        const passed = await this.#pass(place.owner, passing)
        if (passed === 'answered') return
        if (passed === 'lost' && request.head.method !== 'GET') return replyLost(request.reply, passing.body)
        if (passed === 'unreachable') return replyNotSent(request.reply, passing.body)
        if (passed === 'dropped') continue
        if (passed !== 'moved' && (await this.#isHereNow(id, principal))) return shared.serve(request, principal)
      }
      this.#places.delete(id)
    }
    if (held.isHere(id)) shared.serve(request, principal)
    else replyNotSent(request.reply, passing.body)
  }

  /** Passes a request to the one replica that can serve it; where that is not there, it is answered here for want of it. */
  async #passOrServe(to: string, passing: Passing): Promise<void> {
    const { request, principal, body } = passing
    let passed = await this.#pass(to, passing)
    for (let tries = 1; passed === 'dropped' && tries < MAX_TRIES; tries++) passed = await this.#pass(to, passing)
    if (passed === 'lost') replyLost(request.reply, body)
    else if (passed === 'unreachable' || passed === 'dropped') replyNotSent(request.reply, body)
    else if (passed !== 'answered') {
      this.#ownNow.add(request.head)
      this.#parts.shared.serve(request, principal)
    }
  }

  async #pass(to: string, passing: Passing): Promise<Passed> {
    const { replicas, forwarder } = this.#parts
    const found = await replicas.find(to)
    if (found === undefined) return 'refused'
    const isThere = async (): Promise<boolean> => (await replicas.find(to)) !== undefined
    const passed = await forwarder.pass(passing, to, found.url, isThere)
    if (passed === 'refused') await replicas.gone(to)
    return passed
  }

  async #passToAnother(passing: Passing): Promise<boolean> {
    const { replicas, forwarder } = this.#parts
    const found = await replicas.another()
    if (found === undefined) return false
    const isThere = async (): Promise<boolean> => (await replicas.find(found.name)) !== undefined
    return (await forwarder.pass(passing, found.name, found.url, isThere)) === 'answered'
  }

  /** Whether the session can be served here after all: it was here, or nobody has it and it is taken up. */
  async #isHereNow(id: string, principal: Principal | undefined): Promise<boolean> {
    const { held, replicas, book } = this.#parts
    if (held.has(id)) {
      if (replicas.leaving && replicas.valid) await held.giveUp(id)
      else {
        await held.confirm(id)
        return held.isHere(id)
      }
    }
    if (replicas.leaving || !replicas.valid) return false
    const kept = await book.read(id)
    if (kept === undefined || kept.row.record.principal !== principal?.id) return false
    const { owner } = kept.row
    if (owner !== '' && owner !== this.name && (await replicas.find(owner)) !== undefined) return false
    return this.#takeUp(id, kept, principal)
  }

  #takeUp(id: string, kept: KeptRow, principal: Principal | undefined): Promise<boolean> {
    const taking = this.#taking.get(id) ?? this.#takeUpNow(id, kept, principal).finally(() => this.#taking.delete(id))
    this.#taking.set(id, taking)
    return taking
  }

  async #takeUpNow(id: string, { row, version }: KeptRow, principal: Principal | undefined): Promise<boolean> {
    const { book, events, shared, held, tellTaken } = this.#parts
    const takeovers = row.takeovers + 1
    const written = await book.write(id, { ...row, owner: this.name, takeovers }, version)
    if (written === undefined) return false
    const streams = await events.read(id)
    const session = await restoreSession(shared, this.#settings, {
      id,
      record: row.record,
      takeovers,
      principal,
      streams,
    })
    held.add(session, takeovers, written)
    if (row.owner !== '' && row.owner !== this.name) tellTaken(row.owner, id)
    return true
  }

  async #placeOf(id: string): Promise<Place | undefined> {
    const found = this.#places.get(id)
    const now = performance.now()
    if (found !== undefined && now < found.until) return found
    const kept = await this.#parts.book.read(id)
    if (kept === undefined) return undefined
    const place = { owner: kept.row.owner, principal: kept.row.record.principal, until: now + PLACE_MS }
    if (this.#places.size >= MAX_PLACES) this.#places.clear()
    this.#places.set(id, place)
    return place
  }
}

/** The request with the body that was read, for whoever serves it in the end. */
function toPassing(request: HttpRequest, principal: Principal | undefined, body: HttpBody | undefined): Passing {
  if (body === undefined) return { request, principal, body: undefined }
  const text = body.kind === 'text' ? body.text : body.kind === 'value' ? JSON.stringify(body.value) : undefined
  return { request: withBody(request, body), principal, body: text }
}

function withBody({ head, reply, peer }: HttpRequest, body: HttpBody): HttpRequest {
  return { head, reply, peer, read: (_max, _count, done) => done(body) }
}
