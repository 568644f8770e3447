/**
 * `portico serve`: the gateway as a daemon. Reads portico.json, serves its servers under its rules to callers who are
 * known, follows the file while it runs, and lets calls finish when it is told to end.
 */

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Host } from '@portico/host'
import { compareServers, formatProblem, type LoadedConfig, watchConfig } from '@portico/host/config'
import { createGateway, type Gateway, type GatewayHttpOptions, serveGateway } from '@portico/host/gateway'
import { createGuard, type Guard } from '@portico/host/guard'
import type { Rule } from '@portico/host/policy'
import { type Protection, requireCertificate } from '@portico/sdk/bearer'
import { acceptIssuer, acceptTokens } from '../caller-identity.ts'
import type { CommandInput } from '../command.ts'
import { CliError } from '../exit-codes.ts'
import { type AuthSettings, type GatewaySettings, readGatewaySettings, toViews } from '../gateway-settings.ts'
import { openHost, readConfig } from '../host.ts'
import { projectFile, userFile } from '../host-places.ts'
import type { Io } from '../io.ts'
import { serveUntilEnd, untilInterrupted } from '../serving.ts'

export async function run(input: CommandInput, io: Io): Promise<number> {
  const file = input.positionals[0]
  const config = await readConfig(io, file)
  const settings = withFlags(read(config, io), input)
  if (input.flags.check === true) return check(config, input, io)
  const stdio = input.flags.stdio === true
  const http = stdio ? undefined : await toHttpOptions(settings, input, io)
  const host = await openHost(io, {
    ...(file !== undefined && { config: file }),
    unattended: true,
    more: { servers: [], configFiles: filesOf(file, io), rules: rulesFor(config) },
  })
  try {
    const live = new LiveGateway(host, settings, io)
    await settled(host, io)
    for (const { server, reason } of host.catalogue.missing())
      io.say(`${io.paint.yellow('missing')} ${server}: ${reason}`)
    sayRules(config, io)
    try {
      await (http === undefined ? servePipe(live.gateway, io) : servePort(live.gateway, http, input, io))
    } finally {
      await live.close()
    }
  } finally {
    await host.close()
  }
  return 0
}

/** The gateway and what follows the file behind it. */
class LiveGateway {
  readonly gateway: Gateway
  readonly #host: Host
  readonly #io: Io
  readonly #watch: ReturnType<typeof watchConfig>
  #views: ReturnType<typeof toViews>
  #work: Promise<void> = Promise.resolve()

