/**
 * The face of a server for the people who write one: `createServer` takes the whole definition, the methods change it
 * while it runs. One server serves any number of connections, transports and revisions at once.
 */

import type { PolicyItem } from '../auth/access-policy.ts'
import type { Channel } from '../jsonrpc/channel.ts'
import { invalidDefinition } from '../jsonrpc/errors.ts'
import { withoutUndefined } from '../jsonrpc/members.ts'
import { isObject } from '../jsonrpc/message.ts'
import { requireName } from '../jsonrpc/nearest.ts'
import { type OptionTable, requireOptions } from '../jsonrpc/option-table.ts'
import type { Icon, Implementation } from '../protocol/content.ts'
import { type LogLevel, requireLogLevel } from '../protocol/logging.ts'
import type { SchemaLimits } from '../schema/schema.ts'
import { CONNECT, type Connectable } from '../session/connectable.ts'
import { serveChannel } from '../session/connection.ts'
import type { Endpoint } from '../session/endpoint.ts'
import { adoptCore } from './adopt.ts'
import { addBudget } from './budget/budget.ts'
import type { MethodName, Middleware, Observer } from './call/middleware.ts'
import { type Catalogue, createCatalogue } from './check/catalogue.ts'
import { ServerCore } from './core.ts'
import { ServerEndpoint } from './endpoint.ts'
import { FEATURE, type Feature, type FeatureDefinition } from './feature.ts'
import { COMPLETION } from './features/completion.ts'
import { EXTENSIONS, type Extension } from './features/extension.ts'
import { LIFECYCLE } from './features/lifecycle.ts'
import { LOGGING, logParams, logToSessions } from './features/logging.ts'
import { PROMPTS } from './features/prompts.ts'
import { RESOURCES } from './features/resources.ts'
import { ROOTS_CHANGES } from './features/roots-changes.ts'
import { SUBSCRIPTIONS } from './features/subscriptions.ts'
import { compileTool, TOOLS, type ToolEntry, type ToolTasks } from './features/tools.ts'
import { describeItem } from './items/access-rule.ts'
import type { ChangeHub } from './items/changes.ts'
import { ENTRY, type PromptDefinition, type ResourceDefinition, type ToolDefinition } from './items/definition.ts'
import { checkName, type Registry } from './items/registry.ts'
import type { SubscriptionWatcher } from './items/subscribers.ts'
import { type Mounted, mountCore } from './mount.ts'
import { type DefinedTasks, SERVER_OPTIONS, type ServerOptions } from './options.ts'

const ENDPOINT = Symbol.for('portico.endpoint')
const CHANGES = Symbol('changes')
const SHARES_TASKS = Symbol('shares tasks')

/** Tools by their names. */
export type ToolRecord = { readonly [name: string]: ToolDefinition }

/** A whole server: its name, its items and its options. */
export interface ServerDefinition<Tools extends ToolRecord> extends ServerOptions {
  readonly name: string
  readonly version: string
  readonly title?: string
  readonly description?: string
  readonly websiteUrl?: string
  readonly icons?: Icon[]
  readonly tools?: Tools
  readonly resources?: { readonly [name: string]: ResourceDefinition }
  readonly prompts?: { readonly [name: string]: PromptDefinition }
  readonly extensions?: readonly Extension[]
}

const DEFINITION: OptionTable<ServerDefinition<ToolRecord>> = {
  ...SERVER_OPTIONS,
  name: 'any',
  version: 'any',
  title: 'text',
  description: 'text',
  websiteUrl: 'text',
  icons: 'any',
  tools: 'record',
  resources: 'record',
  prompts: 'record',
  extensions: 'any',
}

/** What every server can do. What it has in place of items of its own, or besides them, comes between the two. */
const FIRST: readonly FeatureDefinition[] = [LIFECYCLE]
const LAST: readonly FeatureDefinition[] = [SUBSCRIPTIONS, EXTENSIONS, ROOTS_CHANGES]
const OWN: readonly FeatureDefinition[] = [TOOLS, RESOURCES, PROMPTS, COMPLETION, LOGGING]

