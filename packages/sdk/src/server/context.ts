/**
 * What handlers are given. `RequestContext` is for every handler; `AskingContext` adds what only tool calls, prompts
 * and resource reads may do, because only there does every revision allow a question to the client.
 */

import type { Principal } from '../auth/principal.ts'
import type { JsonObject, RequestId } from '../jsonrpc/message.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { ClientCapabilities } from '../protocol/capabilities.ts'
import type { Implementation } from '../protocol/content.ts'
import { type LogLevel, passesLevel, requireLogLevel } from '../protocol/logging.ts'
import type { ProtocolVersion } from '../protocol/revision.ts'
import type { Root } from '../protocol/roots.ts'
import type { CreateMessageResult } from '../protocol/sampling.ts'
import type { AnySchema, InferOutput } from '../schema/schema.ts'
import type { RequestHead } from '../session/exchange.ts'
import type { Recorded, StepAction, StepOptions } from '../session/handler-run.ts'
import type { Asker, QuestionMethod } from './asking/asking.ts'
import { loadAsking } from './asking/load.ts'
import type { ServerCall } from './call/call.ts'
import type { ElicitAnswer, ElicitQuestion } from './features/elicitation.ts'
import type { SampleQuestion } from './features/sampling.ts'

/** The part of a session (revisions up to 2025-11-25) by which code can reach the client outside any request. */
export interface SessionView {
  readonly principal: Principal | undefined
  /** Messages below this level are not wanted. */
  readonly logLevel: LogLevel | undefined
  readonly revision: { readonly version: ProtocolVersion; readonly serverNotifications: ReadonlySet<string> }
  /** Sends a message that belongs to no request. */
  post(text: string, urgency: 'keep' | 'log'): void
  onClose(action: () => void): void
}

/** What a handler gets besides its arguments: who asks, over what, and ways to report back. */
export class RequestContext<State = unknown> {
  protected readonly call: ServerCall
  #head: RequestHead | undefined

  constructor(call: ServerCall) {
    this.call = call
  }

  /** Fires when the client cancels the request or goes away where that means the same. */
  get signal(): AbortSignal {
    return this.call.signal
  }

  /** For relays: see `onCancel`. */
  static hear({ call }: RequestContext, listener: (() => void) | undefined): boolean {
    call.onCancel = listener
    return call.cancelled
  }

  /** For relays: see `taskStandingOf`. */
  static standing({ call }: RequestContext): TaskStanding {
    return call
  }

  /** The task that this is the work of: its request was let in and answered before. Undefined on the request itself. */
  get task(): { readonly id: string } | undefined {
    const { detached } = this.call
    return detached && { id: detached.id }
  }

  get requestId(): RequestId {
    return this.call.id
  }

  get method(): string {
    return this.call.method
  }

  /** The URI that was asked for, in a resource's handler; undefined elsewhere. */
  get uri(): string | undefined {
    const { uri } = this.call.params
    return this.call.method === 'resources/read' && typeof uri === 'string' ? uri : undefined
  }

  /** The request's own `_meta`: trace context, and whatever else the client sent along. */
  get meta(): JsonObject {
    const meta = this.call.params._meta
    return isObject(meta) ? meta : {}
  }

  /** Who asks, when it was verified. */
  get principal(): Principal | undefined {
    return this.call.conversation.principal
  }

  /** The protocol revision that this request is served under. */
  get version(): ProtocolVersion {
    return this.call.conversation.revision.version
  }

  /** The session that this request belongs to, on the older revisions: one object for all its requests. */
  get session(): SessionView | undefined {
    return this.call.session
  }

  /** Log messages below this level do not reach the client; undefined means that none do. */
  get logLevel(): LogLevel | undefined {
    return this.call.conversation.logLevel
  }

  /** What the client says of itself: for display, never for decisions. */
  get client(): { readonly info: Implementation | undefined; readonly capabilities: ClientCapabilities } {
    const { clientInfo, capabilities } = this.call.conversation
    return { info: clientInfo, capabilities }
  }

  /** The HTTP request's head without its credentials, when the request came by HTTP: they were for this server alone. */
  get head(): RequestHead | undefined {
    this.#head ??= this.call.head && new HeadWithoutCredentials(this.call.head)
    return this.#head
  }

  /** What the server's `context` function made for this request. */
  get state(): State {
    // Only `createServer` with a matching `context` function hands out a context of this type.
    return this.call.state as State
  }

  /** Tells the client how far the work is. Cheap when nobody asked; values that do not increase are left out. */
  progress(progress: number, total?: number, message?: string): void {
    this.call.progress(progress, total, message)
  }

  /** Sends a log message to the client, if its level allows. */
  log(level: LogLevel, data: unknown, logger?: string): void {
    requireLogLevel(level)
    const threshold = this.call.conversation.logLevel
    if (threshold === undefined || !passesLevel(level, threshold)) return
    const params = logger === undefined ? { level, data } : { level, logger, data }
    try {
      // What JSON would leave out is put into words: `data` is required.
      const lost = data === undefined || typeof data === 'function' || typeof data === 'symbol'
      this.call.notify('notifications/message', lost ? { ...params, data: String(data) } : params, 'log')
    } catch {
      // A log line that cannot be serialized must not fail the request that wrote it.
      this.call.notify('notifications/message', { ...params, data: String(data) }, 'log')
    }
  }
}

/** What a handler of a tool, prompt or resource gets besides its arguments: it may ask the client, too. */
export class AskingContext<State = unknown> extends RequestContext<State> {
  readonly #asker: Asker

