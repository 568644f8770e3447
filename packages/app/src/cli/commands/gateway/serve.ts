/**
 * `portico serve`: the gateway as a daemon. Reads portico.json, serves its servers under its rules to callers who are
 * known, follows the file while it runs, and lets calls finish when it is told to end.
 */

import { isDeepStrictEqual } from 'node:util'
import type { Host } from '@portico/host'
import { type Cluster, createCluster, type DoorOptions } from '@portico/host/cluster'
import { compareServers, formatProblem, type LoadedConfig, watchConfig } from '@portico/host/config'
import {
  createGateway,
  type Gateway,
  type GatewayHttpOptions,
  type GatewayTasks,
  serveGateway,
} from '@portico/host/gateway'
import type { SharedState } from '@portico/host/state'
import { CliError } from '../../../exit-codes.ts'
import { followState, isToldByState } from '../../gateway/follow-state.ts'
import { followUpstreams } from '../../gateway/follow-upstreams.ts'
import { sayDoor, toDoor } from '../../gateway/gateway-door.ts'
import { toHttpOptions, withFlags } from '../../gateway/gateway-entrance.ts'
import { rulesFor, sayRules } from '../../gateway/gateway-rules.ts'
import { type GatewaySettings, readGatewaySettings, toViews } from '../../gateway/gateway-settings.ts'
import { createGatewaySignIn, type GatewaySignIn, isPersonal } from '../../gateway/gateway-sign-in.ts'
import { type OwnState, openSharedState } from '../../gateway/gateway-state.ts'
import { openTasks } from '../../gateway/gateway-tasks.ts'
import { openOperations } from '../../gateway/operations.ts'
import { requireSettings } from '../../gateway/require-settings.ts'
import { serveUntilEnd } from '../../gateway/serving.ts'
import { asWorker, runWorkers, tellServing, workersOf } from '../../gateway/workers.ts'
import { openHost, readConfig } from '../../host.ts'
import type { CommandInput } from '../../parse/command.ts'
import { counted } from '../../terminal/counted.ts'
import type { Io } from '../../terminal/io.ts'
import { stayUntil } from '../../terminal/stay-until.ts'

export async function run(input: CommandInput, io: Io): Promise<number> {
  const config = await readConfig(io, input.positionals[0])
  const settings = withFlags(requireSettings(config, io), input)
  if (input.flags.check === true) return check(config, input, io)
  const workers = workersOf(input.flags.workers, io)
  if (workers !== undefined) {
    if (input.flags.stdio === true) {
      throw new CliError(
        'usage',
        '--workers divides requests that come over HTTP, and standard input is one',
        'Leave one of the two out.',
      )
    }
    return runWorkers(workers, io)
  }
  const worker = asWorker(settings, io)
  return serve(config, worker?.settings ?? settings, input, worker?.io ?? io)
}

async function serve(config: LoadedConfig, settings: GatewaySettings, input: CommandInput, io: Io): Promise<number> {
  const file = input.positionals[0]
  const http = input.flags.stdio === true ? undefined : await toHttpOptions(settings, input, io)
  const door = settings.state && (await toDoor(settings.state, settings.host, io))
  const own = await openSharedState(settings.state, io)
  const state = own?.shared
  const signIn =
    http === undefined ? undefined : createGatewaySignIn(config, settings, { protection: http.auth, state }, io)
  const host = await openHost(io, {
    ...(file !== undefined && { config: file }),
    unattended: true,
    more: { rules: rulesFor(config), ...(signIn && { resolve: signIn.resolve }), ...(state && { state }) },
  })
  const tasks = await openTasks(settings.tasks, state)
  const replica = own && http && (await joinCluster(own, door, io))
  try {
    const live = new LiveGateway(host, { ...settings, tasks: tasks.options, shared: state, replica }, io, signIn)
    const unfollowState = followState(state, io)
    const onServing = tellFacts(state, live.gateway, replica)
    if (replica && door && settings.state) await sayDoor(replica, door, settings.state, io)
    await settled(host, io)
    const unfollow = followUpstreams(host, io)
    sayRules(config, io)
    const operations = await openOperations(
      { gateway: live.gateway, reload: () => live.reload(), ready: () => replica?.ready() !== false },
      settings.operations,
      io,
    )
    try {
      const pages = signIn && { pages: signIn.pages }
      const ready = (): boolean => live.gateway.health().ok && replica?.ready() !== false
      const sharing = replica && { sharing: replica.sharing, health: { ready } }
      await (http === undefined
        ? servePipe(live.gateway, io)
        : servePort(live.gateway, { ...http, ...pages, ...sharing, signIn, onServing }, input, io))
    } finally {
      unfollow()
      unfollowState()
      await live.close()
      await operations?.close()
    }
  } finally {
    await replica?.close()
    await host.close()
    await tasks.close()
  }
  return 0
}

