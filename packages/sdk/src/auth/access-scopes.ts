/**
 * From what a credential says to what it allows: broader scopes that imply narrower ones, and roles that stand for
 * scopes. Applied once, when a principal is made, so that every later check is a look into a set.
 */

/** Which scopes a broader one implies: `{ admin: ['write'], write: ['read'] }`. Here `admin` implies `read` too. */
export type ScopeHierarchy = { readonly [broader: string]: readonly string[] }

/** Verified claims of a token or certificate. */
export type Claims = { readonly [name: string]: unknown }

/** Scopes that claims stand for, beside those that the credential names. */
export type Grants = (claims: Claims) => Iterable<string>

/** Makes the function that adds every implied scope to a set (2026-07-28, authorization: hierarchies MUST count). */
export function createScopeExpander(hierarchy: ScopeHierarchy = {}): (scopes: Iterable<string>) => ReadonlySet<string> {
  const implied = new Map<string, ReadonlySet<string>>()
  for (const scope of Object.keys(hierarchy)) implied.set(scope, closure(scope, new Map(Object.entries(hierarchy))))
  return (scopes) => {
    const expanded = new Set(scopes)
    if (implied.size > 0) {
      for (const scope of [...expanded]) for (const narrower of implied.get(scope) ?? []) expanded.add(narrower)
    }
    return expanded
  }
}

/** Where a token names the roles of its owner. */
export interface RoleOptions {
  /** The claim that lists the roles: a name, or the way to a nested one (`['realm_access', 'roles']`). `roles` by default. */
  readonly claim?: string | readonly string[]
}

/**
 * Says which scopes each role stands for, for `requireBearer({ grants })`. A role that is not named here grants
 * nothing.
 *
 * @example
 * ```ts
 * import { defineRoles, requireBearer } from '@portico/sdk/bearer'
 *
 * const grants = defineRoles({ reader: ['notes:read'], editor: ['notes:read', 'notes:write'] })
 * const auth = requireBearer({ issuer: 'https://login.example.com', resource: 'https://mcp.example.com/mcp', grants })
 * ```
 */
export function defineRoles(
  roles: { readonly [role: string]: readonly string[] },
  { claim = 'roles' }: RoleOptions = {},
): Grants {
  const table = new Map(Object.entries(roles))
  const path = typeof claim === 'string' ? [claim] : claim
  return (claims) => toNames(readPath(claims, path)).flatMap((role) => table.get(role) ?? [])
}

function closure(scope: string, hierarchy: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set<string>()
  const open = [scope]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const narrower of hierarchy.get(next) ?? []) {
      if (found.has(narrower)) continue
      found.add(narrower)
      open.push(narrower)
    }
  }
  return found
}

function readPath(claims: Claims, path: readonly string[]): unknown {
  let value: unknown = claims
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    // An object that has the member: reading it is safe whatever it holds.
    value = (value as Claims)[name]
  }
  return value
}

/** Lists come as arrays or as words in one string. */
function toNames(value: unknown): string[] {
  if (typeof value === 'string') return value.split(' ').filter((name) => name !== '')
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
}
