/** Which scopes to ask for (2026-07-28, "Scope Selection Strategy" and "Step-Up Authorization Flow"). */

import type { IssuerMetadata } from './client/discovery-issuer.ts'

export interface ScopeSources {
  /** Named in the challenge: authoritative for the operation at hand. */
  readonly challenged: readonly string[] | undefined
  /** `scopes_supported` of the server. */
  readonly published: readonly string[] | undefined
  /** Asked for with an earlier token that is to be replaced: keeps what other operations need. */
  readonly held: readonly string[]
  /** Set by the user of this client. */
  readonly wanted: readonly string[]
  /** A refresh token is of use. */
  readonly offline: boolean
}

/** The empty list means that the parameter is left out, and the authorization server decides. */
export function selectScopes(sources: ScopeSources, issuer: IssuerMetadata): string[] {
  const { challenged, published, held, wanted, offline } = sources
  const needed = challenged ?? (held.length > 0 ? [] : (published ?? []))
  const scopes = new Set([...held, ...needed, ...wanted])
  // Alone it would stand in the way of the authorization server's own default.
  if (offline && scopes.size > 0 && issuer.scopes_supported?.includes('offline_access')) scopes.add('offline_access')
  return [...scopes]
}