/** Sessions in common with whoever serves from the same state. */
function joinCluster({ shared, keys }: OwnState, door: DoorOptions = {}, io: Io): Promise<Cluster> {
  const { unsealed: store, bus } = shared
  const onError = (error: unknown): void => {
    if (!isToldByState(error, shared)) io.say(`${io.paint.yellow('state')}: ${(error as Error).message}`)
  }
  return createCluster({ store, bus, keys, door, onError })
}

/** What `portico status` shows of this process; gives how to say at which address it serves. */
function tellFacts(
  state: SharedState | undefined,
  gateway: Gateway,
  cluster: Cluster | undefined,
): (address: string) => void {
  let address: string | undefined
  state?.replicas.describe(() => {
    const { servers, principals } = gateway.metrics()
    const running = Object.values(servers).reduce((sum, tally) => sum + tally.running, 0)
    const callers = Object.keys(principals).length
    const place = { ...(address !== undefined && { address }), ...(cluster && { replica: cluster.replica }) }
    return { serves: true, ready: gateway.health().ok, running, callers, ...place }
  })
  state?.replicas.tell()
  return (url) => {
    address = url
    state?.replicas.tell()
  }
}

/** The settings, with the tasks as they were opened. */
type LiveSettings = Omit<GatewaySettings, 'tasks'> & {
  readonly tasks: GatewayTasks
  readonly shared: SharedState | undefined
  readonly replica: Cluster | undefined
}

/** The gateway and what follows the file behind it. */
class LiveGateway {
  readonly gateway: Gateway
  readonly #host: Host
  readonly #io: Io
  readonly #watch: ReturnType<typeof watchConfig>
  readonly #signsIn: boolean
  #views: ReturnType<typeof toViews>
  #work: Promise<void> = Promise.resolve()

