/** The options of `requireBearer` checked and completed, once, with what is made of them before the first request. */

import { isScopeToken } from '../../auth/bearer-challenge.ts'
import type { ClaimRules, TokenVerifier } from '../../auth/client/access-token.ts'
import {
  createAudienceTest,
  type ResourceMetadata,
  toCanonicalResource,
  toMetadataPaths,
  toMetadataUrl,
} from '../../auth/resource-metadata.ts'
import { DPOP_ALGORITHMS } from '../../auth/verify/verify-dpop.ts'
import { createIntrospector } from '../../auth/verify/verify-introspection.ts'
import { createJwtVerifier, DEFAULT_ALGORITHMS } from '../../auth/verify/verify-jwt.ts'
import { PorticoError } from '../../jsonrpc/errors.ts'
import type { BearerOptions } from './bearer-options.ts'

export interface BearerSettings {
  readonly options: BearerOptions
  readonly issuers: readonly string[]
  readonly resource: string
  readonly origin: string
  readonly metadataUrl: string
  readonly scopes: readonly string[]
  readonly cacheMs: number
  readonly onError: (error: unknown) => void
}

const MAX_ANSWER_BYTES = 256 * 1024
const KEY_COOLDOWN_MS = 30_000
const KEY_MAX_AGE_MS = 10 * 60_000
const MAX_PENDING = 256

export function readBearerOptions(options: BearerOptions): BearerSettings {
  const issuers = typeof options.issuer === 'string' ? [options.issuer] : options.issuer
  if (issuers.length === 0) throw new PorticoError('invalid-definition', 'requireBearer needs an issuer')
  if (typeof options.jwksUri === 'string' && issuers.length > 1) {
    throw new PorticoError('invalid-definition', 'jwksUri must say which issuer it is of when there are several')
  }
  for (const scope of [...(options.scopes ?? []), ...(options.scopesSupported ?? [])]) {
    if (!isScopeToken(scope)) throw new PorticoError('invalid-definition', `Not a scope: ${JSON.stringify(scope)}`)
    // Refresh tokens are between client and issuer, no matter of the resource (2026-07-28, authorization).
    if (scope === 'offline_access') {
      throw new PorticoError('invalid-definition', 'offline_access is not for a resource to ask for')
    }
  }
  const resource = toCanonicalResource(options.resource)
  return {
    options,
    issuers,
    resource,
    origin: new URL(resource).origin,
    metadataUrl: toMetadataUrl(resource),
    scopes: options.scopes ?? [],
    cacheMs: options.cacheMs ?? (options.introspection === undefined ? 30_000 : 5000),
    onError: options.onError ?? reportToStderr,
  }
}

export function createVerifier({ options, issuers }: BearerSettings): TokenVerifier {
  const { introspection, jwksUri } = options
  const claims: ClaimRules = {
    issuers: new Set(issuers),
    isAudience: createAudienceTest(options.resource, options.audiences),
    clockToleranceSeconds: options.clockToleranceSeconds ?? 5,
    expiryRequired: introspection === undefined,
    ...(introspection !== undefined && issuers.length === 1 && { defaultIssuer: issuers[0] }),
  }
  const allowHttp = options.dangerouslyAllowHttp === true
  const fetching = {
    timeoutMs: options.timeoutMs ?? 5000,
    maxBytes: MAX_ANSWER_BYTES,
    allowHttp,
    ...(options.fetch !== undefined && { fetch: options.fetch }),
  }
  if (introspection !== undefined) {
    return createIntrospector(introspection, { ...fetching, claims, maxPending: MAX_PENDING })
  }
  const addresses = typeof jwksUri === 'object' ? new Map(Object.entries(jwksUri)) : undefined
  const keySets = issuers.map(
    (issuer) => [issuer, typeof jwksUri === 'string' ? jwksUri : addresses?.get(issuer)] as const,
  )
  return createJwtVerifier({
    claims,
    keys: { ...fetching, cooldownMs: KEY_COOLDOWN_MS, maxAgeMs: KEY_MAX_AGE_MS },
    algorithms: options.algorithms ?? DEFAULT_ALGORITHMS,
    issuers: new Map(keySets),
  })
}

/** The metadata of the resource at both of its well-known paths (RFC 9728). */
export function createDocuments({ options, issuers, resource, scopes }: BearerSettings): ReadonlyMap<string, string> {
  const supported = options.scopesSupported ?? scopes
  const metadata: ResourceMetadata = {
    resource,
    authorization_servers: issuers,
    ...(supported.length > 0 && { scopes_supported: supported }),
    bearer_methods_supported: ['header'],
    ...(options.name !== undefined && { resource_name: options.name }),
    ...(options.documentation !== undefined && { resource_documentation: options.documentation }),
    ...(options.dpop !== undefined && { dpop_signing_alg_values_supported: DPOP_ALGORITHMS }),
    ...(options.dpop?.required && { dpop_bound_access_tokens_required: true }),
    ...(options.certificateBound && { tls_client_certificate_bound_access_tokens: true }),
  }
  const text = JSON.stringify(metadata)
  return new Map(toMetadataPaths(resource).map((path) => [path, text]))
}

function reportToStderr(error: unknown): void {
  console.error('[portico] tokens cannot be verified:', error)
}
