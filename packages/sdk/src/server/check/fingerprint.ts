/**
 * The fingerprint of what a server promises: one digest for every part of an item that carries meaning
 * (`protocol/meaning.ts`), list by list as the catalogue has them. A build that verifies it fails when a meaning changes
 * and nobody said so. Reads the catalogue; knows no connection. A host's lock file, which holds the definitions of many
 * servers themselves, is another file with words of its own (`lockVersion`, in the host's `upstream/pins/lock.ts`).
 */

import { toCanonicalJson } from '../../jsonrpc/canonical-json.ts'
import { invalidDefinition } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { compareItems, type ItemChange, itemKeyOf, meaningOf } from '../../protocol/meaning.ts'
import type { Catalogue } from './catalogue.ts'

/** The digest of each part of an item, such as `description` or `inputSchema`. */
export interface ItemFingerprint {
  readonly [part: string]: string
}

/**
 * What a server promises, as digests, in plain JSON with sorted keys. Write it to a file that is kept with the source.
 */
export interface Fingerprint {
  readonly fingerprintVersion: 1
  readonly server: string
  /** By list (`tools`, `resources`, `resourceTemplates`, `prompts`) and by what an item is found by in it. */
  readonly lists: { readonly [list: string]: { readonly [key: string]: ItemFingerprint } }
}

/** A change between two fingerprints of a server. */
export interface Difference {
  readonly kind: 'added' | 'removed' | 'changed'
  /** What it is: `tool`, `resource`, `resource template`, `prompt`, or what else a feature of the server has. */
  readonly item: string
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
 * The fingerprint of a server as it is now: a digest of each part of each item. Equal definitions give equal
 * fingerprints, whatever the order of their keys.
 *
 * @example
 * ```ts
 * import { fingerprint } from '@portico/sdk/lint'
 * import { writeFile } from 'node:fs/promises'
 *
 * await writeFile('server.fingerprint.json', JSON.stringify(await fingerprint(server), null, 2))
 * ```
 */
export async function fingerprint(server: Catalogued): Promise<Fingerprint> {
  const catalogue = server.catalogue()
  const lists = Object.entries(catalogue).filter((entry): entry is [string, readonly object[]] =>
    Array.isArray(entry[1]),
  )
  const made = lists.map(async ([list, items]) => [list, await fingerprintAll(toKind(list), items)] as const)
  return {
    fingerprintVersion: 1,
    server: catalogue.info.name,
    lists: Object.fromEntries(await Promise.all(made)),
  }
}

/**
 * What differs between a server and a fingerprint that was made earlier; an empty list when nothing does.
 *
 * @example
 * ```ts
 * import { verifyFingerprint } from '@portico/sdk/lint'
 * import { readFile } from 'node:fs/promises'
 *
 * const made: unknown = JSON.parse(await readFile('server.fingerprint.json', 'utf8'))
 * for (const { message } of await verifyFingerprint(server, made)) console.error(message)
 * ```
 */
export async function verifyFingerprint(server: Catalogued, made: unknown): Promise<Difference[]> {
  const before = readLists(made)
  const { lists: after } = await fingerprint(server)
  const names = new Set([...Object.keys(after), ...Object.keys(before)])
  return [...names].flatMap((list) => {
    const changes = compareItems(toItems(before[list]), toItems(after[list]), isSame)
    return changes.map((change) => describe(toNoun(list), change))
  })
}

/** The lists of a fingerprint. Earlier versions called the file a lock and had the lists beside its other members. */
function readLists(made: unknown): JsonObject {
  if (isObject(made) && made.fingerprintVersion === 1 && isObject(made.lists)) return made.lists
  if (isObject(made) && made.lockVersion === 2) {
    return Object.fromEntries(Object.entries(made).filter(([, list]) => isObject(list)))
  }
  throw invalidDefinition('This is no fingerprint that `fingerprint` has made; make it anew')
}

/** The list of items that a catalogue calls `resourceTemplates` has a `resource template` in it. */
function toNoun(list: string): string {
  return list.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/s$/, '')
}

/** The kind of its items, as `protocol/meaning.ts` knows it: the last word. */
function toKind(list: string): string {
  return toNoun(list).replace(/^.* /s, '')
}

async function fingerprintAll(kind: string, items: readonly object[]): Promise<{ [key: string]: ItemFingerprint }> {
  const key = itemKeyOf(kind)
  // Every item of a catalogue has the member that it is found by.
  const keyed = items.map((item): [string, object] => [String((item as JsonObject)[key]), item])
  keyed.sort(([a], [b]) => (a < b ? -1 : 1))
  const made = keyed.map(async ([name, item]): Promise<[string, ItemFingerprint]> => {
    const parts = Object.entries(meaningOf(kind, item)).filter(([, value]) => value !== undefined)
    parts.sort(([a], [b]) => (a < b ? -1 : 1))
    return [
      name,
      Object.fromEntries(await Promise.all(parts.map(async ([part, value]) => [part, await digest(value)]))),
    ]
  })
  // `fromEntries` defines own properties, so that an item called `__proto__` is one like any other.
  return Object.fromEntries(await Promise.all(made))
}

function isSame(before: JsonObject, after: JsonObject): boolean {
  return partsOf(before, after).length === 0
}

function partsOf(before: JsonObject, after: JsonObject): string[] {
  const parts = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...parts].filter((part) => before[part] !== after[part])
}

function describe(item: string, change: ItemChange<JsonObject>): Difference {
  const { change: kind, key: name } = change
  const what = `The ${item} "${name}"`
  if (kind === 'added') return { kind, item, name, parts: [], message: `${what} is new` }
  if (kind === 'removed') return { kind, item, name, parts: [], message: `${what} is gone` }
  const parts = partsOf(change.before, change.after)
  const words = parts.map((part) => describePart(part, change.before, change.after))
  return { kind, item, name, parts, message: `${what} changed: ${words.join(', ')}` }
}

function describePart(part: string, before: JsonObject, after: JsonObject): string {
  if (before[part] === undefined) return `${part} was added`
  return after[part] === undefined ? `${part} was removed` : `${part} is different`
}

function toItems(list: unknown): Map<string, JsonObject> {
  const entries = isObject(list) ? Object.entries(list) : []
  return new Map(entries.filter((entry): entry is [string, JsonObject] => isObject(entry[1])))
}

async function digest(value: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(toCanonicalJson(value))
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return `sha256:${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
