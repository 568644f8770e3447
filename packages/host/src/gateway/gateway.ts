/**
 * A gateway: any number of servers as one, for clients of any revision on any transport. `createGateway` makes an SDK
 * server whose answers come from the host's connections; serve it with whatever serves servers.
 */

import { createFaultPrinter, type Endpoint, endpointOf } from '@portico/sdk/internal'
import { defineRelay } from '@portico/sdk/relay'
import { createServer, type RequestContext, RpcError, type Server, type ServerOptions } from '@portico/sdk/server'
import { createTasks, type Tasks } from '@portico/sdk/tasks'
import { callListener } from '../config/call-listener.ts'
import type { SharedState } from '../state/shared/shared-state.ts'
import { type ListKind, listOf } from '../upstream/catalogue/listing.ts'
import { plainName } from '../upstream/catalogue/names.ts'
import type { UpstreamView } from '../upstream/upstream.ts'
import { ENDING } from './call/failures.ts'
import { Parking, type ParkingLimits } from './call/parking.ts'
import type { CallerConnection } from './connections/caller-connection.ts'
import { CallerConnections } from './connections/caller-connections.ts'
import type { GatewayHost } from './gateway-host.ts'
import { introduce } from './introduction.ts'
import { CallLimits, GATEWAY_LIMITS, type GatewayLimits } from './limits.ts'
import { type GatewayMetrics, Meter } from './metrics.ts'
import { CallerControl, type GatewayCaller, type SharedRevocations } from './operations/caller-control.ts'
import { GatewayRelay, type RelayParts } from './relay.ts'
import { SharedCallLimits } from './shares/shared-call-limits.ts'
import type { VisitLimits } from './sign-in/url-visits.ts'
import { isAudited, toAuditEntry } from './tasks/task-audit.ts'
import type { GatewayTasks } from './tasks/task-settings.ts'
import { ItemSource } from './views/item-source.ts'
import { withOwnNames } from './views/own-names.ts'
import { PersonalLists } from './views/personal-lists.ts'
import { callerOf } from './views/toolset.ts'
import { matcher, ViewTable } from './views/view.ts'
import { checkedChoice, type Views } from './views/view-rule.ts'

/** Options of `createGateway`: who sees what, how much each caller may use, and how calls wait for answers. */
export interface GatewayOptions {
  /** How the gateway names itself to clients. */
  readonly name?: string
  readonly version?: string
  readonly title?: string
  readonly instructions?: string
  /** What each principal sees; everything unless given. */
  readonly views?: Views
  /** Shows tools and prompts under the servers' own names where they do not clash, instead of `server_tool`. */
  readonly ownNames?: boolean
  /** Serves callers that nobody has identified, over HTTP too. Off by default (sec-4). */
  readonly allowAnonymous?: boolean
  readonly limits?: Partial<GatewayLimits>
  readonly parking?: Partial<ParkingLimits>
  readonly visits?: Partial<VisitLimits>
  /** Questions that one call may have open at a time. 16 by default. */
  readonly maxQuestions?: number
  /** Log messages of one call that are kept between two rounds. 100 by default. */
  readonly maxKept?: number
  /** Rounds of input that one call may take on the newest revision. 32 by default. */
  readonly maxRounds?: number
  /** How long a connection that nobody uses is kept. 5 minutes by default. */
  readonly idleMs?: number
  /** Nobody answers the guard's questions: what would ask is denied. */
  readonly unattended?: boolean
  /** Splits lists into pages. Off by default: many clients never ask for the second page. */
  readonly pageSize?: number
  /**
   * Gets every failure in full, with the reference that a caller was told in its place; callers see no more than they need.
   * Standard error by default.
   */
  readonly onError?: (error: unknown, about: { readonly where: string; readonly reference?: string }) => void
  /** Servers that show each user something else: their lists are read anew for everybody. None unless given. */
  readonly personal?: (server: UpstreamView) => boolean
  /**
   * Long work: calls that take long become tasks for callers that can have them, and tasks of servers are followed for those that
   * cannot. Says where they are kept. `false`: no call becomes one.
   */
  readonly tasks?: GatewayTasks | false
  /**
   * What several gateways share: limits of callers, and who is shut out. The same that their hosts have (`shareState` of
   * `@portico/host/state`). Tasks are shared where `tasks` has the store of it.
   */
  readonly state?: SharedState
  /** Signs callers in to servers that want it: see `createSignIn`. */
  readonly signIn?: RelayParts['signIn']
  /** The name of this process among several, `replica` of a cluster: rounds of a call that waits here come here. */
  readonly replica?: string
  /** Keys and stores for several replicas, and everything else a server can be told. */
  readonly server?: Pick<ServerOptions, 'stateKeys' | 'state' | 'roundStore' | 'versions' | 'cache' | 'askTimeoutMs'>
}

