/**
 * The inside of a server: its items, its methods by revision, its rules. `server.ts` is the face that authors use,
 * `endpoint.ts` the face that transports use; both work on this.
 */

import type { Principal } from '../auth/principal.ts'
import { INTERNAL_ERROR, invalidDefinition, RpcError } from '../jsonrpc/errors.ts'
import type { JsonObject, RpcNotification } from '../jsonrpc/message.ts'
import { tellObserver } from '../jsonrpc/observer.ts'
import type { ServerCapabilities } from '../protocol/capabilities.ts'
import type { Implementation } from '../protocol/content.ts'
import type { ParamHeader } from '../protocol/headers/headers.ts'
import { methodOf } from '../protocol/methods.ts'
import { PROTOCOL_VERSIONS, type ProtocolVersion, type Revision } from '../protocol/revision.ts'
import type { SubscriptionFilter } from '../protocol/subscriptions.ts'
import type { SchemaLimits } from '../schema/schema.ts'
import type { LegacySession } from '../session/legacy-session.ts'
import { MemoryRoundStore, type RoundStore } from '../session/round-store.ts'
import { randomToken, StateSealer } from '../session/sealed-state.ts'
import type { Asker } from './asking/asking.ts'
import { oncePerRound } from './asking/round-once.ts'
import { addBudget } from './budget/budget.ts'
import type { ServerCall } from './call/call.ts'
import type { ServerMethod } from './call/method.ts'
import { applyMiddleware, type MethodName, type Middleware, type Observer } from './call/middleware.ts'
import { AskingContext, RequestContext } from './context.ts'
import { createCompletionMethods, hasCompleters } from './features/completion.ts'
import { ExtensionRegistry } from './features/extension.ts'
import { createLifecycleMethods, type Introduction } from './features/lifecycle.ts'
import { createLoggingMethods } from './features/logging.ts'
import { createPromptMethods, type PromptEntry } from './features/prompts.ts'
import { createResourceMethods, findResource, type ResourceEntry, type TemplateEntry } from './features/resources.ts'
import { Subscribers } from './features/subscribers.ts'
import { Listens } from './features/subscriptions.ts'
import { createToolMethods, type ToolEntry } from './features/tools.ts'
import { isUsable, isVisible } from './items/access.ts'
import { describeItem, VisibilityRules } from './items/access-rule.ts'
import { ChangeHub } from './items/changes.ts'
import type { CacheHint } from './items/item-options.ts'
import { Registry } from './items/registry.ts'
import type { ServerOptions } from './options.ts'
import type { DefinedRelay } from './relay.ts'
import { SlowWatch } from './slow.ts'

const DEFAULT_MAX_ROUNDS = 10
/** People answer slowly: a live question waits as long as a sealed one may be presented. */
const DEFAULT_ASK_TIMEOUT_MS = 10 * 60_000

const NO_HEADERS: readonly ParamHeader[] = []

export class ServerCore {
  info: Implementation
  instructions: string | undefined
  readonly versions: readonly ProtocolVersion[]
  readonly pageSize: number | undefined
  readonly listCache: CacheHint
  readonly readCache: CacheHint
  readonly maxRounds: number
  readonly askTimeoutMs: number
  readonly logs: boolean
  readonly schemaLimits: SchemaLimits | undefined
  readonly sealer: StateSealer
  readonly roundStore: RoundStore
  readonly tools = new Registry<ToolEntry>('tool')
  readonly resources = new Registry<ResourceEntry>('resource')
  readonly templates = new Registry<TemplateEntry>('resource template')
  readonly prompts = new Registry<PromptEntry>('prompt')
  extensions = new ExtensionRegistry()
  readonly hub = new ChangeHub(
    (notice) => this.extensions.ownerOf(notice),
    (uri, principal) => this.mayHear(uri, principal),
  )
  readonly subscribers = new Subscribers((error, where) => void this.reportPrivately(error, where))
  readonly listens: Listens
  /** Answers everything in place of the items, where there is one. */
  readonly relay: DefinedRelay | undefined
  /** Watches for slow handlers, unless that is switched off. */
  readonly slow: SlowWatch | undefined
  /** How many servers this one is mounted in. */
  mounts = 0
  /** Set once by the endpoint: contexts ask through it. */
  asker!: Asker
  #options: ServerOptions
  #middleware = new Map<string, Middleware<MethodName>[]>()
  #observers = new Map<string, Observer[]>()
  #rootsWatchers: ((session: LegacySession) => void)[] = []
  #methods: ServerMethod[] | undefined
  readonly #tables = new Map<Revision, Map<string, ServerMethod>>()

