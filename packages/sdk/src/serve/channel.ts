/** Serves a channel that somebody else has opened: how a transport of one's own meets a server. */

import type { Channel } from '../jsonrpc/channel.ts'
import { type OptionTable, requireOptions } from '../jsonrpc/option-table.ts'
import { endpointOf, type Server } from '../server/server.ts'
import { type Connection, type ConnectionOptions, serveChannel as serveEndpoint } from '../session/connection.ts'

const CHANNEL_OPTIONS: OptionTable<ConnectionOptions> = {
  principal: 'record',
  maxBatch: 'bound',
  maxInFlight: 'bound',
  load: 'record',
  notificationsPerSecond: 'bound',
  graceMs: 'time',
  debug: 'function',
}

/**
 * Serves one channel until it ends. Any number of channels, of any kinds, may be served by one server.
 *
 * @example
 * ```ts
 * import { createMemoryChannels, serveChannel } from '@portico/sdk/transport'
 *
 * const [near, far] = createMemoryChannels() // a client speaks at `far`
 * const connection = serveChannel(server, near)
 * await connection.closed
 * ```
 */
export function serveChannel(server: Server, channel: Channel, options?: ConnectionOptions): Connection {
  requireOptions('serveChannel', options, CHANNEL_OPTIONS)
  return serveEndpoint(endpointOf(server), channel, options)
}