  constructor(host: Host, settings: GatewaySettings, io: Io) {
    this.#host = host
    this.#io = io
    this.#views = toViews(settings.views)
    const { name = 'portico', title, instructions, ownNames, pageSize, limits } = settings
    const { upstreams, catalogue } = host
    this.gateway = createGateway(
      { upstreams, catalogue, guard: guardOf(host, io) },
      {
        name,
        ...(title !== undefined && { title }),
        ...(instructions !== undefined && { instructions }),
        ...(ownNames !== undefined && { ownNames }),
        ...(pageSize !== undefined && { pageSize }),
        ...(limits !== undefined && { limits }),
        allowAnonymous: settings.auth?.way === 'none',
        views: (principal) => this.#views(principal),
        unattended: true,
        onError: (error, { where }) =>
          io.say(`${io.paint.yellow(where)}: ${error instanceof Error ? error.message : error}`),
      },
    )
    this.#watch = watchConfig(host.config, () => {}, {
      onReload: (next) => {
        this.#work = this.#work.then(() => this.#reload(next))
      },
    })
  }

  async close(): Promise<void> {
    this.#watch.close()
    await this.#work
    await this.gateway.close()
  }

  /** Servers that are other ones now change between their calls; rules and views count from the next call on. */
  async #reload(next: LoadedConfig): Promise<void> {
    const { settings, problems } = readGatewaySettings(next)
    for (const problem of [...next.problems.map(formatProblem), ...problems])
      this.#io.say(`${this.#io.paint.yellow('warning')}: ${problem}`)
    if (problems.length === 0) this.#views = toViews(settings.views)
    this.#host.setRules(rulesFor(next))
    const { added, changed, adjusted, removed } = compareServers(this.#host.config.servers, next.servers)
    const names = [...changed, ...removed].map(({ name }) => name)
    try {
      await this.gateway.reload(names, () => this.#host.reload())
    } catch (error) {
      this.#io.say(`${this.#io.paint.red('not reloaded')}: ${error instanceof Error ? error.message : error}`)
      return
    }
    const count = added.length + changed.length + adjusted.length + removed.length
    this.#io.say(`${this.#io.paint.green('reloaded')}: ${count === 0 ? 'rules and views' : `${count} servers differ`}`)
  }
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

async function servePort(gateway: Gateway, options: GatewayHttpOptions, { json }: CommandInput, io: Io): Promise<void> {
  const served = await serveGateway(gateway, options)
  const servers = Object.keys(gateway.health().servers)
  if (json) io.out(JSON.stringify({ url: served.url, servers, pid: process.pid }))
  else io.out(served.url)
  io.say(`The gateway serves ${servers.length} servers; Ctrl-C or SIGTERM lets calls finish and ends it.`)
  await untilInterrupted(io)
  io.say('Ending: calls under way may finish.')
  await served.close()
}

function filesOf(file: string | undefined, io: Io) {
  if (file !== undefined) return [{ path: resolve(io.cwd, file), scope: 'user', form: 'portico' } as const]
  return [
    { path: projectFile(io), scope: 'project', form: 'portico' } as const,
    { path: userFile(io), scope: 'user', form: 'portico' } as const,
  ]
}

function read(config: LoadedConfig, io: Io): GatewaySettings {
  const { settings, problems } = readGatewaySettings(config)
  const [first] = problems
  if (first !== undefined) {
    const more = problems.length === 1 ? '' : ` (and ${problems.length - 1} more)`
    throw new CliError(
      'config',
      `${first}${more}`,
      'Correct the section `gateway`; `portico serve --check` shows everything.',
    )
  }
  for (const problem of config.problems) io.say(`${io.paint.yellow('warning')}: ${formatProblem(problem)}`)
  return settings
}

function check(config: LoadedConfig, { json }: CommandInput, io: Io): number {
  const problems = config.problems.map(formatProblem)
  if (json)
    io.out(JSON.stringify({ ok: problems.length === 0, problems, servers: config.servers.map(({ name }) => name) }))
  else io.say(problems.length === 0 ? `In order: ${config.servers.length} servers.` : `${problems.length} problems.`)
  return problems.length === 0 ? 0 : 1
}

/** What the command line says counts before what the file says. */
function withFlags(settings: GatewaySettings, { flags }: CommandInput): GatewaySettings {
  const { port, host, auth, issuer, resource } = flags
  const allowed = flags['allow-host']
  const way = (auth ?? (issuer === undefined ? undefined : 'oauth')) as AuthSettings['way'] | undefined
  const same = settings.auth?.way === way || way === undefined ? settings.auth : undefined
  const identified: AuthSettings | undefined = way === undefined ? settings.auth : ({ ...same, way } as AuthSettings)
  return {
    ...settings,
    ...(typeof port === 'number' && { port }),
    ...(typeof host === 'string' && { host }),
    ...(Array.isArray(allowed) && { allowedHosts: allowed as readonly string[] }),
    ...tlsOf(settings, flags),
    ...(identified !== undefined && {
      auth:
        identified.way === 'oauth'
          ? {
              ...identified,
              ...(typeof issuer === 'string' && { issuer }),
              ...(typeof resource === 'string' && { resource }),
            }
          : identified,
    }),
  }
}

function tlsOf({ tls }: GatewaySettings, flags: CommandInput['flags']): Pick<GatewaySettings, 'tls'> {
  const cert = flags['tls-cert'] ?? tls?.cert
  const key = flags['tls-key'] ?? tls?.key
  const clientCa = flags['client-ca'] ?? tls?.clientCa
  if (cert === undefined && key === undefined && clientCa === undefined) return {}
  if (typeof cert === 'string' && typeof key === 'string') {
    return { tls: { cert, key, ...(typeof clientCa === 'string' && { clientCa }) } }
  }
  throw new CliError(
    'usage',
    'serve: a certificate needs its key, and a client authority needs both',
    'Give --tls-cert and --tls-key.',
  )
}

async function toHttpOptions(settings: GatewaySettings, input: CommandInput, io: Io): Promise<GatewayHttpOptions> {
  const { port = 3000, host = '127.0.0.1', path, webSocketPath, allowedHosts, allowedOrigins, tls } = settings
  const protection = protectionOf(settings, input, io)
  const certificates =
    tls?.clientCa === undefined ? undefined : settings.auth?.way === 'certificate' ? 'required' : 'optional'
  return {
    port,
    host,
    ...(path !== undefined && { path }),
    ...(webSocketPath !== undefined && { webSocketPath }),
    ...(allowedHosts !== undefined && { allowedHosts }),
    ...(allowedOrigins !== undefined && { allowedOrigins }),
    ...(protection !== undefined && { auth: protection }),
    ...(tls !== undefined && {
      tls: {
        cert: await readFile(resolve(io.cwd, tls.cert)),
        key: await readFile(resolve(io.cwd, tls.key)),
        ...(tls.clientCa !== undefined && { ca: await readFile(resolve(io.cwd, tls.clientCa)) }),
        ...(certificates !== undefined && { clientCertificate: certificates }),
      },
    }),
  }
}

function protectionOf(settings: GatewaySettings, { flags }: CommandInput, io: Io): Protection | undefined {
  const { auth, tls, port = 3000, host = '127.0.0.1', path = '/mcp' } = settings
  switch (auth?.way) {
    case 'oauth': {
      const { issuer, scopes, audiences } = auth
      if (issuer === undefined)
        throw new CliError('usage', 'serve: oauth needs an issuer', 'Give --issuer, or gateway.auth.issuer.')
      const resource = auth.resource ?? `${tls === undefined ? 'http' : 'https'}://${host}:${port}${path}`
      return acceptIssuer({ issuer, resource, ...(scopes && { scopes }), ...(audiences && { audiences }) })
    }
    case 'token':
      return acceptTokens(readTokens(auth.tokens ?? { caller: 'PORTICO_TOKEN' }, io))
    case 'certificate':
      if (tls?.clientCa !== undefined) return requireCertificate()
      throw new CliError(
        'usage',
        'serve: client certificates need an authority',
        'Give --client-ca, or gateway.tls.clientCa.',
      )
    case 'none':
      io.say(`${io.paint.yellow('warning')}: everybody who reaches the port can use these servers.`)
      return undefined
    case undefined:
      throw new CliError(
        'config',
        'Nothing says how callers are identified',
        `Give --issuer <url>, --auth token with PORTICO_TOKEN set, or --auth none${flags.port === undefined ? '' : ` for port ${port}`}.`,
      )
  }
}

function readTokens(names: { readonly [caller: string]: string }, io: Io): ReadonlyMap<string, string> {
  const found = Object.entries(names).map(([caller, variable]): [string, string] => {
    const token = io.env[variable]
    if (token !== undefined && token !== '') return [caller, token]
    throw new CliError('config', `The variable ${variable} does not hold the token of "${caller}"`, `Set ${variable}.`)
  })
  return new Map(found)
}

/** The operator has chosen the servers; the questions they ask are answered by the caller's own person. */
function rulesFor(config: LoadedConfig): unknown[] {
  const chosen = { id: 'gateway: servers', outcome: 'allow', effect: 'connect', because: 'The operator configured it' }
  const asked = {
    id: 'gateway: questions',
    outcome: 'allow',
    effect: ['sample', 'root'],
    because: 'The caller answers it',
  }
  const used = {
    id: 'gateway: callers',
    outcome: 'allow',
    effect: ['call', 'read', 'prompt'],
    because: 'There are no rules of the operator’s, and the caller is known',
  }
  return hasRules(config) ? [chosen, asked] : [chosen, asked, used]
}

/**
 * What a caller's model has read is for the caller's own host to keep in mind: calls are judged one by one here, and data
 * is followed from server to server only where a rule of the operator's is about that.
 */
function guardOf(host: Host, io: Io): Guard {
  const { inbox, grants, audit } = host
  if (audit === undefined) return host.guard
  const plain = createGuard({ rules: () => host.rules, inbox, grants, audit, onWarning: (message) => io.say(message) })
  const current = (): Guard => (host.rules.rules.some(isAboutFlow) ? host.guard : plain)
  return {
    pass: (effect, circumstances, options) => current().pass(effect, circumstances, options),
    review: (effect, result, circumstances, options) => current().review(effect, result, circumstances, options),
    explain: (effect, circumstances) => current().explain(effect, circumstances),
  }
}

function isAboutFlow({ effect, from }: Rule): boolean {
  return from !== undefined || effect?.includes('flow') === true
}

function hasRules({ extras }: LoadedConfig): boolean {
  return extras.some(({ policy }) => {
    const { rules = policy } = (policy ?? {}) as { rules?: unknown }
    return Array.isArray(rules) && rules.length > 0
  })
}

function sayRules(config: LoadedConfig, io: Io): void {
  if (hasRules(config)) io.say('What no rule of `policy` allows is denied: nobody is here to be asked.')
  else io.say('There is no `policy`: callers may use everything that they see.')
}
