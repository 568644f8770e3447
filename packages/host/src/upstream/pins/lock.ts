/**
 * A lock file for a set of servers: everything they promised, to be kept with a project, and what differs from it later.
 * It has the same fingerprints as the pins, but a file under review decides instead of what was seen first. The
 * fingerprint that one server makes of itself (`@portico/sdk/lint`) is another file: digests alone.
 */

import type { JsonObject } from '@portico/sdk/client'
import { compareItems, isObject, toCanonicalJson } from '@portico/sdk/internal'
import { HostError } from '../../errors.ts'
import type { ItemKind } from '../catalogue/item.ts'
import { differenceOf, type PartDifference } from './difference.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { ObservedItem } from './pins.ts'

interface LockedItem {
  readonly fingerprint: string
  readonly meaning: JsonObject
}

/** What a set of servers offered when the lock was made: definitions and their fingerprints, by server and item. */
export interface ServersLock {
  readonly lockVersion: 1
  readonly servers: { readonly [server: string]: { readonly [item: string]: LockedItem } }
}

/** An item that is not as a lock says: new, gone, or changed in the parts given. */
export interface LockDifference {
  readonly server: string
  readonly kind: ItemKind
  readonly ownName: string
  readonly change: 'added' | 'removed' | 'changed'
  readonly parts: readonly PartDifference[]
}

/**
 * Makes a lock of what servers offer now, to be kept in a file and compared with later. `servers` names those that are
 * in it even if they offer nothing.
 *
 * @example
 * ```ts
 * import { createCatalogue, createUpstreams, lockServers, lockText } from '@portico/host/upstream'
 * import { writeFile } from 'node:fs/promises'
 *
 * const catalogue = createCatalogue(createUpstreams())
 * await catalogue.list()
 * await writeFile('portico.lock', lockText(lockServers(catalogue.observedItems())))
 * ```
 */
export function lockServers(items: readonly ObservedItem[], servers: readonly string[] = []): ServersLock {
  const names = [...new Set([...servers, ...items.map(({ server }) => server)])].sort()
  const shelves = names.map((server) => {
    const own = items
      .filter((item) => item.server === server)
      .map((item): [string, LockedItem] => {
        return [`${item.kind} ${item.ownName}`, { fingerprint: fingerprintOf(item.meaning), meaning: item.meaning }]
      })
    own.sort(([a], [b]) => (a < b ? -1 : 1))
    return [server, Object.fromEntries(own)]
  })
  return { lockVersion: 1, servers: Object.fromEntries(shelves) }
}

/**
 * Writes a lock as JSON text with a line for each item; equal locks give equal text.
 *
 * @example
 * ```ts
 * import { lockServers, lockText } from '@portico/host/upstream'
 *
 * const meaning = { name: 'search', description: 'Finds notes' }
 * const text = lockText(lockServers([{ server: 'notes', kind: 'tool', ownName: 'search', meaning }]))
 * ```
 */
export function lockText(lock: ServersLock): string {
  const servers = Object.entries(lock.servers).map(([server, items]) => {
    const lines = Object.entries(items).map(([key, item]) => `      ${JSON.stringify(key)}: ${toCanonicalJson(item)}`)
    return `    ${JSON.stringify(server)}: {${lines.length === 0 ? '' : `\n${lines.join(',\n')}\n    `}}`
  })
  return `{\n  "lockVersion": 1,\n  "servers": {\n${servers.join(',\n')}\n  }\n}\n`
}

/**
 * Compares what servers offer now with a lock and returns what differs; an empty list means that the lock holds.
 * Servers that the lock does not have count as added. `lock` is the parsed JSON of the file.
 *
 * @example
 * ```ts
 * import { createCatalogue, createUpstreams, describeDifference, verifyServers } from '@portico/host/upstream'
 * import { readFile } from 'node:fs/promises'
 *
 * const catalogue = createCatalogue(createUpstreams())
 * await catalogue.list()
 * const lock: unknown = JSON.parse(await readFile('portico.lock', 'utf8'))
 * const report = verifyServers(lock, catalogue.observedItems()).map(describeDifference)
 * ```
 */
export function verifyServers(lock: unknown, items: readonly ObservedItem[]): LockDifference[] {
  const changes = compareItems(
    entriesOf(lock),
    entriesOf(lockServers(items)),
    (a, b) => a.fingerprint === b.fingerprint,
  )
  return changes.map((one): LockDifference => {
    if (one.change === 'removed') return { ...one.before.item, change: one.change, parts: [] }
    const before = one.change === 'added' ? {} : one.before.meaning
    return { ...one.after.item, change: one.change, parts: differenceOf(before, one.after.meaning) }
  })
}

/**
 * Writes a difference from a lock as lines of text, for a terminal.
 *
 * @example
 * ```ts
 * import { describeDifference } from '@portico/host/upstream'
 *
 * describeDifference({ server: 'notes', kind: 'tool', ownName: 'search', change: 'removed', parts: [] })
 * // 'notes: the tool "search" is gone'
 * ```
 */
export function describeDifference({ server, kind, ownName, change, parts }: LockDifference): string {
  const head = `${server}: the ${kind} "${ownName}" ${{ added: 'is new', removed: 'is gone', changed: 'changed' }[change]}`
  if (change !== 'changed') return head
  return [head, ...parts.flatMap(({ part, before, after }) => [`  ${part}`, `    - ${before}`, `    + ${after}`])].join(
    '\n',
  )
}

interface LockEntry {
  readonly item: Pick<LockDifference, 'server' | 'kind' | 'ownName'>
  readonly fingerprint: string
  readonly meaning: JsonObject
}

function entriesOf(lock: unknown): Map<string, LockEntry> {
  if (!isObject(lock) || lock.lockVersion !== 1 || !isObject(lock.servers)) {
    throw new HostError('invalid-config', 'This is no lock file of servers', {
      data: { problems: ['no lockVersion 1'] },
    })
  }
  const entries = new Map<string, LockEntry>()
  for (const [server, items] of Object.entries(lock.servers)) {
    for (const [key, entry] of Object.entries(isObject(items) ? items : {})) {
      const found = /^(tool|resource|template|prompt) (.*)$/s.exec(key)
      if (found === null || !isObject(entry) || !isObject(entry.meaning)) continue
      // The expression lets only kinds through.
      const item = { server, kind: found[1] as ItemKind, ownName: found[2] ?? '' }
      // Calculated anew: a lock whose digest was edited must not pass for its text.
      const fingerprint = fingerprintOf(entry.meaning)
      entries.set(`${server}\n${key}`, { item, fingerprint, meaning: entry.meaning })
    }
  }
  return entries
}
