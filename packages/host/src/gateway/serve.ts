/**
 * A gateway on HTTP and WebSocket: the SDK's own servers, with nobody let in unnamed. Whoever is not identified is
 * answered 401 before a body is read, a session made or a process started (sec-4, sec-99).
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Authentication, Protection } from '@portico/sdk/bearer'
import { type HttpOptions, type HttpServer, serveHttp } from '@portico/sdk/http'
import { attachWebSocket } from '@portico/sdk/websocket'
import type { Gateway } from './gateway.ts'
import { addServed } from './operations/served-sessions.ts'
import { withToolsets } from './views/toolset.ts'

/** Options of `serveGateway`: those of `serveHttp`, and what else is served on the same port. */
export interface GatewayHttpOptions extends HttpOptions {
  /** Also serves WebSocket connections on this path of the same port. */
  readonly webSocketPath?: string
  /** Also serves pages for browsers: those where users sign in to servers. */
  readonly pages?: GatewayPages
}

/** Pages on the gateway's own port, at a path and everything below it. */
export interface GatewayPages {
  readonly path: string
  readonly listener: (req: IncomingMessage, res: ServerResponse) => void
}

/** A gateway that listens on a port. */
export interface GatewayServer {
  readonly url: string
  readonly port: number
  readonly http: HttpServer
  /** Refuses new requests, lets those under way finish, and closes the gateway behind. */
  close(): Promise<void>
}

/**
 * Serves a gateway on a port: every revision of the protocol over Streamable HTTP and HTTP+SSE, and its health on
 * `/healthz` and `/readyz`. Callers must be identified by `auth` unless the gateway has `allowAnonymous`.
 *
 * @example
 * ```ts
 * import { createGateway, serveGateway } from '@portico/host/gateway'
 * import { createCatalogue, createUpstreams } from '@portico/host/upstream'
 * import { requireBearer } from '@portico/sdk/bearer'
 *
 * const upstreams = createUpstreams()
 * const gateway = createGateway({ upstreams, catalogue: createCatalogue(upstreams) })
 * const auth = requireBearer({ issuer: 'https://id.example', resource: 'https://gateway.example/mcp' })
 * const { url, close } = await serveGateway(gateway, { port: 3000, auth })
 * ```
 */
export async function serveGateway(gateway: Gateway, options: GatewayHttpOptions = {}): Promise<GatewayServer> {
  const { webSocketPath, pages, ...own } = options
  const secured = requireIdentity(gateway, own)
  const http = await serveHttp(gateway.server, { health: { ready: () => gateway.health().ok }, ...secured })
  const leave = addServed(gateway, http)
  if (pages !== undefined) mount(pages, http)
  const authenticate = secured.auth?.authenticate ?? secured.authenticate
  const sockets =
    webSocketPath === undefined
      ? undefined
      : attachWebSocket(gateway.server, http.node, {
          path: webSocketPath,
          authenticate: withToolsets(authenticate),
          ...(own.limits && { limits: own.limits }),
          ...(own.json && { json: own.json }),
          ...(own.allowedHosts && { allowedHosts: own.allowedHosts }),
          ...(own.allowedOrigins && { allowedOrigins: own.allowedOrigins }),
        })
  return {
    url: http.url,
    port: http.port,
    http,
    async close() {
      await Promise.all([sockets?.close(), http.close()])
      leave()
      await gateway.close()
    },
  }
}

/** Requests for the pages go there, all others where they went before. */
function mount({ path, listener }: GatewayPages, { node }: HttpServer): void {
  const others = node.listeners('request')
  node.removeAllListeners('request')
  node.on('request', (req, res) => {
    const [own] = (req.url ?? '/').split('?', 1)
    if (own === path || own?.startsWith(`${path}/`)) {
      // A browser that takes nothing of a page for so long has gone.
      res.setTimeout(PAGE_MS, () => res.destroy())
      listener(req, res)
    } else for (const other of others) Reflect.apply(other, node, [req, res])
  })
}

const PAGE_MS = 60_000

type Securable = Pick<HttpOptions, 'auth' | 'authenticate'>

/**
 * Adds to the options of an HTTP or WebSocket server that callers whom nobody has identified are answered with status
 * 401; leaves them as they are where the gateway has `allowAnonymous`. `serveGateway` does it by itself.
 *
 * @example
 * ```ts
 * import { createGateway, requireIdentity } from '@portico/host/gateway'
 * import { createCatalogue, createUpstreams } from '@portico/host/upstream'
 * import { requireBearer } from '@portico/sdk/bearer'
 * import { serveHttp } from '@portico/sdk/http'
 *
 * const upstreams = createUpstreams()
 * const gateway = createGateway({ upstreams, catalogue: createCatalogue(upstreams) })
 * const auth = requireBearer({ issuer: 'https://id.example', resource: 'https://gateway.example/mcp' })
 * await serveHttp(gateway.server, { port: 3000, ...requireIdentity(gateway, { auth }) })
 * ```
 */
export function requireIdentity<Options extends Securable>(gateway: Gateway, options: Options): Options {
  if (gateway.allowAnonymous) return options
  const { auth, authenticate } = options
  const named = (found: Authentication): Authentication => found ?? UNNAMED
  const guarded = (ask: Protection['authenticate']): Protection['authenticate'] => {
    return async (head) => named(await ask(head))
  }
  if (auth !== undefined) return { ...options, auth: { ...auth, authenticate: guarded(auth.authenticate) } }
  return { ...options, authenticate: authenticate === undefined ? () => UNNAMED : guarded(authenticate) }
}

const UNNAMED: Authentication = {
  status: 401,
  message: 'The gateway serves identified callers alone: give it `auth`, or `allowAnonymous` if that is meant',
  headers: ['www-authenticate', 'Bearer'],
}