  constructor(info: Implementation, options: ServerOptions) {
    this.info = info
    this.#options = options
    this.relay = options.relay
    this.instructions = options.instructions
    this.versions = PROTOCOL_VERSIONS.filter((version) => (options.versions ?? PROTOCOL_VERSIONS).includes(version))
    if (this.versions.length === 0) throw invalidDefinition('versions names no revision that exists')
    this.pageSize = options.pageSize
    if (options.pageSize !== undefined && !(Number.isInteger(options.pageSize) && options.pageSize > 0)) {
      throw invalidDefinition('pageSize must be a whole number above 0')
    }
    this.logs = options.logging !== false
    this.listCache = options.cache?.lists ?? {}
    this.readCache = options.cache?.reads ?? {}
    this.schemaLimits = options.schemaLimits
    this.maxRounds = options.maxRounds ?? DEFAULT_MAX_ROUNDS
    this.askTimeoutMs = options.askTimeoutMs ?? DEFAULT_ASK_TIMEOUT_MS
    this.sealer = new StateSealer({ ...(options.stateKeys && { keys: options.stateKeys }), ...options.state })
    this.roundStore = options.roundStore ?? new MemoryRoundStore()
    const relay = options.relay?.relay
    this.listens = new Listens({
      hub: this.hub,
      subscribers: this.subscribers,
      honoured: (filter, call) => this.#honoured(filter, call),
      mayHear: (uri, principal) => this.mayHear(uri, principal),
      extensionFilters: (params) => this.extensions.filters(params),
      ...(relay && { watch: (uri, call, changed) => relay.watch(uri, this.plainContext(call), changed) }),
    })
    this.slow = options.slow === false ? undefined : new SlowWatch(options.slow ?? {}, options.onSlow)
    this.#keepRules(options.visible)
    this.#announceRegistryChanges()
    if (options.maxResultBytes !== undefined) addBudget(this, options.maxResultBytes, options.spill)
  }

  introduce(call: ServerCall): Introduction | undefined | Promise<Introduction | undefined> {
    return this.relay?.relay.introduce?.(this.plainContext(call))
  }

  /** The method as this revision has it, if the revision has it and the server serves it. */
  method(revision: Revision, name: string): ServerMethod | undefined {
    let table = this.#tables.get(revision)
    if (table === undefined) {
      table = this.#tableFor(revision)
      this.#tables.set(revision, table)
    }
    const method = table.get(name)
    return method === undefined || method.served?.() === false ? undefined : method
  }

