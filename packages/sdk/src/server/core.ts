/**
 * The inside of a server: its features, its methods by revision, its rules. `server.ts` is the face that authors use,
 * `endpoint.ts` the face that transports use; both work on this.
 */

import type { Principal } from '../auth/principal.ts'
import { INTERNAL_ERROR, invalidDefinition, PorticoError, RpcError } from '../jsonrpc/errors.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { requireName } from '../jsonrpc/nearest.ts'
import { tellObserver } from '../jsonrpc/observer.ts'
import type { ServerCapabilities } from '../protocol/capabilities.ts'
import type { Implementation } from '../protocol/content.ts'
import { CLIENT_REQUESTS, methodOf } from '../protocol/methods.ts'
import { PROTOCOL_VERSIONS, type ProtocolVersion, type Revision } from '../protocol/revision.ts'
import type { SubscriptionFilter } from '../protocol/subscriptions.ts'
import { randomToken } from '../session/random-token.ts'
import { requireStateKeys } from '../session/state-keys.ts'
import { createFaultPrinter } from '../state/fault-printer.ts'
import type { Asker, RoundSettings } from './asking/asking.ts'
import { loadAsking } from './asking/load.ts'
import type { ServerCall } from './call/call.ts'
import type { ServerMethod } from './call/method.ts'
import { applyMiddleware, type MethodName, type Middleware, type Observer } from './call/middleware.ts'
import { AskingContext, RequestContext } from './context.ts'
import type { Collection, Feature, FeatureHost, Introduction } from './feature.ts'
import { FeatureSet } from './feature-set.ts'
import { VisibilityRules } from './items/access-rule.ts'
import { ChangeHub } from './items/changes.ts'
import type { CacheHint } from './items/item-options.ts'
import { Subscribers } from './items/subscribers.ts'
import type { ServerOptions } from './options.ts'
import type { DefinedRelay } from './relay.ts'
import { SlowWatch } from './slow.ts'

const DEFAULT_MAX_ROUNDS = 10
/** People answer slowly: a live question waits as long as a sealed one may be presented. */
const DEFAULT_ASK_TIMEOUT_MS = 10 * 60_000

export class ServerCore implements FeatureHost {
  info: Implementation
  instructions: string | undefined
  readonly versions: readonly ProtocolVersion[]
  readonly pageSize: number | undefined
  readonly listCache: CacheHint
  readonly readCache: CacheHint
  readonly maxRounds: number
  readonly askTimeoutMs: number
  readonly logs: boolean
  readonly rounds: RoundSettings
  readonly features: FeatureSet
  readonly hub = new ChangeHub((uri, principal) => this.mayHear(uri, principal))
  readonly subscribers = new Subscribers((error, where) => void this.reportPrivately(error, where))
  /** Answers everything in place of the items, where there is one. */
  readonly relay: DefinedRelay | undefined
  /** Watches for slow handlers, unless that is switched off. */
  readonly slow: SlowWatch | undefined
  /** How many servers this one is mounted in. */
  mounts = 0
  /** Set once by the endpoint: contexts ask through it. */
  asker!: Asker
  /** Who watches, by method. */
  observers: ReadonlyMap<string, readonly Observer[]> = new Map()
  #options: ServerOptions
  readonly #print = createFaultPrinter()
  #middleware = new Map<string, Middleware<MethodName>[]>()
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
    this.maxRounds = options.maxRounds ?? DEFAULT_MAX_ROUNDS
    this.askTimeoutMs = options.askTimeoutMs ?? DEFAULT_ASK_TIMEOUT_MS
    requireStateKeys(options.stateKeys)
    this.rounds = options
    this.slow = options.slow === false ? undefined : new SlowWatch(options.slow ?? {}, options.onSlow)
    const rules = new VisibilityRules(options.visible, (error, where) => this.reportPrivately(error, where))
    this.features = new FeatureSet(this, (feature) => this.#added(feature, rules))
  }

  introduce(call: ServerCall): Introduction | undefined | Promise<Introduction | undefined> {
    return this.features.introduce(call)
  }