  constructor(host: Host, settings: LiveSettings, io: Io, signIn: GatewaySignIn | undefined) {
    this.#host = host
    this.#signsIn = signIn !== undefined
    this.#io = io
    this.#views = toViews(settings.views)
    const { name = 'portico', title, instructions, ownNames, pageSize, limits, tasks, shared, replica } = settings
    const { upstreams, catalogue } = host
    this.gateway = createGateway(
      { upstreams, catalogue, guard: host.guard, ...(host.audit && { audit: host.audit }) },
      {
        name,
        tasks,
        ...(title !== undefined && { title }),
        ...(instructions !== undefined && { instructions }),
        ...(ownNames !== undefined && { ownNames }),
        ...(pageSize !== undefined && { pageSize }),
        ...(limits !== undefined && { limits }),
        ...(shared !== undefined && { state: shared }),
        ...(replica !== undefined && { replica: replica.replica, server: replica.server }),
        allowAnonymous: settings.auth?.way === 'none',
        views: (principal) => this.#views(principal),
        unattended: true,
        ...(signIn && { signIn: signIn.signIn, personal: ({ config }) => isPersonal(config) }),
        onError: (error, { where, reference }) => {
          if (isToldByState(error, shared)) return
          const told = reference === undefined ? '' : ` (reference ${reference})`
          io.say(`${io.paint.yellow(where)}${told}: ${error instanceof Error ? error.message : error}`)
        },
      },
    )
    this.#watch = watchConfig(host.config, () => {}, {
      onReload: (next) => {
        this.#work = this.#work.then(() => this.#reload(next))
      },
    })
  }

  /** Reads the file again, whether or not anybody saw it change. */
  async reload(): Promise<void> {
    await this.#watch.refresh()
    await this.#work
  }

  async close(): Promise<void> {
    this.#watch.close()
    await this.#work
    await this.gateway.close()
  }

  /** Servers that are other ones now change between their calls; rules and views count from the next call on. */
  async #reload(next: LoadedConfig): Promise<void> {
    const before = this.#host.config
    const change = compareServers(before.servers, next.servers)
    // A watch reads once more when it begins, and files are written without a change.
    if (isDeepStrictEqual(settingsIn(before), settingsIn(next)) && Object.values(change).every(isNone)) return
    const { settings, problems } = readGatewaySettings(next)
    for (const problem of [...next.problems.map(formatProblem), ...problems])
      this.#io.say(`${this.#io.paint.yellow('warning')}: ${problem}`)
    if (problems.length === 0) this.#views = toViews(settings.views)
    if (!this.#signsIn && next.servers.some(isPersonal)) {
      this.#io.say(`${this.#io.paint.yellow('warning')}: start again to have users sign in to servers.`)
    }
    this.#host.setRules(rulesFor(next))
    const { added, changed, adjusted, removed } = change
    const names = [...changed, ...removed].map(({ name }) => name)
    try {
      await this.gateway.reload(names, () => this.#host.reload())
    } catch (error) {
      this.#io.say(`${this.#io.paint.red('not reloaded')}: ${error instanceof Error ? error.message : error}`)
      return
    }
    const count = added.length + changed.length + adjusted.length + removed.length
    this.#io.say(
      `${this.#io.paint.green('reloaded')}: ${count === 0 ? 'rules and views' : `${counted(count, 'server')} changed`}`,
    )
  }
}

function settingsIn({ extras, problems }: LoadedConfig): unknown {
  return { extras, problems: problems.map(formatProblem) }
}

function isNone(servers: readonly unknown[]): boolean {
  return servers.length === 0
}

const PATIENCE_MS = 10_000

/** Many clients list once: servers that are just starting get a moment before callers are let in. */
async function settled({ upstreams, catalogue }: Host, io: Io): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  do await catalogue.list({ signal: io.signal })
  while (performance.now() < until && upstreams.views().some(({ state }) => state.state === 'starting'))
}

async function servePipe({ server }: Gateway, io: Io): Promise<void> {
  await serveUntilEnd(server, { stdio: true }, io)
}

interface PortOptions extends GatewayHttpOptions {
  readonly signIn: GatewaySignIn | undefined
  /** Told where it serves. */
  onServing(url: string): void
}

async function servePort(
  gateway: Gateway,
  { signIn, onServing, ...options }: PortOptions,
  { json }: CommandInput,
  io: Io,
): Promise<void> {
  const served = await serveGateway(gateway, options)
  tellServing()
  onServing(served.url)
  const servers = Object.keys(gateway.health().servers)
  const pages = signIn && { signIn: signIn.url }
  if (json) io.out(JSON.stringify({ url: served.url, ...pages, servers, pid: process.pid }))
  else io.out(served.url)
  io.say(
    `The gateway serves ${counted(servers.length, 'server')}; Ctrl-C, SIGTERM or SIGHUP lets calls finish and ends it.`,
  )
  if (signIn !== undefined) io.say(`Users sign in to servers at ${signIn.url}; links to it come with their calls.`)
  await stayUntil(io.signal)
  io.say('Ending: calls under way may finish.')
  await served.close()
}

function check(config: LoadedConfig, { json }: CommandInput, io: Io): number {
  const problems = config.problems.map(formatProblem)
  if (json)
    io.out(JSON.stringify({ ok: problems.length === 0, problems, servers: config.servers.map(({ name }) => name) }))
  else
    io.say(
      problems.length === 0
        ? `In order: ${counted(config.servers.length, 'server')}.`
        : `${counted(problems.length, 'problem')}.`,
    )
  return problems.length === 0 ? 0 : 1
}
