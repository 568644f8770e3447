/** Serves a server over stdio: `serveStdio(server)` is all that a program started by a client needs. Node only. */

import { endpointOf, type Server } from '../server/server.ts'
import type { Connection } from './connection.ts'
import { type StdioOptions, serveOverStdio } from './stdio-process.ts'

export type { StdioOptions } from './stdio-process.ts'

export function serveStdio(server: Server, options?: StdioOptions): Connection {
  return serveOverStdio(endpointOf(server), options)
}
