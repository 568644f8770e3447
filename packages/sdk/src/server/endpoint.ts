/**
 * Where exchanges meet features. For each request: find the method in the table of its revision, make the call, run
 * it, write the result in the revision's words, send it once. Sessions, eras and bytes were settled before; what a
 * method does is the features' business.
 */

import type { Principal } from '../auth/principal.ts'
import { INVALID_REQUEST, invalidDefinition, RpcError } from '../jsonrpc/errors.ts'
import type { IncomingCall, IncomingCalls } from '../jsonrpc/incoming.ts'
import type { JsonObject, RpcNotification } from '../jsonrpc/message.ts'
import type { ParamHeader } from '../protocol/headers/headers.ts'
import { readEnvelope } from '../protocol/meta.ts'
import { methodOf } from '../protocol/methods.ts'
import type { Era, ProtocolVersion, Revision } from '../protocol/revision.ts'
import { LATEST_LEGACY, revisionOf } from '../protocol/revisions.ts'
import type { Conversation } from '../session/conversation.ts'
import type { Endpoint } from '../session/endpoint.ts'
import type { Exchange } from '../session/exchange.ts'
import type { LegacySession } from '../session/legacy-session.ts'
import { Suspended } from '../session/suspended.ts'
import type { Asker, RelayedQuestion } from './asking/asking.ts'
import { loadAsking } from './asking/load.ts'
import {
  errorFragment,
  type Fragment,
  isAway,
  methodNotFound,
  ResultWriter,
  responseText,
  toRpcError,
} from './call/answer.ts'
import { type DeferredReply, ServerCall } from './call/call.ts'
import { DEFERRED, isThenable, type ServerMethod, type Written } from './call/method.ts'
import { RateError } from './call/rate-error.ts'
import type { ServerCore } from './core.ts'
import { unsupportedVersion } from './features/lifecycle.ts'
import { ScopeError } from './items/access.ts'

const NO_PARAMS: JsonObject = Object.freeze({})
const NO_HEADERS: readonly ParamHeader[] = []

export class ServerEndpoint implements Endpoint, Asker, DeferredReply {
  readonly versions: readonly ProtocolVersion[]
  readonly #core: ServerCore
  readonly #modern: boolean
  readonly #legacy: boolean
  readonly #writers = new Map<Revision, ResultWriter>()

  constructor(core: ServerCore) {
    this.#core = core
    this.versions = core.versions
    const serves = (era: Era) => core.versions.some((version) => revisionOf(version)?.era === era)
    this.#modern = serves('modern')
    this.#legacy = serves('legacy')
  }

  get rounds(): Asker['rounds'] {
    return this.#core.rounds
  }

  get maxRounds(): number {
    return this.#core.maxRounds
  }

  get serverName(): string {
    return this.#core.info.name
  }

  get askTimeoutMs(): number {
    return this.#core.askTimeoutMs
  }

