/**
 * The host: any number of servers under one set of rules, and the model's way to them. Puts the layers below together;
 * programs embed this, and the gateway, the command line and the workbench are built on it.
 */

import { join } from 'node:path'
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
import type { AuditSink } from '../audit/record.ts'
import { type LoadedConfig, loadConfig } from '../config/load-config.ts'
import type { ConfigProblem, ServerConfig } from '../config/server-config.ts'
import { tell } from '../config/tell.ts'
import { createTrustStore, type TrustStore } from '../config/trust/trust-store.ts'
import { type UsedSecrets, watchSecrets } from '../config/trust/used-secrets.ts'
import { createVersionLedger } from '../config/trust/version-ledger.ts'
import { type ConfigWatch, watchConfig } from '../config/watch-config.ts'
import { type FileWatch, watchFiles } from '../config/watch-files.ts'
import { createGrants, type Grants } from '../consent/grants.ts'
import { createInbox, type Inbox } from '../consent/inbox.ts'
import type { Question } from '../consent/question.ts'
import { HostError } from '../errors.ts'
import { createGuard } from '../guard/create-guard.ts'
import { DefinitionWords } from '../guard/definition-words.ts'
import { admit } from '../guard/foreign-text.ts'
import type { OpenGuard } from '../guard/guard.ts'
import type { Provenance } from '../guard/provenance.ts'
import { Conversation } from '../model/conversation.ts'
import { Models } from '../model/models.ts'
import { recall } from '../model/origins.ts'
import { SamplingDesk } from '../model/sampling.ts'
import type { Circumstances, Effect } from '../policy/effect.ts'
import { createRules, type Rules } from '../policy/rules.ts'
import { type Catalogue, createCatalogue } from '../upstream/catalogue/catalogue.ts'
import { Listeners } from '../upstream/connection/listeners.ts'
import { createPinStore, type PinStore } from '../upstream/pins/pins.ts'
import { createUpstreams, type Upstreams } from '../upstream/upstreams.ts'
import { Acts, type Done } from './acts.ts'
import { createAdmission } from './admission.ts'
import { AttachedContext } from './attached-context.ts'
import { type AttachedPiece, type Attachment, fetchPage, readAttachment } from './attachments.ts'
import { type HostAuditOptions, openHostAudit } from './audit-file.ts'
import { CallsInFlight } from './calls-in-flight.ts'
import { ChangedDefinitions } from './changed-definitions.ts'
import { DEFAULT_SESSION, toCircumstances } from './circumstances.ts'
import { Contexts } from './contexts.ts'
import { createHands } from './hands.ts'
import type { ActOptions, AttachRule, ConverseOptions, HostOptions } from './options.ts'
import { type ConversationSettings, type Project, readConversationSettings } from './projects.ts'
import { createQuestions } from './questions.ts'
import { SessionRules } from './session-rules.ts'
import { type HostSettings, readSettings } from './settings.ts'
import { SignIn, type SignInStep } from './sign-in.ts'
import { type Tuning, withTuning } from './tuning.ts'
import { UntrustedFiles } from './untrusted-files.ts'

/** What `host.on` tells of, by the name of the event. */
export interface HostEvents {
  /** The configuration was read anew; what is wrong with it now. */
  problems: readonly ConfigProblem[]
  /** The servers are other ones, or configured otherwise. */
  servers: readonly ServerConfig[]
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
  const { stateDir, onWarning = () => {} } = options
  const file = (name: string) => (stateDir === undefined ? {} : { file: join(stateDir, name), onWarning })
  const trust = stateDir === undefined ? undefined : createTrustStore({ file: join(stateDir, 'trust.json'), onWarning })
  const config =
    options.config ??
    (await loadConfig({
      files: options.configFiles ?? [],
      ...(trust !== undefined && { trust }),
      ...(options.workspace !== undefined && { project: options.workspace }),
    }))
  const [inbox, grants] = await Promise.all([
    createInbox({ ...file('inbox.json'), follow: true }),
    createGrants({ ...file('grants.json'), follow: true }),
  ])
  const used = watchSecrets(options)
  const audit = stateDir === undefined ? undefined : await openHostAudit(stateDir, auditOptions(options, used))
  const host = new Host(options, { trust, inbox, grants, audit, config, used })
  await host.start()
  return host
}