/** A gateway that can be served, measured, reloaded and closed. */
export interface Gateway {
  /** What `serveHttp`, `serveStdio`, `serveWebSocket` and `serveFetch` serve. */
  readonly server: Server
  /** The same for transports of your own. */
  readonly endpoint: Endpoint
  readonly allowAnonymous: boolean
  metrics(): GatewayMetrics
  /** Whether every server in the catalogue can be used, and which cannot. */
  health(): GatewayHealth
  /** Who has made requests since the start, with their connections. */
  callers(): readonly GatewayCaller[]
  /** While on, `health()` says that new callers should go elsewhere; those who come are served all the same. */
  drain(on: boolean): void
  /**
   * Ends a principal's connections and refuses everything that it asks for, until `restore` or the end of the process. With shared
   * state at every replica, when it resolves; it rejects where it holds here alone.
   */
  revoke(principal: string): Promise<void>
  /** Lets a principal in again; false if it was not shut out. */
  restore(principal: string): Promise<boolean>
  /** The principals that are shut out. */
  revoked(): readonly string[]
  /**
   * Changes servers without dropping calls: new calls to those named wait, calls under way finish (at most for
   * `graceMs`), `apply` makes the change, and the calls that waited go on.
   */
  reload(servers: readonly string[], apply: () => Promise<unknown>, graceMs?: number): Promise<void>
  /** Lets calls under way finish, at most for `graceMs`, then ends everything. */
  close(graceMs?: number): Promise<void>
}

/** Whether all servers behind a gateway can be used, and the state of each by name. */
export interface GatewayHealth {
  readonly ok: boolean
  readonly servers: { readonly [name: string]: { readonly state: string; readonly reason?: string } }
  /** Whether the state that gateways share can be reached and written, and since when that is so; where there is one. */
  readonly state?: { readonly available: boolean; readonly since: number }
  /** Whether what happens can be written down; where there is a log. */
  readonly audit?: { readonly writable: boolean }
}

const VISITS: VisitLimits = { maxVisits: 8, visitMs: 20_000 }
const IDLE_MS = 5 * 60_000
const INVALID_REQUEST = -32600
/** How long calls that another process goes on with may take to let go. */
const LEAVE_MS = 1_000
const HEALTHY: ReadonlySet<string> = new Set(['ready', 'idle', 'starting', 'disabled'])

/**
 * Makes one server out of many: clients see the tools, resources and prompts of all servers in the catalogue, and each
 * call is passed on to the server that it is for. Serve it with `serveGateway`, or `gateway.server` on any transport.
 *
 * @example
 * ```ts
 * import { createGateway } from '@portico/host/gateway'
 * import { createCatalogue, createUpstreams } from '@portico/host/upstream'
 *
 * const upstreams = createUpstreams()
 * const gateway = createGateway({ upstreams, catalogue: createCatalogue(upstreams) }, { name: 'team-gateway' })
 * ```
 */