  get collections(): readonly Collection[] {
    return this.features.collections
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

  capabilities(call?: ServerCall): ServerCapabilities {
    const { experimental } = this.#options
    return { ...(experimental !== undefined && { experimental }), ...this.features.capabilities(call) }
  }

  honoured(asked: JsonObject, call: ServerCall): SubscriptionFilter {
    return this.features.honoured(asked, call)
  }

  mayHear(uri: string, principal: Principal | undefined): boolean {
    return this.features.mayHear(uri, principal)
  }

  get follow(): Feature['follow'] {
    return this.features.follower
  }

  get watch(): Feature['watch'] {
    return this.features.watcher
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
    this.#requireMethod(method)
    if (this.mounts > 0) this.#requireKept(method)
    this.#middleware.set(method, [...(this.#middleware.get(method) ?? []), middleware])
    this.#tables.clear()
  }

  /** Throws when this server has middleware that would be lost with the items alone. */
  requireMountable(): void {
    for (const method of this.#middleware.keys()) this.#requireKept(method)
  }

  /** Runs the work of an item that is mounted elsewhere within this server's `context` and middleware. */
  async around<Result>(
    method: string,
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
    this.#requireMethod(method)
    this.observers = new Map([...this.observers, [method, [...(this.observers.get(method) ?? []), observer]]])
  }

  /** Takes over everything about another server that is no feature; `adopt.ts` does the rest. */
  takeOver(other: ServerCore): void {
    this.info = other.info
    this.instructions = other.instructions
    this.#options = other.#options
    this.#middleware = other.#middleware
    this.observers = other.observers
    this.subscribers.takeOver(other.subscribers)
    this.methodsChanged()
  }

  methodsChanged(): void {
    this.#methods = undefined
    this.#tables.clear()
  }

  observe(call: ServerCall, durationMs: number, error: unknown): void {
    const ctx = new RequestContext(call)
    for (const observer of this.observers.get(call.method) ?? []) {
      tellObserver(
        () => observer({ method: call.method, params: call.params, ctx, durationMs, error }),
        (thrown) => this.reportPrivately(thrown, `observer of ${call.method}`),
      )
    }
  }

  /** Gives an error to the operator in full and returns what a client may be told: a reference, nothing else. */
  reportPrivately(error: unknown, where: string): string {
    const reference = randomToken(6)
    const { onError } = this.#options
    if (onError !== undefined) tellObserver(() => onError(error, { where, reference }))
    const head = `[portico] ${where} failed (reference ${reference}):`
    return `Reference: ${onError === undefined ? this.#print(head, error, reference) : reference}`
  }

  concealed(error: unknown, where: string): RpcError {
    const data = toRetry(error)
    const more = data ? ' of shared state: it may be done, look first' : ''
    return new RpcError(INTERNAL_ERROR, `Internal error${more}. ${this.reportPrivately(error, where)}`, data)
  }

  #tableFor(revision: Revision): Map<string, ServerMethod> {
    this.#methods ??= this.features.methods()
    const table = new Map<string, ServerMethod>()
    for (const method of this.#methods) {
      // What no revision has is the business of whoever added it.
      if (methodOf(method.method) !== undefined && !revision.clientRequests.has(method.method)) continue
      if (table.has(method.method)) continue
      const chain = this.#middleware.get(method.method) ?? []
      const wrap = (one: ServerMethod) => this.#wrap(one, chain)
      const rounds = revision.era === 'modern' && methodOf(method.method)?.asks === true
      table.set(method.method, rounds ? { ...wrap(method), again: wrap(this.#oncePerRound(method)) } : wrap(method))
    }
    return table
  }

  /** The method as later rounds run it. */
  #oncePerRound(method: ServerMethod): ServerMethod {
    return { ...method, run: async (call) => (await loadAsking()).runRound(method, this, call) }
  }

  #wrap(method: ServerMethod, chain: readonly Middleware<MethodName>[]): ServerMethod {
    return applyMiddleware(method, chain, (call) => this.plainContext(call))
  }

  /** Rules are asked in one place, the server's own on every item as it comes, mounted ones included. */
  #added(feature: Feature, rules: VisibilityRules): void {
    for (const collection of feature.collections ?? []) {
      rules.keep(collection)
      collection.registry.watch(() => this.hub.announce({ kind: 'list', list: collection.list }))
    }
    this.methodsChanged()
  }

  /** What no client can ask for would never be called. A method of an extension exists once that was added. */
  #requireMethod(method: string): void {
    if (CLIENT_REQUESTS.has(method)) return
    requireName('method', method, [...CLIENT_REQUESTS, ...this.features.methods().map((one) => one.method)])
  }

  /** Around the methods that use items, middleware goes with the items wherever they are mounted. */
  #requireKept(method: string): void {
    if (this.collections.some((collection) => collection.method === method)) return
    const { name } = this.info
    throw invalidDefinition(
      `Middleware for ${method} of the server "${name}" cannot be kept where it is mounted; put it on the outer server`,
    )
  }
}

/** What passes by itself may be asked for again, by whoever has looked at what became of it. */
function toRetry(error: unknown): JsonObject | undefined {
  if (!(error instanceof PorticoError) || error.code !== 'store-unavailable') return undefined
  return { code: error.code, delivery: error.delivery ?? 'unknown', retryAfterMs: 1000 }
}
