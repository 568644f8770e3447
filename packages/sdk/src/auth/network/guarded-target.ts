/**
 * Judges addresses that a server has named: by which scheme and in which network zone they may be reached. Moves no
 * bytes; `guarded-fetch.ts` and its half for Node do, and ask here first.
 */

import { authFailure, plain } from '../client/failure.ts'
import type { TlsIdentity } from '../tls-identity.ts'
import { type NetworkZone, zoneOfHost } from './network-zone.ts'

/** The part of `fetch` that requests to authorization servers use. */
export type AuthFetch = (url: string, init: AuthRequest) => Promise<Response>

interface AuthRequest {
  readonly method?: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string | URLSearchParams | undefined
  readonly redirect?: 'manual'
  readonly signal?: AbortSignal
}

/** Which addresses may be reached. */
export interface GuardedFetchOptions {
  /**
   * The server that the addresses belong to. Beside public addresses, those in the same network zone as this server may
   * be reached; without it, only public ones.
   */
  readonly server?: URL
  /** Redirects that are followed, on the same origin; 3 unless given. */
  readonly maxRedirects?: number
  /** Used in place of the runtime's own; then names are not resolved here, and only addresses in URLs are judged. */
  readonly fetch?: AuthFetch
  /** For connections to the server's own origin; `ca` counts everywhere. */
  readonly tls?: TlsIdentity
  /** Lets authorization servers be reached without TLS on other machines. Tokens can then be read on the way. */
  readonly dangerouslyAllowPlainHttp?: boolean
}

/** Refuses what can be refused by the look of a URL. `secret` is for requests that carry codes, tokens or secrets. */
export function judgeTarget(target: URL, options: GuardedFetchOptions, secret = false): void {
  const { server, dangerouslyAllowPlainHttp = false } = options
  const named = `${target.protocol}//${target.host}`
  const zone = zoneOfHost(target.hostname)
  if (target.username !== '' || target.password !== '') {
    throw authFailure('blocked-target', `${named} is named with a password in its address`)
  }
  if (target.protocol !== 'https:') {
    // The server's own origin is where its user chose to go, and may be read from; secrets are another matter.
    const own = target.origin === server?.origin && !secret
    const plainly = own || zone === 'loopback' || dangerouslyAllowPlainHttp
    if (target.protocol !== 'http:' || server === undefined || server.protocol === 'https:' || !plainly) {
      throw authFailure('insecure-url', `${named} is not reached by https`)
    }
  }
  if (target.origin === server?.origin || zone === undefined || zone === 'public') return
  const home = server === undefined ? undefined : zoneOfHost(server.hostname)
  if (!mayReach(zone, home)) throw blocked(target.host, zone)
}

/** Whether a server at home in one zone may send a client to another. */
export function mayReach(zone: NetworkZone, home: NetworkZone | undefined): boolean {
  return zone === 'public' || (zone !== 'reserved' && zone === home)
}

/**
 * The zone that all addresses of a name lie in. Whoever owns a name can give it an address in any zone, beside the one
 * that it is reached by: a name with addresses in several is at home in none.
 */
export function homeOf(zones: readonly NetworkZone[]): NetworkZone | undefined {
  return zones.every((zone) => zone === zones[0]) ? zones[0] : undefined
}

export function blocked(host: string, zone: NetworkZone): Error {
  return authFailure('blocked-target', `The server points at ${plain(host)}, which is a ${zone} address`)
}
