/**
 * A lock for what a server promises: one digest for every part of a tool, resource, template or prompt that carries
 * meaning (`protocol/meaning.ts`): whatever a host that pins definitions would hold. A build that verifies the lock fails when a meaning changes and nobody said so. Reads the
 * catalogue; knows no connection.
 */

import { toCanonicalJson } from '../../jsonrpc/canonical-json.ts'
import { invalidDefinition } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { ITEM_KEYS, type ItemKind, meaningOf } from '../../protocol/meaning.ts'
import type { Catalogue } from './catalogue.ts'

/** The digest of each part of an item, such as `description` or `inputSchema`. */
export interface ItemLock {
  readonly [part: string]: string
}

/**
 * What a server promises, as digests, in plain JSON with sorted keys. Write it to a file that is kept with the source.
 */
export interface Lock {
  readonly lockVersion: 2
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
    lockVersion: 2,
    server: info.name,
    tools: await lockAll('tool', tools),
    resources: await lockAll('resource', resources),
    resourceTemplates: await lockAll('template', resourceTemplates),
    prompts: await lockAll('prompt', prompts),
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
  if (!isObject(lock) || lock.lockVersion !== 2) {
    throw invalidDefinition('This is no lock that `fingerprint` of this version has made')
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

async function lockAll<Kind extends ItemKind>(
  kind: Kind,
  items: readonly ({ readonly [K in (typeof ITEM_KEYS)[Kind]]: string } & object)[],
): Promise<{ [name: string]: ItemLock }> {
  const key: (typeof ITEM_KEYS)[Kind] = ITEM_KEYS[kind]
  const sorted = [...items].sort((a, b) => (a[key] < b[key] ? -1 : 1))
  const locks = sorted.map(async (item): Promise<[string, ItemLock]> => {
    const parts = Object.entries(meaningOf(kind, item)).filter(([, value]) => value !== undefined)
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
  const bytes = new TextEncoder().encode(toCanonicalJson(value))
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return `sha256:${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