  capabilities(): ServerCapabilities {
    const logging = this.logs && { logging: {} }
    if (this.relay !== undefined) return { ...this.relay.capabilities, ...logging }
    const resources = this.resources.declared || this.templates.declared
    return {
      ...(this.#options.experimental !== undefined && { experimental: this.#options.experimental }),
      ...(this.tools.declared && { tools: { listChanged: true } }),
      ...(resources && { resources: { subscribe: true, listChanged: true } }),
      ...(this.prompts.declared && { prompts: { listChanged: true } }),
      ...(hasCompleters(this) && { completions: {} }),
      ...logging,
      ...(this.extensions.size > 0 && { extensions: this.extensions.capabilities() }),
    }
  }

  /** The parameters of a tool that are mirrored in HTTP headers; a hidden tool has none, like one that is not there. */
  paramHeaders(tool: string, principal: Principal | undefined): readonly ParamHeader[] {
    if (this.relay !== undefined) return this.relay.relay.paramHeaders(tool, principal)
    const entry = this.tools.get(tool)
    if (entry === undefined || entry.paramHeaders.length === 0) return NO_HEADERS
    return isVisible(entry.access, principal) ? entry.paramHeaders : NO_HEADERS
  }

  /** Whether news of a resource may go to a principal. Of one that is gone everybody may hear who was let to subscribe. */
  mayHear(uri: string, principal: Principal | undefined): boolean {
    return this.relay !== undefined || !this.#isKnown(uri) || this.#isUsable(uri, principal)
  }

  context(call: ServerCall): AskingContext {
    return new AskingContext(call, this.asker)
  }

  /** For handlers of requests that may not ask the client: completion, lists, methods of extensions. */
  plainContext(call: ServerCall): RequestContext {
    return new RequestContext(call)
  }

  /** Runs the server's `context` function, whose value handlers find in `ctx.state`. */
  enter(call: ServerCall): void | Promise<void> {
    const make = this.#options.context
    if (make === undefined) return
    const made = make(new RequestContext(call))
    if (!(made instanceof Promise)) {
      call.state = made
      return
    }
    return made.then((state) => {
      call.state = state
    })
  }

  use(method: string, middleware: Middleware<MethodName>): void {
    if (this.mounts > 0) requireKept(method, this.info.name)
    this.#middleware.set(method, [...(this.#middleware.get(method) ?? []), middleware])
    this.#tables.clear()
  }

  /** Throws when this server has middleware that would be lost with the items alone. */
  requireMountable(): void {
    for (const method of this.#middleware.keys()) requireKept(method, this.info.name)
  }

  /** Runs the work of an item that is mounted elsewhere within this server's `context` and middleware. */
  async around<Result>(
    method: MethodName,
    call: ServerCall,
    params: JsonObject,
    run: () => Result | Promise<Result>,
  ): Promise<Result> {
    const { params: outer, state } = call
    call.params = params
    try {
      await this.enter(call)
      const inner: ServerMethod = { method, run, write: () => ({}) }
      // Middleware of a method is made for the results of that method.
      return (await this.#wrap(inner, this.#middleware.get(method) ?? []).run(call)) as Result
    } finally {
      call.params = outer
      call.state = state
    }
  }

  on(method: string, observer: Observer): void {
    this.#observers.set(method, [...(this.#observers.get(method) ?? []), observer])
  }

  /** Takes over everything about another server that is not an item; `adopt.ts` does the rest. */
  takeOver(other: ServerCore): void {
    this.info = other.info
    this.instructions = other.instructions
    this.extensions = other.extensions
    this.#options = other.#options
    this.#middleware = other.#middleware
    this.#observers = other.#observers
    this.#rootsWatchers = other.#rootsWatchers
    this.subscribers.takeOver(other.subscribers)
    // Items that are added from now on come under the rule that the adopted ones are under.
    this.tools.prepare = other.tools.prepare
    this.resources.prepare = other.resources.prepare
    this.templates.prepare = other.templates.prepare
    this.prompts.prepare = other.prompts.prepare
    this.extensionsChanged()
  }

  extensionsChanged(): void {
    this.#methods = undefined
    this.#tables.clear()
  }

  observed(method: string): boolean {
    return this.#observers.size > 0 && this.#observers.has(method)
  }

  observe(call: ServerCall, durationMs: number, error: unknown): void {
    const ctx = new RequestContext(call)
    for (const observer of this.#observers.get(call.method) ?? []) {
      tellObserver(
        () => observer({ method: call.method, params: call.params, ctx, durationMs, error }),
        (thrown) => this.reportPrivately(thrown, `observer of ${call.method}`),
      )
    }
  }

  onRootsChanged(watcher: (session: LegacySession) => void): void {
    this.#rootsWatchers.push(watcher)
  }

  notified(message: RpcNotification, session: LegacySession): void {
    if (message.method !== 'notifications/roots/list_changed') return
    const failed = (thrown: unknown): string => this.reportPrivately(thrown, message.method)
    tellObserver(() => this.relay?.relay.rootsChanged?.(session), failed)
    for (const watcher of this.#rootsWatchers) tellObserver(() => watcher(session), failed)
  }

  /** Gives an error to the operator in full and returns what a client may be told: a reference, nothing else. */
  reportPrivately(error: unknown, where: string): string {
    const reference = randomToken(6)
    const report = this.#options.onError ?? reportToStderr
    tellObserver(() => report(error, { where, reference }))
    return `Reference: ${reference}`
  }

  concealed(error: unknown, where: string): RpcError {
    return new RpcError(INTERNAL_ERROR, `Internal error. ${this.reportPrivately(error, where)}`)
  }

  #tableFor(revision: Revision): Map<string, ServerMethod> {
    if (this.#methods === undefined) this.#methods = this.#createMethods()
    const extensions = new Set(this.extensions.methodNames())
    const table = new Map<string, ServerMethod>()
    for (const method of this.#methods) {
      if (!revision.clientRequests.has(method.method) && !extensions.has(method.method)) continue
      const chain = this.#middleware.get(method.method) ?? []
      const wrap = (one: ServerMethod) => this.#wrap(one, chain)
      const rounds = revision.era === 'modern' && methodOf(method.method)?.asks === true
      table.set(method.method, rounds ? { ...wrap(method), again: wrap(oncePerRound(method, this)) } : wrap(method))
    }
    return table
  }

  #wrap(method: ServerMethod, chain: readonly Middleware<MethodName>[]): ServerMethod {
    return applyMiddleware(method, chain, (call) => this.plainContext(call))
  }

  #createMethods(): ServerMethod[] {
    return [
      ...createLifecycleMethods(this),
      ...(this.relay?.methods(this) ?? this.#featureMethods()),
      this.listens.method(),
      ...this.extensions.methods((call) => this.plainContext(call)),
    ]
  }

  #featureMethods(): ServerMethod[] {
    return [
      ...createToolMethods(this),
      ...createResourceMethods(this),
      ...createPromptMethods(this),
      ...createCompletionMethods(this),
      ...createLoggingMethods(this.logs),
    ]
  }

  /** Rules are asked in one place, the server's own on every item as it comes, mounted ones included. */
  #keepRules(rule: ServerOptions['visible']): void {
    const rules = new VisibilityRules(rule, (error, where) => this.reportPrivately(error, where))
    rules.keep(this.tools, 'tool', ({ tool }) => tool)
    rules.keep(this.resources, 'resource', ({ resource }) => resource)
    rules.keep(this.templates, 'template', ({ template }) => template)
    rules.keep(this.prompts, 'prompt', ({ prompt }) => prompt)
  }

  #announceRegistryChanges(): void {
    this.tools.watch(() => this.hub.announce({ kind: 'tools' }))
    this.prompts.watch(() => this.hub.announce({ kind: 'prompts' }))
    this.resources.watch(() => this.hub.announce({ kind: 'resources' }))
    this.templates.watch(() => this.hub.announce({ kind: 'resources' }))
  }

