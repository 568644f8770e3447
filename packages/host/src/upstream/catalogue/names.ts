/**
 * Names in the catalogue: `server_tool`, made of the name in the configuration and what the server calls the item, never
 * of what the server calls itself (sec-130). The same items have the same names whatever the order they come in.
 */

import { createHash } from 'node:crypto'
import { QUALIFIED_SCHEME } from '../../config/command/address.ts'
import type { ItemKind } from './item.ts'

/** What models take as a function's name. */
export const NAME_RULE = /^[a-zA-Z0-9_-]{1,64}$/

const LONGEST = 64
const HASH_LENGTH = { short: 8, long: 48 } as const

export interface Nameable {
  readonly server: string
  readonly kind: ItemKind
  readonly ownName: string
  /** A name that a person chose; it stands without the server's. */
  readonly rename?: string
}

/** Items of several servers that would have had one name in the catalogue, and the names that they got instead. */
export interface Collision {
  readonly name: string
  readonly kind: ItemKind
  /** All that would have had the name, and what they have instead. */
  readonly items: readonly { readonly server: string; readonly ownName: string; readonly name: string }[]
}

/** The name that an item has as long as no other would have it too. */
export function plainName({ server, kind, ownName, rename }: Nameable): string {
  if (kind === 'resource' || kind === 'template') return rename ?? ownName
  const whole = rename ?? `${server}_${ownName}`
  const name = whole.replace(/[^a-zA-Z0-9_-]/g, '_')
  return name.length <= LONGEST ? name : withHash(name, whole)
}

/** The name beside others that would have had the same; the long form where even that is not enough. */
export function distinctName(item: Nameable, form: 'short' | 'long' = 'short'): string {
  const { server, kind, ownName } = item
  if (kind === 'resource' || kind === 'template') return qualify(server, ownName)
  return withHash(plainName(item), `${server}\n${ownName}`, HASH_LENGTH[form])
}

/**
 * Names for all, and which of them had to give way. No name is given twice, and nobody gets the distinct name of another
 * by being called so. `clashed` remembers, so that a name does not change back and forth.
 */
export function assignNames<Item extends Nameable>(
  items: readonly Item[],
  clashed: Set<string>,
): { names: Map<Item, string>; collisions: Collision[] } {
  const groups = groupBy(items, (item) => keyOf(item, plainName(item)))
  const reserved = reservedNames(items)
  const names = new Map<Item, string>()
  const together: (readonly Item[])[] = []
  for (const [key, group] of groups) {
    const rightful = reserved.get(key)
    if (group.length > 1) clashed.add(key)
    const form = rightful !== undefined ? 'long' : clashed.has(key) ? 'short' : undefined
    for (const item of group) names.set(item, form === undefined ? plainName(item) : distinctName(item, form))
    if (rightful !== undefined) together.push([...group, rightful])
    else if (group.length > 1) together.push(group)
  }
  // Short forms can be made equal by whoever tries long enough.
  for (const tied of groupBy(items, (item) => `${item.kind}\n${names.get(item)}`).values()) {
    if (tied.length > 1) for (const item of tied) names.set(item, distinctName(item, 'long'))
  }
  return { names, collisions: together.flatMap((group) => toCollision(group, names)) }
}

function toCollision<Item extends Nameable>(
  group: readonly Item[],
  names: ReadonlyMap<Item, string>,
): readonly Collision[] {
  const [first] = group
  if (first === undefined) return []
  const items = group.map((item) => ({ server: item.server, ownName: item.ownName, name: names.get(item) ?? '' }))
  return [{ name: plainName(first), kind: first.kind, items }]
}

/** An address together with the server whose it is. */
export function qualify(server: string, address: string): string {
  return `${QUALIFIED_SCHEME}${encodeURIComponent(server)}/${address}`
}

/** The two parts of such an address; undefined for any other. */
export function unqualify(address: string): { readonly server: string; readonly address: string } | undefined {
  const slash = address.startsWith(QUALIFIED_SCHEME) ? address.indexOf('/') : -1
  if (slash < 0) return undefined
  try {
    const server = decodeURIComponent(address.slice(QUALIFIED_SCHEME.length, slash))
    return { server, address: address.slice(slash + 1) }
  } catch {
    return undefined
  }
}

/** What each would be called if it had to be told apart. Addresses have no need of it: servers cannot list such ones. */
function reservedNames<Item extends Nameable>(items: readonly Item[]): ReadonlyMap<string, Item> {
  const reserved = new Map<string, Item>()
  for (const item of items) {
    if (item.kind === 'resource' || item.kind === 'template') continue
    reserved.set(keyOf(item, distinctName(item)), item)
    reserved.set(keyOf(item, distinctName(item, 'long')), item)
  }
  return reserved
}

function groupBy<Item>(items: readonly Item[], keyOfItem: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const key = keyOfItem(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

/** Tools and prompts are asked for in different ways, so that a name may be used for one of each. */
function keyOf({ kind }: Nameable, name: string): string {
  return `${kind === 'template' || kind === 'resource' ? 'resource' : kind}\n${name}`
}

function withHash(name: string, of: string, length: number = HASH_LENGTH.short): string {
  const hash = hashOf(of).slice(0, length)
  return `${name.slice(0, LONGEST - length - 1)}_${hash}`
}

/** Both forms of a name, every time that names are given, come from the same hash. */
let last: { readonly of: string; readonly hash: string } | undefined

function hashOf(of: string): string {
  if (last?.of !== of) last = { of, hash: createHash('sha256').update(of).digest('hex') }
  return last.hash
}
