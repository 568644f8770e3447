/**
 * One request while it is being served: its parameters, its conversation, the way back. Made once per request and kept
 * small; everything that only some requests need (abort signal, rounds, state) is made on first use.
 */

import type { Outlet } from '../../jsonrpc/channel.ts'
import { IncomingCall, type IncomingCalls } from '../../jsonrpc/incoming.ts'
import type { JsonObject, RequestId, RpcErrorObject } from '../../jsonrpc/message.ts'
import { type ProgressToken, progressToken } from '../../protocol/meta.ts'
import type { CallToolResult } from '../../protocol/tools.ts'
import type { Conversation } from '../../session/conversation.ts'
import type { RequestHead } from '../../session/exchange.ts'
import type { HandlerRun } from '../../session/handler-run.ts'
import type { LegacySession } from '../../session/legacy-session.ts'
import type { RoundSealer, Rounds, Suspension } from '../../session/rounds.ts'

/** How a round ended: with a result, an error, or further questions. */
export interface RoundOutcome {
  r?: unknown
  e?: RpcErrorObject
  i?: { inputRequests: JsonObject; requestState: string }
}

/** A round that runs once, however often it is sent (`asking/round-once.ts`). */
interface TakenRound {
  /** Keeps the outcome, also when nobody waits for the answer any more. */
  settle(outcome: RoundOutcome): void
  /** Whether the handler gave up because it was told to: then the round has no outcome. */
  isGivenUp(error: unknown): boolean
}

/** Ends what was held open. */
export interface DeferredReply {
  end(call: ServerCall, result: JsonObject): void
}

/** Where a call goes on that has left its request: the request was answered, the work was not done. */
export interface Detached {
  /** The id of the task. */
  readonly id: string
  readonly sealer: RoundSealer
  readonly maxRounds: number
  /** Until when the work may take, in milliseconds since 1970. */
  readonly until: number
  /** Whether it was cancelled here because another worker goes on with the task. */
  readonly takenOver: boolean
  /** The handler has asked, and is over for now. */
  suspend(call: ServerCall, result: Suspension): void
  fail(call: ServerCall, error: unknown): void
  /** Has the handler run again without an answer: what it asked about is over. */
  wake(): void
  progress(progress: number, total: number | undefined, message: string | undefined): void
  /** What the work comes to, where it was begun on the request already. */
  readonly known?: Promise<CallToolResult> | undefined
}

/** Where a call came from, and where its answer goes. */
interface CallWay {
  readonly outlet: Outlet
  readonly session: LegacySession | undefined
  readonly head: RequestHead | undefined
}

export class ServerCall extends IncomingCall {
  readonly method: string
  /** Middleware may replace them. */
  params: JsonObject
  /** The parameters as they were sent: what a retry is held against. */
  readonly sent: JsonObject
  readonly conversation: Conversation
  readonly outlet: Outlet
  readonly head: RequestHead | undefined
  /** The session, on older revisions: how to ask the client while the request runs. */
  readonly session: LegacySession | undefined
  /** Multi-round input, on modern revisions: made at the first ask, or at once for a retry. */
  rounds: Rounds | Promise<Rounds> | undefined
  /** Set once the work goes on without the request. */
  detached: Detached | undefined
  /** Lets the work go on without the request, where that can be: called by a handler that is about to wait. */
  leave: (() => Promise<void>) | undefined
  /** Runs when the call is cancelled or asked to end, for work that has no handler to hear the signal. */
  onEnd: (() => void) | undefined
  /** True once a request that stays open was asked to end. */
  ending = false
  /** Answers a request that was held open; given by the endpoint, with the scope that its id is in use in. */
  deferred: DeferredReply | undefined
  scope: IncomingCalls | undefined
  /** What the server's `context` function made for this request. */
  state: unknown
  /** What the handler asked and did so far, once it did. */
  run: HandlerRun | undefined
  /** The round that this call took, until its outcome is kept. */
  round: TakenRound | undefined
  /** When the call began, if somebody watches. */
  startedAt: number | undefined
  #waiting = 0
  #waitingSince = 0
  #waitedMs = 0
  /** True once an answer went out; later ones are dropped. */
  answered = false
  #settled = false
  #token: ProgressToken | undefined | null = null
  /** The highest progress that was told, in this round or an earlier one. */
  reached = -Infinity
  /** The last words of the handler about how far it is, whether or not the client hears them: a task begins with them. */
  said: string | undefined

  constructor(
    message: { readonly id: RequestId; readonly method: string },
    params: JsonObject,
    conversation: Conversation,
    { outlet, session, head }: CallWay,
  ) {
    super(message.id)
    this.method = message.method
    this.params = params
    this.sent = params
    this.conversation = conversation
    this.outlet = outlet
    this.session = session
    this.head = head
  }

  override cancel(reason?: unknown): void {
    if (this.cancelled) return
    super.cancel(reason)
    this.onEnd?.()
    if (!this.answered) {
      this.answered = true
      this.outlet.close()
    }
  }

  override end(): void {
    this.ending = true
    this.onEnd?.()
  }

  /** Says that nothing runs for this call any more. */
  settle(): void {
    if (this.#settled) return
    this.#settled = true
    this.outlet.settled?.()
  }

  /** How long the call has waited for the client's answers. */
  waitedMs(now: number): number {
    return this.#waitedMs + (this.#waiting > 0 ? now - this.#waitingSince : 0)
  }

  /** Marks the time until `answer` is settled as the client's. */
  async waitFor<T>(answer: Promise<T>): Promise<T> {
    if (this.#waiting++ === 0) this.#waitingSince = performance.now()
    try {
      return await answer
    } finally {
      if (--this.#waiting === 0) this.#waitedMs += performance.now() - this.#waitingSince
    }
  }

  /** Says how far the work is, to the client or to the task. */
  progress(progress: number, total: number | undefined, message: string | undefined): void {
    if (this.detached !== undefined) this.detached.progress(progress, total, message)
    else {
      this.said = message ?? this.said
      this.tell(progress, total, message)
    }
  }

  /** Sends a progress notice, if the client asked for them and the value moves forward. */
  tell(progress: number, total: number | undefined, message: string | undefined): void {
    if (this.#token === null) this.#token = progressToken(this.sent)
    const token = this.#token
    if (token === undefined || this.answered || !Number.isFinite(progress) || progress <= this.reached) return
    this.reached = progress
    let text = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${JSON.stringify(token)},"progress":${progress}`
    // JSON has no infinities: a careless total must not make an invalid message.
    if (total !== undefined && Number.isFinite(total)) text += `,"total":${total}`
    if (message !== undefined && this.conversation.revision.traits.progressMessage) {
      text += `,"message":${JSON.stringify(message)}`
    }
    this.outlet.send(`${text}}}`, 'progress', token)
  }

  /** Sends a notification that belongs to this request, unless the request is over. */
  notify(method: string, params: JsonObject, urgency: 'keep' | 'log' = 'keep'): void {
    if (!this.answered) this.outlet.send(JSON.stringify({ jsonrpc: '2.0', method, params }), urgency)
  }
}
