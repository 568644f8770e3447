/**
 * The client as its user sees it: a thin façade over the features beside this file. `connect/` makes one around a
 * connector; from then on it keeps itself connected and turns method calls into requests.
 */

import { PorticoError } from '../jsonrpc/errors.ts'
import type { JsonObject, RpcNotification, RpcRequest } from '../jsonrpc/message.ts'
import type { CompleteParams, CompleteResult } from '../protocol/completion.ts'
import type { LogLevel } from '../protocol/logging.ts'
import type { GetPromptResult, Prompt } from '../protocol/prompts.ts'
import type { ReadResourceResult, Resource, ResourceTemplate } from '../protocol/resources.ts'
import type { ProtocolVersion, Revision } from '../protocol/revision.ts'
import type { SubscriptionFilter } from '../protocol/subscriptions.ts'
import type { CallToolResult, Tool } from '../protocol/tools.ts'
import { CachedResults, createMemoryCache } from './cache.ts'
import { readCompletion } from './completion.ts'
import type { ClientProfile, Connection, Connector, ServerDescription, Verdict } from './connection.ts'
import { type ChangeNotice, type ClientEvent, type ClientEvents, Emitter } from './events.ts'
import { Intake } from './intake.ts'
import { Lifeline } from './lifeline.ts'
import type { ProcessView } from './link.ts'
import {
  CLIENT_LIMITS,
  CLIENT_TIMEOUTS,
  type ClientLimits,
  type ClientOptions,
  type ClientTimeouts,
  DEFAULT_INFO,
  type RequestOptions,
} from './options.ts'
import { collect, type ListKind, readPages } from './pages.ts'
import type { PeerEvents } from './peer.ts'
import { PROMPTS, readPrompt } from './prompts.ts'
import { Questions } from './questions.ts'
import { type RequestSpec, Requests } from './requests.ts'
import { RESOURCE_TEMPLATES, RESOURCES, readContents } from './resources.ts'
import type { RootsSource } from './roots.ts'
import { runRounds } from './rounds.ts'
import { type Subscription, Subscriptions } from './subscriptions.ts'
import { createToolCaller, type ToolCaller } from './tool-caller.ts'
import { KnownTools } from './tools.ts'

export class Client<S = unknown> {
  /** The server's tools as functions. A result that reports a failure is thrown as `tool-error`. */
  readonly tools: ToolCaller<S> = createToolCaller<S>(
    (name, args, options) => this.callTool(name, args, options),
    () => this.revision.traits.structuredContent,
  )
  readonly #emitter = new Emitter()
  readonly #timeouts: ClientTimeouts
  readonly #limits: ClientLimits
  readonly #profile: ClientProfile
  readonly #label: string
  readonly #questions: Questions
  readonly #lifeline: Lifeline
  readonly #requests: Requests
  readonly #known = new KnownTools(this.#emitter)
  readonly #cached: CachedResults
  readonly #subscriptions: Subscriptions
  readonly #intake: Intake
  #last: Connection | undefined
  #logLevel: LogLevel | undefined
  #listening: Promise<Subscription | undefined> | undefined

