/** The configuration that commands go by, without the host that may be made of it. */

import { access } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type ConfigFile,
  type ConfigProblem,
  createTrustStore,
  formatProblem,
  type LoadedConfig,
  loadConfig,
  type ServerConfig,
} from '@portico/host/config'
import { nearestName } from '@portico/host/text'
import { CliError } from '../exit-codes.ts'
import { projectFile, stateOf, userFile } from './host-places.ts'
import type { CommandInput } from './parse/command.ts'
import type { Io } from './terminal/io.ts'

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
  return { ...config, problems: config.problems.map((problem) => withTrustCommand(problem, config)) }
}

/** The host leaves open how a file is trusted; here it is a command. */
function withTrustCommand(problem: ConfigProblem, { untrusted }: LoadedConfig): ConfigProblem {
  const isAboutTrust = problem.place.path === '' && untrusted.some(({ file }) => file === problem.place.file)
  return isAboutTrust ? { ...problem, remedy: 'Read it, then trust it: `portico servers trust`' } : problem
}

export function trustOf(io: Pick<Io, 'env'>) {
  return createTrustStore({ file: join(stateOf(io), 'trust.json') })
}

/**
 * The entry of that name. Says which was likely meant when there is none, and which there are. `orAny` are the names that
 * would do besides, where a command takes any server and not only an entry.
 */
export function findServer(config: LoadedConfig, name: string, orAny?: readonly string[]): ServerConfig {
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
  const broken = config.problems.find(({ severity }) => severity === 'error')
  if (broken !== undefined) throw new CliError('config', `There is no server "${name}". ${formatProblem(broken)}`)
  const names = config.servers.map((server) => server.name)
  throw new CliError('not-found', `There is no server "${name}"`, insteadOf(name, names, orAny))
}

function insteadOf(name: string, names: readonly string[], orAny: readonly string[] | undefined): string {
  const near = nearestName(name, [...names, ...(orAny ?? [])])
  if (near !== undefined) return `Did you mean "${near}"? \`portico servers\` lists those that are configured.`
  const known =
    names.length === 0
      ? 'None is configured yet: `portico servers add` adds one.'
      : `Configured ${names.length === 1 ? 'is' : 'are'} ${names.slice(0, 10).join(', ')}.`
  return orAny === undefined
    ? known
    : `${known} A URL, a file (./server.ts) or a command ("npx some-server") will do, too.`
}

/** What the flags of a command that opens the host say. */
export function hostOptionsOf({ flags }: CommandInput): { readonly config?: string; readonly yes?: boolean } {
  return {
    ...(typeof flags.config === 'string' && { config: flags.config }),
    ...(flags.yes === true && { yes: true }),
  }
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
