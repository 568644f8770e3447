/**
 * A lock for what a server promises: one digest for every part of a tool, resource, template or prompt that carries
 * meaning for a model. A build that verifies the lock fails when a meaning changes and nobody said so. Reads the
 * catalogue; knows no connection.
 */

import { invalidDefinition } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { Catalogue } from './catalogue.ts'

/** The digest of each part of an item, such as `description` or `inputSchema`. */
export interface ItemLock {
  readonly [part: string]: string
}

/**
 * What a server promises, as digests, in plain JSON with sorted keys. Write it to a file that is kept with the source.
 */
export interface Lock {
  readonly lockVersion: 1
  readonly server: string
  readonly tools: { readonly [name: string]: ItemLock }
  readonly resources: { readonly [uri: string]: ItemLock }
  readonly resourceTemplates: { readonly [template: string]: ItemLock }
  readonly prompts: { readonly [name: string]: ItemLock }
}

/** A change between two fingerprints of a server. */
export interface Difference {
  readonly kind: 'added' | 'removed' | 'changed'
  readonly item: 'tool' | 'resource' | 'resource template' | 'prompt'
  readonly name: string
  /** Which parts changed, as `description`, `inputSchema`, `annotations`. */
  readonly parts: readonly string[]
  readonly message: string
}

/** Anything with a catalogue: a `Server`. */
export interface Catalogued {
  catalogue(): Catalogue
}

/**
 * The lock of a server as it is now: a digest of each part of each item. Equal definitions give equal locks, whatever
 * the order of their keys.
 *
 * @example
 * ```ts
 * import { fingerprint } from '@portico/sdk/lint'
 * import { writeFile } from 'node:fs/promises'
 *
 * await writeFile('server.lock.json', JSON.stringify(await fingerprint(server), null, 2))
 * ```
 */
export async function fingerprint(server: Catalogued): Promise<Lock> {
  const { info, tools, resources, resourceTemplates, prompts } = server.catalogue()
  return {
    lockVersion: 1,
    server: info.name,
    tools: await lockAll(tools, 'name'),
    resources: await lockAll(resources, 'uri'),
    resourceTemplates: await lockAll(resourceTemplates, 'uriTemplate'),
    prompts: await lockAll(prompts, 'name'),
  }
}

/**
 * What differs between a server and a lock that `fingerprint` made earlier; an empty list when nothing does.
 *
 * @example
 * ```ts
 * import { verifyFingerprint } from '@portico/sdk/lint'
 * import { readFile } from 'node:fs/promises'
 *
 * const differences = await verifyFingerprint(server, JSON.parse(await readFile('server.lock.json', 'utf8')))
 * for (const { message } of differences) console.error(message)
 * ```
 */
export async function verifyFingerprint(server: Catalogued, lock: unknown): Promise<Difference[]> {
  if (!isObject(lock) || lock.lockVersion !== 1) {
    throw invalidDefinition('This is no lock that `fingerprint` has made')
  }
  const now = await fingerprint(server)
  return SHELVES.flatMap(({ shelf, item }) => compare(item, toLocks(lock[shelf]), toLocks(now[shelf])))
}

const SHELVES = [
  { shelf: 'tools', item: 'tool' },
  { shelf: 'resources', item: 'resource' },
  { shelf: 'resourceTemplates', item: 'resource template' },
  { shelf: 'prompts', item: 'prompt' },
] as const

/** Icons are looks, and `_meta` is for programs: neither tells the model anything. */
const MEANINGLESS = new Set(['name', 'uri', 'uriTemplate', 'icons', '_meta'])

async function lockAll<Key extends string>(
  items: readonly ({ readonly [K in Key]: string } & object)[],
  key: Key,
): Promise<{ [name: string]: ItemLock }> {
  const sorted = [...items].sort((a, b) => (a[key] < b[key] ? -1 : 1))
  const locks = sorted.map(async (item): Promise<[string, ItemLock]> => {
    const parts = Object.entries(item).filter(([part, value]) => !MEANINGLESS.has(part) && value !== undefined)
    parts.sort(([a], [b]) => (a < b ? -1 : 1))
    return [
      item[key],
      Object.fromEntries(await Promise.all(parts.map(async ([part, value]) => [part, await digest(value)]))),
    ]
  })
  // `fromEntries` defines own properties, so that an item called `__proto__` is one like any other.
  return Object.fromEntries(await Promise.all(locks))
}

function compare(
  item: Difference['item'],
  before: Map<string, JsonObject>,
  after: Map<string, JsonObject>,
): Difference[] {
  const differences: Difference[] = []
  for (const [name, old] of before) {
    const now = after.get(name)
    if (now === undefined) {
      differences.push({ kind: 'removed', item, name, parts: [], message: `The ${item} "${name}" is gone` })
      continue
    }
    const parts = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((part) => old[part] !== now[part])
    if (parts.length === 0) continue
    const message = `The ${item} "${name}" changed: ${parts.map((part) => describe(part, old, now)).join(', ')}`
    differences.push({ kind: 'changed', item, name, parts, message })
  }
  for (const name of after.keys()) {
    if (before.has(name)) continue
    differences.push({ kind: 'added', item, name, parts: [], message: `The ${item} "${name}" is new` })
  }
  return differences
}

function describe(part: string, old: JsonObject, now: JsonObject): string {
  if (old[part] === undefined) return `${part} was added`
  return now[part] === undefined ? `${part} was removed` : `${part} is different`
}

function toLocks(shelf: unknown): Map<string, JsonObject> {
  const entries = isObject(shelf) ? Object.entries(shelf) : []
  return new Map(entries.filter((entry): entry is [string, JsonObject] => isObject(entry[1])))
}

async function digest(value: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(canonical(value))
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return `sha256:${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const keys = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`
}
