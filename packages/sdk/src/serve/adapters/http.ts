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

/** Serves every revision on one path, and the old HTTP+SSE transport beside it. */
export function serveHttp(server: Server, options?: HttpOptions): Promise<HttpServer> {
  return listenHttp(endpointOf(server), options)
}

/** A handler for Node's own server, Express, Fastify and the like. Requests for other paths go to `next`. */
export function createHttpHandler(server: Server, options?: StreamableOptions): HttpHandler {
  return createEndpointHandler(endpointOf(server), options)
}
