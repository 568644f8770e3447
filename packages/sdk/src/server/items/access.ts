/**
 * Who may see and use what: the one rule that lists, calls, reads, completions and subscriptions all apply. What is
 * hidden answers like what does not exist; what may be unlocked is shown, and says which scopes it takes.
 */

import type { Principal } from '../../auth/principal.ts'
import { INVALID_REQUEST, isOfKind, RpcError } from '../../jsonrpc/errors.ts'
import { withoutUndefined } from '../../jsonrpc/members.ts'
import type { Access } from './item-options.ts'

/** Thrown where a principal lacks scopes that it could get. Over HTTP it becomes a 403 that names them all. */
export class ScopeError extends RpcError {
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a class that is derived from this one is asked by itself
    return isOfKind<ScopeError>(this, ScopeError, value, ({ scopes }) => Array.isArray(scopes))
  }

  /** Everything that the operation needs, also what the principal holds already (2026-07-28, authorization). */
  readonly scopes: readonly string[]

  constructor(scopes: readonly string[]) {
    super(INVALID_REQUEST, `Insufficient scope; needed: ${scopes.join(' ')}`, { scopes })
    this.name = 'ScopeError'
    this.scopes = scopes
  }
}

/** The rules among what an author says of an item. */
export function accessOf({ scopes, challenge, visible }: Access): Access {
  return withoutUndefined({ scopes, challenge, visible })
}

/** Whether an item has any rule at all; lists without one are the same for everybody. */
export function isRestricted(access: Access): boolean {
  return access.visible !== undefined || (access.challenge === undefined && (access.scopes?.length ?? 0) > 0)
}

/** Whether there is anybody who may not use the item. What one principal was given of it is for no other. */
export function isGuarded(access: Access): boolean {
  return access.visible !== undefined || (access.scopes?.length ?? 0) > 0
}

/** Whether the item is there for this principal. */
export function isVisible(access: Access, principal: Principal | undefined): boolean {
  const { scopes, visible, challenge } = access
  if (challenge === undefined && scopes !== undefined && !holds(principal, scopes)) return false
  // Exactly `true`: a promise or any other mistake of a rule may not pass for it.
  return visible === undefined || visible(principal) === true
}

/** Whether the principal could use the item as it is. */
export function isUsable(access: Access, principal: Principal | undefined): boolean {
  return isVisible(access, principal) && (access.scopes === undefined || holds(principal, access.scopes))
}

/** Whether the item is there for this principal; throws where it is, and takes scopes which the principal lacks. */
export function isAdmitted(access: Access, principal: Principal | undefined): boolean {
  // Most items have no rule at all.
  if (access.scopes === undefined && access.visible === undefined) return true
  if (!isVisible(access, principal)) return false
  requireAccess(access, principal)
  return true
}

/** Throws when an item that is there takes scopes which the principal lacks. */
export function requireAccess(access: Access, principal: Principal | undefined): void {
  if (access.challenge !== undefined && access.scopes !== undefined) requireScopes(principal, access.scopes)
}

/**
 * Throws a `ScopeError` unless the principal holds all the scopes: for handlers whose arguments decide what is needed.
 * The client sees the same as for an item with `challenge`.
 *
 * @example
 * ```ts
 * import { requireScopes, tool } from '@portico/sdk/server'
 * import { z } from 'zod'
 *
 * const input = z.object({ folder: z.string() })
 * const list = tool({ description: 'Lists a folder', input }, ({ folder }, ctx) => {
 *   if (folder.startsWith('private/')) requireScopes(ctx.principal, ['files:private'])
 *   return `The files of ${folder}`
 * })
 * ```
 */
export function requireScopes(principal: Principal | undefined, scopes: readonly string[]): void {
  if (!holds(principal, scopes)) throw new ScopeError(scopes)
}

function holds(principal: Principal | undefined, scopes: readonly string[]): boolean {
  for (const scope of scopes) if (!principal?.scopes.has(scope)) return false
  return true
}