export function createGateway(given: GatewayHost, options: GatewayOptions = {}): Gateway {
  const host = options.ownNames === true ? { ...given, catalogue: withOwnNames(given.catalogue) } : given
  const { allowAnonymous = false } = options
  const report = options.onError ?? reportToStderr()
  const onError: Reporting = (error, where, more) => callListener(report, error, { where, ...more })
  const personal = personalOf(options, onError)
  const parking = new Parking(options.parking, options.replica)
  const connections = createConnections(host, options, personal, (...change) => tellChanges(server, ...change))
  const lists = new PersonalLists({ upstreams: host.upstreams, connections, personal, signIn: options.signIn })
  const items = new ItemSource(host.catalogue, connections)
  const meter = new Meter()
  const { state } = options
  const control = new CallerControl(meter, connections, state && revocationsOf(state, onError))
  const limits = createLimits(options)
  const told = (error: unknown): void => onError(error, 'views')
  const views = new ViewTable(options.views, (ctx) => items.of(ctx), told)
  const relay = new GatewayRelay({
    host,
    views,
    connections,
    parking,
    limits,
    meter,
    visits: { ...VISITS, ...options.visits },
    maxQuestions: options.maxQuestions ?? 16,
    maxKept: options.maxKept ?? 100,
    unattended: options.unattended ?? false,
    admit: (ctx) => admit(ctx, allowAnonymous, control),
    introduce: (ctx) => {
      if (!allowAnonymous && isAnonymous(ctx)) return undefined
      return introduce(host.catalogue, ctx, () => connections.servers().filter(views.of(ctx).serves))
    },
    unknownTo: (ctx) => lists.unknownTo(ctx),
    personalLists: (ctx) => lists.read(ctx),
    onError,
    tasks: options.tasks === false ? undefined : (options.tasks ?? {}),
    ...(options.signIn && { signIn: options.signIn }),
  })
  const tasks = createGatewayTasks(options.tasks, relay, host, onError)
  const server: Server = createGatewayServer(options, relay, tasks, onError)
  const unfollow = host.catalogue.on('change', ({ kinds }) => {
    for (const list of new Set(kinds.map(listOf))) server.changed(list)
  })
  const end = (): Promise<void> => endAll(unfollow, control, limits)
  let closing: Promise<void> | undefined
  return {
    server,
    endpoint: endpointOf(server),
    allowAnonymous,
    metrics: () => metricsOf(meter, connections, relay, state),
    health: () => healthOf(host, control.draining, state),
    ...controlsOf(control, state),
    reload: (names, apply, graceMs = 10_000) => relay.dispatch.running.reload(names, apply, graceMs),
    close: (graceMs = 10_000) => {
      tasks?.close()
      closing ??= shutDown(relay, parking, connections, { graceMs, kept: isKept(options) }).finally(end)
      return closing
    },
  }
}

function personalOf({ personal }: GatewayOptions, onError: (error: unknown, where: string) => void) {
  return personal && checkedChoice('personal', personal, (error) => onError(error, 'personal'))
}

function endAll(unfollow: () => void, control: CallerControl, limits: CallLimits): Promise<void> {
  unfollow()
  control.close()
  return limits.close()
}

function createLimits({ limits = {}, state }: GatewayOptions): CallLimits {
  const all = { ...GATEWAY_LIMITS, ...limits }
  return new CallLimits(limits, matcher, state && new SharedCallLimits(state, all))
}

function revocationsOf(state: SharedState, onError: (error: unknown, where: string) => void): SharedRevocations {
  return {
    text: state.text('revoked'),
    failed: (error) => onError(error, 'state'),
    whenBack: (listener) => state.onAvailable((available) => available && listener()),
  }
}

function toStateMetrics({ availability, replicas }: SharedState): NonNullable<GatewayMetrics['state']> {
  const { available, failures, calls } = availability()
  return { available, failures, calls, replicas: replicas.ids.size }
}

function createConnections(
  host: GatewayHost,
  { idleMs = IDLE_MS, limits, signIn }: GatewayOptions,
  personal: GatewayOptions['personal'],
  listsChanged: (connection: CallerConnection, kinds: readonly ListKind[]) => void,
): CallerConnections {
  const { upstreams, catalogue } = host
  return new CallerConnections({
    upstreams,
    idleMs,
    maxConnections: limits?.maxConnections ?? GATEWAY_LIMITS.maxConnections,
    byClient: signIn !== undefined,
    shared: (name) => catalogue.items().filter((item) => item.server === name),
    personal: personal ?? (() => false),
    nameOf: (item) => catalogue.nameOf?.(item) ?? plainName(item),
    listsChanged,
  })
}

function createGatewayTasks(
  options: GatewayOptions['tasks'],
  relay: GatewayRelay,
  { audit }: GatewayHost,
  onError: (error: unknown, where: string) => void,
): Tasks | undefined {
  if (options === false) return undefined
  const { ttlMs: _ttl, pollIntervalMs: _interval, ...own } = options ?? {}
  return createTasks({
    ...own,
    // Without a budget, a call that cannot become a task is held for as long as its server takes.
    helperTools: own.holdMs !== undefined,
    admit: (params, ctx) => relay.admitTask(params, ctx),
    ...(audit && {
      onTask: (event) => {
        if (isAudited(event)) audit.append(toAuditEntry(event)).catch((error: unknown) => onError(error, 'audit'))
      },
    }),
  })
}

/** Whether tasks outlive the process. */
function isKept({ tasks }: GatewayOptions): boolean {
  return tasks !== false && tasks?.store !== undefined
}

type Reporting = (error: unknown, where: string, more?: { readonly reference: string }) => void

