/** Puts the parts of a host together: opens what it keeps, and joins guard, models, servers and catalogue. */

import { join } from 'node:path'
import type { AuditLog } from '../audit/log.ts'
import type { AuditSink } from '../audit/record.ts'
import { callListener } from '../config/call-listener.ts'
import { type LoadedConfig, loadConfig } from '../config/load-config.ts'
import type { StatePlace } from '../config/shared-place.ts'
import { createTrustStore, type TrustStore } from '../config/trust/trust-store.ts'
import { type UsedSecrets, watchSecrets } from '../config/trust/used-secrets.ts'
import { createVersionLedger } from '../config/trust/version-ledger.ts'
import { watchFiles } from '../config/watch-files.ts'
import { createGrants, type Grants } from '../consent/grants.ts'
import { createInbox, type Inbox } from '../consent/inbox.ts'
import type { Question } from '../consent/question.ts'
import { createGuard } from '../guard/create-guard.ts'
import type { Guard, OpenGuard } from '../guard/guard.ts'
import type { Provenance } from '../guard/provenance.ts'
import { Models } from '../model/models.ts'
import { ServerSampling } from '../model/sampling.ts'
import type { Circumstances, Effect } from '../policy/effect.ts'
import { type Catalogue, createCatalogue } from '../upstream/catalogue/catalogue.ts'
import { openSharedBreakers, type SharedBreakers } from '../upstream/connection/shared-breakers.ts'
import { createPinStore, type PinStore } from '../upstream/pins/pins.ts'
import { openSharedPins, type SharedPins } from '../upstream/pins/shared-pins.ts'
import { createUpstreams, type Upstreams } from '../upstream/upstreams.ts'
import { createAdmission } from './admission.ts'
import { type HostAuditOptions, openHostAudit } from './audit-file.ts'
import { CallsInFlight } from './calls-in-flight.ts'
import { ChangedDefinitions } from './changed-definitions.ts'
import { DEFAULT_SESSION, toCircumstances } from './circumstances.ts'
import type { Configuration } from './configuration.ts'
import type { Sessions } from './conversation/sessions.ts'
import { GuardedActions } from './guarded-actions.ts'
import type { ActOptions, HostOptions } from './options.ts'
import { createQuestions } from './questions.ts'
import { SignIn } from './sign-in.ts'
import type { HostTask } from './tasks/host-task.ts'
import { createTaskBook } from './tasks/task-book.ts'
import { TaskFollowing } from './tasks/task-following.ts'
import { UntrustedFiles } from './untrusted-files.ts'

/** What a host keeps, and what it was configured with when it began. */
export interface HostStores {
  readonly trust: TrustStore | undefined
  readonly inbox: Inbox
  readonly grants: Grants
  readonly audit: AuditLog | undefined
  readonly config: LoadedConfig
  readonly used: UsedSecrets
  /** Where the pins are that several hosts share. */
  readonly pins: SharedPins | undefined
  /** Which servers other hosts leave alone. */
  readonly breakers: SharedBreakers | undefined
}

/** What the parts have in common while they are put together. */
interface Shared {
  readonly options: HostOptions
  readonly stores: HostStores
  readonly configuration: Configuration
  readonly sessions: Sessions
  readonly inFlight: CallsInFlight
  circumstances(act: ActOptions): Circumstances
  provenance(session: string): Provenance
}

export interface Assembly {
  readonly guard: OpenGuard
  readonly models: Models
  readonly signIn: SignIn
  readonly upstreams: Upstreams
  readonly catalogue: Catalogue
  readonly pins: PinStore
  readonly actions: GuardedActions
  readonly tasks: TaskFollowing
  readonly untrusted: UntrustedFiles
  /** No longer follows the state folder. */
  close(): void
}

export async function openStores(options: HostOptions): Promise<HostStores> {
  const { stateDir, onWarning = () => {} } = options
  const trust = stateDir === undefined ? undefined : createTrustStore({ file: join(stateDir, 'trust.json'), onWarning })
  const config =
    options.config ??
    (await loadConfig({
      files: options.configFiles ?? [],
      ...(trust !== undefined && { trust }),
      ...(options.workspace !== undefined && { project: options.workspace }),
    }))
  const { state } = options
  const [inbox, grants, pins, breakers] = await Promise.all([
    createInbox({ ...statePlace(options, 'inbox'), ...(state && { replicas: state.replicas }), follow: true }),
    createGrants({ ...statePlace(options, 'grants'), follow: true }),
    state && openSharedPins(state.store, state.bus, onWarning),
    state && openSharedBreakers(state.store, state.bus),
  ])
  const used = watchSecrets(options)
  const audit = stateDir === undefined ? undefined : await openHostAudit(stateDir, auditOptions(options, used))
  return { trust, inbox, grants, audit, config, used, pins, breakers }
}

