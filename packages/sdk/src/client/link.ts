/**
 * The client's seam to transports, the mirror image of the server's exchange: requests go out with an id, and everything
 * that comes back names the id it belongs to. Over a channel all messages share one stream; over HTTP each request has
 * its own. `connect/` has an implementation for either, and `client/peer.ts` cannot tell them apart.
 */

import type { PorticoError } from '../jsonrpc/errors.ts'
import type { JsonObject, RequestId, RpcNotification, RpcRequest, RpcResponse } from '../jsonrpc/message.ts'
import type { Revision } from '../protocol/revision.ts'

export interface Outgoing {
  readonly id: RequestId
  readonly method: string
  readonly params: JsonObject
  /** Headers that only the caller can know: `Mcp-Param-*`, from the tool's definition. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
}

export interface Link {
  /** `http` mirrors requests into headers and has a stream per request; a `channel` does neither. */
  readonly kind: 'channel' | 'http'
  /** For logs and errors; holds no secret. */
  readonly label: string
  /** Begins delivery. Called once. */
  open(events: LinkEvents): void
  /** Sends a request. Ends in exactly one of `response`, `failed` or `closed`, unless it is cancelled. Never throws. */
  request(outgoing: Outgoing): void
  /** Gives a request up, in whatever way the transport tells the other side. Nothing more is reported for it. */
  cancel(id: RequestId, reason: string): void
  /** Sends a notification, or the answer to a request of the other side's. Resolves when it is on its way; never rejects. */
  send(message: RpcNotification | RpcResponse): Promise<void>
  /** Takes note of what the handshake settled. */
  agree(revision: Revision): void
  /** Asks for messages that belong to no request, where the transport has them only on demand. Idempotent. */
  listen(): void
  /** Ends the link. Idempotent; resolves when nothing of it is left. */
  close(): Promise<void>
  /** The process behind the link, where there is one. */
  readonly process?: ProcessView
}

/** What a link reports, synchronously and in order; nothing after `closed`. */
export interface LinkEvents {
  response(response: RpcResponse): void
  /** A request or notification from the server. `owner` is the request on whose stream it came, where there is one. */
  message(message: RpcRequest | RpcNotification, owner: RequestId | undefined): void
  /** A request ended without an answer. */
  failed(id: RequestId, error: PorticoError): void
  /** A request waits for a person on this side, or no longer does: its clock stands still meanwhile. */
  held?(id: RequestId, waiting: boolean): void
  /** Something that was not as it should be, and did no harm. */
  irregular(reason: string, detail?: string): void
  /** The link is gone, and every request on it. */
  closed(error: PorticoError): void
}

/** A child process as far as its user may see it. */
export interface ProcessView {
  readonly pid: number | undefined
  /** The last lines it wrote to standard error. */
  stderrTail(): string
  onStderr(listener: (line: string) => void): unknown
}

/** What an HTTP status that is no answer tells, as the `data` of an `http-status` error. */
export interface HttpFault {
  readonly status: number
  /** From `Retry-After`. */
  readonly retryAfterMs?: number
  /** The server has forgotten the session that the request named; it was not processed. */
  readonly sessionLost?: boolean
  /** `WWW-Authenticate`, for whoever can answer it. */
  readonly challenge?: string
}

export function httpFault(error: unknown): HttpFault | undefined {
  const { code, data } = (typeof error === 'object' && error !== null ? error : {}) as Partial<PorticoError>
  // Errors of this code are made in one place, with this as their data.
  return code === 'http-status' ? (data as HttpFault) : undefined
}
