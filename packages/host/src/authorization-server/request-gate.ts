/**
 * What every request passes before anything else looks at it: it must have been meant for this issuer (a page whose name
 * was bent to this address is not, and links would be made from the name it brings), and whoever needs no sign-in to fill
 * the memory here must not do so faster than a person would.
 */

import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { RateLimit } from './rate-limit.ts'

export interface GateRefusal {
  readonly status: number
  readonly error: string
  readonly retryAfter?: number
}

const MISDIRECTED: GateRefusal = { status: 421, error: 'This is not the host of the issuer' }
const TOO_OFTEN: GateRefusal = { status: 429, error: 'Too many requests; wait a minute', retryAfter: 60 }

/** Per minute from one address. */
const REGISTRATIONS = 60
const AUTHORIZATIONS = 300

export class RequestGate {
  readonly #hosts: readonly string[]
  readonly #trustProxy: boolean
  readonly #limits: { readonly [path: string]: RateLimit } = {
    '/reg': new RateLimit(REGISTRATIONS),
    '/auth': new RateLimit(AUTHORIZATIONS),
  }

  constructor(issuer: URL, trustProxy: boolean) {
    // With and without the port that the scheme implies.
    this.#hosts = [issuer.host, `${issuer.hostname}:${issuer.protocol === 'https:' ? 443 : 80}`]
    this.#trustProxy = trustProxy
  }

  judge(req: IncomingMessage): GateRefusal | undefined {
    if (!this.#hosts.includes(hostOf(req, this.#trustProxy))) return MISDIRECTED
    const limit = this.#limits[(req.url ?? '').split('?', 1)[0] ?? '']
    return limit === undefined || limit.take(this.sourceOf(req)) ? undefined : TOO_OFTEN
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
