/** Who may see what: the one rule that lists, calls, reads, completions and subscriptions all apply. */

import type { Principal } from '../auth/principal.ts'
import type { Access } from './definition.ts'

/** Whether an item has any rule at all; lists without one are the same for everybody. */
export function isRestricted(access: Access): boolean {
  return access.visible !== undefined || (access.scopes !== undefined && access.scopes.length > 0)
}

export function isVisible(access: Access, principal: Principal | undefined): boolean {
  const { scopes, visible } = access
  if (scopes !== undefined) {
    for (const scope of scopes) if (!principal?.scopes.has(scope)) return false
  }
  return visible === undefined || visible(principal)
}
