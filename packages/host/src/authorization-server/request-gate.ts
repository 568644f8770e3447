/**
 * What every request passes before anything else looks at it: it must have been meant for this issuer (a page whose name
 * was bent to this address is not, and links would be made from the name it brings), and whoever needs no sign-in to fill
 * the memory here must not do so faster than a person would. The library takes many spellings of a path for the same one
 * (`/REG`, `/reg/`, `/%72eg`); here each route has one, and whatever is spelled otherwise is not there (sec-291).
 */

import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { RateLimit } from './rate-limit.ts'

export interface GateRefusal {
  readonly status: number
  readonly error: string
  /** In the words of RFC 6749; `temporarily_unavailable` unless given. */
  readonly code?: string
  readonly retryAfter?: number
}

const MISDIRECTED: GateRefusal = { status: 421, error: 'This is not the host of the issuer' }
const NOT_FOUND: GateRefusal = { status: 404, error: 'There is nothing here', code: 'invalid_request' }
const TOO_OFTEN: GateRefusal = { status: 429, error: 'Too many requests; wait a minute', retryAfter: 60 }

/** Requests per minute from one address, for what leaves something in memory without a sign-in. */
const LIMITS = { registrations: 60, authorizations: 300 } as const

/** All that is served, with what it counts as. */
const ROUTES: readonly { readonly path: RegExp; readonly counts?: keyof typeof LIMITS }[] = [
  { path: /^\/reg$/, counts: 'registrations' },
  { path: /^\/auth$/, counts: 'authorizations' },
  { path: /^\/request$/, counts: 'authorizations' },
  { path: /^\/(?:auth|interaction|reg)\/[\w-]+$/ },
  { path: /^\/token(?:\/introspection|\/revocation)?$/ },
  { path: /^\/session\/end(?:\/confirm|\/success)?$/ },
  { path: /^\/(?:jwks|me)$/ },
  { path: /^\/\.well-known\/(?:oauth-authorization-server|openid-configuration)$/ },
]

export class RequestGate {
  readonly #hosts: readonly string[]
  readonly #trustProxy: boolean
  readonly #limits = {
    registrations: new RateLimit(LIMITS.registrations),
    authorizations: new RateLimit(LIMITS.authorizations),
  }

  constructor(issuer: URL, trustProxy: boolean) {
    // With and without the port that the scheme implies.
    this.#hosts = [issuer.host, `${issuer.hostname}:${issuer.protocol === 'https:' ? 443 : 80}`]
    this.#trustProxy = trustProxy
  }

  judge(req: IncomingMessage): GateRefusal | undefined {
    if (!this.#hosts.includes(hostOf(req, this.#trustProxy))) return MISDIRECTED
    const [path = ''] = (req.url ?? '').split('?', 1)
    const route = ROUTES.find((one) => one.path.test(path))
    if (route === undefined) return NOT_FOUND
    if (route.counts === undefined || this.#limits[route.counts].take(this.sourceOf(req))) return undefined
    return TOO_OFTEN
  }

  /** Where a request comes from, as far as it can be told: of IPv6, the network that one subscriber has. */
  sourceOf(req: IncomingMessage): string {
    // The proxy that is trusted has added the last one; those before it are whatever the sender wrote.
    const forwarded = this.#trustProxy ? header(req, 'x-forwarded-for')?.split(',').at(-1)?.trim() : undefined
    return toSource(forwarded ?? req.socket.remoteAddress ?? '')
  }
}

/** The host that the library makes links from. */
function hostOf(req: IncomingMessage, trustProxy: boolean): string {
  const forwarded = trustProxy ? header(req, 'x-forwarded-host')?.split(',', 1)[0]?.trim() : undefined
  return (forwarded ?? header(req, 'host') ?? header(req, ':authority') ?? '').toLowerCase()
}

function header(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name]
  return Array.isArray(value) ? value[0] : value
}

export function toSource(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address
  const [front = ''] = address.split('::', 1)
  return [...front.split(':'), '0', '0', '0', '0'].slice(0, 4).join(':')
}
