/**
 * What a server is to the transports that serve it. `server/` implements this once per definition; `serve/` feeds it
 * exchanges from pipes, sockets and HTTP. Era and session are settled before a call gets here.
 */

import type { Principal } from '../auth/principal.ts'
import type { IncomingCall } from '../jsonrpc/incoming.ts'
import type { RpcNotification } from '../jsonrpc/message.ts'
import type { ParamHeader } from '../protocol/headers/headers.ts'
import type { ProtocolVersion } from '../protocol/revision.ts'
import type { Exchange } from './exchange.ts'
import type { LegacySession } from './legacy-session.ts'

export interface Endpoint {
  /** The revisions that are served, oldest first. */
  readonly versions: readonly ProtocolVersion[]

  /**
   * Serves a request that carries the modern envelope (or should). Always answers through the exchange's outlet, unless
   * the call is cancelled, and tells the outlet when the work is over. Returns the running call, or undefined when it was
   * answered before returning.
   */
  serveModern(exchange: Exchange): IncomingCall | undefined

  /** Serves a request of an older revision within its session: `initialize`, and all that follows. */
  serveLegacy(exchange: Exchange, session: LegacySession): IncomingCall | undefined

  /** Takes a notification: `initialized`, `cancelled`, `roots/list_changed`, or one nobody knows, which is ignored. */
  notify(message: RpcNotification, session: LegacySession | undefined): void

  /** The parameters of a tool that are mirrored in HTTP headers; none for tools that the caller is not to know of. */
  paramHeaders(tool: string, principal: Principal | undefined): readonly ParamHeader[]

  /** Whether a principal may be told, now, that the resource has changed. */
  mayHear(uri: string, principal: Principal | undefined): boolean

  /** Where an extension takes `Mcp-Name` from for a method of its own. */
  nameSource(method: string): string | undefined

  /** Hands a failure that no client may see to the server's error hook. */
  report(error: unknown, where: string): void
}
