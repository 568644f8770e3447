/** Serves a channel that somebody else has opened: how a transport of one's own meets a server. */

import type { Channel } from '../jsonrpc/channel.ts'
import { endpointOf, type Server } from '../server/server.ts'
import { type Connection, type ConnectionOptions, serveChannel as serveEndpoint } from '../session/connection.ts'

/**
 * Serves one channel until it ends. Any number of channels, of any kinds, may be served by one server.
 *
 * @example
 * const [near, far] = createMemoryChannels()
 * const connection = serveChannel(server, near)
 */
export function serveChannel(server: Server, channel: Channel, options?: ConnectionOptions): Connection {
  return serveEndpoint(endpointOf(server), channel, options)
}
