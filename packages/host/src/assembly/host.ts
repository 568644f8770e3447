/**
 * The host: any number of servers under one set of rules, and the model's way to them. Puts the layers below together;
 * programs embed this, and the gateway, the command line and the workbench are built on it.
 */

import type {
  CallToolResult,
  CompleteParams,
  CompleteResult,
  GetPromptResult,
  JsonObject,
  LogLevel,
  ReadResourceResult,
} from '@portico/sdk/client'
import type { AuditLog } from '../audit/log.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import type { ConfigProblem, ServerConfig } from '../config/server-config.ts'
import { settleState } from '../config/state-file.ts'
import type { TrustStore } from '../config/trust/trust-store.ts'
import { type ConfigWatch, watchConfig } from '../config/watch-config.ts'
import type { Grants } from '../consent/grants.ts'
import type { Inbox } from '../consent/inbox.ts'
import { HostError } from '../errors.ts'
import type { OpenGuard } from '../guard/guard.ts'
import type { Provenance } from '../guard/provenance.ts'
import type { Conversation } from '../model/conversation.ts'
import type { Models } from '../model/models.ts'
import type { Circumstances } from '../policy/effect.ts'
import type { Rules } from '../policy/rules.ts'
import type { Catalogue } from '../upstream/catalogue/catalogue.ts'
import { Listeners } from '../upstream/connection/listeners.ts'
import type { Upstreams } from '../upstream/upstreams.ts'
import type { ActionResult } from './act-outcome.ts'
import { type Assembly, assemble, type HostStores, openStores } from './assembly.ts'
import { toCircumstances } from './circumstances.ts'
import { Configuration } from './configuration.ts'
import type { AttachedPiece, Attachment } from './conversation/attachments.ts'
import { Conversations } from './conversation/conversations.ts'
import type { Project } from './conversation/projects.ts'
import { Sessions } from './conversation/sessions.ts'
import type { ActOptions, AttachRule, ConverseOptions, HostOptions } from './options.ts'
import type { SignInStep } from './sign-in.ts'
import type { HostTask } from './tasks/host-task.ts'
import type { HostTasks, StartedCall, TaskCallOptions } from './tasks/task-calls.ts'
import type { Tuning } from './tuning.ts'

/** What `host.on` tells of, by the name of the event. */
export interface HostEvents {
  /** The configuration was read anew; what is wrong with it now. */
  problems: readonly ConfigProblem[]
  /** The servers are other ones, or configured otherwise. */
  servers: readonly ServerConfig[]
  /** A task began, stands otherwise, waits for a person, or is over. */
  task: HostTask
}

/**
 * Makes a host and begins to connect its servers; it can be used at once.
 *
 * @example
 * ```ts
 * import { createHost } from '@portico/host'
 * import { findConfigFiles } from '@portico/host/config'
 *
 * const host = await createHost({ stateDir: '/home/ann/.portico', configFiles: await findConfigFiles() })
 * const { items } = await host.catalogue.list({ kinds: ['tool'] })
 * await host.close()
 * ```
 */
export async function createHost(options: HostOptions = {}): Promise<Host> {
  const host = new Host(options, await openStores(options))
  await host.start()
  return host
}

const LISTING_MS = 10_000

/**
 * A running host, made by `createHost`: it keeps the connections to its servers, decides by rules and by the person
 * whether something may happen, writes that down, and holds conversations in which a model uses the servers' tools.
 */
export class Host {
  readonly inbox: Inbox
  readonly grants: Grants
  readonly audit: AuditLog | undefined
  readonly trust: TrustStore | undefined
  readonly guard: OpenGuard
  readonly models: Models
  readonly upstreams: Upstreams
  readonly catalogue: Catalogue
  /** Calls that their servers work on by themselves. */
  readonly tasks: HostTasks
  readonly #options: HostOptions
  readonly #configuration: Configuration
  readonly #sessions = new Sessions(() => this.rules)
  readonly #assembly: Assembly
  readonly #conversations: Conversations
  readonly #listeners = new Listeners<HostEvents>({ problems: true, servers: true, task: true })
  #watch: ConfigWatch | undefined

