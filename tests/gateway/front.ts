/** A gateway in front of one server, made of the host's own parts, with the revision towards the server pinned. */

import type { ServerConfig } from '@portico/host/config'
import { DEFAULT_SETTINGS } from '@portico/host/config'
import { createGateway, type Gateway, serveGateway } from '@portico/host/gateway'
import { createCatalogue, createUpstreams } from '@portico/host/upstream'
import type { Version } from '../interop/client-under-test.ts'
import type { Place } from './servers.ts'

export interface Front {
  readonly gateway: Gateway
  close(): Promise<void>
}

/** The name of the server in the gateway's catalogue: its tools are called `far_…`. */
export const FAR = 'far'

export async function openFront(place: Place, version: Version): Promise<Front> {
  const upstreams = createUpstreams({
    watchdog: false,
    resolve: async () => ({
      target: 'url' in place ? place.url : place,
      options: { versions: version, negotiations: false, timeouts: { listMs: 20_000, connectMs: 30_000 } },
    }),
  })
  const catalogue = createCatalogue(upstreams, { patienceMs: 30_000 })
  await upstreams.set([configOf()])
  const { missing } = await catalogue.list()
  if (missing.length > 0) throw new Error(`the gateway lacks ${JSON.stringify(missing)}`)
  const gateway = createGateway({ upstreams, catalogue }, { allowAnonymous: true, onError: () => {} })
  return {
    gateway,
    async close() {
      await gateway.close(0)
      catalogue.close()
      await upstreams.close()
    },
  }
}

export interface ListeningFront {
  readonly urls: { readonly http: string; readonly sse: string; readonly ws: string }
  close(): Promise<void>
}

/** The same on a port: Streamable HTTP, HTTP+SSE and WebSocket side by side. */
export async function listenFront(place: Place, version: Version): Promise<ListeningFront> {
  const front = await openFront(place, version)
  const listening = await serveGateway(front.gateway, { port: 0, graceMs: 200, webSocketPath: '/ws' })
  return {
    urls: {
      http: listening.url,
      sse: new URL('/sse', listening.url).href,
      ws: new URL('/ws', listening.url.replace(/^http/, 'ws')).href,
    },
    async close() {
      await listening.close()
      await front.close()
    },
  }
}

function configOf(): ServerConfig {
  return {
    name: FAR,
    target: { kind: 'in-process', module: FAR, options: {} },
    settings: { ...DEFAULT_SETTINGS, trusted: true },
    place: { file: 'bridge', path: FAR },
    fingerprint: FAR,
  }
}
