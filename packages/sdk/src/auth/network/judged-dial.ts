/**
 * One HTTP request on Node whose name lookup is judged: the name is looked up once and the socket gets nothing but
 * addresses that passed, so that a name cannot resolve to one thing for the check and to another for the connection
 * (sec-92). Every fetch of an address that somebody else has named ends here: `guarded-fetch-node.ts` for metadata, and
 * the fetch and the browser of the ready-made servers. Which addresses pass is for those to say. Node only.
 */

import { type LookupAddress, lookup } from 'node:dns'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { type RequestOptions, request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { TlsIdentity } from '../tls-identity.ts'

/** How names become addresses. */
export type Resolver = (hostname: string) => Promise<readonly LookupAddress[]>

interface JudgedRequest {
  readonly method: string
  readonly headers: { readonly [name: string]: string }
  readonly body?: string | Uint8Array | undefined
  readonly signal?: AbortSignal | undefined
  readonly tls?: TlsIdentity | undefined
  /** The system's way unless given. */
  readonly resolve?: Resolver | undefined
}

/**
 * Sends one request and gives its answer, unread. `judge` throws for an address that must not be reached; addresses that
 * stand in the URL itself are not looked up, and have to be judged before.
 */
export function dialJudged(
  target: URL,
  { method, headers, body, signal, tls, resolve }: JudgedRequest,
  judge: ((address: string) => void | Promise<void>) | undefined,
): Promise<IncomingMessage> {
  const open = target.protocol === 'https:' ? requestHttps : requestHttp
  const options: RequestOptions = {
    ...(tls as RequestOptions | undefined),
    method,
    headers: { ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }), ...headers },
    agent: false,
    maxHeaderSize: 65_536,
    ...(signal !== undefined && { signal }),
    ...(judge !== undefined && { lookup: toLookup(judge, resolve) }),
  }
  return new Promise((done, failed) => {
    const request = open(target, options, done)
    request.on('error', failed)
    // Nothing here speaks another protocol on the same socket, and no other answer follows.
    request.on('upgrade', (_answer, socket) => {
      socket.destroy()
      failed(new Error(`${target.host} answered with another protocol (HTTP 101)`))
    })
    request.end(body)
  })
}

/** The addresses of a name, each of them judged: one that does not pass refuses the name. */
export async function judgedAddresses(
  hostname: string,
  judge: (address: string) => void | Promise<void>,
  resolve: Resolver = resolveBySystem,
): Promise<[LookupAddress, ...LookupAddress[]]> {
  const [first, ...others] = await resolve(hostname)
  if (first === undefined) throw new Error(`${hostname} has no address`)
  for (const { address } of [first, ...others]) await judge(address)
  return [first, ...others]
}

/** All addresses of a name, by the system. */
export function resolveBySystem(hostname: string): Promise<readonly LookupAddress[]> {
  return new Promise((done, failed) => {
    lookup(hostname, { all: true }, (error, addresses) => (error === null ? done(addresses) : failed(error)))
  })
}

function toLookup(judge: (address: string) => void | Promise<void>, resolve: Resolver | undefined): LookupFunction {
  return (hostname, { all }, done) => {
    judgedAddresses(hostname, judge, resolve).then(
      (addresses) => (all ? done(null, addresses) : done(null, addresses[0].address, addresses[0].family)),
      (error) => done(error, ''),
    )
  }
}
