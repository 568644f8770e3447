/**
 * Who a request comes from, as far as it was verified. Transports and guards make principals; sessions, state and
 * visibility are bound to their `id`. Nothing here knows how the verification was done.
 */

import { invalidDefinition } from '../jsonrpc/errors.ts'

/** Who a request is from: an id, and what is known of them. */
export interface Principal {
  /** Stable and unique within the server: issuer and subject, certificate fingerprint, or a name of your own. */
  readonly id: string
  /** What the credential allows, as the credential spells it. */
  readonly scopes: ReadonlySet<string>
  /** Verified facts for access rules: token claims, certificate fields. Never self-reported names. */
  readonly claims?: { readonly [key: string]: unknown }
  /** When the credential ends, in milliseconds since 1970. Streams that only listen end with it. */
  readonly expiresAt?: number
  /** The HTTP headers (names and values in turn) that tell the client how to get a credential with these scopes. */
  readonly challenge?: (scopes: readonly string[]) => readonly string[]
}

/**
 * Makes a principal: who a request is from, and which scopes they hold.
 *
 * @example
 * ```ts
 * import { createPrincipal } from '@portico/sdk/server'
 *
 * const ana = createPrincipal('ana@example.com', ['notes:read'], { department: 'sales' })
 * console.log(ana.scopes.has('notes:read')) // true
 * ```
 */
export function createPrincipal(
  id: string,
  scopes: Iterable<string> = [],
  claims?: { readonly [key: string]: unknown },
): Principal {
  // Whoever has no id of their own would share one, and with it sessions and results.
  if (typeof id !== 'string' || id === '')
    throw invalidDefinition('createPrincipal: the id must be a text that is not empty')
  return claims === undefined ? { id, scopes: new Set(scopes) } : { id, scopes: new Set(scopes), claims }
}
