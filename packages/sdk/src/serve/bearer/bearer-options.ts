/** What `requireBearer` takes. */

import type { Grants, ScopeHierarchy } from '../../auth/access-scopes.ts'
import type { DpopOptions } from '../../auth/verify/verify-dpop.ts'
import type { IntrospectionOptions } from '../../auth/verify/verify-introspection.ts'

/** Whose tokens are taken, and what they must say. */
export interface BearerOptions {
  /** Whose tokens are accepted, exactly as the issuer spells itself. */
  readonly issuer: string | readonly string[]
  /** The URL under which clients know this server; tokens must have been issued for it. */
  readonly resource: string
  /** Other audiences to accept, where the issuer does not put the URL into its tokens. */
  readonly audiences?: readonly string[]
  /** Where the keys are, for one issuer or by issuer. Found through the issuer's metadata by default. */
  readonly jwksUri?: string | { readonly [issuer: string]: string }
  /** Asks the issuer about each token instead of checking signatures. Needed for opaque tokens. */
  readonly introspection?: IntrospectionOptions
  /** Signature algorithms to accept; only asymmetric ones can be named. */
  readonly algorithms?: readonly string[]
  /** Scopes that every request needs; what items need beyond them is said on the items. */
  readonly scopes?: readonly string[]
  /** Scopes that clients may ask for at first; `scopes` unless given. */
  readonly scopesSupported?: readonly string[]
  /** Which scopes a broader one implies. */
  readonly hierarchy?: ScopeHierarchy
  /** Scopes that follow from other claims, such as roles: see `defineRoles`. */
  readonly grants?: Grants
  /** Tokens bound to a DPoP key are always held to it; here is how strictly. */
  readonly dpop?: DpopOptions
  /**
   * Accepts only tokens that are bound to a client certificate. A token that is bound to one is always refused without
   * it, whatever is set here.
   */
  readonly certificateBound?: boolean
  /** For people: the name of the server, and where to read about it. */
  readonly name?: string
  readonly documentation?: string
  /** How far clocks may be apart: 5 seconds unless given. */
  readonly clockToleranceSeconds?: number
  /** How long a verified token passes without another look: 30 s, or 5 s with introspection. 0 for never. */
  readonly cacheMs?: number
  /** How long to wait for the issuer: 5 s unless given. */
  readonly timeoutMs?: number
  readonly fetch?: typeof fetch
  /** Told when the issuer cannot be reached. Standard error by default. */
  readonly onError?: (error: unknown) => void
  /** Told when a client is asked for more scopes, for the audit trail; clients see the same reference. */
  readonly onStepUp?: (stepUp: StepUp) => void
  /** Accepts issuers at `http` addresses other than this machine. Tokens can then be forged on the network. */
  readonly dangerouslyAllowHttp?: boolean
}

/** A caller who was asked for more scopes than the token has. */
export interface StepUp {
  readonly principal: string
  readonly scopes: readonly string[]
  readonly reference: string
}
