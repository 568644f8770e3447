/**
 * The life of one configured server: its connections, its state in words, and what happens when something fails. Nothing
 * here knows of any other server; `upstreams.ts` holds one life for each and passes on what they report.
 */

import { isDeepStrictEqual } from 'node:util'
import type { Client, ConnectOptions, ProcessView } from '@portico/sdk/client'
import type { ServerConfig } from '../config/server-config.ts'
import { HostError } from '../errors.ts'
import { createView } from './catalogue/view.ts'
import { Breaker } from './connection/breaker.ts'
import { type ConnectionEvents, isOwn, UpstreamConnection } from './connection/connection.ts'
import { ConnectionPool, poolKey } from './connection/connection-pool.ts'
import { explainFailure, explainLoop, type Failure } from './connection/failure.ts'
import { Gate } from './connection/link-gate.ts'
import { requireProgram } from './connection/program.ts'
import { type InProcessServer, type ResolvedTarget, resolvePlainly } from './connection/resolve.ts'
import { UserLoops } from './connection/user-loops.ts'
import { abortable, pause, within } from './connection/waiting.ts'
import type { LifeEvents, LifeOptions } from './life-options.ts'
import { type Ailment, type AilmentWords, type PlainState, StateBoard, toUnavailable } from './state-board.ts'
import type { ClientWish, UpstreamState, UpstreamView } from './upstream.ts'

const IDLE_MS = 300_000
/** A caller waits this long for the next attempt; when it is further away, the call fails at once. */
const PATIENCE_MS = 2_000
/** What will not get better by itself is not tried more often than this. */
const HOPELESS_MS = 5_000
const PING_MS = 5_000

export class ServerLife {
  readonly #options: LifeOptions
  readonly #events: LifeEvents
  readonly #verdicts: NonNullable<ConnectOptions['verdicts']>
  readonly #breaker: Breaker
  readonly #loops: UserLoops
  readonly #gate: Gate
  readonly #board: StateBoard
  readonly #pool: ConnectionPool
  readonly #admitted = new Set<string>()
  #config: ServerConfig
  #disabled: boolean
  #closed = false
  #counter = 0
  #hopelessUntil = 0
  #process: ProcessView | undefined
  #local: Promise<InProcessServer> | undefined
  #retryTimer: ReturnType<typeof setTimeout> | undefined
  #probing = false