  constructor(options: HostOptions, stores: HostStores) {
    this.#options = options
    this.inbox = stores.inbox
    this.grants = stores.grants
    this.audit = stores.audit
    this.trust = stores.trust
    const configuration = new Configuration(options, stores.config)
    const sessions = this.#sessions
    this.#configuration = configuration
    this.#assembly = assemble(options, stores, {
      configuration,
      sessions,
      reload: () => this.reload(),
      taskChanged: (task) => this.#listeners.emit('task', task),
    })
    this.guard = this.#assembly.guard
    this.models = this.#assembly.models
    this.upstreams = this.#assembly.upstreams
    this.catalogue = this.#assembly.catalogue
    this.tasks = this.#assembly.tasks
    this.#conversations = new Conversations(options, { ...this.#assembly, configuration, sessions })
  }

  /** Connects the configured servers, and follows the files where asked to. Called once, by `createHost`. */
  async start(): Promise<void> {
    if (this.#options.watch === true) {
      this.#watch = watchConfig(this.config, () => {}, { onReload: (config) => void this.#take(config) })
    }
    await this.#take(this.config)
  }

  /** The configuration as it was last read. */
  get config(): LoadedConfig {
    return this.#configuration.loaded
  }

  /** The rules that decide now: the program's own and those of the files. */
  get rules(): Rules {
    return this.#configuration.rules
  }

  /** Replaces the program's own rules. Throws `invalid-config`, and keeps the old ones, when one cannot be read. */
  setRules(rules: readonly unknown[]): void {
    this.#configuration.setRules(rules)
  }

  /** Replaces the program's own servers; only what changed reconnects. Those of the files stay, and so does `only`. */
  async setServers(servers: readonly ServerConfig[]): Promise<void> {
    this.#configuration.setServers(servers)
    await this.#connect()
  }

  /**
   * Offers a server other roots while it runs: older servers are told, the newest learn of them when they ask next. They
   * count until the host is closed or `undefined` brings the configured ones back.
   */
  async setRoots(server: string, roots: readonly string[] | undefined): Promise<void> {
    await this.#tune(server, { roots })
  }

  /** Asks a server for log messages of at least this level from now on; `undefined` is as configured. */
  async setLogLevel(server: string, logLevel: LogLevel | undefined): Promise<void> {
    await this.#tune(server, { logLevel })
  }

  get problems(): readonly ConfigProblem[] {
    return this.#configuration.problems
  }

  /** Calls a tool by its name in the catalogue. */
  call(name: string, args: JsonObject = {}, options?: ActOptions): Promise<ActionResult<CallToolResult>> {
    return this.#assembly.actions.call(name, args, options)
  }

  /**
   * Calls a tool without waiting for the end of it, where its server makes the call a task. Until then, and for what is
   * answered within `attendMs`, it is a call like any other.
   */
  callAsTask(name: string, args: JsonObject = {}, options?: TaskCallOptions): Promise<StartedCall> {
    return this.#assembly.actions.callAsTask(name, args, options)
  }

  read(uri: string, options?: ActOptions): Promise<ActionResult<ReadResourceResult>> {
    return this.#assembly.actions.read(uri, options)
  }

  prompt(
    name: string,
    args: { readonly [name: string]: string } = {},
    options?: ActOptions,
  ): Promise<ActionResult<GetPromptResult>> {
    return this.#assembly.actions.prompt(name, args, options)
  }

  /** What a server proposes while something is typed for one of its prompts or URIs. */
  complete(server: string, params: CompleteParams, options?: ActOptions): Promise<CompleteResult> {
    return this.#assembly.actions.complete(server, params, options)
  }

  /** Tells of every change of a resource, until what comes back is called. */
  subscribe(server: string, uri: string, listener: () => void, options?: ActOptions): Promise<() => Promise<void>> {
    return this.#assembly.actions.subscribe(server, uri, listener, options)
  }

  /**
   * Signs the user in to a server: its page opens in their browser, the server is connected anew, and what it has is in the
   * catalogue.
   */
  async signIn(server: string): Promise<void> {
    await this.#assembly.signIn.during(server, async () => {
      await this.upstreams.restart(server)
      await this.upstreams.client(server)
    })
    // Whoever is told that they are signed in uses it at once. Lists that take long come later by themselves.
    await this.catalogue.refresh(server, AbortSignal.timeout(LISTING_MS)).catch(() => {})
  }

  /** What signing in to a server did, step by step. */
  signInSteps(server: string): readonly SignInStep[] {
    return this.#assembly.signIn.steps(server)
  }

  /** A conversation whose model may use the servers, past the guard. */
  converse(options: ConverseOptions): Conversation {
    return this.#conversations.open(options)
  }

  /** Puts a resource or prompt into a conversation's next message, with its origin. */
  attach(conversation: Conversation, attachment: Attachment, options: ActOptions): Promise<AttachedPiece> {
    return this.#conversations.attach(conversation, attachment, options)
  }

  /** The projects of the configuration, by name. */
  get projects(): ReadonlyMap<string, Project> {
    return this.#configuration.projects
  }

  /** What goes along with every message of a session besides what is configured, kept fresh by subscription. */
  pins(session: string): readonly AttachRule[] {
    return this.#sessions.attached.pins(session)
  }

  /** Replaces the pins of a session. */
  setPins(session: string, pins: readonly AttachRule[]): void {
    this.#sessions.attached.setPins(session, pins)
  }

  /** Under what circumstances an act happens, for those who pass the guard themselves. */
  circumstances(act: ActOptions): Circumstances {
    return toCircumstances(act, this.#options)
  }

  /** Whose words are in the context of a session. */
  provenance(session: string): Provenance {
    return this.#sessions.provenance(session)
  }

  /** Forgets what was remembered for a session, and cancels the tasks that run for it. */
  endSession(session: string): void {
    this.#assembly.tasks.endSession(session)
    this.#sessions.end(session)
    this.grants.endSession(session)
    this.guard.endSession(session)
  }

  on<E extends keyof HostEvents>(event: E, listener: (value: HostEvents[E]) => void): () => void {
    return this.#listeners.on(event, listener)
  }

  /** Reads the configuration again; only what changed reconnects. */
  async reload(): Promise<void> {
    if (this.#watch === undefined) await this.#take(await this.config.reload())
    else await this.#watch.refresh()
  }

  async close(): Promise<void> {
    this.#watch?.close()
    this.#assembly.close()
    this.grants.close()
    this.guard.close()
    await this.#assembly.tasks.close()
    await this.catalogue.close()
    await this.inbox.close()
    await this.upstreams.close()
    await this.audit?.close()
    await this.#options.state?.close()
    // Approvals and grants are written in their own time; whoever removes the folder next must not meet them.
    if (this.#options.stateDir !== undefined) await settleState(this.#options.stateDir)
  }

  async #take(config: LoadedConfig): Promise<void> {
    this.#configuration.take(config)
    this.models.configure(this.#configuration.models)
    this.#listeners.emit('problems', this.problems)
    this.#assembly.untrusted.look(config.untrusted)
    await this.#connect()
  }

  async #connect(): Promise<void> {
    const { servers } = this.#configuration
    this.#listeners.emit('servers', servers)
    await this.upstreams.set(servers)
  }

  async #tune(server: string, change: Tuning): Promise<void> {
    if (this.upstreams.config(server) === undefined) {
      throw new HostError('unknown-server', `No server "${server}" is configured`, { data: { server } })
    }
    this.#configuration.tune(server, change)
    await this.#connect()
  }
}