export function assemble(
  options: HostOptions,
  stores: HostStores,
  own: {
    readonly configuration: Configuration
    readonly sessions: Sessions
    reload(): Promise<void>
    taskChanged(task: HostTask): void
  },
): Assembly {
  const { inbox, trust, used } = stores
  const { configuration, sessions } = own
  const shared: Shared = {
    options,
    stores,
    configuration,
    sessions,
    inFlight: new CallsInFlight(),
    circumstances: (act) => toCircumstances(act, options),
    provenance: (session) => sessions.provenance(session),
  }
  const pins = createPinStore(stores.pins === undefined ? stateFile(options, 'pins.json') : { shared: stores.pins })
  const guard = assembleGuard(shared, pins, () => catalogue)
  const models = options.models ?? new Models({ env: options.env ?? process.env, secrets: options.secrets })
  models.configure(configuration.models)
  askProgram(inbox, options)
  const signIn = new SignIn({ ...options.signIn, stateDir: options.stateDir, store: options.state?.tokens() })
  const upstreams = assembleUpstreams(shared, guard, models, signIn)
  const patience = options.patienceMs !== undefined && { patienceMs: options.patienceMs }
  const catalogue: Catalogue = createCatalogue(upstreams, { pins, ...patience })
  upstreams.on('state', ({ server }) => sessions.attached.lost(server))
  const standing = {
    inbox,
    audit: stores.audit ?? NOWHERE,
    attended: options.unattended !== true,
    session: DEFAULT_SESSION,
    onWarning: options.onWarning ?? (() => {}),
  }
  const changed = new ChangedDefinitions({ ...standing, catalogue, upstreams, pins })
  const untrusted = new UntrustedFiles({ ...standing, trust, reload: () => own.reload() })
  const unfollow = followApprovals({ options, stores, pins, catalogue, changed })
  const { hide } = used
  const tasks = assembleTasks(shared, { guard, upstreams, taskChanged: own.taskChanged, ...standing })
  const { telemetry } = options
  const actions = new GuardedActions({ ...shared, guard, hide, upstreams, catalogue, tasks, telemetry })
  const close = (): void => {
    changed.close()
    untrusted.close()
    unfollow()
    stores.breakers?.close()
  }
  return { guard, models, signIn, upstreams, catalogue, pins, actions, tasks, untrusted, close }
}

interface TaskSurroundings {
  readonly guard: Guard
  readonly upstreams: Upstreams
  readonly audit: AuditSink
  readonly onWarning: (message: string) => void
  taskChanged(task: HostTask): void
}

function assembleTasks(shared: Shared, { guard, upstreams, audit, onWarning, taskChanged }: TaskSurroundings) {
  const { options } = shared
  return new TaskFollowing({
    ...shared,
    guard,
    upstreams,
    audit,
    book: createTaskBook(stateFile(options, 'tasks.json')),
    options: options.tasks,
    changed: taskChanged,
    warn: onWarning,
  })
}

function assembleGuard(
  { options, stores, sessions, provenance }: Shared,
  pins: PinStore,
  catalogue: () => Catalogue,
): OpenGuard {
  return createGuard({
    rules: () => sessions.rules.rules,
    inbox: stores.inbox,
    grants: stores.grants,
    audit: stores.audit ?? NOWHERE,
    flow: provenance,
    fingerprint: (effect) => fingerprintOf(effect, catalogue()),
    knownSince: (effect) => (effect.kind === 'call' ? pins.since(effect.server, 'tool', effect.tool) : undefined),
    onWarning: options.onWarning,
    telemetry: options.telemetry,
  })
}

