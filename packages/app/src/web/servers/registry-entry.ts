/**
 * A `server.json` of the registry as an entry that could be added: which command would run its package, or which URL
 * would be dialled. Spelled in both of the registry's ways (`registryType`, `registry_type`). Everything in it was
 * written by whoever published the server.
 */

import { showCommand } from '@portico/host/config'
import { bounded, neutralise } from '@portico/host/upstream'
import type { JsonObject } from '@portico/sdk/client'
import { isObject } from '@portico/sdk/internal'
import type { RegistryEntry } from '../api-types/api.ts'
import { readEntry } from './own-file.ts'

type Way = RegistryEntry['ways'][number]

const MAX_WAYS = 8
const MAX_ARGUMENTS = 100

export function toRegistryEntry(listed: unknown): RegistryEntry | undefined {
  const server = isObject(listed) && isObject(listed.server) ? listed.server : listed
  if (!isObject(server) || typeof server.name !== 'string') return undefined
  const detail = member(server, 'versionDetail')
  const version = server.version ?? (isObject(detail) ? detail.version : undefined)
  const repository = isObject(server.repository) ? server.repository.url : undefined
  return {
    name: clean(server.name, 200),
    description: clean(textOf(server.description), 1_000),
    version: clean(textOf(version), 100),
    ...(typeof repository === 'string' && /^https:\/\//.test(repository) && { repository: clean(repository, 500) }),
    ways: [...listOf(server.packages).map(packageWay), ...listOf(server.remotes).map(remoteWay)]
      .filter((way) => way !== undefined)
      .slice(0, MAX_WAYS),
  }
}

/** How each kind of package is run, pinned to the version that is listed. */
const RUNNERS: {
  readonly [type: string]: (name: string, version: string, before: readonly string[]) => readonly string[]
} = {
  npm: (name, version, before) => ['npx', '-y', ...before, version === '' ? name : `${name}@${version}`],
  pypi: (name, version, before) => ['uvx', ...before, version === '' ? name : `${name}@${version}`],
  nuget: (name, version, before) => ['dnx', ...before, version === '' ? name : `${name}@${version}`, '--yes', '--'],
  oci: (name, version, before) => [
    'docker',
    'run',
    '-i',
    '--rm',
    ...before,
    version === '' || /[:@]/.test(name.slice(name.lastIndexOf('/') + 1)) ? name : `${name}:${version}`,
  ],
}

function packageWay(found: JsonObject): Way | undefined {
  const type = textOf(member(found, 'registryType') ?? member(found, 'registryName'))
  const run = Object.hasOwn(RUNNERS, type) ? RUNNERS[type] : undefined
  const name = textOf(found.identifier ?? found.name)
  // A name that begins with a dash would be an option of the runner.
  if (run === undefined || name === '' || name.startsWith('-')) return undefined
  const variables = listOf(member(found, 'environmentVariables')).filter(({ name: one }) => isVariable(one))
  const passed = type === 'oci' ? variables.flatMap(({ name: one }) => ['-e', String(one)]) : []
  const before = [...passed, ...toArguments(member(found, 'runtimeArguments'))]
  const [command = '', ...args] = run(name, textOf(found.version), before)
  const env = variables.flatMap((one) => {
    const value = givenOr(one)
    return value === undefined ? [] : [[String(one.name), value] as const]
  })
  return toWay(`${type} ${name}`, {
    command,
    args: [...args, ...toArguments(member(found, 'packageArguments'))],
    ...(env.length > 0 && { env: Object.fromEntries(env) }),
  })
}

function remoteWay(found: JsonObject): Way | undefined {
  const type = textOf(found.type ?? member(found, 'transportType'))
  const { url } = found
  if (typeof url !== 'string' || !/^https?:\/\//.test(url) || url.length > 2_000) return undefined
  const headers = listOf(found.headers).flatMap((one) => {
    const value = givenOr(one)
    return typeof one.name === 'string' && value !== undefined ? [[one.name, value] as const] : []
  })
  return toWay(url, {
    type: type === 'sse' ? 'sse' : 'http',
    url: literal(url),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
  })
}

/** Shown by the same function that shows every command before it is run. Left out where the entry cannot be read. */
function toWay(label: string, entry: JsonObject): Way | undefined {
  const [server] = readEntry('server', entry).servers
  return server === undefined ? undefined : { label: clean(label, 200), entry, shown: showCommand(server.target) }
}

function toArguments(found: unknown): string[] {
  return listOf(found)
    .slice(0, MAX_ARGUMENTS)
    .flatMap((one) => {
      const value = literal(one.value ?? one.default)
      const name = literal(one.name)
      if (one.type === 'named' && name !== '') return value === '' ? [name] : [name, value]
      if (value !== '') return [value]
      // What the user has to fill in is left as a variable with the name that the publisher gave.
      const hint = textOf(member(one, 'valueHint') ?? one.name).replace(/\W+/g, '_')
      return member(one, 'isRequired') === true && hint !== '' ? [`\${${hint.toUpperCase()}}`] : []
    })
}

/** A value that is given, or a reference to a variable of that name: secrets are never written into the entry. */
function givenOr(one: JsonObject): string | undefined {
  const given = literal(one.value ?? one.default)
  const isSecret = member(one, 'isSecret') === true
  if (given !== '' && !isSecret) return given
  const name = textOf(one.name).replace(/\W+/g, '_').toUpperCase()
  const isNeeded = member(one, 'isRequired') === true || isSecret
  return isNeeded && name !== '' ? `\${${name}}` : undefined
}

function isVariable(name: unknown): boolean {
  return typeof name === 'string' && /^[A-Za-z_]\w{0,100}$/.test(name)
}

/** In either spelling. */
function member(found: JsonObject, name: string): unknown {
  return found[name] ?? found[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject).slice(0, MAX_ARGUMENTS) : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' && value.length <= 4_000 ? value : ''
}

/** A publisher's text must not read variables of this machine: `${` is spelled so that it stands for itself. */
function literal(value: unknown): string {
  return textOf(value).replace(/\$\{/g, () => '$${')
}

function clean(text: string, most: number): string {
  return neutralise(bounded(text, most)).text
}
