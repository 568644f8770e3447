/** A request as one replica passes it to another: what the caller sent, and who the caller is. */

import type { HttpRequest, PeerCertificate } from '@portico/sdk/internal'
import type { Principal } from '@portico/sdk/server'

/** What is passed on. */
export interface Hop {
  readonly method: string
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly certificate?: PeerCertificate
  readonly peer?: string
  readonly principal?: HopPrincipal
  readonly body?: string
}

/** A verified caller, as JSON. */
interface HopPrincipal {
  readonly id: string
  readonly scopes: readonly string[]
  readonly claims?: { readonly [key: string]: unknown }
  readonly expiresAt?: number
  /** Whether it can tell its client how to get more scopes. */
  readonly challenges: boolean
}

/** The header in which a replica asks the one that knows the caller for the challenge to it. */
const CHALLENGE = 'portico-challenge'

/** Of the connection and not of the request; and credentials, which were verified and no handler reads. */
const OWN_HEADERS = new Set([
  ...['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'upgrade', 'te'],
  ...['authorization', 'proxy-authorization', 'cookie', 'dpop'],
])

export function toHop(request: HttpRequest, principal: Principal | undefined, body: string | undefined): Hop {
  const { head, peer } = request
  const headers: { [name: string]: string } = {}
  for (const name of head.headerNames?.() ?? []) {
    const value = OWN_HEADERS.has(name) || name.startsWith(':') ? undefined : head.header(name)
    if (value !== undefined) headers[name] = value
  }
  return {
    method: head.method,
    url: head.url,
    headers,
    ...(head.peerCertificate && { certificate: head.peerCertificate }),
    ...(peer !== undefined && { peer }),
    ...(principal && { principal: toHopPrincipal(principal) }),
    ...(body !== undefined && { body }),
  }
}

function toHopPrincipal({ id, scopes, claims, expiresAt, challenge }: Principal): HopPrincipal {
  return {
    id,
    scopes: [...scopes],
    ...(claims && { claims }),
    ...(expiresAt !== undefined && { expiresAt }),
    challenges: challenge !== undefined,
  }
}

export function fromHopPrincipal(passed: HopPrincipal | undefined): Principal | undefined {
  if (passed === undefined) return undefined
  const { id, scopes, claims, expiresAt, challenges } = passed
  return {
    id,
    scopes: new Set(scopes),
    ...(claims && { claims }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(challenges && { challenge: (wanted: readonly string[]) => [CHALLENGE, JSON.stringify(wanted)] }),
  }
}

/** The headers of an answer, with the challenge that only the process which knows the caller can word. */
export function withChallenge(
  headers: readonly string[] | undefined,
  principal: Principal | undefined,
): readonly string[] | undefined {
  const at = headers?.indexOf(CHALLENGE) ?? -1
  if (headers === undefined || at < 0) return headers
  // Written by `fromHopPrincipal`.
  const wanted = JSON.parse(headers[at + 1] ?? '[]') as string[]
  return [...headers.slice(0, at), ...headers.slice(at + 2), ...(principal?.challenge?.(wanted) ?? [])]
}