/** Whatever was handed to a server is never written down, besides what the program names. */
function auditOptions({ audit = {} }: HostOptions, used: UsedSecrets): HostAuditOptions {
  const { redact } = audit
  return { ...audit, redact: { ...redact, values: () => [...used.values(), ...(redact?.values?.() ?? [])] } }
}

interface HostParts {
  readonly trust: TrustStore | undefined
  readonly inbox: Inbox
  readonly grants: Grants
  readonly audit: AuditLog | undefined
  readonly config: LoadedConfig
  readonly used: UsedSecrets
}

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
  readonly #options: HostOptions
  readonly #used: UsedSecrets
  readonly #acts: Acts
  readonly #inFlight = new CallsInFlight()
  readonly #signIn: SignIn
  readonly #pins: PinStore
  readonly #changed: ChangedDefinitions
  readonly #untrusted: UntrustedFiles
  readonly #pinWatch: FileWatch | undefined
  readonly #contexts = new Contexts()
  readonly #definitions = new DefinitionWords()
  readonly #listeners = new Listeners<HostEvents>()
  readonly #sessionRules = new SessionRules(() => this.rules)
  readonly #attached = new AttachedContext()
  readonly #tuning = new Map<string, Tuning>()
  #ownRules: readonly unknown[]
  #ownServers: readonly ServerConfig[]
  #config: LoadedConfig
  #settings: HostSettings
  #conversations: ConversationSettings
  #watch: ConfigWatch | undefined

  constructor(options: HostOptions, { trust, inbox, grants, audit, config, used }: HostParts) {
    this.#options = options
    this.#used = used
    this.#config = config
    this.#ownRules = options.rules ?? []
    this.#ownServers = options.servers ?? []
    this.inbox = inbox
    this.grants = grants
    this.audit = audit
    this.trust = trust
    this.#settings = readSettings(config, this.#ownRules)
    this.#conversations = readConversationSettings(config)
    this.guard = createGuard({
      rules: () => this.#sessionRules.rules,
      inbox,
      grants,
      audit: audit ?? NOWHERE,
      flow: (session) => this.provenance(session),
      fingerprint: (effect) => this.#fingerprint(effect),
      knownSince: (effect) =>
        effect.kind === 'call' ? this.#pins.since(effect.server, 'tool', effect.tool) : undefined,
      onWarning: options.onWarning,
      telemetry: options.telemetry,
    })
    this.models =
      options.models ??
      new Models({ configured: this.#settings.models, env: options.env ?? process.env, secrets: options.secrets })
    if (options.ask !== undefined) {
      // What waits in another process is for people, and not for what this program does by itself.
      this.inbox.on(
        (event) => event.type === 'asked' && event.question.elsewhere !== true && void this.#ask(event.question),
      )
    }
    this.#signIn = new SignIn({ ...options.signIn, stateDir: options.stateDir })
    this.upstreams = this.#createUpstreams()
    this.#pins = createPinStore(this.#file('pins.json'))
    this.catalogue = createCatalogue(this.upstreams, { pins: this.#pins })
    this.upstreams.on('state', ({ server }) => this.#attached.lost(server))
    const { file } = this.#file('pins.json')
    this.#pinWatch = file === undefined ? undefined : watchFiles([file], () => this.#takeApprovals(), { settleMs: 20 })
    const standing = {
      inbox,
      audit: audit ?? NOWHERE,
      attended: options.unattended !== true,
      session: DEFAULT_SESSION,
      onWarning: options.onWarning ?? (() => {}),
    }
    const { catalogue, upstreams } = this
    this.#changed = new ChangedDefinitions({ ...standing, catalogue, upstreams, pins: this.#pins })
    this.#untrusted = new UntrustedFiles({ ...standing, trust, reload: () => this.reload() })
    const shared = {
      guard: this.guard,
      inFlight: this.#inFlight,
      circumstances: (act: ActOptions) => this.circumstances(act),
      provenance: (session: string) => this.provenance(session),
    }
    const { telemetry } = options
    const { hide } = used
    this.#acts = new Acts({ ...shared, hide, upstreams: this.upstreams, catalogue: this.catalogue, telemetry })
  }

  /** Connects the configured servers, and follows the files where asked to. Called once, by `createHost`. */
  async start(): Promise<void> {
    if (this.#options.watch === true) {
      this.#watch = watchConfig(this.#config, () => {}, { onReload: (config) => void this.#take(config) })
    }
    await this.#take(this.#config)
  }

  /** The configuration as it was last read. */
  get config(): LoadedConfig {
    return this.#config
  }

  /** The rules that decide now: the program's own and those of the files. */
  get rules(): Rules {
    return this.#settings.rules
  }

  /** Replaces the program's own rules. Throws `invalid-config`, and keeps the old ones, when one cannot be read. */
  setRules(rules: readonly unknown[]): void {
    createRules([...rules])
    this.#ownRules = rules
    this.#settings = readSettings(this.#config, rules)
  }

  /** Replaces the program's own servers; only what changed reconnects. Those of the files stay, and so does `only`. */
  async setServers(servers: readonly ServerConfig[]): Promise<void> {
    this.#ownServers = servers
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
    return [...this.#config.problems, ...this.#settings.problems, ...this.#conversations.problems]
  }

  /** Calls a tool by its name in the catalogue. */
  call(name: string, args: JsonObject = {}, options?: ActOptions): Promise<Done<CallToolResult>> {
    return this.#acts.call(name, args, options)
  }

  read(uri: string, options?: ActOptions): Promise<Done<ReadResourceResult>> {
    return this.#acts.read(uri, options)
  }

  prompt(
    name: string,
    args: { readonly [name: string]: string } = {},
    options?: ActOptions,
  ): Promise<Done<GetPromptResult>> {
    return this.#acts.prompt(name, args, options)
  }

  /** What a server proposes while something is typed for one of its prompts or URIs. */
  complete(server: string, params: CompleteParams, options?: ActOptions): Promise<CompleteResult> {
    return this.#acts.complete(server, params, options)
  }

  /** Tells of every change of a resource, until what comes back is called. */
  subscribe(server: string, uri: string, listener: () => void, options?: ActOptions): Promise<() => Promise<void>> {
    return this.#acts.subscribe(server, uri, listener, options)
  }

  /** Signs the user in to a server: its page opens in their browser, and the server is connected anew. */
  async signIn(server: string): Promise<void> {
    await this.#signIn.during(server, async () => {
      await this.upstreams.restart(server)
      await this.upstreams.client(server)
    })
  }

  /** What signing in to a server did, step by step. */
  signInSteps(server: string): readonly SignInStep[] {
    return this.#signIn.steps(server)
  }

  /** A conversation whose model may use the servers, past the guard. */
  converse(options: ConverseOptions): Conversation {
    const { maxTools } = this.#options
    const onWarning = options.onWarning ?? this.#options.onWarning ?? (() => {})
    const project = this.#project(options.project)
    const parts = {
      acts: this.#acts,
      catalogue: this.catalogue,
      upstreams: this.upstreams,
      pins: this.#pins,
      maxTools,
      definitions: this.#definitions,
      provenance: (session: string) => this.provenance(session),
    }
    const { model, system, budget, saved, session, onWaiting } = options
    const hands = createHands(parts, options, project?.servers)
    if (project !== undefined) this.#sessionRules.set(session, project.rules)
    if (saved !== undefined) recall(saved, this.provenance(session), (server) => this.#isTrusted(server))
    // What the person says themselves is nobody else's data.
    const onUser = (text: string): void => {
      this.guard.beginTurn(session)
      this.provenance(session).noteUser(text)
    }
    const attached = (signal: AbortSignal) => {
      const rules = this.#attachedTo(session, project)
      return this.#attached.read(session, rules, this.#attachmentParts(), { session, signal, onWaiting }, onWarning)
    }
    const instructions = project?.instructions
    const { readDocument } = this.#options
    const admitText = (server: string, text: string): string =>
      admit(text, { server, trusted: this.#isTrusted(server) }, this.provenance(session))
    const media = { readDocument, admit: admitText }
    return new Conversation(
      { models: this.models, hands, model, system, instructions, budget, onUser, attached, media },
      saved,
    )
  }

  /** Puts a resource or prompt into a conversation's next message, with its origin. */
  async attach(conversation: Conversation, attachment: Attachment, options: ActOptions): Promise<AttachedPiece> {
    const piece = await readAttachment(attachment, this.#attachmentParts(), options)
    conversation.attach(piece)
    return piece
  }

  /** The projects of the configuration, by name. */
  get projects(): ReadonlyMap<string, Project> {
    return this.#conversations.projects
  }

  /** What goes along with every message of a session besides what is configured, kept fresh by subscription. */
  pins(session: string): readonly AttachRule[] {
    return this.#attached.pins(session)
  }

  /** Replaces the pins of a session. */
  setPins(session: string, pins: readonly AttachRule[]): void {
    this.#attached.setPins(session, pins)
  }

  /** Under what circumstances an act happens, for those who pass the guard themselves. */
  circumstances(act: ActOptions): Circumstances {
    return toCircumstances(act, this.#options)
  }

  /** Whose words are in the context of a session. */
  provenance(session: string): Provenance {
    return this.#contexts.of(session)
  }

  /** Forgets what was remembered for a session. */
  endSession(session: string): void {
    this.#contexts.end(session)
    this.#attached.end(session)
    this.#sessionRules.end(session)
    this.grants.endSession(session)
    this.guard.endSession(session)
  }

  on<E extends keyof HostEvents>(event: E, listener: (value: HostEvents[E]) => void): () => void {
    return this.#listeners.on(event, listener)
  }

  /** Reads the configuration again; only what changed reconnects. */
  async reload(): Promise<void> {
    if (this.#watch === undefined) await this.#take(await this.#config.reload())
    else await this.#watch.refresh()
  }

  async close(): Promise<void> {
    this.#watch?.close()
    this.#changed.close()
    this.#untrusted.close()
    this.#pinWatch?.close()
    this.grants.close()
    this.guard.close()
    await this.catalogue.close()
    await this.inbox.close()
    await this.upstreams.close()
    await this.audit?.close()
  }

  async #take(config: LoadedConfig): Promise<void> {
    this.#config = config
    this.#settings = readSettings(config, this.#ownRules)
    this.#conversations = readConversationSettings(config)
    for (const model of this.#settings.models) this.models.add(model)
    this.#listeners.emit('problems', this.problems)
    this.#untrusted.look(config.untrusted)
    await this.#connect()
  }

  /** Makes the servers those of the program and of the files; a file's entry wins. */
  async #connect(): Promise<void> {
    const { only } = this.#options
    const servers = new Map([...this.#ownServers, ...this.#config.servers].map((server) => [server.name, server]))
    const wanted = [...servers.values()]
      .filter(({ name }) => only?.includes(name) ?? true)
      .map((server) => withTuning(server, this.#tuning.get(server.name)))
    this.#listeners.emit('servers', wanted)
    await this.upstreams.set(wanted)
  }

  #project(name: string | undefined): Project | undefined {
    const project = name === undefined ? undefined : this.projects.get(name)
    if (name === undefined || project !== undefined) return project
    const known = [...this.projects.keys()].join(', ')
    throw new HostError('invalid-config', `There is no project "${name}"${known === '' ? '' : `; there are ${known}`}`)
  }

  #attachedTo(session: string, project: Project | undefined): readonly AttachRule[] {
    const { attach = [] } = this.#options
    return [...attach, ...this.#conversations.attach, ...(project?.attach ?? []), ...this.pins(session)]
  }

  async #tune(server: string, change: Tuning): Promise<void> {
    if (this.upstreams.view(server) === undefined) {
      throw new HostError('unknown-server', `No server "${server}" is configured`, { data: { server } })
    }
    this.#tuning.set(server, { ...this.#tuning.get(server), ...change })
    await this.#connect()
  }

  #createUpstreams(): Upstreams {
    const { secrets, inputs, hide } = this.#used
    const { env = process.env, workspace, resolve = (plain) => plain, inProcess } = this.#options
    const desk = new SamplingDesk({
      models: this.models,
      guard: this.guard,
      inbox: this.inbox,
      filter: this.#options.samplingFilter,
      reviewAnswers: this.#options.reviewSampling,
      reviews: (effect, about) => this.#sessionRules.rules.reviewer(effect, about) !== undefined,
    })
    const circumstances = (act: ActOptions) => this.circumstances(act)
    const ledger =
      this.#options.stateDir === undefined
        ? undefined
        : createVersionLedger({ file: join(this.#options.stateDir, 'versions.json') })
    const admission = createAdmission({
      guard: () => this.guard,
      circumstances: () => circumstances({}),
      context: { env, secrets, inputs, workspaceFolder: workspace },
      ledger,
      looksUp: this.#options.packageLookups !== false,
    })
    return createUpstreams({
      telemetry: this.#options.telemetry,
      hide,
      ...this.#options.upstreams,
      ...(inProcess !== undefined && { inProcess }),
      resolve: resolve(this.#signIn.wrap(admission.resolve)),
      admit: admission.admit,
      questions: (config) =>
        createQuestions(config, {
          guard: this.guard,
          inbox: this.inbox,
          desk,
          inFlight: this.#inFlight,
          circumstances,
          provenance: (session) => this.provenance(session),
        }),
    })
  }

  /** Another process with the same state folder has approved what waits here, too. */
  #takeApprovals(): void {
    if (this.#pins.reload() > 0) this.catalogue.judgeAgain()
    this.#changed.look()
  }

  /** A changed definition voids what was approved for it. */
  #fingerprint(effect: Effect): string | undefined {
    const ownName = effect.kind === 'call' ? effect.tool : effect.kind === 'prompt' ? effect.prompt : undefined
    if (ownName === undefined) return undefined
    const kind = effect.kind === 'call' ? 'tool' : 'prompt'
    return this.catalogue.items([kind]).find((item) => item.server === effect.server && item.ownName === ownName)
      ?.fingerprint
  }

  /** A surface that fails leaves the question where it is: any other may answer it. */
  async #ask(question: Question): Promise<void> {
    try {
      const answer = await this.#options.ask?.(question)
      if (answer !== undefined) this.inbox.answer(question.id, answer)
    } catch (error) {
      tell(this.#options.onWarning, `A question could not be put: ${error instanceof Error ? error.message : error}`)
    }
  }

  #attachmentParts() {
    return {
      acts: this.#acts,
      trusts: (server: string) => this.#isTrusted(server),
      context: ({ session = DEFAULT_SESSION }: ActOptions) => this.provenance(session),
      offers: (uri: string) => this.catalogue.find(uri, 'resource') !== undefined,
      fetchPage,
    }
  }

  #isTrusted(server: string): boolean {
    return this.upstreams.view(server)?.config.settings.trusted ?? false
  }

  #file(name: string): { readonly file?: string; readonly onWarning?: (message: string) => void } {
    const { stateDir, onWarning = () => {} } = this.#options
    return stateDir === undefined ? {} : { file: join(stateDir, name), onWarning }
  }
}

/** For hosts that keep no state: decisions are made all the same. */
const NOWHERE: AuditSink = {
  append: async (entry) => ({ ...entry, sequence: 0, previous: '', hash: '' }),
}
