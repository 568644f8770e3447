/**
 * Names in the catalogue: `server_tool`, made of the name in the configuration and what the server calls the item, never
 * of what the server calls itself (sec-130). The same items have the same names whatever the order they come in.
 */

import { createHash } from 'node:crypto'
import type { ItemKind } from './item.ts'

/** What models take as a function's name. */
export const NAME_RULE = /^[a-zA-Z0-9_-]{1,64}$/

const LONGEST = 64
const HASH_LENGTH = 8

export interface Nameable {
  readonly server: string
  readonly kind: ItemKind
  readonly ownName: string
  /** A name that a person chose; it stands without the server's. */
  readonly rename?: string
}

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

/** The name beside others that would have had the same. */
export function distinctName(item: Nameable): string {
  const { server, kind, ownName } = item
  if (kind === 'resource' || kind === 'template') return `portico:${encodeURIComponent(server)}/${ownName}`
  return withHash(plainName(item), `${server}\n${ownName}`)
}

/** Names for all, and which of them had to give way. `clashed` remembers, so that a name does not change back and forth. */
export function assignNames<Item extends Nameable>(
  items: readonly Item[],
  clashed: Set<string>,
): { names: Map<Item, string>; collisions: Collision[] } {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const key = groupOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  const names = new Map<Item, string>()
  const collisions: Collision[] = []
  for (const [key, group] of groups) {
    if (group.length > 1) clashed.add(key)
    const isClash = clashed.has(key)
    for (const item of group) names.set(item, isClash ? distinctName(item) : plainName(item))
    const [first] = group
    if (group.length < 2 || first === undefined) continue
    const named = group.map((item) => ({ server: item.server, ownName: item.ownName, name: names.get(item) ?? '' }))
    collisions.push({ name: plainName(first), kind: first.kind, items: named })
  }
  return { names, collisions }
}

/** Tools and prompts are asked for in different ways, so that a name may be used for one of each. */
function groupOf(item: Nameable): string {
  const shelf = item.kind === 'template' || item.kind === 'resource' ? 'resource' : item.kind
  return `${shelf}\n${plainName(item)}`
}

function withHash(name: string, of: string): string {
  const hash = createHash('sha256').update(of).digest('hex').slice(0, HASH_LENGTH)
  return `${name.slice(0, LONGEST - HASH_LENGTH - 1)}_${hash}`
}
