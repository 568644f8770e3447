/**
 * The host as commands use it: the user's own configuration and the project's, our state folder, the ready-made servers,
 * and questions in the terminal. Where nobody can be asked, what would ask is denied.
 */

import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { createHost, type Host, type HostOptions } from '@portico/host'
import {
  type ConfigFile,
  createInputs,
  createSecretStore,
  createTrustStore,
  firstSecret,
  type LoadedConfig,
  loadConfig,
  type ServerConfig,
  secretsFromEnvironment,
} from '@portico/host/config'
import type { Answer, Question } from '@portico/host/consent'
import { Models, readModels } from '@portico/host/model'
import { builtInServers } from './built-in-servers.ts'
import type { CommandInput } from './command.ts'
import { CliError } from './exit-codes.ts'
import { projectFile, stateOf, userFile } from './host-places.ts'
import type { Io } from './io.ts'
import { createTerminalQuestions } from './questions.ts'
import { createTerminal, type Terminal } from './terminal.ts'

export { projectFile, stateOf, userFile } from './host-places.ts'

export interface CliHostOptions {
  /** A configuration file in place of the usual ones. */
  readonly config?: string
  /** Only these servers are connected; all unless given. */
  readonly only?: readonly string[]
  /** The person has said yes to what this command itself does. */
  readonly yes?: boolean
  /** Nothing is asked, even where a person is there. */
  readonly unattended?: boolean
  readonly terminal?: Terminal
  readonly more?: Partial<HostOptions>
}

export async function openHost(io: Io, options: CliHostOptions = {}): Promise<Host> {
  const config = await readConfig(io, options.config)
  const stateDir = stateOf(io)
  const terminal = options.terminal ?? createTerminal(io)
  const questions = io.interactive ? createTerminalQuestions(io, terminal) : undefined
  const secrets = createSecretStore({ file: join(stateDir, 'secrets') })
  const ask = async (question: Question): Promise<Answer | undefined> =>
    (options.yes === true ? agree(question) : undefined) ?? questions?.ask(question)
  const host = await createHost({
    stateDir,
    env: io.env,
    workspace: io.cwd,
    servers: config.servers.filter(({ name }) => options.only?.includes(name) ?? true),
    rules: rulesOf(config),
    models: new Models({ configured: modelsOf(config), env: io.env }),
    inProcess: await builtInServers(),
    secrets: firstSecret(secretsFromEnvironment(io.env), secrets),
    inputs: createInputs({
      inputs: config.inputs,
      secrets,
      ...(io.interactive && {
        ask: ({ description, password }) =>
          terminal.dialogue(() => terminal.ask(`${description}: `, { secret: password })),
      }),
    }),
    unattended: options.unattended === true || (!io.interactive && options.yes !== true),
    ask,
    onWarning: (message) => io.say(`${io.paint.yellow('warning')}: ${message}`),
    ...options.more,
  })
  host.inbox.on((event) => event.type !== 'asked' && questions?.drop(event.question.id))
  return host
}

/** The configuration that commands go by. A project's file comes first, so that the user's own entries win. */
export async function readConfig(io: Io, file?: string): Promise<LoadedConfig> {
  const files: (Pick<ConfigFile, 'path' | 'scope'> & { readonly form: 'portico' })[] =
    file !== undefined
      ? [{ path: file, scope: 'user', form: 'portico' }]
      : [
          { path: projectFile(io), scope: 'project', form: 'portico' },
          { path: userFile(io), scope: 'user', form: 'portico' },
        ]
  if (file !== undefined) await access(file)
  const config = await loadConfig({ files, trust: trustOf(io), project: io.cwd })
  if (file !== undefined && config.problems.some(({ severity, place }) => severity === 'error' && place.path === '')) {
    const [problem] = config.problems
    throw new CliError('config', `${file}: ${problem?.message ?? 'cannot be used'}`, problem?.remedy)
  }
  return config
}

export function trustOf(io: Pick<Io, 'env'>) {
  return createTrustStore({ file: join(stateOf(io), 'trust.json') })
}

/** The entry of that name. Says which there are when there is none. */
export function findServer(config: LoadedConfig, name: string): ServerConfig {
  const found = config.servers.find((server) => server.name === name)
  if (found !== undefined) return found
  const waiting = config.untrusted.find(({ servers }) => servers.includes(name))
  if (waiting !== undefined) {
    throw new CliError(
      'denied',
      `"${name}" is in ${waiting.file}, which nobody has trusted yet`,
      'Read the file, then trust it: `portico servers trust`.',
    )
  }
  const names = config.servers.map((server) => server.name)
  const known = names.length === 0 ? 'None is configured yet' : `There are ${names.slice(0, 10).join(', ')}`
  throw new CliError(
    'not-found',
    `There is no server "${name}"`,
    `${known}. A URL, a file (./server.ts) or a command ("npx some-server") will do, too.`,
  )
}

export function hostOptionsOf({ flags }: CommandInput): Pick<CliHostOptions, 'config' | 'yes'> {
  return {
    ...(typeof flags.config === 'string' && { config: flags.config }),
    ...(flags.yes === true && { yes: true }),
  }
}

/** `--yes` speaks for what the person has typed, and for nothing that a server comes up with by itself. */
function agree({ body }: Question): Answer | undefined {
  if (body.kind !== 'approval') return undefined
  const typed = ['connect', 'call', 'read', 'prompt'].includes(body.effect.kind)
  return typed ? { action: 'allow', by: 'command line' } : { action: 'deny', by: 'command line' }
}

/** A project's file may tighten the rules, never loosen them. */
export function rulesOf({ extras }: LoadedConfig): unknown[] {
  return extras.flatMap(({ scope, policy }) => {
    const { rules = policy } = (policy ?? {}) as { rules?: unknown }
    const list: unknown[] = Array.isArray(rules) ? rules : []
    return scope === 'user' ? list : list.filter(isStrict)
  })
}

function isStrict(rule: unknown): boolean {
  const { outcome } = (rule ?? {}) as { outcome?: unknown }
  return outcome === 'deny' || outcome === 'ask'
}

function modelsOf({ extras }: LoadedConfig) {
  return extras.flatMap(({ scope, models }) => (scope === 'user' ? readModels(models).models : []))
}
