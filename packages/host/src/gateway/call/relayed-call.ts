/**
 * One call on its way through the gateway: begun for a client, running at a server, and asked about in between. What
 * the server asks goes to the run of the handler that is attached. A client of the newest revision is answered with the
 * questions and comes back in another request, so the call outlives the run: it then waits in `parking.ts`, and what
 * the server reports meanwhile is kept for the run that takes it up again.
 */

import { randomUUID } from 'node:crypto'
import type { Progress, RequestRelay } from '@portico/sdk/client'
import { METHOD_NOT_FOUND, onCancel, type TaskStanding, taskStandingOf } from '@portico/sdk/internal'
import type { QuestionMethod } from '@portico/sdk/relay'
import {
  type AskingContext,
  CapabilityError,
  type JsonObject,
  PorticoError,
  RpcError,
  Suspended,
} from '@portico/sdk/server'
import { hideIn } from '../../config/trust/used-secrets.ts'
import { noteCall, noteTask, type UpstreamTask } from '../tasks/noted.ts'
import { isKept, keptBytes } from './call-places.ts'
import { CallRelay } from './call-relay.ts'
import { CancellableCall } from './cancellable-call.ts'
import { toMissingCapability, toRefusal } from './failures.ts'
import { KeptReports, tellLog } from './kept-reports.ts'
import { type OpenQuestion, OpenQuestions } from './open-questions.ts'
import type { RelayedCallOptions } from './relayed-call-options.ts'

type Outcome<Result> = { readonly value: Result } | { readonly error: unknown }

/** A run of the handler, as long as the call is attached to it. */
interface Run {
  readonly ctx: AskingContext
  /** Questions that have been put in it and not been answered. */
  asking: number
  resolve(value: unknown): void
  reject(error: unknown): void
}

export class RelayedCall<Result = unknown> extends CancellableCall {
  readonly server: string
  readonly principal: string | undefined
  readonly relay: RequestRelay = new CallRelay(this)
  /** It is on its way to the server. */
  sent = false
  /** The task that the server made of it, once it did. */
  task: UpstreamTask | undefined
  /** What the server does goes on without this process: the gateway ends, or another one has taken the task over. */
  left = false
  /** Called when the server has made a task of it: nothing is held at the server any more. */
  onAccepted: (() => void) | undefined
  /** The task here that waits for answers, while no run does. */
  #waiting: TaskStanding['detached']
  #id: string | undefined
  #ended: Promise<void> | undefined
  #end: (() => void) | undefined
  readonly #options: RelayedCallOptions
  readonly #questions = new OpenQuestions()
  #placed = false
  #parked = false
  #run: Run | undefined
  #outcome: Outcome<Result> | undefined
  /** What came while it was attached to no run. */
  readonly #kept: KeptReports
  /** What the server asked for and the client does not offer. */
  readonly #lacking: CapabilityError[] = []

  constructor(options: RelayedCallOptions) {
    super()
    this.#id = options.id
    this.server = options.server
    this.principal = options.principal
    this.#options = options
    this.#kept = new KeptReports(this, options)
  }

  get id(): string {
    this.#id ??= randomUUID()
    return this.#id
  }