  serveModern(exchange: Exchange): IncomingCall | undefined {
    const { message } = exchange
    const params = message.params ?? NO_PARAMS
    let conversation: Conversation
    try {
      if (!this.#modern) throw new RpcError(INVALID_REQUEST, 'This server needs "initialize" first')
      // An older client asks in its own words, and is told what there is instead of what its words lack.
      if (message.method === 'initialize' && !this.#legacy) {
        throw unsupportedVersion(String(params.protocolVersion), this.versions)
      }
      const envelope = readEnvelope(params)
      const revision = revisionOf(envelope.version)
      if (revision === undefined || revision.era !== 'modern' || !this.versions.includes(revision.version)) {
        throw unsupportedVersion(envelope.version, this.versions)
      }
      const { capabilities, clientInfo } = envelope
      const logLevel = this.#core.logs ? envelope.logLevel : undefined
      conversation = { revision, capabilities, clientInfo, logLevel, principal: exchange.principal }
    } catch (error) {
      // Malformed envelopes are the client's fault as a whole: 400, whatever the code (basic, "`_meta`").
      if (!(error instanceof RpcError)) throw error
      exchange.outlet.end(responseText(message.id, errorFragment(error)), 400)
      exchange.outlet.settled?.()
      return undefined
    }
    return this.#serve(exchange, params, conversation, undefined)
  }

  serveLegacy(exchange: Exchange, session: LegacySession): IncomingCall | undefined {
    const { message, outlet } = exchange
    const { method } = message
    const early = session.phase === 'new' && method !== 'initialize' && method !== 'ping'
    if (early || session.phase === 'closed') {
      const reason = early ? 'Send "initialize" first' : 'The session has ended'
      outlet.end(responseText(message.id, errorFragment(new RpcError(INVALID_REQUEST, reason))), 400)
      outlet.settled?.()
      return undefined
    }
    let conversation: Conversation = session
    // `initialize` and early pings come before there is an agreement.
    if (session.phase === 'new') conversation = new OpeningConversation(session)
    else if (exchange.principal !== session.principal) conversation = withPrincipal(session, exchange.principal)
    return this.#serve(exchange, message.params ?? NO_PARAMS, conversation, session)
  }

  notify(message: RpcNotification, session: LegacySession | undefined): void {
    this.#core.features.hear(message, session)
    if (session === undefined) return
    if (message.method === 'notifications/initialized' && session.phase === 'initializing') {
      session.becomeReady()
      this.#core.hub.attach(session)
    }
  }

  mayHear(uri: string, principal: Principal | undefined): boolean {
    return this.#core.mayHear(uri, principal)
  }

  paramHeaders(tool: string, principal: Conversation['principal']): readonly ParamHeader[] {
    for (const feature of this.#core.features.all) {
      const found = feature.paramHeaders?.(tool, principal)
      if (found !== undefined) return found
    }
    return NO_HEADERS
  }

  nameSource(method: string): string | undefined {
    return this.#core.features.nameSource(method)
  }

  report(error: unknown, where: string): void {
    this.#core.reportPrivately(error, where)
  }

  suspend(call: ServerCall, result: { inputRequests: JsonObject; requestState: string }): void {
    call.round?.settle({ i: result })
    if (call.answered) return
    const written = { resultType: 'input_required', ...result }
    this.#send(call, this.#writer(call).write(written), 200)
  }

  fail(call: ServerCall, error: unknown): void {
    // A question that comes while the others are being sealed is put off like them: their answer is on its way.
    if (error instanceof Suspended || (call.answered && call.round === undefined)) return
    const { revision } = call.conversation
    const shown = toRpcError(error, revision) ?? this.#core.concealed(error, call.method)
    call.round?.settle({ e: shown.toErrorObject() })
    if (call.answered) return
    this.#observe(call, error)
    if (shown instanceof ScopeError) this.#forbid(call, shown)
    else if (shown instanceof RateError) {
      this.#send(call, errorFragment(shown), 429, ['retry-after', String(Math.ceil(shown.retryAfterMs / 1000))])
    } else if (isAway(error)) this.#send(call, errorFragment(shown), 503, ['retry-after', '1'])
    else this.#send(call, errorFragment(shown), revision.httpStatus(shown.rpcCode))
  }

  async askRelayed(call: ServerCall, question: RelayedQuestion): Promise<JsonObject> {
    const { relay } = this.#core
    if (relay === undefined) throw invalidDefinition('ctx.ask needs a server with a relay')
    return relay.ask(this, call, question)
  }

  #serve(
    exchange: Exchange,
    params: JsonObject,
    conversation: Conversation,
    session: LegacySession | undefined,
  ): IncomingCall | undefined {
    const { message, outlet, scope, head } = exchange
    const call = new ServerCall(message, params, conversation, { outlet, session, head })
    if (scope?.has(message.id)) {
      this.#refuse(
        call,
        new RpcError(INVALID_REQUEST, `The id ${JSON.stringify(message.id)} is in use by a running request`),
      )
      return undefined
    }
    const method = this.#core.method(conversation.revision, message.method)
    if (method === undefined) {
      this.#refuse(call, methodNotFound(message.method))
      return undefined
    }
    call.deferred = this
    if (this.#core.observers.has(message.method)) call.startedAt = performance.now()
    let running: unknown
    try {
      running = this.#run(method, call)
    } catch (error) {
      this.fail(call, error)
      call.settle()
      return undefined
    }
    if (running === DEFERRED) return this.#hold(call, scope)
    if (!(running instanceof Promise)) {
      call.settle()
      return undefined
    }
    if (!call.answered) scope?.add(call)
    const watched = this.#core.slow?.began(call)
    const over = (): void => {
      scope?.remove(call)
      if (watched !== undefined) this.#core.slow?.ended(watched)
    }
    const settled = (outcome: unknown): void => {
      over()
      if (outcome === DEFERRED) this.#hold(call, scope)
      else call.settle()
    }
    running.then(settled, (error: unknown) => {
      over()
      this.fail(call, error)
      call.settle()
    })
    return call
  }

