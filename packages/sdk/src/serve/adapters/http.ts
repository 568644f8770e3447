/**
 * Serving on Node: `serveHttp` listens on a port of its own, `createHttpHandler` mounts under somebody else's server.
 * Both are the endpoint of a server definition, put on `http-server.ts`.
 */

import { endpointOf, type Server } from '../../server/server.ts'
import type { StreamableOptions } from '../streamable/streamable-options.ts'
import {
  createEndpointHandler,
  type HttpHandler,
  type HttpOptions,
  type HttpServer,
  listenHttp,
} from './http-server.ts'

export type { HttpHandler, HttpOptions, HttpServer } from './http-server.ts'

/**
 * Serves every revision over HTTP on one path, `/mcp` unless given, and the old HTTP+SSE transport beside it.
 *
 * @example
 * ```ts
 * import { serveHttp } from '@portico/sdk/http'
 *
 * const http = await serveHttp(server, { port: 3000 })
 * console.error(`Listening on ${http.url}`)
 * process.once('SIGTERM', () => void http.close())
 * ```
 */
export function serveHttp(server: Server, options?: HttpOptions): Promise<HttpServer> {
  return listenHttp(endpointOf(server), options)
}

/**
 * Makes a handler for Node's own HTTP server, Express, Fastify and the like. Requests for other paths go to `next`.
 *
 * @example
 * ```ts
 * import { createHttpHandler } from '@portico/sdk/http'
 * import { createServer } from 'node:http'
 *
 * const handler = createHttpHandler(server, { path: '/mcp' })
 * createServer((req, res) => handler(req, res, () => res.writeHead(404).end())).listen(3000, '127.0.0.1')
 * ```
 */
export function createHttpHandler(server: Server, options?: StreamableOptions): HttpHandler {
  return createEndpointHandler(endpointOf(server), options)
}
