/**
 * Judges where a request of this package's servers may go: by scheme, port, name and network zone. Moves no bytes;
 * `guarded-fetch.ts` does, and asks here before every hop and about every address that a name resolves to (sec-92).
 */

import { type NetworkZone, zoneOfAddress, zoneOfHost } from '@portico/sdk/auth-node'
import { PorticoError, ToolError } from '@portico/sdk/server'

export interface DestinationOptions {
  /** `host:port` of services on private addresses that may be reached; none by default. */
  readonly allowPrivate?: readonly string[] | undefined
  /** A further rule over the URL, asked at every hop: returns why not. */
  readonly refuse?: ((url: URL) => string | undefined) | undefined
}

export interface Destinations {
  /** Throws for what can be refused by the look of a URL. */
  judgeUrl(url: URL): void
  /** Throws for an address that the host of this URL must not resolve to. */
  judgeAddress(url: URL, address: string): void
}

/** Thrown for a destination that is refused; it is meant for the model to read. */
export class RefusedDestination extends ToolError {
  constructor(message: string) {
    super(message)
    this.name = 'RefusedDestination'
  }
}

export function createDestinations({ allowPrivate = [], refuse }: DestinationOptions = {}): Destinations {
  const named = new Set(allowPrivate.map(toHostAndPort))
  const isNamed = (url: URL) => named.has(hostAndPort(url))
  return {
    judgeUrl(url) {
      if (url.protocol !== 'https:' && url.protocol !== 'http:') {
        throw new RefusedDestination(`Only http and https addresses are fetched, not ${plainScheme(url)}`)
      }
      if (url.username !== '' || url.password !== '') {
        throw new RefusedDestination('The address carries a user name or password. Leave it out.')
      }
      const port = portOf(url)
      if (port < 1024 && port !== 80 && port !== 443 && !isNamed(url)) {
        throw new RefusedDestination(`Port ${port} is not one of the web. Allow it by name: ${hint(url)}`)
      }
      const zone = zoneOfHost(url.hostname)
      if (zone !== undefined) judgeZone(url, zone, isNamed(url), true)
      const reason = refuse?.(url)
      if (reason !== undefined) throw new RefusedDestination(reason)
    },
    judgeAddress(url, address) {
      judgeZone(url, zoneOfAddress(address), isNamed(url), false)
    },
  }
}

/** `allowPrivate` opens a named host; where the metadata of clouds lives is opened only to its literal address. */
function judgeZone(url: URL, zone: NetworkZone, named: boolean, literal: boolean): void {
  if (zone === 'public') return
  const open = named && (zone === 'loopback' || zone === 'private' || (zone === 'link-local' && literal))
  if (!open) throw refused(url, zone)
}

function refused(url: URL, zone: NetworkZone): RefusedDestination {
  // Nobody should be led to open what holds the secrets of a machine, or what is no address at all.
  const advice = zone === 'link-local' || zone === 'reserved' ? '' : ` The operator can allow it by name: ${hint(url)}`
  return new RefusedDestination(`${url.host} is a ${zone} address, which is not fetched.${advice}`)
}

function hint(url: URL): string {
  return `allowPrivate "${hostAndPort(url)}"`
}

/** The name as URLs spell it, so that an option and an address agree whatever spelling either uses. */
function toHostAndPort(entry: string): string {
  const text = `http://${entry}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  const port = /:(\d+)$/.exec(entry)?.[1]
  if (url === undefined || port === undefined || url.pathname !== '/' || url.username !== '') {
    throw new PorticoError('invalid-arguments', `allowPrivate takes "host:port", not "${entry}"`)
  }
  return `${trimDot(url.hostname)}:${Number(port)}`
}

function hostAndPort(url: URL): string {
  return `${trimDot(url.hostname)}:${portOf(url)}`
}

function trimDot(host: string): string {
  return host.toLowerCase().replace(/\.$/, '')
}

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port)
  return url.protocol === 'https:' ? 443 : 80
}

function plainScheme(url: URL): string {
  return url.protocol.slice(0, 20)
}