function assembleUpstreams(shared: Shared, guard: OpenGuard, models: Models, signIn: SignIn): Upstreams {
  const { options, sessions, inFlight, circumstances, provenance } = shared
  const { inbox, used } = shared.stores
  const { secrets, inputs, hide } = used
  const { env = process.env, workspace, resolve = (plain) => plain, inProcess } = options
  const { file } = statePlace(options, 'versions')
  const sampling = new ServerSampling({
    models,
    guard,
    inbox,
    filter: options.samplingFilter,
    reviewAnswers: options.reviewSampling,
    reviews: (effect, about) => sessions.rules.rules.reviewer(effect, about) !== undefined,
  })
  const admission = createAdmission({
    guard: () => guard,
    circumstances: () => circumstances({}),
    context: { env, secrets, inputs, workspaceFolder: workspace },
    ledger: file === undefined ? undefined : createVersionLedger({ file }),
    looksUp: options.packageLookups !== false,
  })
  return createUpstreams({
    telemetry: options.telemetry,
    hide,
    shared: shared.stores.breakers,
    ...options.upstreams,
    ...(inProcess !== undefined && { inProcess }),
    resolve: resolve(signIn.wrap(admission.resolve)),
    admit: (config, _wish, signal) => admission.admit(config, signal),
    questions: (config) => createQuestions(config, { guard, inbox, sampling, inFlight, circumstances, provenance }),
  })
}

/** Puts what is asked to the program, where it answers questions itself. */
function askProgram(inbox: Inbox, { ask, onWarning }: HostOptions): void {
  if (ask === undefined) return
  // A surface that fails leaves the question where it is: any other may answer it.
  const put = async (question: Question): Promise<void> => {
    try {
      const answer = await ask(question)
      if (answer !== undefined) inbox.answer(question.id, answer)
    } catch (error) {
      callListener(onWarning, `A question could not be put: ${error instanceof Error ? error.message : error}`)
    }
  }
  // What waits in another process is for people, and not for what this program does by itself.
  inbox.on((event) => event.type === 'asked' && event.question.elsewhere !== true && void put(event.question))
}

/** Another process with the same state may approve what waits here, too. */
function followApprovals({ options, stores, pins, catalogue, changed }: Following): () => void {
  const takeApprovals = (): void => {
    if (pins.reload() > 0) catalogue.judgeAgain()
    changed.look()
  }
  if (stores.pins !== undefined) {
    stores.pins.on(takeApprovals)
    return () => stores.pins?.close()
  }
  const { file } = stateFile(options, 'pins.json')
  if (file === undefined) return () => {}
  const watch = watchFiles([file], takeApprovals, { settleMs: 20 })
  return () => watch.close()
}

interface Following {
  readonly options: HostOptions
  readonly stores: HostStores
  readonly pins: PinStore
  readonly catalogue: Catalogue
  readonly changed: ChangedDefinitions
}

/** A changed definition voids what was approved for it. */
function fingerprintOf(effect: Effect, catalogue: Catalogue): string | undefined {
  if (effect.kind === 'call') return catalogue.findOwn(effect.server, effect.tool, 'tool')?.fingerprint
  return effect.kind === 'prompt' ? catalogue.findOwn(effect.server, effect.prompt, 'prompt')?.fingerprint : undefined
}

/** Whatever was handed to a server is never written down, besides what the program names. */
function auditOptions({ audit = {}, onWarning }: HostOptions, used: UsedSecrets): HostAuditOptions {
  const { redact } = audit
  return {
    ...(onWarning && { onWarning }),
    ...audit,
    redact: { ...redact, values: () => [...used.values(), ...(redact?.values?.() ?? [])] },
  }
}

function stateFile(
  { stateDir, onWarning = () => {} }: HostOptions,
  name: string,
): { readonly file?: string; readonly onWarning?: (message: string) => void } {
  return stateDir === undefined ? {} : { file: join(stateDir, name), onWarning }
}

/** In the shared state where there is one, or in a file. */
function statePlace(
  options: HostOptions,
  name: string,
): { readonly file?: StatePlace; readonly onWarning?: (message: string) => void } {
  const own = stateFile(options, `${name}.json`)
  return options.state === undefined ? own : { ...own, file: options.state.text(name) }
}

/** For hosts that keep no state: decisions are made all the same. */
const NOWHERE: AuditSink = {
  append: async (entry) => ({ ...entry, sequence: 0, previous: '', hash: '' }),
}
