/**
 * What a protected resource says of itself (RFC 9728): its identifier, who issues tokens for it, what can be asked for.
 * Also the two addresses where clients look for it, and how identifiers are compared.
 */

import { PorticoError } from '../jsonrpc/errors.ts'

/** The document, in the words of the RFC. */
export interface ResourceMetadata {
  readonly resource: string
  readonly authorization_servers: readonly string[]
  readonly scopes_supported?: readonly string[]
  readonly bearer_methods_supported: readonly ['header']
  readonly resource_name?: string
  readonly resource_documentation?: string
  readonly dpop_signing_alg_values_supported?: readonly string[]
  readonly dpop_bound_access_tokens_required?: boolean
  readonly tls_client_certificate_bound_access_tokens?: boolean
}

const WELL_KNOWN_RESOURCE = '/.well-known/oauth-protected-resource'

/** The identifier in its canonical form: lower-case scheme and host, no fragment, no lone slash (2026-07-28, authorization). */
export function toCanonicalResource(resource: string): string {
  const canonical = canonicalize(resource)
  if (canonical === undefined) {
    throw new PorticoError('invalid-definition', 'resource must be an absolute http(s) URL without a fragment')
  }
  return canonical
}

/** Makes the test whether an audience is this resource, however its host is spelled, or one of `others` exactly. */
export function createAudienceTest(resource: string, others: readonly string[] = []): (audience: string) => boolean {
  const canonical = toCanonicalResource(resource)
  const exact = new Set([resource, canonical, ...others])
  return (audience) => exact.has(audience) || canonicalize(audience) === canonical
}

/** The paths of the document: the well-known part put before the resource's own path, and alone. */
export function toMetadataPaths(resource: string): string[] {
  const path = new URL(resource).pathname
  return path === '/' ? [WELL_KNOWN_RESOURCE] : [WELL_KNOWN_RESOURCE + path, WELL_KNOWN_RESOURCE]
}

/** The address that challenges point to. */
export function toMetadataUrl(resource: string): string {
  const { origin } = new URL(resource)
  return origin + toMetadataPaths(resource)[0]
}

function canonicalize(resource: string): string | undefined {
  if (!URL.canParse(resource) || resource.includes('#')) return undefined
  const { protocol, username, password, origin, pathname, search } = new URL(resource)
  if ((protocol !== 'https:' && protocol !== 'http:') || username !== '' || password !== '') return undefined
  return origin + (pathname === '/' && search === '' ? '' : pathname) + search
}