function createGatewayServer(
  options: GatewayOptions,
  relay: GatewayRelay,
  tasks: Tasks | undefined,
  onError: Reporting,
): Server {
  return createServer({
    name: options.name ?? 'portico-gateway',
    version: options.version ?? '0.1.0',
    ...(options.title !== undefined && { title: options.title }),
    ...(options.instructions !== undefined && { instructions: options.instructions }),
    ...(options.pageSize !== undefined && { pageSize: options.pageSize }),
    ...options.server,
    maxRounds: options.maxRounds ?? 32,
    slow: false,
    onError: (error, { where, reference }) => onError(error, where, { reference }),
    relay: defineRelay(relay),
    ...(tasks && { tasks }),
  })
}

/** Lists that changed on one connection are news for those who use it, and for nobody else. */
function tellChanges(server: Server, { key }: CallerConnection, kinds: readonly ListKind[]): void {
  for (const kind of kinds) {
    const method = `notifications/${kind}/list_changed`
    if (key.session === undefined) server.changed(kind, key.principal?.id)
    else if (key.session.revision.serverNotifications.has(method)) {
      key.session.post(JSON.stringify({ jsonrpc: '2.0', method }), 'keep')
    }
  }
}

async function shutDown(
  relay: GatewayRelay,
  parking: Parking,
  connections: CallerConnections,
  { graceMs, kept }: { readonly graceMs: number; readonly kept: boolean },
): Promise<void> {
  const until = performance.now() + graceMs
  const { running } = relay.dispatch
  // Calls that wait for their client's answers will not be taken up again: the way to here is closed.
  parking.close(ENDING, kept)
  // What another process goes on with is not waited for.
  await running.finished((call) => !(kept && call.isTask && call.task !== undefined), until)
  running.endAll(ENDING, kept)
  await running.finished(({ left }) => left, performance.now() + LEAVE_MS)
  await connections.close()
}

/** Only what came by a network can be anonymous: a pipe belongs to whoever started the process. */
function isAnonymous(ctx: RequestContext): boolean {
  return callerOf(ctx) === undefined && ctx.head !== undefined
}

function admit(ctx: RequestContext, allowAnonymous: boolean, control: CallerControl): void {
  if (!allowAnonymous && isAnonymous(ctx)) {
    throw new RpcError(INVALID_REQUEST, 'The gateway serves callers that have been identified; see allowAnonymous')
  }
  if (control.shutsOut && control.isShutOut(callerOf(ctx)?.id)) {
    throw new RpcError(INVALID_REQUEST, 'Whoever runs this gateway has shut you out; ask them')
  }
}

function metricsOf(
  meter: Meter,
  connections: CallerConnections,
  { dispatch }: GatewayRelay,
  shared: SharedState | undefined,
): GatewayMetrics {
  const { size: parked, abandoned } = dispatch.parking
  const state = shared && { state: toStateMetrics(shared) }
  return { ...meter.snapshot(), parked, abandoned, connections: connections.size, ...dispatch.running.tasks, ...state }
}

function controlsOf(
  control: CallerControl,
  state: SharedState | undefined,
): Pick<Gateway, 'callers' | 'drain' | 'revoke' | 'restore' | 'revoked'> {
  return {
    callers: () => control.callers(),
    drain: (on) => {
      control.draining = on
      state?.replicas.tell()
    },
    revoke: (principal) => control.revoke(principal),
    restore: (principal) => control.restore(principal),
    revoked: () => control.revoked(),
  }
}

function healthOf(
  { upstreams, audit }: GatewayHost,
  draining: boolean,
  shared: SharedState | undefined,
): GatewayHealth {
  const views = upstreams.views()
  const servers = Object.fromEntries(
    views.map(({ name, state }) => [name, { state: state.state, ...(state.reason && { reason: state.reason }) }]),
  )
  const writable = audit?.writable !== false
  const ok = !draining && writable && views.every(({ state }) => HEALTHY.has(state.state))
  const own = { ok, servers, ...(audit && { audit: { writable } }) }
  if (shared === undefined) return own
  const { available, since } = shared.availability()
  return { ...own, ok: ok && available, state: { available, since } }
}

function reportToStderr(): NonNullable<GatewayOptions['onError']> {
  const print = createFaultPrinter()
  return (error, { where, reference }) =>
    print(`[portico gateway] ${where}${reference ? ` (reference ${reference})` : ''}:`, error, reference)
}
