/**
 * Which registry npm and its like would fetch a package from: the command's options, the environment of the program, the
 * project's file, the user's and the global one, in npm's order, each with its registries for scopes.
 */

import { access, open, readFile, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, dirname, join, relative, resolve } from 'node:path'
import type { ConcreteTarget } from '../command/resolve-target.ts'
import { type NpmSettings, readNpmEnvironment, readNpmOptions, readNpmrc } from './npmrc.ts'
import { launchOf } from './package-reference.ts'

/** What npm asks where nothing says otherwise. */
export const DEFAULT_REGISTRY = 'https://registry.npmjs.org/'

/** The machine whose npm settings `npmRegistryOf` reads. */
export interface NpmRegistryOptions {
  /** What programs inherit. The process's own unless given. */
  readonly env?: { readonly [name: string]: string | undefined }
  readonly platform?: NodeJS.Platform
}

/**
 * Tells which npm registry the command of a server would fetch its package from, without any credentials; undefined for
 * a command that fetches none from npm. Rejects when a file of settings cannot be read as text.
 *
 * @example
 * ```ts
 * import { defineServer, npmRegistryOf, resolveTarget } from '@portico/host/config'
 *
 * const server = defineServer('notes', { kind: 'stdio', command: 'npx', args: ['-y', 'some-server'], env: {} })
 * const registry = await npmRegistryOf(await resolveTarget(server))
 * ```
 */
export async function npmRegistryOf(
  target: ConcreteTarget,
  options: NpmRegistryOptions = {},
): Promise<string | undefined> {
  const launch = target.kind === 'stdio' ? launchOf(target) : undefined
  if (target.kind !== 'stdio' || launch?.reference.registry !== 'npm') return undefined
  const { env: inherited = process.env, platform = process.platform } = options
  // A program gets a few variables of this process, and what its entry and its command say.
  const env = { ...onlyShared(inherited), ...target.env, ...launch.env }
  const folder = resolve(target.cwd ?? '.')
  const given = [readNpmOptions(launch.options, env), readNpmEnvironment(env)]
  const layers = await withFiles(given, { env, folder, platform })
  return registryFor(launch.reference.name, layers)
}

/** Decides by settings alone; those that come first win. */
export function registryFor(name: string, layers: readonly NpmSettings[]): string {
  const first = (key: string) => layers.find((layer) => layer.has(key))?.get(key)
  const scope = /^(@[^/]+)\//.exec(name)?.[1]
  const usual = first('scope')?.replace(/^@?/, '@')
  const scoped = [scope, usual].flatMap((one) => (one === undefined ? [] : (first(`${one}:registry`) ?? [])))[0]
  // A registry that is no address is passed over by npm; one of a scope is not.
  const plain = layers.find((layer) => toAddress(layer.get('registry') ?? '') !== undefined)?.get('registry')
  const address = toAddress(scoped ?? plain ?? DEFAULT_REGISTRY)
  if (address === undefined) throw new TypeError(`The registry of ${name} is no address of the web`)
  return address
}

/** Names and passwords are no part of it: whoever asks there asks as nobody. */
function toAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.host === '') return undefined
  url.username = ''
  url.password = ''
  return url.href
}

interface Place {
  readonly env: { readonly [name: string]: string | undefined }
  readonly folder: string
  readonly platform: NodeJS.Platform
}

/** The project's file may say where the user's is, and that one where the global one is. */
async function withFiles(given: readonly NpmSettings[], place: Place): Promise<readonly NpmSettings[]> {
  const { env, folder } = place
  const home = env.HOME || (place.platform === 'win32' ? env.USERPROFILE : undefined) || homedir()
  const layers = [...given]
  const pathOf = (key: string, otherwise: string): string => {
    const text = layers.find((layer) => layer.has(key))?.get(key)
    if (text === undefined || text === '') return otherwise
    return /^~[/\\]/.test(text) ? resolve(home, text.slice(2)) : resolve(folder, text)
  }
  const project = join(given[0]?.get('prefix') ?? (await projectOf(folder)), '.npmrc')
  if (project !== pathOf('userconfig', join(home, '.npmrc'))) layers.push(await readFileOf(project, env))
  layers.push(await readFileOf(pathOf('userconfig', join(home, '.npmrc')), env))
  const prefix = pathOf('prefix', await globalPrefixOf(place))
  layers.push(await readFileOf(pathOf('globalconfig', join(prefix, 'etc', 'npmrc')), env))
  return layers
}

/** The nearest folder that is a package or has some; where that is one of a workspace, the workspace's own. */
async function projectOf(folder: string): Promise<string> {
  let nearest: string | undefined
  for (let at = folder; ; at = dirname(at)) {
    const isPackage = await isThere(join(at, 'package.json'))
    if (nearest !== undefined && isPackage && (await isWorkspace(at, nearest))) return at
    if (nearest === undefined && (isPackage || (await isThere(join(at, 'node_modules'))))) nearest = at
    if (dirname(at) === at) return nearest ?? folder
  }
}

async function isWorkspace(root: string, folder: string): Promise<boolean> {
  try {
    const value: unknown = JSON.parse(await readText(join(root, 'package.json')))
    const { workspaces } = value as { readonly workspaces?: unknown }
    const listed: unknown = isRecord(workspaces) ? workspaces.packages : workspaces
    const path = relative(root, folder).replaceAll('\\', '/')
    return Array.isArray(listed) && listed.some((one) => typeof one === 'string' && toPattern(one).test(path))
  } catch {
    return false
  }
}

/** `packages/*`, `**`. */
function toPattern(glob: string): RegExp {
  const parts = glob.replace(/^\.\/|\/$/g, '').split(/(\*\*?)/)
  const source = parts.map((part) => (part === '**' ? '.*' : part === '*' ? '[^/]*' : part.replace(/\W/g, '\\$&')))
  return new RegExp(`^${source.join('')}$`)
}

function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Beside the Node that runs npm. */
async function globalPrefixOf({ env, platform }: Place): Promise<string> {
  if (env.PREFIX !== undefined && env.PREFIX !== '') return env.PREFIX
  const name = platform === 'win32' ? 'node.exe' : 'node'
  const folders = (env.PATH ?? env.Path ?? '').split(delimiter).filter((one) => one !== '')
  let node = process.execPath
  for (const one of folders) {
    if (!(await isThere(join(one, name)))) continue
    node = await realpath(join(one, name)).catch(() => node)
    break
  }
  if (platform === 'win32') return env.APPDATA === undefined ? dirname(node) : join(env.APPDATA, 'npm')
  return join(env.DESTDIR ?? '', dirname(dirname(node)))
}

const MAX_BYTES = 1_048_576

/** A file that is not there, or not to be read, says nothing. */
async function readFileOf(path: string, env: Place['env']): Promise<NpmSettings> {
  let text: string
  try {
    text = await readText(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && UNREADABLE.has(String(error.code))) return new Map()
    throw error
  }
  return readNpmrc(text, env)
}

const UNREADABLE = new Set(['ENOENT', 'EACCES', 'EPERM', 'EISDIR', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])

async function readText(path: string): Promise<string> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    if (size > MAX_BYTES) throw new RangeError(`${path} has more than ${MAX_BYTES} bytes`)
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file))
  } finally {
    await file.close()
  }
}

/** Of those that are inherited, the ones that say where npm's files are. */
function onlyShared(env: Place['env']): Place['env'] {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => /^(?:HOME|USERPROFILE|APPDATA|PATH|TMPDIR|USER|LOGNAME)$/i.test(name)),
  )
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
