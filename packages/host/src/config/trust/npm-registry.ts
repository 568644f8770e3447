/**
 * Which registry npm and its like would fetch a package from, as far as the user has said so: by the command that is shown
 * to them, their own variables, their own file and the global one, in npm's order, each with its registries for scopes.
 * A project and the entry of a server have no say in who is asked before anybody has agreed to anything: where they decide,
 * the registry is not known.
 */

import { isDeepStrictEqual } from 'node:util'
import type { ConcreteTarget } from '../command/resolve-target.ts'
import type { ServerTarget } from '../server-config.ts'
import { type Place, readUserFiles, refuseProjectFiles, Undecided, userFileOf } from './npm-files.ts'
import { type NpmSettings, type ReadVariable, readNpmEnvironment, readNpmOptions } from './npmrc.ts'
import { launchOf, type PackageLaunch } from './package-reference.ts'

/** What npm asks where nothing says otherwise. */
export const DEFAULT_REGISTRY = 'https://registry.npmjs.org/'

/** The machine whose npm settings `npmRegistryOf` reads. */
export interface NpmRegistryOptions {
  /** The user's variables. The process's own unless given. */
  readonly env?: { readonly [name: string]: string | undefined }
  readonly platform?: NodeJS.Platform
}

/** The address of a registry, without any credentials, or why it is not known, in words that follow a colon. */
export type NpmRegistry =
  | { readonly url: string; readonly unknown?: undefined }
  | { readonly url?: undefined; readonly unknown: string }

/**
 * Tells which npm registry the command of a server would fetch its package from, and why that is not known where anything
 * but the user's own settings and the command as it is written decides it; undefined for a command that fetches none from
 * npm. Nothing is asked over the network.
 *
 * @example
 * ```ts
 * import { defineServer, npmRegistryOf, resolveTarget } from '@portico/host/config'
 *
 * const server = defineServer('notes', { kind: 'stdio', command: 'npx', args: ['-y', 'some-server'], env: {} })
 * const registry = await npmRegistryOf(server.target, await resolveTarget(server))
 * if (registry?.unknown !== undefined) process.stderr.write(`The registry is not known: ${registry.unknown}\n`)
 * ```
 */
export async function npmRegistryOf(
  written: ServerTarget,
  target: ConcreteTarget,
  options: NpmRegistryOptions = {},
): Promise<NpmRegistry | undefined> {
  const launch = target.kind === 'stdio' ? launchOf(target) : undefined
  if (target.kind !== 'stdio' || launch?.reference.registry !== 'npm') return undefined
  try {
    refuseVariables(written, launch)
    return { url: await decide(launch, target, options) }
  } catch (error) {
    if (error instanceof Undecided) return { unknown: error.message }
    throw error
  }
}

/** Values of variables and secrets must not leave in the name or the address that is asked. */
function refuseVariables(written: ServerTarget, { reference, options }: PackageLaunch): void {
  const plain = written.kind === 'stdio' ? launchOf(written) : undefined
  if (plain !== undefined && isDeepStrictEqual([plain.reference, plain.options], [reference, options])) return
  throw new Undecided('its command says by a variable what is fetched')
}

async function decide(
  launch: PackageLaunch,
  target: ConcreteTarget & { readonly kind: 'stdio' },
  { env = process.env, platform = process.platform }: NpmRegistryOptions,
): Promise<string> {
  const { name } = launch.reference
  const entry = { ...target.env, ...launch.env }
  const read = readOwn(env, entry)
  const place: Place = { read, path: env.PATH ?? env.Path ?? '', folder: target.cwd ?? '.', platform }
  const command = checkOptions(readNpmOptions(launch.options))
  const given = [command, readNpmEnvironment(entry, read)]
  const layers = [...given, ...(await readUserFiles(given, place))]
  const usual = first(layers, 'scope')?.replace(/^@?/, '@')
  const scopes = [/^@[^/]+/.exec(name)?.[0], usual].filter((one) => one !== undefined)
  await refuseProjectFiles(place.folder, await userFileOf(given, place), { scopes, command })
  return registryFor(scopes, layers)
}

/**
 * The user's variables, as far as the program gets them: a few that are inherited, and those that its entry passes on as
 * they are. What the entry sets otherwise is not the user's.
 */
function readOwn(own: Required<NpmRegistryOptions>['env'], entry: { readonly [name: string]: string }): ReadVariable {
  const set = new Map(Object.entries(entry).map(([name, value]) => [name.toUpperCase(), { name, value }]))
  return (name) => {
    const value = Object.hasOwn(own, name) ? own[name] : undefined
    const here = set.get(name.toUpperCase())
    if (here !== undefined && here.value !== value) {
      throw new Undecided(`the variable ${name}, which this server sets, chooses where npm fetches it from`)
    }
    return here !== undefined || INHERITED.test(name) ? value : undefined
  }
}

const INHERITED = /^(?:HOME|USERPROFILE|APPDATA|PATH|TMPDIR|USER|LOGNAME)$/i

/** An address that stands in the command is shown with it. A file that does is not. */
function checkOptions(command: NpmSettings): NpmSettings {
  for (const [name, value] of command) {
    if (/^(?:userconfig|globalconfig|prefix)$/.test(name)) {
      throw new Undecided(`the option --${name} of its command chooses where npm fetches it from`)
    }
    if (name.endsWith('registry') && (value.includes('${') || toAddress(value) === undefined)) {
      throw new Undecided(`the option --${name} of its command is no address of the web`)
    }
  }
  return command
}

/** Decides by settings alone; those that come first win. */
function registryFor(scopes: readonly string[], layers: readonly NpmSettings[]): string {
  const scoped = scopes.map((scope) => first(layers, `${scope}:registry`)).find((one) => one !== undefined)
  // A registry that is no address is passed over by npm; one of a scope is not.
  const plain = layers.find((layer) => toAddress(layer.get('registry') ?? '') !== undefined)?.get('registry')
  const address = toAddress(scoped ?? plain ?? DEFAULT_REGISTRY)
  if (address === undefined) throw new Undecided('the registry of its scope is no address of the web')
  return address
}

function first(layers: readonly NpmSettings[], key: string): string | undefined {
  return layers.find((layer) => layer.has(key))?.get(key)
}

/** Names and passwords are no part of it: whoever asks there asks as nobody. */
function toAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.host === '') return undefined
  url.username = ''
  url.password = ''
  return url.href
}