  #isKnown(uri: string): boolean {
    return describeItem(this, 'resource', uri) !== undefined
  }

  #isUsable(uri: string, principal: Principal | undefined): boolean {
    const found = findResource(this, uri, principal)
    return found !== undefined && isUsable(found.entry.access, principal)
  }

  #honoured(filter: SubscriptionFilter, call: ServerCall): SubscriptionFilter {
    const { tools, prompts, resources } = this.capabilities()
    const { principal } = call.conversation
    const uris = filter.resourceSubscriptions?.filter(
      (uri) => this.relay !== undefined || this.#isUsable(uri, principal),
    )
    return {
      ...(filter.toolsListChanged && tools && { toolsListChanged: true }),
      ...(filter.promptsListChanged && prompts && { promptsListChanged: true }),
      ...(filter.resourcesListChanged && resources && { resourcesListChanged: true }),
      ...(uris !== undefined && uris.length > 0 && { resourceSubscriptions: uris }),
    }
  }
}

/** Around these, middleware goes with the items wherever they are mounted. */
const KEPT: ReadonlySet<string> = new Set<MethodName>(['tools/call', 'resources/read', 'prompts/get'])

function requireKept(method: string, server: string): void {
  if (KEPT.has(method)) return
  throw invalidDefinition(
    `Middleware for ${method} of the server "${server}" cannot be kept where it is mounted; put it on the outer server`,
  )
}

function reportToStderr(error: unknown, { where, reference }: { where: string; reference: string }): void {
  console.error(`[portico] ${where} failed (reference ${reference}):`, error)
}
