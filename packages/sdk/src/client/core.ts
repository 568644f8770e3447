/**
 * What runs inside a client: the connection, the path of requests out, of questions and notices in. `client.ts` gives it
 * the shape its user sees; the features beside it do the work of one kind each.
 */

import { METHOD_NOT_FOUND, PorticoError, RpcError } from '../jsonrpc/errors.ts'
import { withoutUndefined } from '../jsonrpc/members.ts'
import { isObject, type JsonObject, type RpcNotification, type RpcRequest } from '../jsonrpc/message.ts'
import { withinTimers } from '../jsonrpc/option-table.ts'
import { type LogLevel, requireLogLevel } from '../protocol/logging.ts'
import { META_RELATED_TASK } from '../protocol/revisions/vocabulary.ts'
import type { SubscriptionFilter } from '../protocol/subscriptions.ts'
import type { CallToolResult, Tool } from '../protocol/tools.ts'
import type { AnswerQuestion } from './asking/answer-all.ts'
import { Questions } from './asking/questions.ts'
import { PlainAsk, type RequestTimes, type RoundResult } from './asking/rounds.ts'
import type { ClientProfile, Connection, Connector } from './connection.ts'
import { type ChangeNotice, Emitter } from './events.ts'
import { CachedResults, createMemoryCache } from './features/cache.ts'
import { type ListKind, readPages } from './features/pages.ts'
import { Subscriptions } from './features/subscriptions.ts'
import { KnownTools, ToolCall, type ToolHost } from './features/tools.ts'
import { ListedNames } from './listed-names.ts'
import { NotificationIntake } from './notification-intake.ts'
import {
  CLIENT_LIMITS,
  CLIENT_TIMEOUTS,
  type ClientLimits,
  type ClientOptions,
  type ClientTimeouts,
  DEFAULT_INFO,
  type RequestOptions,
} from './options.ts'
import type { PeerEvents } from './peer.ts'
import { Reconnector } from './reconnector.ts'
import type { Relayed } from './relay.ts'
import { Requests } from './requests.ts'
import { loadReceived, loadTasks, type ReceivedTasks, type TaskCalls } from './tasks/load.ts'
import type { AskedRequest } from './tasks/received.ts'

export class ClientCore implements ToolHost {
  readonly emitter = new Emitter()
  readonly timeouts: ClientTimeouts
  readonly callTimes: RequestTimes
  readonly limits: ClientLimits
  readonly questions: Questions
  readonly reconnector: Reconnector
  readonly requests: Requests
  readonly tools = new KnownTools(this.emitter)
  readonly listed = new ListedNames()
  readonly cached: CachedResults
  readonly subscriptions: Subscriptions
  readonly followsTasks: boolean
  /** Those who are told what a server says of its tasks without being asked. */
  readonly taskNotices = new Set<(params: JsonObject) => void>()
  readonly #connector: Connector
  readonly #intake: NotificationIntake
  #received: ReceivedTasks | undefined
  /** Calls may have to be tasks (2025-11-25): the list of tools says which. */
  #takesTasks = false
  #last: Connection | undefined
  readonly #cacheUntilUpdated: boolean
  #logLevel: LogLevel | undefined
  #listening: Promise<unknown> | undefined