  /** The call is under way until somebody ends it. */
  #hold(call: ServerCall, scope: IncomingCalls | undefined): ServerCall {
    call.scope = scope
    if (!call.answered) scope?.add(call)
    return call
  }

  /** Answers a call that was held; one that was cancelled gets no answer. */
  end(call: ServerCall, result: JsonObject): void {
    call.scope?.remove(call)
    if (!call.answered && !call.cancelled) this.#finish(call, result)
    call.settle()
  }

  /** Runs and answers; returns a promise only when the work is not done yet. */
  #run(method: ServerMethod, call: ServerCall): unknown {
    if (call.session === undefined && call.params.requestState !== undefined && methodOf(call.method)?.asks === true) {
      return this.#retry(method, call)
    }
    const text = method.ready?.(call)
    if (text !== undefined) return this.#finish(call, text)
    const entering = method.withoutContext ? undefined : this.#core.enter(call)
    if (entering !== undefined) return entering.then(() => this.#runEntered(method, call))
    return this.#runEntered(method, call)
  }

  #runEntered(method: ServerMethod, call: ServerCall): unknown {
    const result = method.run(call)
    if (!isThenable(result)) return this.#complete(method, result, call)
    return Promise.resolve(result).then((late) => this.#complete(method, late, call))
  }

  /**
   * A later round: the handler runs once for it, however often the request is sent (`docs/decisions/rounds-once.md`).
   */
  async #retry(method: ServerMethod, call: ServerCall): Promise<void> {
    const { openRounds } = await loadAsking()
    call.rounds = await openRounds(this, call)
    await this.#core.enter(call)
    this.#complete(method, await (method.again ?? method).run(call), call)
  }

  /** Answers, unless the request stays open. */
  #complete(method: ServerMethod, result: unknown, call: ServerCall): typeof DEFERRED | undefined {
    if (result === DEFERRED) return DEFERRED
    if (call.answered) return undefined
    const written = method.write(result, call)
    if (call.outlet.takesValues === true && typeof written !== 'string' && this.#handOver(call, written))
      return undefined
    this.#finish(call, written)
    return undefined
  }

  /** Answers without text where the outlet can. */
  #handOver(call: ServerCall, written: JsonObject): boolean {
    const result = this.#writer(call).value(written)
    if (call.outlet.endWith?.({ jsonrpc: '2.0', id: call.id, result }) !== true) return false
    this.#observe(call, undefined)
    call.answered = true
    return true
  }

  /** For a call that has no answer yet. */
  #finish(call: ServerCall, written: Written): void {
    const { revision } = call.conversation
    const writer = this.#writers.get(revision) ?? this.#writer(call)
    const fragment = writer.write(written)
    if (call.startedAt !== undefined) this.#observe(call, undefined)
    call.answered = true
    call.outlet.end(responseText(call.id, fragment), 200)
  }

  #refuse(call: ServerCall, error: RpcError): void {
    this.#send(call, errorFragment(error), call.conversation.revision.httpStatus(error.rpcCode))
    call.settle()
  }

  /** With the challenge that tells the client what to come back with, where its credential knows one. */
  #forbid(call: ServerCall, error: ScopeError): void {
    this.#send(call, errorFragment(error), 403, call.conversation.principal?.challenge?.(error.scopes))
  }

  #send(call: ServerCall, fragment: Fragment, status: number, headers?: readonly string[]): void {
    if (call.answered) return
    call.answered = true
    call.outlet.end(responseText(call.id, fragment), status, headers)
  }

  #observe(call: ServerCall, error: unknown): void {
    if (call.startedAt !== undefined) this.#core.observe(call, performance.now() - call.startedAt, error)
  }

  #writer(call: ServerCall): ResultWriter {
    const { revision } = call.conversation
    let writer = this.#writers.get(revision)
    if (writer === undefined) {
      writer = new ResultWriter(revision, this.#core.info)
      this.#writers.set(revision, writer)
    }
    return writer
  }
}

/** Why a client gave up, in its words as far as they are worth keeping. */
/** A session's requests may come by credentials of different strength; each is served by its own. */
function withPrincipal(session: LegacySession, principal: Principal | undefined): Conversation {
  const { revision, capabilities, clientInfo } = session
  return {
    revision,
    capabilities,
    clientInfo,
    principal,
    get logLevel() {
      return session.logLevel
    },
  }
}

/** Before the agreement: the revision is known once `initialize` has run. */
class OpeningConversation implements Conversation {
  readonly capabilities = {}
  readonly clientInfo = undefined
  readonly logLevel = undefined
  readonly principal: Conversation['principal']
  readonly #session: LegacySession

  constructor(session: LegacySession) {
    this.#session = session
    this.principal = session.principal
  }

  get revision(): Revision {
    return this.#session.initialized ? this.#session.revision : LATEST_LEGACY
  }
}