/** A server as it is served and changed while it runs. `createServer` makes it. */
export class Server<Tools extends ToolRecord = ToolRecord> implements Connectable {
  /** For `connect<typeof server>`: the compiler reads the tools here. */
  declare readonly '~tools'?: Tools
  readonly #core: ServerCore
  readonly #endpoint: ServerEndpoint
  readonly #limits: SchemaLimits | undefined
  readonly #tasks: DefinedTasks | undefined
  #unfollow: (() => void) | undefined

  constructor(definition: ServerDefinition<Tools>) {
    requireOptions('createServer', definition ?? {}, DEFINITION)
    const { name, version, title, description, websiteUrl, icons, tools, resources, prompts, extensions, ...options } =
      definition ?? {}
    if (typeof name !== 'string' || name === '' || typeof version !== 'string') {
      throw invalidDefinition('A server needs a name and a version')
    }
    const info: Implementation = {
      name,
      version,
      ...withoutUndefined({ title, description, websiteUrl, icons }),
    }
    this.#core = new ServerCore(info, options)
    this.#endpoint = new ServerEndpoint(this.#core)
    this.#core.asker = this.#endpoint
    const features = options.relay === undefined ? OWN : [options.relay.feature]
    for (const feature of [...FIRST, ...features, ...LAST]) this.#core.features.of(feature)
    this.#limits = options.schemaLimits
    this.#tasks = options.tasks
    if (options.tasks !== undefined) {
      const tools: { tasks: ToolTasks | undefined } = this.#core.features.of(options.relay?.feature ?? TOOLS)
      tools.tasks = this.#core.features.of(options.tasks.feature)
    }
    if (options.maxResultBytes !== undefined) addBudget(this.#core, options.maxResultBytes, options.spill)
    if (tools !== undefined) this.#tools.declared = true
    if (resources !== undefined) this.#core.features.of(RESOURCES).resources.declared = true
    if (prompts !== undefined) this.#core.features.of(PROMPTS).prompts.declared = true
    for (const [key, item] of Object.entries(tools ?? {})) this.tool(key, item)
    for (const [key, item] of Object.entries(resources ?? {})) this.#addResource(key, item)
    for (const [key, item] of Object.entries(prompts ?? {})) this.prompt(key, item)
    for (const extension of extensions ?? []) this.extend(extension)
  }

  get info(): Implementation {
    return this.#core.info
  }

  /** Everything defined here, whoever may see it: for linters, lock files and the like. */
  catalogue(): Catalogue {
    return createCatalogue(this.#core)
  }

  /** Adds a tool, or replaces the one of that name; clients are told. */
  tool(name: string, definition: ToolDefinition): this {
    const entry = compileTool(name, definition, this.#limits)
    if (this.#tasks === undefined) requireNoTask(name, definition)
    this.#tools.replace(name, this.#tasks === undefined ? entry : this.#tasks.prepare(entry, definition))
    return this
  }

  /** Adds a resource or template, or replaces the one with the same URI; clients are told. */
  resource(name: string, definition: ResourceDefinition): this {
    const entry = requireMade('resource', name, definition)[ENTRY](name)
    const { resources, templates } = this.#core.features.of(RESOURCES)
    if ('template' in entry) templates.replace(entry.template.uriTemplate, entry)
    else resources.replace(entry.resource.uri, entry)
    return this
  }

  /** Like `resource`, where two items under one URI are a mistake: the first could never be reached. */
  #addResource(name: string, definition: ResourceDefinition): void {
    const { uri } = requireMade('resource', name, definition).options
    const { resources, templates } = this.#core.features.of(RESOURCES)
    if (resources.get(uri) !== undefined || templates.get(uri) !== undefined) {
      throw invalidDefinition(`Resource "${name}": there is one with the URI "${uri}" already`)
    }
    this.resource(name, definition)
  }

  /** Adds a prompt, or replaces the one of that name; clients are told. */
  prompt(name: string, definition: PromptDefinition): this {
    checkName(name, 'prompt')
    this.#core.features.of(PROMPTS).prompts.replace(name, requireMade('prompt', name, definition)[ENTRY](name))
    return this
  }

  /** Removes a tool or prompt by name, or a resource by URI. False when there was none. */
  remove(kind: 'tool' | 'prompt' | 'resource', key: string): boolean {
    this.#requireKind(kind)
    const kinds: readonly string[] = kind === 'resource' ? ['resource', 'template'] : [kind]
    return this.#core.collections.some(
      (collection) => kinds.includes(collection.kind) && collection.registry.remove(key),
    )
  }

  /**
   * Tells clients that a list changed, or, given a URI, that a resource’s contents did: all of them, or those of the
   * principal with the id given.
   */
  changed(what: 'tools' | 'prompts' | 'resources' | (string & {}), principal?: string): void {
    const lists = ['tools', 'prompts', 'resources', ...this.#core.collections.map((collection) => collection.list)]
    const list = lists.includes(what)
    if (!list && !URL.canParse(what)) requireName('list or resource', what, lists)
    this.#core.hub.announce(list ? { kind: 'list', list: what } : { kind: 'resource', uri: what }, principal)
  }

  /** Puts a function around a method; it may alter the request, the result, or answer by itself. */
  use<M extends MethodName>(method: M, middleware: Middleware<M>): this {
    // The method's name ties the middleware to its own result type; the table keeps them under that name.
    this.#core.use(method, middleware as unknown as Middleware<MethodName>)
    return this
  }

  /** Watches a request that clients send: called after each request with how long it took and what went wrong. */
  on(method: string, observer: Observer): this {
    this.#core.on(method, observer)
    return this
  }

  /**
   * Called when the first client subscribes to a resource, on whatever revision and way of serving: the time to begin
   * watching what is behind it.
   *
   * @example
   * server.onSubscribe((uri) => console.error('somebody wants to know of', uri))
   */
  onSubscribe(watcher: SubscriptionWatcher): this {
    this.#core.subscribers.came.push(watcher)
    return this
  }

  /**
   * Called when the last client that was subscribed to a resource is gone or has unsubscribed.
   *
   * @example
   * server.onUnsubscribe((uri) => console.error('nobody wants to know of', uri))
   */
  onUnsubscribe(watcher: SubscriptionWatcher): this {
    this.#core.subscribers.left.push(watcher)
    return this
  }

  /**
   * Sends a log message that belongs to no request to every session of an older revision whose level allows. The newest
   * revision has log messages only while a request runs: use `ctx.log` there.
   */
  log(level: LogLevel, data: unknown, logger?: string): void {
    requireLogLevel(level)
    if (this.#core.logs) logToSessions(this.#core.hub.sessions, level, logParams(level, data, logger))
  }

  /** Called when an older client says that its roots changed. */
  onRootsChanged(watcher: () => void): this {
    this.#core.features.of(ROOTS_CHANGES).watchRoots(watcher)
    return this
  }

  /** Shows another server’s items as this one’s, names under `prefix_`; later changes there show here too. */
  mount(prefix: string, other: Server): Mounted {
    return mountCore(this.#core, prefix, other.#core)
  }

  /**
   * Becomes what another server is and follows it from then on: its items, middleware and name. Connections and sessions
   * stay, and clients are told. For definitions that are edited while they are served.
   */
  adopt(other: Server): this {
    if (this.#core === other.#core) throw invalidDefinition('A server cannot adopt itself')
    this.#unfollow?.()
    this.#unfollow = adoptCore(this.#core, other.#core)
    return this
  }

  /** What access rules may know of an item: its attributes, as `visible` is given them. */
  describe(kind: PolicyItem['kind'], name: string): PolicyItem | undefined {
    const item = describeItem(this.#core.collections, kind, name)
    if (item === undefined) this.#requireKind(kind)
    return item
  }

  /** Adds a protocol extension. */
  extend(extension: Extension): this {
    this.#core.features.of(EXTENSIONS).add(extension)
    for (const [key, item] of extension.resources ?? []) this.resource(key, item)
    return this
  }

  /** Announces a change that an extension defined, to listeners whose filter has `filter`. */
  announce(filter: string, method: string, params: { [key: string]: unknown }): void {
    const extensions = this.#core.features.of(EXTENSIONS)
    requireName('notification of an extension', method, extensions.notifications(), { onlySlips: true })
    const extension = extensions.ownerOf(method)
    this.#core.hub.announce({ kind: 'extension', filter, method, params, extension })
  }

  /** Adds a feature that stands in a file of its own (`feature.ts`), or gives the one that is there. */
  [FEATURE]<Made extends Feature>(definition: FeatureDefinition<Made>): Made {
    return this.#core.features.of(definition)
  }

  #requireKind(kind: string): void {
    requireName('kind of item', kind, ['tool', 'prompt', 'resource', ...this.#core.collections.map((one) => one.kind)])
  }

  get #tools(): Registry<ToolEntry> {
    return this.#core.features.of(TOOLS).tools
  }

  /** Serves one end of a pair in memory: how `connect(server)` and tests reach it. */
  [CONNECT](channel: Channel): void {
    serveChannel(this.#endpoint, channel)
  }

  /** Found by a well-known symbol, so that another copy of this package can serve it too. */
  get [ENDPOINT](): Endpoint {
    return this.#endpoint
  }

  get [CHANGES](): ChangeHub {
    return this.#core.hub
  }

  get [SHARES_TASKS](): boolean {
    return this.#tasks?.shared === true
  }
}

/**
 * Makes a server from its whole definition. A mistake in the definition is thrown here, before anything listens.
 *
 * @example
 * ```ts
 * import { createServer, tool } from '@portico/sdk/server'
 * import { serveStdio } from '@portico/sdk/stdio'
 *
 * const dice = tool({ description: 'Rolls a die' }, () => `${Math.ceil(Math.random() * 6)}`)
 * const server = createServer({ name: 'games', version: '1.0.0', tools: { dice } })
 * serveStdio(server)
 * ```
 */
export function createServer<const Tools extends ToolRecord = {}>(definition: ServerDefinition<Tools>): Server<Tools> {
  return new Server(definition)
}

/** What transports serve. */
export function endpointOf(server: Server): Endpoint {
  if (isObject(server) && ENDPOINT in server) return server[ENDPOINT]
  throw invalidDefinition('Only what createServer() made can be served')
}

/** Where a server announces its changes, for whoever takes them to other processes. */
export function changesOf(server: Server): ChangeHub {
  return server[CHANGES]
}

/** Whether other processes can work on the tasks of a server. */
export function sharesTasks(server: Server): boolean {
  return server[SHARES_TASKS]
}

function requireNoTask(name: string, { options: { task } }: ToolDefinition): void {
  if (task === undefined || task === 'never' || (typeof task === 'object' && task.mode === 'never')) return
  throw invalidDefinition(
    `Tool "${name}" has task, and the server has no tasks: give createServer \`tasks: createTasks()\` of @portico/sdk/tasks`,
  )
}

/** A record of the same shape is not enough: what serves an item comes from its maker. */
function requireMade<Definition extends { readonly [ENTRY]: unknown }>(
  maker: 'resource' | 'prompt',
  name: string,
  definition: Definition,
): Definition {
  if (typeof definition?.[ENTRY] === 'function') return definition
  throw invalidDefinition(`"${name}" was not made by ${maker}(): wrap it in ${maker}(options, handler)`)
}
