/**
 * A `fetch` on Node's own HTTP whose name lookup is judged: the socket is opened to an address that was found permitted,
 * so that a name cannot resolve to one thing for the check and to another for the connection. Node only; loaded by
 * `guarded-fetch.ts`.
 */

import { type LookupAddress, lookup } from 'node:dns'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { type RequestOptions, request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import { type AuthFetch, type AuthRequest, blocked, type GuardOptions, homeOf, mayReach } from './guarded-target.ts'
import { type NetworkZone, zoneOfAddress, zoneOfHost } from './network-zone.ts'

export function createPinnedFetch({ server, tls }: GuardOptions): AuthFetch {
  let home: Promise<NetworkZone | undefined> | undefined
  const judged: LookupFunction = (hostname, options, done) => {
    home ??= homeOfHost(server?.hostname)
    resolve(hostname).then(
      async (addresses) => {
        const zone = await home
        const bad = addresses.map(({ address }) => zoneOfAddress(address)).find((one) => !mayReach(one, zone))
        if (bad !== undefined) done(blocked(hostname, bad), '')
        else if (options.all) done(null, addresses)
        else done(null, addresses[0]?.address ?? '', addresses[0]?.family)
      },
      (error) => done(error, ''),
    )
  }
  return async (url, init) => {
    const target = new URL(url)
    const own = target.origin === server?.origin
    // The certificate is for the server alone; who else is reached must not learn it.
    const identity = own ? tls : tls?.ca === undefined ? undefined : { ca: tls.ca }
    // The user chose the server, so where it lies is not in question.
    return dial(target, init, { ...(own ? {} : { lookup: judged }), ...(identity as RequestOptions | undefined) })
  }
}

function dial(target: URL, init: AuthRequest, extra: RequestOptions): Promise<Response> {
  const { method = 'GET', headers = {}, body, signal } = init
  const text = body?.toString()
  const open = target.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((done, failed) => {
    const length = text === undefined ? {} : { 'content-length': Buffer.byteLength(text) }
    const options: RequestOptions = { ...extra, method, headers: { ...headers, ...length }, agent: false }
    if (signal !== undefined) options.signal = signal
    const request = open(target, options, (answer) => done(toResponse(answer)))
    request.on('error', failed)
    request.end(text)
  })
}

function toResponse(answer: IncomingMessage): Response {
  const headers = new Headers()
  for (const [name, values] of Object.entries(answer.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value)
  }
  const status = answer.statusCode ?? 500
  if ([204, 205, 304].includes(status)) {
    answer.resume()
    return new Response(null, { status, headers })
  }
  // Node's stream types and the web's describe the same thing twice.
  return new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array<ArrayBuffer>>, { status, headers })
}

async function homeOfHost(hostname: string | undefined): Promise<NetworkZone | undefined> {
  if (hostname === undefined) return undefined
  const addresses = await resolve(hostname).catch(() => [])
  return zoneOfHost(hostname) ?? homeOf(addresses.map(({ address }) => zoneOfAddress(address)))
}

function resolve(hostname: string): Promise<LookupAddress[]> {
  return new Promise((done, failed) => {
    lookup(hostname, { all: true }, (error, addresses) => (error === null ? done(addresses) : failed(error)))
  })
}