  constructor(connector: Connector, options: ClientOptions) {
    this.timeouts = withinTimers({ ...CLIENT_TIMEOUTS, ...withoutUndefined(options.timeouts ?? {}) })
    this.callTimes = { timeoutMs: this.timeouts.callMs, ceilingMs: this.timeouts.ceilingMs }
    this.limits = { ...CLIENT_LIMITS, ...withoutUndefined(options.limits ?? {}) }
    if (options.logLevel !== undefined) requireLogLevel(options.logLevel)
    this.#connector = connector
    this.followsTasks = options.tasks !== 'never'
    this.questions = new Questions(options)
    const profile: ClientProfile = { info: options.info ?? DEFAULT_INFO, capabilities: this.questions.capabilities }
    this.reconnector = new Reconnector(
      connector,
      profile,
      {
        connected: (connection, again) => this.#connected(connection, again),
        lost: (error) => this.#lost(error),
        peer: (closed) => this.#peerEvents(closed),
      },
      { connectMs: this.timeouts.connectMs },
    )
    this.requests = new Requests(this.reconnector, profile, options.resultTypes)
    this.#cacheUntilUpdated = options.cacheUntilUpdated === true
    this.#logLevel = options.logLevel
    this.requests.logLevel = options.logLevel
    const cache = options.cache === false ? undefined : (options.cache ?? createMemoryCache())
    this.cached = new CachedResults(cache, connector.key, options.cacheIdentity ?? crypto.randomUUID())
    this.subscriptions = new Subscriptions(this.requests, this.reconnector, this.emitter, {
      acknowledgeMs: this.timeouts.readMs,
      missed: (change) => this.#invalidate(change),
    })
    this.#intake = new NotificationIntake(
      this.emitter,
      {
        changed: (change, params) => this.#changed(change, params),
        missed: () => this.#missed(),
        own: (message) => this.#own(message),
      },
      this.limits.notificationsPerSecond,
    )
  }

  get label(): string {
    return this.#connector.label
  }

  /** The connection in use or, between two, the last one. */
  get connection(): Connection {
    if (this.#last === undefined) throw new PorticoError('closed', 'The client is not connected yet')
    return this.#last
  }

  /** Sends a request that may ask for input, and answers what it asks. */
  ask(method: string, params: JsonObject, times: RequestTimes, options: RequestOptions): Promise<RoundResult> {
    const request = new PlainAsk(this, { method, params }, times, options)
    return this.requests.send(request, request.options)
  }

  callTool(name: string, args: JsonObject, options: RequestOptions): Promise<CallToolResult> {
    if (options.task || (this.#takesTasks && (this.tools.tasksOnly.has(name) || !this.tools.whole))) {
      return this.tasks((calls) => calls.callTool(name, args, options))
    }
    const call = this.toolCall(name, args, options)
    return this.requests.send(call, call.options)
  }

  toolCall(name: string, args: JsonObject, options: RequestOptions): ToolCall {
    return new ToolCall(this, name, args, options)
  }

  async tasks<Value>(run: (calls: TaskCalls) => Promise<Value>): Promise<Value> {
    return run(new (await loadTasks()).TaskCalls(this))
  }

  pages<Item>(kind: ListKind<Item>, options: RequestOptions = {}): AsyncGenerator<Item[], void, void> {
    const load = (cursor: string | undefined) => {
      const params = cursor === undefined ? {} : { cursor }
      return this.cached.through(kind.method, cursor === undefined ? 'first' : `at ${cursor}`, async () => {
        const spec = { method: kind.method, params, timeoutMs: this.timeouts.listMs }
        const request = this.requests.send(spec, options)
        // A whole list that is missing is empty; one that ends in the middle is an error.
        if (cursor === undefined) return request.then(asLoaded, (error) => this.#withoutList(kind, error))
        return asLoaded(await request)
      })
    }
    return readPages(kind, load, this)
  }

  async *toolPages(options?: RequestOptions): AsyncGenerator<Tool[], void, void> {
    const seen = new Set<string>()
    for await (const page of this.pages(this.tools.listKind(await this.reconnector.ready()), options)) {
      for (const { name } of page) seen.add(name)
      yield page
    }
    this.tools.retain(seen)
  }

  async refreshTools(options: RequestOptions): Promise<void> {
    await this.cached.invalidate({ kind: 'tools' })
    for await (const _ of this.toolPages({ signal: options.signal })) {
      // Reading the pages is what takes the definitions in.
    }
  }

  /** Whether a read stays good until the server says otherwise. */
  holds(uri: string): boolean {
    return this.#cacheUntilUpdated && this.subscriptions.holds(uri)
  }

  async setLogLevel(level: LogLevel): Promise<void> {
    requireLogLevel(level)
    this.#logLevel = level
    this.requests.logLevel = level
    const { revision } = await this.reconnector.ready()
    if (revision.era === 'legacy') await this.#sendLogLevel(level)
  }

  /** Opens what carries list changes, once, when somebody wants to hear of them. */
  listen(): void {
    this.#listening ??= this.#listenForLists().catch(() => {
      this.#listening = undefined
    })
  }

  async close(): Promise<void> {
    if (this.reconnector.closed) return
    this.subscriptions.closeAll()
    this.#received?.close()
    this.#intake.close()
    await this.reconnector.close()
    this.emitter.emit('close', undefined)
  }

  async #listenForLists(): Promise<void> {
    const { revision, server, peer } = await this.reconnector.ready()
    if (revision.era === 'legacy') {
      peer.link.listen()
      return
    }
    const { tools, prompts, resources } = server.capabilities
    const filter: SubscriptionFilter = {
      ...(tools?.listChanged && { toolsListChanged: true }),
      ...(prompts?.listChanged && { promptsListChanged: true }),
      ...(resources?.listChanged && { resourcesListChanged: true }),
    }
    if (Object.keys(filter).length > 0) await this.subscriptions.add(filter)
  }

  readonly answerQuestion: AnswerQuestion = async ({ method, params, signal, required, relay }) => {
    // A server may ask as soon as the handshake is over for it, which can be a moment before it is over here.
    const { revision, server } = this.#last ?? (await this.reconnector.ready())
    if (relay?.relay.question !== undefined) {
      return this.questions.relayed(method, params, revision, { signal, required, ...relay })
    }
    const asked = relay && { owner: relay.relay.owner, owned: relay.owned }
    const context = { server: server.info, label: this.#connector.label, signal, required, ...asked }
    return this.questions.answer(method, params, revision, context)
  }

  /**
   * The capability was declared, but this list of it is not there: the oldest servers have no `resources/templates/list`,
   * for one. Nothing is lost by taking it as empty, and what else the server has can be used.
   */
  #withoutList({ method, member }: { method: string; member: string }, error: unknown): Loaded {
    if (!(error instanceof RpcError) || error.rpcCode !== METHOD_NOT_FOUND) throw error
    const message = `The server has no ${method}, though it declared what that belongs to: taken as an empty list`
    this.emitter.emit('warning', { kind: 'list-missing', message, subject: method })
    return { result: { [member]: [] }, asked: false }
  }

  #sendLogLevel(level: LogLevel): Promise<unknown> {
    return this.requests.send({ method: 'logging/setLevel', params: { level }, timeoutMs: this.timeouts.listMs })
  }

  #peerEvents(closed: (error: PorticoError) => void): PeerEvents {
    return {
      closed,
      request: (message, signal, relay) => this.#asked(message, signal, relay),
      notification: (message) => this.#intake.take(message),
      admits: () => this.#intake.admits(),
      tell: (listener, subject, value) => this.emitter.tell(listener, value, subject),
      irregular: (message, subject) => this.emitter.emit('warning', { kind: 'irregular', message, subject }),
    }
  }

  /** A live request of the server's; links let none through from a modern server (sec-9, sec-41). */
  async #asked(
    { method, params = {} }: RpcRequest,
    signal: AbortSignal,
    relay: Relayed | undefined,
  ): Promise<JsonObject> {
    const asked = { method, params, signal, relay }
    const { task, _meta: meta } = params
    if (task === undefined && !method.startsWith('tasks/') && !(isObject(meta) && META_RELATED_TASK in meta)) {
      return this.#answer(asked)
    }
    const { ReceivedTasks } = await loadReceived()
    this.#received ??= new ReceivedTasks((question) => this.#answer(question))
    return this.#received.take(asked, this.connection.revision, this.questions.capabilities)
  }

  async #answer({ method, params, signal, relay }: AskedRequest): Promise<JsonObject> {
    try {
      return await this.answerQuestion({ method, params, signal, required: false, relay })
    } catch (error) {
      // The server is told only that there is no answer; why, the user of this client must be able to find out.
      if (!(error instanceof RpcError) && !signal.aborted) {
        const message = `${method} was not answered: ${(error as Error).message}`
        this.emitter.emit('warning', { kind: 'handler-failed', message, subject: method })
      }
      throw error
    }
  }

  #connected(connection: Connection, again: boolean): void {
    this.#last = connection
    this.#takesTasks = this.followsTasks && connection.server.capabilities.tasks !== undefined
    const { link } = connection.peer
    link.process?.onStderr((text) => this.emitter.emit('stderr', text))
    if (connection.revision.era === 'legacy') {
      if (this.questions.offersAny || this.emitter.has('change') || this.taskNotices.size > 0) link.listen()
      if (this.#logLevel !== undefined && connection.server.capabilities.logging !== undefined) {
        void this.#sendLogLevel(this.#logLevel).catch(() => {})
      }
    }
    if (!again) return
    // What changed while nobody was connected is not known, so no list from before counts.
    for (const kind of ['tools', 'prompts', 'resources'] as const) this.#invalidate({ kind })
    this.emitter.emit('reconnect', connection.negotiated)
  }

  #lost(error: PorticoError): void {
    this.subscriptions.lost()
    this.emitter.emit('disconnect', error)
    if (!this.#connector.reopens) this.emitter.emit('close', error)
  }

  /** More changed than could be told apart. */
  #missed(): void {
    const legacy = this.reconnector.current?.revision.era === 'legacy'
    for (const kind of ['tools', 'prompts', 'resources'] as const) {
      this.#invalidate({ kind })
      // Sessions of the older revisions hear of lists without a subscription.
      if (legacy) this.emitter.emit('change', { kind, synthetic: true })
    }
    // Every URI begins so: no read from before counts either.
    this.#invalidate({ kind: 'resource', uri: '' })
    this.subscriptions.missed()
  }

  #changed(change: ChangeNotice, params: JsonObject | undefined): void {
    this.#invalidate(change)
    this.subscriptions.changed(change, params)
  }

  #invalidate(change: ChangeNotice): void {
    this.cached.invalidate(change).catch((error) => {
      const message = `The cache could not be told of a change: ${(error as Error).message}`
      this.emitter.emit('warning', { kind: 'cache-failed', message })
    })
  }

  #own(message: RpcNotification): boolean {
    // They are for anybody who listens, too.
    if (message.method.startsWith('notifications/tasks'))
      for (const tell of this.taskNotices) tell(message.params ?? {})
    if (message.method !== 'notifications/elicitation/complete') return this.subscriptions.own(message)
    this.questions.completions.complete(message.params?.elicitationId)
    this.emitter.emit('notification', { method: message.method, params: message.params })
    return true
  }
}

interface Loaded {
  readonly result: JsonObject
  readonly asked: boolean
}

function asLoaded(result: JsonObject): Loaded {
  return { result, asked: false }
}
