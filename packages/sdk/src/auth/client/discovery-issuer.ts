/**
 * Finds an authorization server's metadata from its issuer identifier: RFC 8414 and OpenID Connect, in the order that the
 * specification gives ("Authorization Server Metadata Discovery"). For servers from before there was resource metadata
 * the server's own origin stands in, as 2025-03-26 has it.
 */

import type { AuthorizationServer } from 'oauth4webapi'
import type { AuthFetch } from '../network/guarded-target.ts'
import { fetchDocument } from './discovery-resource.ts'
import { authFailure, plain } from './failure.ts'

export type IssuerMetadata = AuthorizationServer & {
  readonly client_id_metadata_document_supported?: boolean
}

export async function discoverIssuer(fetch: AuthFetch, issuer: string): Promise<IssuerMetadata> {
  if (!URL.canParse(issuer) || !/^https?:[^?#]+$/i.test(issuer)) {
    throw authFailure('no-metadata', `${plain(issuer)} is no issuer identifier`)
  }
  for (const url of issuerMetadataUrls(issuer)) {
    const document = await fetchDocument(fetch, url)
    if (document !== undefined) return readIssuer(document, [issuer])
  }
  throw authFailure('no-metadata', `The authorization server ${plain(issuer)} publishes no metadata`)
}

/** What 2025-03-26 says of a server without any metadata: three fixed paths at its origin. */
export async function discoverLegacyIssuer(fetch: AuthFetch, server: URL): Promise<IssuerMetadata> {
  const { origin } = server
  const document = await fetchDocument(fetch, new URL('/.well-known/oauth-authorization-server', origin))
  // Nobody has published an identifier to compare with; both spellings of the origin are the server itself.
  if (document !== undefined) return readIssuer(document, [origin, `${origin}/`])
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    // Required there, without a way to say so.
    code_challenge_methods_supported: ['S256'],
  }
}

/** The well-known addresses for an issuer, in the order in which they are asked. */
export function issuerMetadataUrls(issuer: string): URL[] {
  const url = new URL(issuer)
  const path = url.pathname.replace(/\/$/, '')
  const inserted = ['oauth-authorization-server', 'openid-configuration'].map((name) => `/.well-known/${name}${path}`)
  const places = path === '' ? inserted : [...inserted, `${path}/.well-known/openid-configuration`]
  return places.map((place) => new URL(place, url.origin))
}

/** Compared as strings, without any normalisation (sec-56). */
function readIssuer(document: { readonly [name: string]: unknown }, expected: readonly string[]): IssuerMetadata {
  const { issuer } = document
  if (typeof issuer !== 'string' || !expected.includes(issuer)) {
    const claimed = typeof issuer === 'string' ? plain(issuer) : 'nobody'
    throw authFailure('issuer-mismatch', `The metadata of ${expected[0]} was issued by ${claimed}`)
  }
  for (const name of ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint']) {
    const endpoint = document[name]
    if (endpoint !== undefined && (typeof endpoint !== 'string' || !URL.canParse(endpoint))) {
      throw authFailure('no-metadata', `The metadata of ${issuer} has no valid ${name}`)
    }
  }
  // The members that are used are checked above or where they are used; others are nobody's business.
  return document as IssuerMetadata
}
