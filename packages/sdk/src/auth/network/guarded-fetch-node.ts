/**
 * The `fetch` of `guarded-fetch.ts` on Node's own HTTP: every address that a name resolves to is judged by its network
 * zone before it is dialled (`judged-dial.ts`). Node only; loaded by `guarded-fetch.ts`.
 */

import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { type AuthFetch, blocked, type GuardedFetchOptions, homeOf, mayReach } from './guarded-target.ts'
import { dialJudged, resolveBySystem } from './judged-dial.ts'
import { type NetworkZone, zoneOfAddress, zoneOfHost } from './network-zone.ts'

export function createPinnedFetch({ server, tls }: GuardedFetchOptions): AuthFetch {
  let home: Promise<NetworkZone | undefined> | undefined
  return async (url, { method = 'GET', headers = {}, body, signal }) => {
    const target = new URL(url)
    const own = target.origin === server?.origin
    const judge = async (address: string): Promise<void> => {
      // A name that cannot be looked up now is looked up again.
      home ??= homeOfHost(server?.hostname).catch(() => {
        home = undefined
        return undefined
      })
      const zone = zoneOfAddress(address)
      if (!mayReach(zone, await home)) throw blocked(target.hostname, zone)
    }
    // The certificate is for the server alone; who else is reached must not learn it.
    const identity = own ? tls : tls?.ca === undefined ? undefined : { ca: tls.ca }
    const request = { method, headers, body: body?.toString(), signal, tls: identity }
    // The user chose the server, so where it lies is not in question.
    return toResponse(await dialJudged(target, request, own ? undefined : judge))
  }
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
  const known = zoneOfHost(hostname)
  if (known !== undefined) return known
  const addresses = await resolveBySystem(hostname)
  return homeOf(addresses.map(({ address }) => zoneOfAddress(address)))
}
