/**
 * Supervises one configured server: its connections, its state in words, and what happens when something fails. Nothing
 * here knows of any other server; `upstreams.ts` holds one of these for each and passes on what they report.
 */

import { isDeepStrictEqual } from 'node:util'
import type { Client, ConnectOptions, ProcessView } from '@portico/sdk/client'
import type { ServerConfig } from '../config/server-config.ts'
import { HostError } from '../errors.ts'
import { createView } from './catalogue/view.ts'
import { Attempts } from './connection/attempts.ts'
import { type ConnectionEvents, isOwn, UpstreamConnection } from './connection/connection.ts'
import { ConnectionPool, poolKey } from './connection/connection-pool.ts'
import { RequestLimiter } from './connection/request-limiter.ts'
import { Retry } from './connection/retry.ts'
import { abortable } from './connection/waiting.ts'
import {
  type Degradation,
  type DegradationWords,
  type PlainState,
  ServerStatus,
  toUnavailable,
} from './server-status.ts'
import type { SupervisionEvents, SupervisionOptions } from './supervision.ts'
import type { ConnectionRequest, UpstreamState, UpstreamView } from './upstream.ts'

const IDLE_MS = 300_000

export class SupervisedServer {
  readonly #options: SupervisionOptions
  readonly #events: SupervisionEvents
  readonly #negotiations: NonNullable<ConnectOptions['negotiations']>
  readonly #limiter: RequestLimiter
  readonly #status: ServerStatus
  readonly #pool: ConnectionPool
  readonly #attempts: Attempts
  readonly #retry: Retry
  #config: ServerConfig
  #disabled: boolean
  #closed = false
  #counter = 0
  #process: ProcessView | undefined
  #answering: { readonly config: ServerConfig; readonly questions: ConnectionRequest['questions'] } | undefined