  constructor(
    config: ServerConfig,
    options: LifeOptions,
    verdicts: NonNullable<ConnectOptions['verdicts']>,
    events: LifeEvents,
  ) {
    this.#config = config
    this.#options = options
    this.#events = events
    this.#verdicts = verdicts
    this.#breaker = new Breaker(options.breaker)
    this.#gate = new Gate(config.name, config.settings)
    this.#disabled = config.settings.disabled
    this.#board = new StateBoard(this.#resting(), (state) => events.state(state), options.hide)
    this.#loops = new UserLoops(options.breaker, (words) => this.#board.ail('loop', words))
    this.#pool = new ConnectionPool({
      idleMs: options.idleMs ?? IDLE_MS,
      isKept: ({ wish }) => isOwn(wish) && !this.#config.settings.lazy,
      ended: ({ key }) => {
        this.#admitted.delete(key)
        if (this.#pool.size === 0 && ['ready', 'degraded'].includes(this.#board.plain.state)) this.#rest()
      },
    })
  }

  get config(): ServerConfig {
    return this.#config
  }

  get state(): UpstreamState {
    return this.#board.shown
  }

  view(): UpstreamView {
    const client = this.#pool.best?.client
    return createView({
      config: this.#config,
      state: this.#board.shown,
      client,
      process: client?.process ?? this.#process,
      gate: this.#gate,
      connections: this.#pool.standing,
    })
  }

  /** Connects for the host itself unless the server is lazy or disabled. Never rejects: the state tells. */
  start(): void {
    if (!this.#disabled && !this.#config.settings.lazy) void this.client({}).catch(() => {})
  }

  async client(wish: ClientWish): Promise<Client> {
    const full = this.#complete(wish)
    const key = poolKey(full, this.#config.settings.shareable)
    const existing = this.#pool.get(key)
    if (existing !== undefined) {
      existing.use(full.questions)
      return abortable(existing.ready, wish.signal)
    }
    this.#refuse()
    const loop = isOwn(full) ? undefined : this.#loops.refusal(full)
    if (loop !== undefined) throw toUnavailable(this.#config.name, loop)
    return abortable(this.#open(key, full).ready, wish.signal)
  }

  async release(wish: Pick<ClientWish, 'principal' | 'session'>): Promise<void> {
    await this.#pool.release(wish)
  }

  /** Takes another configuration that means the same connection. */
  reconfigure(config: ServerConfig): void {
    const { disabled, roots, logLevel } = this.#config.settings
    this.#config = config
    this.#gate.limits = config.settings
    if (!isDeepStrictEqual(config.settings.roots, roots)) this.#tellOwn((one) => one.tellRoots())
    if (config.settings.logLevel !== logLevel) this.#tellOwn((one) => one.askForLogs(config.settings.logLevel))
    if (config.settings.disabled !== disabled) void (config.settings.disabled ? this.disable() : this.enable())
  }

  /** What a connection of the host's own is told of new settings; one that is lost meanwhile gets them when it is back. */
  #tellOwn(tell: (connection: UpstreamConnection) => Promise<void>): void {
    const questions = this.#options.questions?.(this.#config)
    for (const connection of this.#pool.own) {
      connection.use(questions)
      void connection.ready.then(() => tell(connection)).catch(() => {})
    }
  }

  enable(): void {
    if (!this.#disabled) return
    this.#disabled = false
    this.#rest()
    this.start()
  }

  async disable(): Promise<void> {
    this.#disabled = true
    await this.#dropAll()
    this.#rest()
  }

  /** Begins anew, as after a repair: counts and refusals from before are forgotten. */
  async restart(): Promise<void> {
    await this.#dropAll()
    this.#admitted.clear()
    this.#breaker.reset()
    this.#loops.reset()
    this.#hopelessUntil = 0
    this.ail('flood', undefined)
    if (this.#disabled || this.#closed) return
    if (this.#config.settings.lazy) this.#rest()
    await this.client({}).catch(() => {})
  }

  /** Notes what is wrong with it although it is connected; undefined takes it back. */
  ail(ailment: Ailment, words: AilmentWords | undefined): void {
    this.#board.ail(ailment, words)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#dropAll()
    await this.#pool.close()
    this.#loops.close()
    this.#board.close()
  }

  /** Throws when no attempt to connect may be made now. */
  #refuse(): void {
    const now = Date.now()
    const isHopeless = now < this.#hopelessUntil
    const isFar = this.#breaker.retryAt - now > PATIENCE_MS
    // With the circuit open everything was ended: what is there now is the probe, and one is enough.
    const isProbed = this.#breaker.isHalfOpen && this.#pool.size > 0
    if (!this.#closed && !this.#disabled && !isHopeless && !isFar && !isProbed) return
    if (this.#closed) throw new HostError('closed', `"${this.#config.name}" is no longer connected`)
    throw toUnavailable(this.#config.name, this.#board.shown)
  }

  /** Whoever brings no answers of their own has the host's; what is shared is the host's own connection. */
  #complete(wish: ClientWish): ClientWish {
    if (wish.questions !== undefined) return wish
    const whose = isOwn(wish) || this.#config.settings.shareable ? {} : wish
    const questions = this.#options.questions?.(this.#config)
    return questions === undefined ? whose : { ...whose, questions }
  }

  #open(key: string, wish: ClientWish): UpstreamConnection {
    const id = `${this.#config.name}#${++this.#counter}`
    const connection: UpstreamConnection = new UpstreamConnection({
      id,
      key,
      wish,
      config: this.#config,
      gate: this.#gate,
      telemetry: this.#options.telemetry,
      info: this.#options.info,
      verdicts: this.#verdicts,
      events: this.#eventsOf(() => connection, id),
      tap: {
        isOn: () => this.#events.isTapped(),
        message: (...message) => this.#events.tap(id, ...message),
        lost: (...request) => this.#events.lost(id, ...request),
      },
    })
    this.#pool.add(connection)
    clearTimeout(this.#retryTimer)
    connection.ready = this.#establish(connection, this.#breaker.retryAt - Date.now()).catch((error) => {
      throw this.#attemptFailed(connection, error)
    })
    connection.ready.catch(() => {})
    return connection
  }

  async #establish(connection: UpstreamConnection, waitMs: number): Promise<Client> {
    const { wish, key } = connection
    const { signal } = connection.ending
    if (waitMs > 0) await pause(waitMs, signal)
    if (this.#options.admit !== undefined && !this.#admitted.has(key)) {
      this.#showStarting(wish, 'Waits for permission to connect.')
      await abortable(this.#options.admit(this.#config, wish), signal)
      this.#admitted.add(key)
    }
    this.#showStarting(wish)
    const { startMs } = this.#config.settings
    const { target, options = {} } = await abortable(within(this.#target(wish), startMs), signal)
    const client = await connection.open(target, options, isOwn(wish))
    if (signal.aborted) {
      await client.close()
      throw new HostError('closed', 'The connection was ended while it was being made')
    }
    this.#stands(connection)
    return client
  }

  async #target(wish: ClientWish): Promise<ResolvedTarget> {
    const { target } = this.#config
    const make = target.kind === 'in-process' ? this.#options.inProcess?.get(target.module) : undefined
    if (target.kind !== 'in-process' || make === undefined) {
      const resolved = await (this.#options.resolve ?? resolvePlainly)(this.#config, wish)
      await requireProgram(resolved.target)
      return resolved
    }
    this.#local ??= make(target.options)
    this.#local.catch(() => {
      this.#local = undefined
    })
    return { target: (await this.#local).server }
  }

  #eventsOf(connection: () => UpstreamConnection, id: string): ConnectionEvents {
    const isCurrent = () => this.#pool.has(connection())
    return {
      lost: (error) => isCurrent() && this.#lost(connection(), error),
      restored: () => isCurrent() && this.#stands(connection()),
      changed: (kind) => this.#events.changed(kind),
      logged: ({ level, logger, data }) => {
        const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '')
        this.#events.log(id, 'message', logger === undefined ? text : `${logger}: ${text}`, level)
      },
      stderr: (line) => this.#events.log(id, 'stderr', line),
      warned: ({ kind, message }) => {
        if (kind === 'notifications-dropped') this.#board.flooded()
        this.#events.log(id, 'warning', message)
      },
      process: (process) => {
        this.#process = process
        this.#events.started(process)
      },
      answered: () => {
        if (this.#board.plain.state === 'degraded' && this.#pool.isWhole) this.#stands(connection())
      },
      faulted: (error) => {
        if (isCurrent() && connection().standing) this.#faulted(connection(), error)
      },
      unanswered: (afterMs) => {
        // Who cancels early learns nothing about the server.
        if (isCurrent() && afterMs >= 0.9 * this.#config.settings.callMs) void this.#probe(connection())
      },
    }
  }

  /** A connection is there, for the first time or again. */
  #stands({ wish }: UpstreamConnection): void {
    this.#breaker.succeeded()
    this.#hopelessUntil = 0
    this.#board.show({ state: 'ready' })
    if (!isOwn(wish)) {
      this.#loops.stands(wish)
      // It may have been the probe; the host's own connection follows.
      this.start()
      return
    }
    for (const kind of ['tools', 'resources', 'prompts'] as const) this.#events.changed(kind)
  }

  /** Making a connection failed. Returns what the callers are told. */
  #attemptFailed(connection: UpstreamConnection, error: unknown): HostError {
    const wasCurrent = this.#pool.forget(connection)
    if (connection.ending.signal.aborted || !wasCurrent) {
      return new HostError('closed', `The connection to "${this.#config.name}" was ended`, { cause: error })
    }
    const failure = this.#explain(error)
    if (!failure.retries && !isOwn(connection.wish)) {
      // That one user may not use it says nothing about the server.
      if (this.#pool.size === 0 && this.#config.settings.lazy) this.#rest()
      return toUnavailable(this.#config.name, failure, error)
    }
    if (failure.retries && !isOwn(connection.wish) && this.#pool.best !== undefined) {
      // The server is well for others: only this user cannot connect.
      this.#loops.failed(connection.wish, failure)
      return toUnavailable(this.#config.name, this.#loops.refusal(connection.wish) ?? failure, error)
    }
    if (failure.retries) this.#failed(failure, 'failed')
    else this.#giveUp(failure)
    return toUnavailable(this.#config.name, this.#board.plain, error)
  }

  #lost(connection: UpstreamConnection, error: unknown): void {
    const failure = this.#explain(error)
    const reason = `The connection was lost: ${failure.reason}`
    const remedy = 'It is restored by itself.'
    if (isOwn(connection.wish)) {
      if (!this.#failed({ ...failure, reason, remedy }, 'degraded')) this.#restoreLater(connection)
      return
    }
    // What one user's calls do to their connection must not end the others'.
    if (this.#loops.failed(connection.wish, failure)) void this.#pool.end(connection)
    if (this.#pool.best === undefined) {
      this.#board.show({ state: 'degraded', reason, remedy })
    }
  }

  /** A request failed in a way that says something about the server. */
  #faulted(connection: UpstreamConnection, error: unknown): void {
    const failure = this.#explain(error)
    if (failure.state === 'needs-sign-in') {
      if (isOwn(connection.wish)) this.#giveUp(failure)
      void this.#pool.end(connection)
    } else {
      this.#failed(failure, 'degraded')
    }
  }

  /** Counts a failure and shows it. True when that was one too many and everything has been ended. */
  #failed(failure: Failure, state: 'failed' | 'degraded'): boolean {
    const opened = this.#breaker.failed()
    const { count } = this.#breaker
    // A lazy server is not connected to before somebody wants it.
    const retryAt = this.#config.settings.lazy && (opened || state === 'failed') ? undefined : this.#breaker.retryAt
    const { reason, remedy } = opened && count > 1 ? explainLoop(count, failure) : failure
    this.#board.show({ state: opened ? 'failed' : state, reason, remedy, retryAt })
    if (opened) void this.#dropAll(true)
    if (opened || state === 'failed') this.#retryLater()
    return opened
  }

  #giveUp({ state, reason, remedy }: Failure): void {
    this.#hopelessUntil = Date.now() + HOPELESS_MS
    this.#board.show({ state, reason, remedy })
  }

  /** Connects again for the host itself, if it wants to be connected without being asked. */
  #retryLater(): void {
    clearTimeout(this.#retryTimer)
    if (this.#closed || this.#disabled || this.#config.settings.lazy) return
    const waitMs = Math.max(0, this.#breaker.retryAt - Date.now())
    this.#retryTimer = setTimeout(() => this.start(), waitMs + 1)
    this.#retryTimer.unref()
  }

  /** Has the client connect again, after a pause. Its own losses and successes come as events. */
  #restoreLater(connection: UpstreamConnection): void {
    const { signal } = connection.ending
    const restore = async (): Promise<void> => {
      await pause(Math.max(0, this.#breaker.retryAt - Date.now()), signal)
      await connection.client?.ready()
    }
    void restore().catch((error) => {
      if (signal.aborted || !this.#pool.has(connection)) return
      const failure = this.#explain(error)
      if (!failure.retries) {
        this.#giveUp(failure)
        void this.#pool.end(connection)
      } else if (!this.#failed(failure, 'degraded')) {
        this.#restoreLater(connection)
      }
    })
  }

  /** A request was given up and nothing else came: asks whether anybody is there. */
  async #probe(connection: UpstreamConnection): Promise<void> {
    if (this.#probing || !connection.standing) return
    this.#probing = true
    const pingMs = this.#options.pingMs ?? PING_MS
    try {
      await connection.client?.ping({ timeoutMs: pingMs })
    } catch {
      if (!this.#pool.has(connection) || !connection.standing) return
      if (connection.isBusy) {
        // It may be at work on something else; that call's own time will tell.
        const reason = 'It does not answer at the moment, with other calls under way.'
        this.#board.show({ state: 'degraded', reason, remedy: 'Wait, or restart it.' })
        return
      }
      void this.#pool.end(connection)
      if (!isOwn(connection.wish)) return
      const reason = `It no longer answers: a call was given up, and a ping got no answer within ${pingMs} ms.`
      this.#failed({ state: 'failed', reason, remedy: 'It is started again by itself.', retries: true }, 'failed')
    } finally {
      this.#probing = false
    }
  }

  #explain(error: unknown): Failure {
    return explainFailure(error, { config: this.#config, stderr: this.#process?.stderrTail() ?? '' })
  }

  async #dropAll(keepsLocal = false): Promise<void> {
    clearTimeout(this.#retryTimer)
    const local = this.#local
    if (!keepsLocal) this.#local = undefined
    await this.#pool.endAll()
    if (!keepsLocal) await local?.then((one) => one.close?.()).catch(() => {})
  }

  #resting(): PlainState {
    if (this.#disabled) return { state: 'disabled', reason: 'It is switched off.', remedy: 'Enable it to use it.' }
    return this.#config.settings.lazy ? { state: 'idle' } : { state: 'starting' }
  }

  #rest(): void {
    this.#board.show(this.#resting())
  }

  /** What one user waits for is not the state of the server, unless nothing else is known of it. */
  #showStarting(wish: ClientWish, reason?: string): void {
    const isNews = isOwn(wish) || this.#board.plain.state === 'idle'
    if (isNews && this.#pool.best === undefined) this.#board.show({ state: 'starting', reason })
  }
}
