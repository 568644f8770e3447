/**
 * The way of one request through the gateway: limits, guard, the caller's connection, the server, and what is written down
 * about it. `relay.ts` says what is asked of which server; a call that has to wait for its client is found again here.
 */

import { setTimeout as pause } from 'node:timers/promises'
import type { Client, RequestOptions } from '@portico/sdk/client'
import { TASKS_EXTENSION } from '@portico/sdk/internal'
import type { SessionView } from '@portico/sdk/relay'
import type { AskingContext, CallToolResult, LogLevel, RequestContext } from '@portico/sdk/server'
import { hideInError } from '../../config/trust/used-secrets.ts'
import { HostError } from '../../errors.ts'
import type { Circumstances, Effect } from '../../policy/effect.ts'
import type { CallerConnection } from '../connections/caller-connection.ts'
import type { CallerConnections } from '../connections/caller-connections.ts'
import type { GatewayHost } from '../gateway-host.ts'
import { type CallLimits, LimitError, type LimitPlace } from '../limits.ts'
import type { Ending, Meter } from '../metrics.ts'
import { type CallerSignIn, SignInDeclined } from '../sign-in/sign-in.ts'
import { type VisitLimits, withVisits } from '../sign-in/url-visits.ts'
import { type Begun, findBegun } from '../tasks/begun.ts'
import { followTask } from '../tasks/upstream-task.ts'
import { ANONYMOUS, callerOf } from '../views/toolset.ts'
import { createAnswer } from './answers.ts'
import { metaOf } from './caller-meta.ts'
import { toCallerError, toEnded, toToolFailure } from './failures.ts'
import type { HeaderPairs } from './mirrored-headers.ts'
import type { Parking } from './parking.ts'
import { RelayedCall } from './relayed-call.ts'
import { RunningCalls } from './running-calls.ts'
import { SharedTurns } from './shared-turns.ts'

export interface DispatchParts {
  readonly host: GatewayHost
  readonly connections: CallerConnections
  readonly parking: Parking
  readonly limits: CallLimits
  readonly meter: Meter
  readonly visits: VisitLimits
  readonly maxQuestions: number
  readonly maxKept: number
  /** Nobody is there to be asked by the guard: what would ask is denied. */
  readonly unattended: boolean
  /** Gets every failure of a connection in full. */
  readonly onError: (error: unknown, server: string) => void
  /** Has callers sign in to servers that want them to. */
  readonly signIn?: CallerSignIn
}

/** One request for a server: what it does, in the guard's words, and how it is sent. */
interface Job<Result> {
  readonly server: string
  /** The item's name in the catalogue. */
  readonly name: string
  readonly effect: Effect
  readonly headers?: HeaderPairs
  send(client: Client, effect: Effect, options: RequestOptions, call: RelayedCall): Promise<Result>
}

/** A call on its way: what is to be done, for whom, over which connection. */
interface Errand<Result> {
  readonly job: Job<Result>
  readonly ctx: AskingContext
  readonly connection: CallerConnection
  readonly circumstances: Circumstances
}

export class Dispatch {
  readonly #parts: DispatchParts
  /** The levels that older clients asked for. */
  readonly #levels = new WeakMap<SessionView, LogLevel>()
  /** Calls under way, for draining and for changes of their servers. */
  readonly running = new RunningCalls()
  readonly #turns = new SharedTurns()
  readonly #hide = (text: string): string => this.#parts.host.upstreams.hide?.(text) ?? text

  constructor(parts: DispatchParts) {
    this.#parts = parts
  }

  get parking(): Parking {
    return this.#parts.parking
  }

  /** Remembers the level for connections to come, and sets it on those there are. */
  levelChanged(level: LogLevel, session: SessionView): void {
    this.#levels.set(session, level)
    for (const connection of this.#parts.connections.ofSession(session)) {
      void connection
        .client()
        .then((client) => connection.logAtLeast(level, client))
        .catch(() => {})
    }
  }

