/**
 * One incoming message on its way through the server: what it says, where its answer goes, which ids it shares a scope
 * with and who sent it. Duplex channels and HTTP both make these; past this point nothing knows which it was.
 */

import type { Principal } from '../auth/principal.ts'
import type { Outlet } from '../jsonrpc/channel.ts'
import type { IncomingCalls } from '../jsonrpc/incoming.ts'
import type { RpcRequest } from '../jsonrpc/message.ts'

export interface Exchange {
  readonly message: RpcRequest
  readonly outlet: Outlet
  /** Absent where ids are unrelated from one message to the next: modern HTTP. */
  readonly scope: IncomingCalls | undefined
  readonly principal: Principal | undefined
  /** The HTTP request's head, where there is one. */
  readonly head: RequestHead | undefined
}

/** The part of an HTTP request that guards and rules look at, on any runtime. */
export interface RequestHead {
  readonly method: string
  /** Path and query. */
  readonly url: string
  header(name: string): string | undefined
  /** The names of all headers, in lower case, where the runtime tells. */
  headerNames?(): readonly string[]
  /** Whether a header that says who asks, or for whom, came more than once, where the runtime tells. */
  readonly ambiguous?: boolean
  /** A verified client certificate, where TLS asked for one. */
  readonly peerCertificate?: PeerCertificate | undefined
}

export interface PeerCertificate {
  readonly subject: string
  readonly issuer: string
  /** SHA-256 over the certificate, lower-case hex. */
  readonly fingerprint: string
  readonly names: readonly string[]
}
