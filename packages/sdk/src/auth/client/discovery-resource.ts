/**
 * Finds out what a server says about its own protection (RFC 9728): from the address in its challenge, else from the two
 * well-known ones. What it says counts only if it speaks of the server that was asked.
 */

import type { AuthFetch } from '../network/guarded-target.ts'
import { splitScopes } from './challenge.ts'
import { authFailure, plain, toAuthFailure } from './failure.ts'

export interface ProtectedResource {
  /** Exactly as published: the `resource` parameter of every request for a token. */
  readonly resource: string
  readonly authorizationServers: readonly [string, ...string[]]
  readonly scopes: readonly string[] | undefined
  /** Tokens must be bound to a key of the client's. */
  readonly dpopRequired: boolean
}

/** Undefined where the server has no such metadata at all, as is so before 2025-06-18. */
export async function discoverResource(
  fetch: AuthFetch,
  server: URL,
  hinted?: string,
): Promise<ProtectedResource | undefined> {
  if (hinted !== undefined) {
    if (!URL.canParse(hinted)) throw authFailure('no-metadata', 'The challenge names no valid metadata address')
    const document = await fetchDocument(fetch, new URL(hinted))
    if (document === undefined) throw authFailure('no-metadata', 'The metadata that the challenge names is not there')
    return readResource(document, server)
  }
  for (const url of resourceMetadataUrls(server)) {
    const document = await fetchDocument(fetch, url)
    if (document !== undefined) return readResource(document, server)
  }
  return undefined
}

/** The well-known addresses, in the order in which they are asked. */
export function resourceMetadataUrls(server: URL): URL[] {
  const root = new URL('/.well-known/oauth-protected-resource', server)
  if (server.pathname === '/') return [root]
  const path = server.pathname.replace(/\/$/, '')
  return [new URL(`/.well-known/oauth-protected-resource${path}`, server), root]
}

/** Whether a published identifier is that of a server: the same origin, and its path or one above (sec-62, sec-63). */
export function isResourceOf(resource: string, server: URL): boolean {
  if (!URL.canParse(resource) || resource.includes('#')) return false
  const { origin, pathname, search, username, password } = new URL(resource)
  if (origin !== server.origin || origin === 'null' || username !== '' || password !== '') return false
  if (search !== '' && search !== server.search) return false
  const above = pathname.endsWith('/') ? pathname : `${pathname}/`
  return `${server.pathname}/`.startsWith(above)
}

/** A JSON object at an address, or undefined where there is none. */
export async function fetchDocument(fetch: AuthFetch, url: URL): Promise<{ [name: string]: unknown } | undefined> {
  let response: Response
  try {
    response = await fetch(url.href, { method: 'GET', headers: { accept: 'application/json' } })
  } catch (cause) {
    throw toAuthFailure(cause, 'unreachable', `The request for metadata at ${url.host}`)
  }
  if (response.status >= 500) {
    throw authFailure('unreachable', `${url.host} answered the request for metadata with HTTP ${response.status}`)
  }
  if (response.status !== 200) return undefined
  try {
    const value: unknown = await response.json()
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as { [name: string]: unknown }
  } catch {
    // A page for people, as some servers answer everything with, is no metadata.
  }
  return undefined
}

function readResource(document: { readonly [name: string]: unknown }, server: URL): ProtectedResource {
  const { resource, authorization_servers: servers, scopes_supported: scopes } = document
  if (typeof resource !== 'string' || !isResourceOf(resource, server)) {
    const claimed = typeof resource === 'string' ? plain(resource) : 'nothing'
    throw authFailure('resource-mismatch', `The metadata of ${server.host} is for ${claimed}`)
  }
  const [first, ...rest] = Array.isArray(servers) ? servers.filter((item) => typeof item === 'string') : []
  if (first === undefined) throw authFailure('no-metadata', `${server.host} names no authorization server`)
  return {
    resource,
    authorizationServers: [first, ...rest.slice(0, MAX_SERVERS)],
    scopes: Array.isArray(scopes)
      ? splitScopes(scopes.filter((item) => typeof item === 'string').join(' '))
      : undefined,
    dpopRequired: document.dpop_bound_access_tokens_required === true,
  }
}

const MAX_SERVERS = 16
