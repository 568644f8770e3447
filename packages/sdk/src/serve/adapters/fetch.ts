/**
 * Serving by the web's own `Request` and `Response`: Workers, Deno, Bun, and every framework that takes such a handler.
 * The endpoint of a server definition, put on `fetch-handler.ts`.
 */

import { endpointOf, type Server } from '../../server/server.ts'
import type { StreamableOptions } from '../streamable/streamable-options.ts'
import { createFetchHandler, type FetchHandler } from './fetch-handler.ts'

export type { FetchHandler } from './fetch-handler.ts'

/**
 * Serves on runtimes that speak `Request` and `Response`: Bun, Deno, Workers. The result is a whole program where the
 * platform looks for a default export with `fetch`.
 *
 * @example
 * ```ts
 * import { serveFetch } from '@portico/sdk/fetch'
 *
 * export default serveFetch(server, { path: '/mcp' })
 * ```
 */
export function serveFetch(server: Server, options?: StreamableOptions): FetchHandler {
  return createFetchHandler(endpointOf(server), options)
}
