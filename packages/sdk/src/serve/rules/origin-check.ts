/**
 * Who may reach the server from a browser: checks of `Host` and `Origin` against DNS rebinding, and the CORS headers
 * for origins that are allowed. Pure functions of a request's head; the assembly runs them before anything else.
 */

import type { OptionTable } from '../../jsonrpc/option-table.ts'
import type { RequestHead } from '../../session/exchange.ts'
import type { HeaderList } from '../../transport/http-reply.ts'
import type { Refusal } from './http-refusal.ts'
import { AMBIGUOUS_HEAD, UNKNOWN_HOST, UNKNOWN_ORIGIN } from './refusals.ts'

export interface OriginCheckOptions {
  /** Hosts besides the loopback names under which the server is reached: `mcp.example.com`, or with a port. */
  readonly allowedHosts?: readonly string[]
  /** Origins of web pages that may call: `https://app.example.com`. A page on the same host and port always may. */
  readonly allowedOrigins?: readonly string[]
  /** Switches the check of `Host` off. Web pages anywhere can then reach the server by DNS rebinding. */
  readonly dangerouslyAllowAnyHost?: boolean
}

export const ORIGIN_CHECK_OPTIONS: OptionTable<OriginCheckOptions> = {
  allowedHosts: 'texts',
  allowedOrigins: 'texts',
  dangerouslyAllowAnyHost: 'flag',
}

export interface OriginCheck {
  /** Why the request may not pass, if so. */
  check(head: RequestHead): Refusal | undefined
  /** The headers that let the page at `origin`, which `check` let pass, read an answer. */
  corsHeaders(origin: string): HeaderList
  /** The headers that answer a preflight from `origin`. */
  preflightHeaders(head: RequestHead): HeaderList
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

const METHODS = 'GET, POST, DELETE, OPTIONS'

const REQUEST_HEADERS =
  'content-type, accept, authorization, dpop, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id'

const EXPOSED_HEADERS = 'mcp-session-id, mcp-protocol-version, www-authenticate, dpop-nonce, retry-after'

/** `boundHost` is the name or address that the server listens on, where there is one. */
export function createOriginCheck(options: OriginCheckOptions, boundHost?: string): OriginCheck {
  const hosts = new Set([...LOOPBACK, ...(options.allowedHosts ?? [])].map((host) => host.toLowerCase()))
  if (boundHost !== undefined && !isWildcard(boundHost)) hosts.add(toHostName(boundHost))
  const origins = new Set((options.allowedOrigins ?? []).map((origin) => origin.toLowerCase()))

  // Clients of one server nearly always spell its host alike.
  let lastAllowed: string | undefined

  function isAllowedHost(host: string): boolean {
    if (!hosts.has(host) && !hosts.has(withoutPort(host))) return false
    lastAllowed = host
    return true
  }

  return {
    check(head) {
      if (head.ambiguous) return AMBIGUOUS_HEAD
      const host = (head.header('host') ?? '').toLowerCase()
      if (host !== lastAllowed && !options.dangerouslyAllowAnyHost && !isAllowedHost(host)) return UNKNOWN_HOST
      const origin = head.header('origin')?.toLowerCase()
      if (origin === undefined || origins.has(origin) || isSameOrigin(origin, host)) return undefined
      return UNKNOWN_ORIGIN
    },
    corsHeaders(origin) {
      return ['access-control-allow-origin', origin, 'access-control-expose-headers', EXPOSED_HEADERS, 'vary', 'origin']
    },
    preflightHeaders(head) {
      return [
        'access-control-allow-methods',
        METHODS,
        'access-control-allow-headers',
        REQUEST_HEADERS + requestedParams(head.header('access-control-request-headers')),
        'access-control-max-age',
        '600',
      ]
    },
  }
}

/** A web page is on the server's own host and port. The scheme is not compared: TLS may end in front of the server. */
function isSameOrigin(origin: string, host: string): boolean {
  return host !== '' && (origin === `http://${host}` || origin === `https://${host}`)
}

function withoutPort(host: string): string {
  const colon = host.lastIndexOf(':')
  // The colons of an IPv6 address are within brackets, the one before a port is not.
  if (colon === -1 || colon < host.lastIndexOf(']')) return host
  return /^[0-9]{1,5}$/.test(host.slice(colon + 1)) ? host.slice(0, colon) : host
}

function toHostName(bound: string): string {
  const name = bound.toLowerCase()
  return name.includes(':') && !name.startsWith('[') ? `[${name}]` : name
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::' || host === '[::]' || host === ''
}

/** The mirrored tool parameters among the headers that a preflight asks for; their names are not known beforehand. */
function requestedParams(requested: string | undefined): string {
  if (requested === undefined) return ''
  const names = requested.split(',').map((name) => name.trim().toLowerCase())
  const params = names.filter((name) => /^mcp-param-[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)).slice(0, 64)
  return params.length === 0 ? '' : `, ${params.join(', ')}`
}