  constructor(call: ServerCall, asker: Asker) {
    super(call)
    this.#asker = asker
  }

  /** Asks the user: a form, or a URL to visit. The optional first argument names the question across rounds. */
  elicit<const S extends AnySchema>(question: ElicitQuestion<S>): Promise<ElicitAnswer<InferOutput<S>>>
  elicit<const S extends AnySchema>(key: string, question: ElicitQuestion<S>): Promise<ElicitAnswer<InferOutput<S>>>
  elicit(...args: [ElicitQuestion<AnySchema>] | [string, ElicitQuestion<AnySchema>]): Promise<ElicitAnswer<never>> {
    const [key, question] = args.length === 1 ? [undefined, args[0]] : args
    // The overloads above say what the schema makes of the answer; it was validated against that schema.
    return asking((ask) => ask.askElicitation(this.#asker, this.call, key, question)) as Promise<ElicitAnswer<never>>
  }

  /** Asks the client's model. */
  sample(question: SampleQuestion): Promise<CreateMessageResult>
  sample(key: string, question: SampleQuestion): Promise<CreateMessageResult>
  sample(...args: [SampleQuestion] | [string, SampleQuestion]): Promise<CreateMessageResult> {
    const [key, question] = args.length === 1 ? [undefined, args[0]] : args
    return asking((ask) => ask.askSampling(this.#asker, this.call, key, question))
  }

  /** Asks which folders the client lets this server work in. */
  roots(key?: string): Promise<Root[]> {
    return asking((ask) => ask.askRoots(this.#asker, this.call, key))
  }

  /**
   * Puts another server's question, in the newest spelling, and gives back the answer with no more than its shape
   * checked. For servers that relay; `elicit`, `sample` and `roots` are for questions of one's own.
   */
  ask(key: string, method: QuestionMethod, params: JsonObject): Promise<JsonObject> {
    return watched(this.#asker.askRelayed(this.call, { key, method, params }))
  }

  /** Whether an earlier run of this handler has asked something: this one brings the answers. */
  get resumed(): boolean {
    return this.call.session === undefined && this.call.sent.requestState !== undefined
  }

  /**
   * Runs `action` once for its name, however many rounds of input the request takes: whoever uses the name again, in this
   * run of the handler or a later one, gets the same value, as it comes back from JSON, or the same failure. Put what must
   * not happen twice here; in a loop, put the index into the name. Inside a task, an action whose process died in the middle
   * is told so (`interrupted`); one that takes no argument is then not run again, and the task fails, unless it is
   * `idempotent`.
   */
  step<T>(name: string, action: StepAction<T>, options?: StepOptions): Promise<Recorded<T>> {
    return asking((ask) => ask.takeStep(this.#asker, this.call, [name, action, options]))
  }

  /**
   * Waits. A call that can become a task does so at once. A task that waits for a second or more takes no memory meanwhile: its
   * handler is left as by a question, and runs again, in whichever process, when the moment has come.
   */
  sleep(ms: number): Promise<void> {
    return asking((ask) => ask.takeSleep(this.#asker, this.call, ms))
  }

  /**
   * Drops the connection but not the request, where the transport can resume it (2025-11-25 over HTTP): the client
   * comes back for the result after `retryMs`. Elsewhere nothing happens.
   */
  pause(retryMs = 1000): void {
    this.call.outlet.pause?.(retryMs)
  }
}

/**
 * Has the one listener of a request called when it is cancelled: what `signal` tells, without the cost of one. Undefined
 * takes it back. True when it is cancelled already.
 */
export function onCancel(ctx: RequestContext, listener: (() => void) | undefined): boolean {
  return RequestContext.hear(ctx, listener)
}

/** How a call stands to tasks. */
export interface TaskStanding {
  /** Where it goes on once it has left its request. */
  readonly detached: { readonly until: number; readonly takenOver: boolean; wake(): void } | undefined
  /** What its handler did so far, once it did something. */
  readonly run: { known(step: string): unknown; process: string | undefined } | undefined
  /** Makes it a task now, where it can become one. */
  readonly leave: (() => Promise<void>) | undefined
}

/** Says whether a call is a task by now, and lets it become one. */
export function taskStandingOf(ctx: RequestContext): TaskStanding {
  return RequestContext.standing(ctx)
}

/** A token that handlers cannot read cannot be passed on (sec-82). */
class HeadWithoutCredentials implements RequestHead {
  readonly method: string
  readonly url: string
  readonly #head: RequestHead

  constructor(head: RequestHead) {
    this.method = head.method
    this.url = head.url
    this.#head = head
  }

  header(name: string): string | undefined {
    return CREDENTIALS.has(name.toLowerCase()) ? undefined : this.#head.header(name)
  }

  headerNames(): readonly string[] {
    return (this.#head.headerNames?.() ?? []).filter((name) => !CREDENTIALS.has(name))
  }

  get peerCertificate(): RequestHead['peerCertificate'] {
    return this.#head.peerCertificate
  }
}

const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'dpop', 'proxy-authorization', 'cookie'])

/** Goes on with what asks, at once where it is loaded. */
function asking<T>(ask: (loaded: Awaited<ReturnType<typeof loadAsking>>) => Promise<T>): Promise<T> {
  const loaded = loadAsking()
  return watched(loaded instanceof Promise ? loaded.then(ask) : ask(loaded))
}

/**
 * A handler that asks twice and then awaits one after the other leaves the second when the first is rejected. That must
 * not count as an unhandled rejection, which would end the process.
 */
function watched<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}