  /** Begins a request at its server, or takes up the one that the client's answers belong to. */
  async run<Result>(ctx: AskingContext, job: Job<Result>): Promise<Result> {
    if (!ctx.resumed && ctx.task === undefined) return this.#settled(undefined, ctx, job)
    const begun = await findBegun(ctx, job.server, this.#parts.parking)
    // The state is bound to method and parameters, so this is the call that the same job began.
    if (begun.kind === 'call') return this.#settled(begun.call as RelayedCall<Result>, ctx, job)
    return this.#settled(undefined, ctx, job, begun)
  }

  /** Refuses to go on with what the rules have come to forbid. */
  async admitRound(effect: Effect, ctx: RequestContext): Promise<void> {
    const decision = await this.#parts.host.guard?.explain(effect, this.#circumstances(ctx))
    if (decision?.outcome !== 'deny') return
    const { reason } = decision
    throw this.toCallerError(new HostError('denied', `Not allowed: ${reason}`, { data: { reason } }), effect.server)
  }

  /** Has a call, or a new one, run for this request, and words its failure for the caller. */
  async #settled<Result>(
    begun: RelayedCall<Result> | undefined,
    ctx: AskingContext,
    job: Job<Result>,
    from?: Begun,
  ): Promise<Result> {
    try {
      return await (begun ?? this.#begin<Result>(from, ctx, job)).attach(ctx)
    } catch (error) {
      // A task is for the process that takes it up.
      const ended = ctx.task === undefined ? toEnded(error, job.server) : undefined
      if (ended !== undefined) throw ended
      // A tool's failures are told in a result, by whoever called it.
      const isTold = job.effect.kind === 'call' && toToolFailure(error) !== undefined
      throw isTold ? hideInError(error, this.#hide) : this.toCallerError(error, job.server)
    }
  }

  #begin<Result>(from: Begun | undefined, ctx: AskingContext, job: Job<Result>): RelayedCall<Result> {
    const { parking, connections, host } = this.#parts
    const { server } = job
    const connection = connections.of(server, ctx)
    const circumstances = this.#circumstances(ctx)
    const call: RelayedCall<Result> = new RelayedCall<Result>({
      id: from === undefined || from.kind === 'call' ? undefined : from.id,
      server,
      principal: circumstances.principal?.id,
      maxKept: this.#parts.maxKept,
      maxQuestions: this.#parts.maxQuestions,
      hide: this.#hide,
      answer: (...question) => {
        const { roots } = connections.view(server).config.settings
        return createAnswer({ server, guard: host.guard, circumstances, roots, signal: () => call.signal })(...question)
      },
      isAmbiguous: () => !connection.isAllOf(call.principal),
      request: job.effect,
      places: parking,
    })
    if (from?.kind === 'task') call.takesUp(from.task)
    this.running.add(call as RelayedCall)
    call.start(this.#work(call, { job, ctx, connection, circumstances }))
    return call
  }

  async #work<Result>(call: RelayedCall<Result>, errand: Errand<Result>): Promise<Result> {
    const { job, ctx, circumstances } = errand
    const { limits, meter, host } = this.#parts
    const { server, effect } = job
    const principal = call.principal ?? ANONYMOUS
    const ended = meter.begin(server, principal)
    let ending = 'refused' as Ending
    let place: LimitPlace | undefined
    const startedAt = Date.now()
    // What another process began was let in and written down there.
    const isTakenUp = call.task !== undefined
    try {
      if (!isTakenUp) {
        const entered = limits.enter(principal, job.name)
        place = entered instanceof Promise ? await entered : entered
      }
      const { maxArgumentBytes, maxResultBytes } = limits.limits
      if (effect.kind === 'call' || effect.kind === 'prompt') {
        checkSize(effect.arguments, 'maxArgumentBytes', maxArgumentBytes)
      }
      if (isTakenUp) await this.admitRound(effect, ctx)
      const permit = isTakenUp ? undefined : await host.guard?.pass(effect, circumstances, { signal: call.signal })
      let outcome: 'ok' | 'error' | 'cancelled' = 'error'
      try {
        const sent = await this.#send(call, errand, permit?.effect ?? effect)
        const result = host.guard === undefined ? sent : await this.#reviewed(sent, effect, circumstances, call)
        checkSize(result, 'maxResultBytes', maxResultBytes)
        outcome = 'ok'
        return result
      } finally {
        if (outcome === 'error' && call.cancelled) outcome = 'cancelled'
        ending = outcome
        permit?.finish(outcome)
      }
    } finally {
      if (ending !== 'ok' && call.cancelled) ending = 'cancelled'
      this.running.delete(call as RelayedCall)
      ended(ending)
      if (place !== undefined) limits.leave(place)
      if ((host.guard === undefined || isTakenUp) && host.audit !== undefined)
        this.#writeDown(errand, principal, ending, Date.now() - startedAt)
    }
  }

  async #send<Result>(call: RelayedCall<Result>, errand: Errand<Result>, effect: Effect): Promise<Result> {
    const { job, connection } = errand
    for (let hold = this.running.holdOf(job.server); hold; hold = this.running.holdOf(job.server)) await hold
    let leave: (() => void) | undefined
    if (connection.key.owner === undefined) {
      // Where all callers use one connection, each has a share of it.
      const { maxConcurrent } = this.#parts.connections.view(connection.server).config.settings
      leave = await this.#turns.take(connection.server, maxConcurrent, call.principal ?? '', call.signal)
    }
    const own = call as RelayedCall
    call.onAccepted = () => {
      leave?.()
      leave = undefined
      connection.followed.add(own)
      connection.calls.delete(own)
    }
    try {
      return await this.#sendNow(call, errand, effect)
    } finally {
      leave?.()
      connection.followed.delete(own)
    }
  }

