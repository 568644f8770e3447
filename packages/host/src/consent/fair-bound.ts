/** What is kept of answers where there are too many: whoever has most loses an old one first, so that nobody pushes out another's. */

import type { Grant } from './grant.ts'

/** The oldest first, as they come. */
export function withinFairBound(grants: readonly Grant[], max: number): readonly Grant[] {
  if (grants.length <= max) return grants
  const lists = new Map<string, Grant[]>()
  for (const grant of grants) {
    const list = lists.get(ownerOf(grant))
    if (list === undefined) lists.set(ownerOf(grant), [grant])
    else list.push(grant)
  }
  const dropped = new Set<Grant>()
  while (grants.length - dropped.size > max) {
    const most = [...lists.values()].reduce((one, other) => (other.length > one.length ? other : one))
    const [oldest] = most.splice(0, 1)
    if (oldest !== undefined) dropped.add(oldest)
  }
  return grants.filter((grant) => !dropped.has(grant))
}

function ownerOf({ principal, session }: Grant): string {
  return principal === undefined ? `session ${session ?? ''}` : `user ${principal}`
}
