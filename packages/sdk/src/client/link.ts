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
  /** What the caller gave; `requestText` and `requestParams` add the `_meta` that the members below make. */
  readonly params: JsonObject
  /** The caller's own `_meta`, in place of one in the parameters. */
  readonly meta: JsonObject | undefined
  /** What every request of a modern connection says of itself. */
  readonly envelope: Envelope | undefined
  /** Whether the id also serves as a progress token: unique among requests under way, as the specification asks. */
  readonly progress: boolean
  /** The connection of an earlier attempt was lost: this one is not to share its fate. */
  readonly fresh: boolean
  /** Headers that only the caller can know: `Mcp-Param-*`, from the tool's definition. */
  readonly headers?: readonly (readonly [name: string, value: string])[] | undefined
}

/** The members of `_meta` that a connection's requests share, written once. */
export interface Envelope {
  readonly version: string
  readonly value: JsonObject
  /** The members as JSON, without the braces around them. */
  readonly text: string
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
  /** The server let go of a request's connection and is asked again after so long; the request goes on. */
  paused?(id: RequestId, retryMs: number): void
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
  /** Resolves when it has ended, whatever the way. */
  readonly exited?: Promise<{ readonly code: number | null; readonly signal: string | null }>
}

/** A request as JSON. Only the caller's own parameters are serialized; the rest is there as text. Throws what cannot be written. */
export function requestText(outgoing: Outgoing): string {
  const { params, envelope, progress } = outgoing
  const id = typeof outgoing.id === 'number' ? String(outgoing.id) : JSON.stringify(outgoing.id)
  const head = `{"jsonrpc":"2.0","id":${id},"method":${quoted(outgoing.method)},"params":`
  if (envelope === undefined && !progress && outgoing.meta === undefined) return `${head}${JSON.stringify(params)}}`
  const text = outgoing.meta === undefined && params._meta === undefined ? JSON.stringify(params) : ''
  // What has a `_meta` of its own, or is no plain object after all, is put together as a value.
  if (!text?.startsWith('{')) return `${head}${JSON.stringify(requestParams(outgoing))}}`
  const token = progress ? `"progressToken":${id}` : ''
  const members = envelope === undefined ? token : progress ? `${envelope.text},${token}` : envelope.text
  return `${head}${text === '{}' ? '{' : `${text.slice(0, -1)},`}"_meta":{${members}}}}`
}

const METHODS = new Map<string, string>()
const MAX_METHODS = 64

/** A method as JSON text: few are used, over and over. */
function quoted(method: string): string {
  const known = METHODS.get(method)
  if (known !== undefined) return known
  const text = JSON.stringify(method)
  if (METHODS.size < MAX_METHODS) METHODS.set(method, text)
  return text
}

/** The parameters with the `_meta` that goes out. The envelope comes last: what it says is not for the caller to change. */
export function requestParams({ id, params, meta, envelope, progress }: Outgoing): JsonObject {
  if (meta === undefined && envelope === undefined && !progress) return params
  // A modern request's `_meta` is its connection's business alone; older ones may bring theirs with the parameters.
  const own = meta ?? (envelope === undefined ? (params._meta as JsonObject | undefined) : undefined)
  return { ...params, _meta: { ...own, ...envelope?.value, ...(progress && { progressToken: id }) } }
}

/** What an HTTP status that is no answer tells, as the `data` of an `http-status` error. */
export interface HttpFault {
  readonly status: number
  /** From `Retry-After`. */
  readonly retryAfterMs?: number
  /** The server has forgotten the session that the request named; it was not processed. */
  readonly sessionLost?: boolean
  /** `WWW-Authenticate` as it came. */
  readonly challenge?: string
  /** What it asks for, one after the other: names in lower case. */
  readonly challenges?: readonly { readonly scheme: string; readonly params: { readonly [name: string]: string } }[]
}

export function httpFault(error: unknown): HttpFault | undefined {
  const { code, data } = (typeof error === 'object' && error !== null ? error : {}) as Partial<PorticoError>
  // Errors of this code are made in one place, with this as their data.
  return code === 'http-status' ? (data as HttpFault) : undefined
}
