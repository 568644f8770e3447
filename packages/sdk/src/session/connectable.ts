/**
 * How something that lives in this process is connected to without being imported: a server offers a channel to itself
 * under a well-known symbol, and `connect/` asks for one. The two sides stay siblings.
 */

import type { Channel } from '../jsonrpc/channel.ts'

export const CONNECT = Symbol.for('portico.connect')

export interface Connectable {
  /** A new channel whose other end is being served. */
  [CONNECT](): Channel
}

export function isConnectable(value: unknown): value is Connectable {
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    // Whatever type the value has, reading one member of it is safe; what it holds is checked here.
    typeof (value as { [CONNECT]?: unknown })[CONNECT] === 'function'
  )
}
