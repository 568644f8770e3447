/**
 * How something that lives in this process is connected to without being imported: a server takes a channel under a
 * well-known symbol, and `connect/` gives it one end of a pair. The two sides stay siblings, and a server that nobody
 * connects to in this way holds no code for it.
 */

import type { Channel } from '../jsonrpc/channel.ts'

export const CONNECT = Symbol.for('portico.connect')

export interface Connectable {
  /** Serves a channel until it closes. */
  [CONNECT](channel: Channel): void
}

export function isConnectable(value: unknown): value is Connectable {
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    // Whatever type the value has, reading one member of it is safe; what it holds is checked here.
    typeof (value as { [CONNECT]?: unknown })[CONNECT] === 'function'
  )
}