  /** Resolves when the work is over, however it ended. */
  get ended(): Promise<void> {
    if (this.over) return Promise.resolve()
    this.#ended ??= new Promise((resolve) => {
      this.#end = resolve
    })
    return this.#ended
  }

  /** Whether a question that does not say which call it is of may be another principal's. */
  get isAmbiguous(): boolean {
    return this.#options.isAmbiguous()
  }

  /** The run that it is attached to, while there is one. */
  get ctx(): AskingContext | undefined {
    return this.#run?.ctx
  }

  /** It is a task for its caller. */
  get isTask(): boolean {
    return (this.#waiting ?? this.ctx?.task) !== undefined
  }

  get over(): boolean {
    return this.#outcome !== undefined
  }

  /** Its server waits for an answer of the client's. */
  get waits(): boolean {
    return this.#questions.size > 0
  }

  /** Resolves when the call is over, or waits for an answer. */
  atRest(): Promise<void> {
    if (this.waits) return Promise.resolve()
    return new Promise((resolve) => {
      this.#questions.onAsked(resolve)
      void this.ended.then(resolve)
    })
  }

  /** Begins the work; its end is kept until a run is there to hear of it. */
  start(work: Promise<Result>): void {
    const { places } = this.#options
    const settle = (outcome: Outcome<Result>): void => {
      for (const [key, question] of this.#questions) {
        this.#close(key)
        question.reject(new RpcError(METHOD_NOT_FOUND, 'The call is over'))
      }
      const isTold = this.#run !== undefined || isKept(places, this as RelayedCall, keptBytes(outcome))
      // Where there is no room for its end, who comes back for it hears that the call no longer waits.
      if (!isTold) places.leave(this as RelayedCall)
      this.#outcome = isTold ? outcome : { error: new PorticoError('aborted', 'What came of the call was not kept') }
      this.#end?.()
      this.#finish()
      // Its task need not wait for answers to what nobody asks any more.
      this.#waiting?.wake()
    }
    work.then(
      (value) => settle({ value }),
      (error: unknown) => settle({ error }),
    )
  }

  /** Gives the call to a run of the handler: what came meanwhile is told, open questions are put, the end is awaited. */
  attach(ctx: AskingContext): Promise<Result> {
    this.#waiting = undefined
    if (this.#run !== undefined) onCancel(this.#run.ctx, undefined)
    this.#run?.reject(new Suspended())
    return new Promise<Result>((resolve, reject) => {
      const cancelled = (): void => {
        this.left ||= isTaken(this.task, ctx)
        if (!this.#outlives(ctx)) this.cancel('The client cancelled the request')
        // What it came to before this run has waited for it.
        this.#finish()
      }
      // `start` was given work of this very result.
      this.#run = { ctx, asking: 0, resolve: resolve as (value: unknown) => void, reject }
      if (onCancel(ctx, cancelled)) return cancelled()
      this.#kept.tell(ctx)
      if (this.task !== undefined) void noteTask(ctx, this.task).catch(() => {})
      if (this.#outcome !== undefined) this.#finish()
      else for (const [key, question] of this.#questions) void this.#put(key, question, ctx)
    })
  }

  /** Ends it with the gateway. What a task here follows at its server goes on there, if it is `kept` for another process. */
  end(reason: string, kept: boolean): void {
    this.left = kept && this.task !== undefined && (this.#waiting ?? this.ctx?.task) !== undefined
    this.cancel(reason)
  }

  /** The server has made a task of it. One that is known to take long becomes one for its caller, too, where it can. */
  async accepted(task: UpstreamTask, isLong: boolean): Promise<void> {
    this.task = task
    this.onAccepted?.()
    const { ctx } = this
    if (ctx !== undefined) await noteTask(ctx, task).catch(unlessAway)
    if (ctx !== undefined && isLong) await taskStandingOf(ctx).leave?.()
  }

  /** Goes on with a task that another process began at the server. */
  takesUp(task: UpstreamTask): void {
    this.task = task
    // Answers to what that one asked are found by the server's keys; what has none is asked again.
    this.#questions.unnamed = randomUUID()
  }

  /** Takes a question of the server's; resolves when a run has brought the client's answer. */
  async question(method: string, params: JsonObject, signal?: AbortSignal, named?: string): Promise<JsonObject> {
    if (this.over) throw new RpcError(METHOD_NOT_FOUND, 'The call is over')
    const { maxQuestions } = this.#options
    if (this.#questions.size >= maxQuestions) {
      throw new RpcError(METHOD_NOT_FOUND, `maxQuestions (${maxQuestions}) of the gateway exceeded`)
    }
    return new Promise<JsonObject>((resolve, reject) => {
      // Only these three reach a relay: the client refuses all others.
      const known = method as QuestionMethod
      const question: OpenQuestion = { method: known, params, again: false, bytes: 0, resolve, reject }
      const key = this.#questions.add(named, question)
      const withdrawn = (): void => {
        this.#close(key)
        reject(new PorticoError('aborted', 'The server took its question back'))
      }
      signal?.addEventListener('abort', withdrawn, { once: true })
      if (this.#run !== undefined) void this.#put(key, question, this.#run.ctx)
    })
  }

  progress(progress: Progress): void {
    if (this.#run === undefined) this.#kept.progress(progress)
    else this.#run.ctx.progress(progress.progress, progress.total, progress.message)
  }

  log(said: JsonObject): void {
    const params = hideIn(said, this.#options.hide)
    if (this.ctx === undefined) this.#kept.log(params)
    else tellLog(this.ctx, params)
  }

  /** Has a place for the call, and room for what is kept while it waits; throws where there is none. */
  #park(question: OpenQuestion): void {
    const { places, request } = this.#options
    this.#placed = true
    places.enter(this as RelayedCall)
    if (!this.#parked) places.keep(this as RelayedCall, keptBytes(request))
    this.#parked = true
    if (question.bytes > 0) return
    const bytes = keptBytes(question.params)
    places.keep(this as RelayedCall, bytes)
    question.bytes = bytes
  }

  async #put(key: string, question: OpenQuestion, ctx: AskingContext): Promise<void> {
    const { method, params } = question
    const run = this.#run
    if (run !== undefined) run.asking++
    try {
      if (ctx.session === undefined) {
        if (!(await this.#record(ctx))) return
        // It may have been cancelled meanwhile: nobody would ever take it from a place.
        if (this.over) return
        this.#park(question)
      }
      const asked = { method, params, again: question.again }
      const answer = await this.#options.answer(asked, ctx, () => {
        question.again = true
        return ctx.ask(key, method, params)
      })
      this.#close(key)
      question.resolve(answer)
    } catch (error) {
      if (error instanceof Suspended) {
        // One that came while the others were on their way out waits for the next run, and says nothing of this one.
        if (run !== undefined && run.asking === 1) this.#suspended(ctx)
        return
      }
      this.#close(key)
      const lacking = error instanceof RpcError ? error.cause : error
      if (lacking instanceof CapabilityError) this.#lacking.push(lacking)
      question.reject(toRefusal(error))
    } finally {
      if (run !== undefined) run.asking--
    }
  }

  /** Seals the call's name into the state of the round. A request that nobody can come back to with answers fails here. */
  async #record(ctx: AskingContext): Promise<boolean> {
    try {
      await noteCall(ctx, this.id, this.#options.places.replica)
      return true
    } catch (error) {
      if (error instanceof Suspended) throw error
      this.#release(ctx)?.reject(error)
      this.cancel('The request cannot be answered with questions')
      return false
    }
  }

  #close(key: string): void {
    this.#options.places.unkeep(this as RelayedCall, this.#questions.close(key))
  }

  /** The questions went out with the answer to the request: this run is over, the call is not. */
  #suspended(ctx: AskingContext): void {
    const run = this.#release(ctx)
    if (run === undefined) return
    const { places } = this.#options
    this.#waiting = taskStandingOf(ctx).detached
    places.wait(this as RelayedCall, this.#waiting?.until)
    const ended = (): void => {
      this.left ||= isTaken(this.task, ctx)
      places.leave(this as RelayedCall)
      this.cancel('The task was cancelled')
    }
    if (this.#waiting !== undefined) onCancel(ctx, ended)
    run.reject(new Suspended())
  }

  /**
   * A later round came over a connection of its own, and the client cannot begin it anew: where that is lost, the call goes
   * on and waits for whoever sends the round again, as it waits for answers. What it has come to meanwhile is told then.
   */
  #outlives(ctx: AskingContext): boolean {
    const isAlone = ctx.session === undefined && ctx.head !== undefined && ctx.resumed && ctx.task === undefined
    if (!isAlone || this.#run?.ctx !== ctx || !this.#options.places.wait(this as RelayedCall)) return false
    this.#release(ctx)?.reject(ctx.signal.reason)
    return true
  }

  /** Takes the call from a run, if it is still that one's. */
  #release(ctx: AskingContext): Run | undefined {
    const run = this.#run
    if (run?.ctx !== ctx) return undefined
    this.#run = undefined
    onCancel(run.ctx, undefined)
    return run
  }

  #finish(): void {
    const run = this.#run
    const outcome = this.#outcome
    if (run === undefined || outcome === undefined) return
    this.#run = undefined
    onCancel(run.ctx, undefined)
    if (this.#placed) this.#options.places.leave(this as RelayedCall)
    const [lacking] = this.#lacking
    // Newer clients are told what they would have to offer; older revisions have no words for it but the server's.
    if (this.left) run.reject(new Suspended())
    else if (lacking !== undefined && run.ctx.session === undefined && hasFailed(outcome)) {
      run.reject(toMissingCapability(lacking, this.#lacking))
    } else if ('error' in outcome) run.reject(outcome.error)
    else run.resolve(outcome.value)
  }
}

/** What the server does is followed here: that no other process could go on with it is no reason to end it. */
function unlessAway(error: unknown): void {
  if (!(error instanceof PorticoError) || error.code !== 'store-unavailable') throw error
}

/** Whether another worker goes on with the task here: what the server does is not to be ended. */
function isTaken(task: UpstreamTask | undefined, ctx: AskingContext): boolean {
  return task !== undefined && taskStandingOf(ctx).detached?.takenOver === true
}

function hasFailed(outcome: Outcome<unknown>): boolean {
  if ('error' in outcome) return true
  const { value } = outcome
  return typeof value === 'object' && value !== null && 'isError' in value && value.isError === true
}