  constructor(
    config: ServerConfig,
    options: SupervisionOptions,
    negotiations: NonNullable<ConnectOptions['negotiations']>,
    events: SupervisionEvents,
  ) {
    this.#config = config
    this.#options = options
    this.#events = events
    this.#negotiations = negotiations
    this.#limiter = new RequestLimiter(config.name, config.settings)
    this.#disabled = config.settings.disabled
    this.#status = new ServerStatus(this.#resting(), (state) => events.state(state), options.hide)
    this.#pool = new ConnectionPool({
      idleMs: options.idleMs ?? IDLE_MS,
      isKept: ({ request }) => isOwn(request) && !this.#config.settings.lazy,
      ended: ({ key }) => {
        this.#attempts.revoke(key)
        if (this.#pool.size === 0 && ['ready', 'degraded'].includes(this.#status.plain.state)) this.#rest()
      },
    })
    this.#attempts = new Attempts({
      options,
      config: () => this.#config,
      starting: (request, awaits) => this.#showStarting(request, awaits),
      explain: (error) => this.#retry.reasonOf(error),
      connected: (connection) => this.#stands(connection),
    })
    this.#retry = new Retry({
      options,
      status: this.#status,
      pool: this.#pool,
      config: () => this.#config,
      stderr: () => this.#process?.stderrTail() ?? '',
      startsItself: () => this.#startsItself && !this.#closed,
      start: () => this.start(),
      rest: () => this.#rest(),
    })
  }

  get config(): ServerConfig {
    return this.#config
  }

  get state(): UpstreamState {
    return this.#status.shown
  }

  view(): UpstreamView {
    const client = this.#pool.best?.client
    return createView({
      config: this.#config,
      state: this.#status.shown,
      client,
      process: client?.process ?? this.#process,
      limiter: this.#limiter,
      connections: this.#pool.standingCount,
    })
  }

  /** Connects for the host itself unless the server is lazy or disabled. Never rejects: the state tells. */
  start(): void {
    if (this.#startsItself) void this.client({}).catch(() => {})
  }

  /** The client for a request that brings its own answers, where there is one now. */
  standing(request: ConnectionRequest): Client | undefined {
    const existing = this.#pool.standing(request, this.#config.settings.shareable)
    existing?.use(request.questions)
    return existing?.client
  }

  async client(request: ConnectionRequest): Promise<Client> {
    const full = this.#complete(request)
    const key = poolKey(full, this.#config.settings.shareable)
    const existing = this.#pool.get(key)
    if (existing !== undefined) {
      existing.use(full.questions)
      return abortable(existing.ready, request.signal)
    }
    if (this.#closed) throw new HostError('closed', `"${this.#config.name}" is no longer connected`)
    const refusal = this.#disabled ? this.#status.shown : this.#retry.refusal(full)
    if (refusal !== undefined) throw toUnavailable(this.#config.name, refusal)
    return abortable(this.#open(key, full).ready, request.signal)
  }

  async release(request: Pick<ConnectionRequest, 'principal' | 'session'>): Promise<void> {
    await this.#pool.release(request)
  }

  /** Takes another configuration that means the same connection. */
  reconfigure(config: ServerConfig): void {
    const { disabled, roots, logLevel } = this.#config.settings
    this.#config = config
    this.#limiter.limits = config.settings
    if (!isDeepStrictEqual(config.settings.roots, roots)) this.#tellOwn((one) => one.tellRoots())
    if (config.settings.logLevel !== logLevel) this.#tellOwn((one) => one.askForLogs(config.settings.logLevel))
    if (config.settings.disabled !== disabled) void (config.settings.disabled ? this.disable() : this.enable())
  }

  /** What a connection of the host's own is told of new settings; one that is lost meanwhile gets them when it is back. */
  #tellOwn(tell: (connection: UpstreamConnection) => Promise<void>): void {
    const questions = this.#ownQuestions()
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
    this.#attempts.revokeAll()
    this.#retry.reset()
    this.degrade('flood', undefined)
    if (this.#disabled || this.#closed) return
    if (this.#config.settings.lazy) this.#rest()
    await this.client({}).catch(() => {})
  }

  /** Notes what is wrong with it although it is connected; undefined takes it back. */
  degrade(degradation: Degradation, words: DegradationWords | undefined): void {
    this.#status.degrade(degradation, words)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#dropAll()
    await this.#pool.close()
    this.#retry.close()
    this.#status.close()
  }

  /** Whether it is connected without being asked for. */
  get #startsItself(): boolean {
    return !this.#disabled && !this.#config.settings.lazy
  }

  /** Whoever brings no answers of their own has the host's; what is shared is the host's own connection. */
  #complete(request: ConnectionRequest): ConnectionRequest {
    if (request.questions !== undefined) return request
    const whose = isOwn(request) || this.#config.settings.shareable ? {} : request
    const questions = this.#ownQuestions()
    return questions === undefined ? whose : { ...whose, questions }
  }

  /** The host's own answers, made once for each configuration. */
  #ownQuestions(): ConnectionRequest['questions'] {
    if (this.#answering?.config !== this.#config) {
      this.#answering = { config: this.#config, questions: this.#options.questions?.(this.#config) }
    }
    return this.#answering.questions
  }

  #open(key: string, request: ConnectionRequest): UpstreamConnection {
    const id = `${this.#config.name}#${++this.#counter}`
    const connection: UpstreamConnection = new UpstreamConnection({
      id,
      key,
      request,
      config: this.#config,
      limiter: this.#limiter,
      telemetry: this.#options.telemetry,
      info: this.#options.info,
      negotiations: this.#negotiations,
      events: this.#eventsOf(() => connection, id),
      tap: {
        isOn: this.#events.isTapped,
        message: (...message) => this.#events.tap(id, ...message),
        lost: (...request) => this.#events.lost(id, ...request),
      },
    })
    this.#pool.add(connection)
    this.#retry.cancel()
    connection.ready = this.#attempts.connect(connection, this.#retry.waitMs).catch((error) => {
      throw this.#retry.attemptFailed(connection, error)
    })
    connection.ready.catch(() => {})
    return connection
  }

  #eventsOf(connection: () => UpstreamConnection, id: string): ConnectionEvents {
    const isCurrent = () => this.#pool.has(connection())
    return {
      lost: (error) => isCurrent() && this.#retry.lost(connection(), error),
      restored: () => isCurrent() && this.#stands(connection()),
      changed: (kind) => this.#events.changed(kind),
      logged: ({ level, logger, data }) => {
        const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '')
        this.#events.log(id, 'message', logger === undefined ? text : `${logger}: ${text}`, level)
      },
      stderr: (line) => this.#events.log(id, 'stderr', line),
      warned: ({ kind, message }) => {
        if (kind === 'notifications-dropped') this.#status.flooded()
        this.#events.log(id, 'warning', message)
      },
      process: (process) => {
        this.#process = process
        this.#events.started(process)
      },
      answered: () => {
        if (this.#status.plain.state === 'degraded' && this.#pool.isWhole) this.#stands(connection())
      },
      faulted: (error) => {
        if (isCurrent() && connection().standing) this.#retry.faulted(connection(), error)
      },
      unanswered: (afterMs) => {
        // Who cancels early learns nothing about the server.
        if (isCurrent() && afterMs >= 0.9 * this.#config.settings.callMs) void this.#retry.probe(connection())
      },
    }
  }

  /** A connection is there, for the first time or again. */
  #stands({ request }: UpstreamConnection): void {
    this.#retry.succeeded(request)
    this.#status.show({ state: 'ready' })
    if (!isOwn(request)) {
      // It may have been the probe; the host's own connection follows.
      this.start()
      return
    }
    for (const kind of ['tools', 'resources', 'prompts'] as const) this.#events.changed(kind)
  }

  async #dropAll(): Promise<void> {
    this.#retry.cancel()
    const closeLocal = this.#attempts.dropLocal()
    await this.#pool.endAll()
    await closeLocal()
  }

  #resting(): PlainState {
    if (this.#disabled) return { state: 'disabled', reason: 'It is switched off.', remedy: 'Enable it to use it.' }
    return this.#config.settings.lazy ? { state: 'idle' } : { state: 'starting' }
  }

  #rest(): void {
    this.#status.show(this.#resting())
  }

  /** What one user waits for is not the state of the server, unless nothing else is known of it. */
  #showStarting(request: ConnectionRequest, awaits?: 'permission'): void {
    const isNews = isOwn(request) || this.#status.plain.state === 'idle'
    if (!isNews || this.#pool.best !== undefined) return
    const waiting = awaits === undefined ? {} : { awaits, reason: 'Waits for permission to connect.' }
    this.#status.show({ state: 'starting', ...waiting })
  }
}