  constructor(connector: Connector, options: ClientOptions = {}) {
    this.#timeouts = { ...CLIENT_TIMEOUTS, ...options.timeouts }
    this.#limits = { ...CLIENT_LIMITS, ...options.limits }
    this.#label = connector.label
    this.#questions = new Questions(options)
    this.#profile = { info: options.info ?? DEFAULT_INFO, capabilities: this.#questions.capabilities }
    this.#lifeline = new Lifeline(
      connector,
      this.#profile,
      (closed) => this.#peerEvents(closed),
      { connected: (connection, again) => this.#connected(connection, again), lost: (error) => this.#lost(error) },
      { connectMs: this.#timeouts.connectMs },
    )
    this.#requests = new Requests(this.#lifeline, this.#profile)
    this.#logLevel = options.logLevel
    this.#requests.logLevel = options.logLevel
    const cache = options.cache === false ? undefined : (options.cache ?? createMemoryCache())
    this.#cached = new CachedResults(cache, connector.label, options.cacheIdentity ?? crypto.randomUUID())
    this.#subscriptions = new Subscriptions(this.#requests, this.#lifeline, this.#emitter, {
      acknowledgeMs: this.#timeouts.readMs,
    })
    this.#intake = new Intake(
      this.#emitter,
      { changed: (change, params) => this.#changed(change, params), own: (message) => this.#own(message) },
      this.#limits.notificationsPerSecond,
    )
  }

  /** Connects, unless that has happened. Every request does so by itself. */
  async ready(): Promise<this> {
    await this.#lifeline.ready()
    return this
  }

  /** What the server says of itself: name and version for display, capabilities, instructions. */
  get server(): ServerDescription {
    return this.#connection.server
  }

  get revision(): Revision {
    return this.#connection.revision
  }

  get version(): ProtocolVersion {
    return this.#connection.revision.version
  }

  /** What was found out while connecting; give it to `connect` as `prior` to save the probing next time. */
  get verdict(): Verdict {
    return this.#connection.verdict
  }

  /** The child process, where the server is one. */
  get process(): ProcessView | undefined {
    return this.#last?.peer.link.process
  }

  async callTool(name: string, args: JsonObject = {}, options: RequestOptions = {}): Promise<CallToolResult> {
    const { callMs, ceilingMs } = this.#timeouts
    const { result } = await this.#ask(
      {
        method: 'tools/call',
        params: { name, arguments: args },
        timeoutMs: callMs,
        ceilingMs,
        headers: (connection) => this.#known.headersFor(name, args, connection),
        refreshHeaders: () => this.#refreshTools(options),
      },
      options,
    )
    return this.#known.readResult(name, result)
  }

  /** All tools. Those whose definition is not valid are left out, with a `warning`. */
  listTools(options?: RequestOptions): Promise<Tool[]> {
    return collect(this.toolPages(options))
  }

  async *toolPages(options?: RequestOptions): AsyncGenerator<Tool[], void, void> {
    await this.#lifeline.ready()
    yield* this.#pages(this.#known.listKind(this.#lifeline.current), options)
  }

  listResources(options?: RequestOptions): Promise<Resource[]> {
    return collect(this.resourcePages(options))
  }

  resourcePages(options?: RequestOptions): AsyncGenerator<Resource[], void, void> {
    return this.#pages(RESOURCES, options)
  }

  listResourceTemplates(options?: RequestOptions): Promise<ResourceTemplate[]> {
    return collect(this.resourceTemplatePages(options))
  }

  resourceTemplatePages(options?: RequestOptions): AsyncGenerator<ResourceTemplate[], void, void> {
    return this.#pages(RESOURCE_TEMPLATES, options)
  }

  async readResource(uri: string, options: RequestOptions = {}): Promise<ReadResourceResult> {
    const spec = { method: 'resources/read', params: { uri }, timeoutMs: this.#timeouts.readMs }
    return readContents(uri, await this.#cached.through('resources/read', uri, () => this.#ask(spec, options)))
  }

  listPrompts(options?: RequestOptions): Promise<Prompt[]> {
    return collect(this.promptPages(options))
  }

  promptPages(options?: RequestOptions): AsyncGenerator<Prompt[], void, void> {
    return this.#pages(PROMPTS, options)
  }

  async getPrompt(
    name: string,
    args?: { readonly [name: string]: string },
    options: RequestOptions = {},
  ): Promise<GetPromptResult> {
    const params = args === undefined ? { name } : { name, arguments: args }
    const { result } = await this.#ask({ method: 'prompts/get', params, timeoutMs: this.#timeouts.readMs }, options)
    return readPrompt(name, result)
  }

  async complete(params: CompleteParams, options: RequestOptions = {}): Promise<CompleteResult> {
    const { revision } = await this.#lifeline.ready()
    const timeoutMs = this.#timeouts.readMs
    const spec = { method: 'completion/complete', params: revision.writeCompleteParams(params), timeoutMs }
    return readCompletion(await this.#requests.send(spec, options))
  }

  /** Asks for log messages of at least this level, now and after every reconnection. */
  async setLogLevel(level: LogLevel): Promise<void> {
    this.#logLevel = level
    this.#requests.logLevel = level
    const { revision } = await this.#lifeline.ready()
    if (revision.era === 'legacy') await this.#sendLogLevel(level)
  }

  /** Makes sure that the server answers. Modern servers have no ping and are asked for their description. */
  async ping(options: RequestOptions = {}): Promise<void> {
    const { revision } = await this.#lifeline.ready()
    const method = revision.era === 'legacy' ? 'ping' : 'server/discover'
    await this.#requests.send({ method, params: {}, timeoutMs: this.#timeouts.listMs }, options)
  }

  /** Reports changes of a resource, or of everything in a filter, until closed, over reconnections too. */
  subscribe(what: string | SubscriptionFilter, callback?: (change: ChangeNotice) => void): Promise<Subscription> {
    return this.#subscriptions.add(typeof what === 'string' ? { resourceSubscriptions: [what] } : what, callback)
  }

  /** Sends any request, for extensions. Multi-round input is answered where the method may ask for it. */
  async request(method: string, params: JsonObject = {}, options: RequestOptions = {}): Promise<JsonObject> {
    const { callMs, ceilingMs } = this.#timeouts
    return (await this.#ask({ method, params, timeoutMs: callMs, ceilingMs }, options)).result
  }

  /** Offers other roots from now on, and tells a server that can be told. Needs `roots` when the client is made. */
  async setRoots(roots: RootsSource): Promise<void> {
    if (!this.#questions.offersRoots) {
      throw new PorticoError('invalid-definition', 'The client was made without roots and has not declared them')
    }
    this.#questions.roots = roots
    const connection = this.#lifeline.current
    if (connection?.revision.era === 'legacy') await connection.peer.notify('notifications/roots/list_changed')
  }

  /** Adds a listener; the function that comes back removes it. The first one to `change` asks the server for notices. */
  on<E extends ClientEvent>(event: E, listener: (value: ClientEvents[E]) => void): () => void {
    const remove = this.#emitter.on(event, listener)
    if (event === 'change') this.#listen()
    return remove
  }

  async close(): Promise<void> {
    if (this.#lifeline.closed) return
    this.#subscriptions.closeAll()
    this.#intake.close()
    await this.#lifeline.close()
    this.#emitter.emit('close', undefined)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  get #connection(): Connection {
    if (this.#last === undefined) throw new PorticoError('closed', 'The client is not connected yet')
    return this.#last
  }

  #ask(spec: RequestSpec, options: RequestOptions) {
    return runRounds(
      spec.params,
      (params) => this.#requests.send(params === spec.params ? spec : { ...spec, params }, options),
      (method, params, signal, required) => this.#answer(method, params, signal, required),
      { ...this.#limits, signal: options.signal },
    )
  }

  #answer(method: string, params: JsonObject, signal: AbortSignal, required?: boolean): Promise<JsonObject> {
    const { revision, server } = this.#connection
    const context = { server: server.info, label: this.#label, signal, required }
    return this.#questions.answer(method, params, revision, context)
  }

  #pages<Item>(kind: ListKind<Item>, options: RequestOptions = {}): AsyncGenerator<Item[], void, void> {
    const load = (cursor: string | undefined) => {
      const params = cursor === undefined ? {} : { cursor }
      return this.#cached.through(kind.method, cursor ?? '', async () => {
        const spec = { method: kind.method, params, timeoutMs: this.#timeouts.listMs }
        return { result: await this.#requests.send(spec, options), asked: false }
      })
    }
    return readPages(kind, load, this.#limits, this.#emitter)
  }

  async #refreshTools(options: RequestOptions): Promise<void> {
    await this.#cached.invalidate({ kind: 'tools' })
    await this.listTools({ signal: options.signal })
  }

  #sendLogLevel(level: LogLevel): Promise<unknown> {
    return this.#requests.send({ method: 'logging/setLevel', params: { level }, timeoutMs: this.#timeouts.listMs })
  }

  #peerEvents(closed: (error: PorticoError) => void): PeerEvents {
    return {
      closed,
      request: (message, signal) => this.#asked(message, signal),
      notification: (message) => this.#intake.take(message),
      irregular: (message, subject) => this.#emitter.emit('warning', { kind: 'irregular', message, subject }),
    }
  }

  /** A live request of the server's. Modern servers have no business sending one (sec-9, sec-41). */
  async #asked({ method, params = {} }: RpcRequest, signal: AbortSignal): Promise<JsonObject> {
    if (method === 'ping') return {}
    return this.#answer(method, params, signal)
  }

  #connected(connection: Connection, again: boolean): void {
    this.#last = connection
    const { link } = connection.peer
    link.process?.onStderr((text) => this.#emitter.emit('stderr', text))
    if (connection.revision.era === 'legacy') {
      if (this.#questions.offersAny || this.#emitter.has('change')) link.listen()
      if (this.#logLevel !== undefined && connection.server.capabilities.logging !== undefined) {
        void this.#sendLogLevel(this.#logLevel).catch(() => {})
      }
    }
    if (!again) return
    // What changed while nobody was connected is not known, so nothing from before counts.
    for (const kind of ['tools', 'prompts', 'resources'] as const) void this.#cached.invalidate({ kind })
    this.#emitter.emit('reconnect', { attempt: 1 })
  }

  #lost(error: PorticoError): void {
    this.#subscriptions.lost()
    this.#emitter.emit('disconnect', error)
  }

  #changed(change: ChangeNotice, params: JsonObject | undefined): void {
    void this.#cached.invalidate(change)
    this.#subscriptions.changed(change, params)
  }

  #own(message: RpcNotification): boolean {
    if (message.method === 'notifications/elicitation/complete') {
      this.#questions.completions.complete(message.params?.elicitationId)
      return true
    }
    return this.#subscriptions.own(message)
  }

  /** Opens what carries list changes, once, when somebody wants to hear of them. */
  #listen(): void {
    this.#listening ??= this.#lifeline.ready().then(
      ({ revision, server, peer }) => {
        if (revision.era === 'legacy') {
          peer.link.listen()
          return undefined
        }
        const { tools, prompts, resources } = server.capabilities
        const filter: SubscriptionFilter = {
          ...(tools?.listChanged && { toolsListChanged: true }),
          ...(prompts?.listChanged && { promptsListChanged: true }),
          ...(resources?.listChanged && { resourcesListChanged: true }),
        }
        return Object.keys(filter).length > 0 ? this.#subscriptions.add(filter).catch(() => undefined) : undefined
      },
      () => {
        this.#listening = undefined
        return undefined
      },
    )
  }
}