  async #sendNow<Result>(call: RelayedCall<Result>, errand: Errand<Result>, effect: Effect): Promise<Result> {
    const { job, ctx, connection } = errand
    call.sent = true
    const client =
      connection.standing() ?? (await this.#signedIn(connection.client(call.signal), call, connection, ctx))
    const wanted = ctx.session === undefined ? ctx.logLevel : this.#levels.get(ctx.session)
    if (wanted !== undefined) await connection.logAtLeast(wanted, client)
    const options: RequestOptions = {
      onProgress: (progress) => call.progress(progress),
      meta: metaOf(ctx, client.revision.era === 'modern' ? ctx.logLevel : undefined),
      ...(job.headers && { headers: job.headers }),
      relay: call.relay,
      ...(job.effect.kind === 'call' &&
        client.server.capabilities.extensions?.[TASKS_EXTENSION] !== undefined && { task: true }),
    }
    const own = call as RelayedCall
    if (call.task === undefined) connection.calls.add(own)
    else connection.followed.add(own)
    try {
      // Tokens may run out, or be taken back, on a connection that there is.
      const send = () => {
        const { task } = call
        // Only the call of a tool becomes a task.
        const followed = task && (followTask(own, client, task, options) as Promise<Result>)
        return this.#signedIn(followed ?? job.send(client, effect, options, own), call, connection, ctx)
      }
      const asks = ctx.session === undefined && connection.key.abilities.url
      const result = await (asks ? withVisits(send, own, connection, this.#parts.visits) : send())
      if (ctx.session === undefined && wanted !== undefined) await lastLogs(client)
      return result
    } finally {
      connection.calls.delete(own)
      connection.lastUsed = performance.now()
    }
  }

  /** Waits for the server; where it wants the caller to sign in first, the caller is shown where. */
  #signedIn<Work, Result>(
    work: Promise<Work>,
    call: RelayedCall<Result>,
    connection: CallerConnection,
    ctx: AskingContext,
  ): Promise<Work> {
    const { signIn, visits } = this.#parts
    if (signIn === undefined) return work
    return signIn.during(work, connection.server, callerOf(ctx), async (url, elicitationId, reason) => {
      if (!connection.key.abilities.url) throw new SignInDeclined(connection.server, url, reason)
      const message = `${reason}.`
      const { action } = await call.question('elicitation/create', { mode: 'url', message, url, elicitationId })
      // The page is open; whether the person is done there is looked at again after a while.
      if (action === 'accept')
        await Promise.race([work.then(ignore, ignore), pause(visits.visitMs, undefined, { ref: false })])
      return action === 'accept' || action === 'decline' ? action : 'cancel'
    })
  }

  /** What a person lets the model see of a tool's result. */
  async #reviewed<Result>(
    result: Awaited<Result>,
    effect: Effect,
    circumstances: Circumstances,
    call: RelayedCall<Result>,
  ): Promise<Awaited<Result>> {
    const { guard } = this.#parts.host
    if (guard === undefined || effect.kind !== 'call') return result
    // The result of a call is a tool's.
    const shown = result as unknown as CallToolResult
    return (await guard.review(effect, shown, circumstances, { signal: call.signal })) as unknown as Awaited<Result>
  }

  #circumstances(ctx: RequestContext): Circumstances {
    const { traceparent } = ctx.meta
    const principal = callerOf(ctx)
    return {
      ...(principal && { principal }),
      session: principal?.id ?? ANONYMOUS,
      unattended: this.#parts.unattended,
      tainted: false,
      relayed: true,
      at: Date.now(),
      ...(typeof traceparent === 'string' && TRACE.test(traceparent) && { traceId: traceparent.slice(3, 35) }),
    }
  }

  #writeDown<Result>(errand: Errand<Result>, principal: string, outcome: string, durationMs: number): void {
    const { job, circumstances: about } = errand
    const { server, effect, name } = job
    const entry = { at: Date.now(), type: 'outcome' as const, principal, server, what: effect.kind, item: name }
    const traced = about.traceId === undefined ? {} : { traceId: about.traceId }
    void this.#parts.host.audit
      ?.append({ ...entry, outcome, durationMs, ...traced })
      .catch((error: unknown) => this.#parts.onError(error, server))
  }

  /** A failure as the caller is told of it. */
  toCallerError(error: unknown, server: string): unknown {
    const shown = toCallerError(hideInError(error, this.#hide), server)
    if (shown !== error) this.#parts.onError(error, server)
    return shown
  }
}

const TRACE = /^00-[0-9a-f]{32}-/

/**
 * Older servers may log on another stream than the one they answer on, and nothing can be logged to a client of the
 * newest revision once its request is answered. By the time a ping is answered, what came before it is mostly here.
 */
async function lastLogs(client: Client): Promise<void> {
  const { era, transport } = client.negotiated
  if (era === 'legacy' && transport === 'streamable-http') await client.ping({ timeoutMs: LAST_LOGS_MS }).catch(ignore)
}

/** 0 stands for no bound. */
function checkSize(value: unknown, bound: string, max: number): void {
  if (max > 0 && Buffer.byteLength(JSON.stringify(value)) > max) throw new LimitError(`${bound} (${max})`, undefined)
}

const LAST_LOGS_MS = 500

function ignore(): void {}
