/**
 * The bounds on serving, in one table with their defaults. Every way of serving reads its part of it; a passed bound is
 * answered with an error that names its key here, so that an operator knows what to change. Bounds that a layer below
 * holds by itself come from there.
 */

import { FRAMING_LIMITS } from '../../framing/limits.ts'
import { toBoundTable, withinTimers } from '../../jsonrpc/option-table.ts'
import type { ByteStreamLimits } from '../../transport/byte-stream.ts'
import { SEND_LIMITS } from '../../transport/send-queue.ts'

const MEBIBYTE = 1024 * 1024
const MINUTE = 60_000

/** What every way of serving has. */
export interface SharedLimits {
  /** Messages in one JSON-RPC batch. */
  readonly maxBatch: number
  /** Bytes that wait for one slow reader before what may be dropped is. */
  readonly maxQueueBytes: number
  /** Bytes that wait in all, which may not be dropped; beyond this the connection is given up. */
  readonly maxKeptBytes: number
  /** Time in which a reader has to take something of what waits for it. */
  readonly stalledMs: number
  /** Bytes that wait for readers who are behind, in the whole process; beyond this such a reader is given up. */
  readonly maxSendingBytes: number
  /** As `maxSendingBytes`, for one principal, or for one address where there is none. */
  readonly maxSendingBytesPerPeer: number
  /** Bytes of messages that are still arriving, in the whole process; the first 64 KiB of each are not counted. */
  readonly maxReceivingBytes: number
  /** As `maxReceivingBytes`, for one principal, or for one address where there is none. */
  readonly maxReceivingBytesPerPeer: number
  /** Requests being worked on at a time, however they came to the server. */
  readonly maxInFlight: number
  /** As `maxInFlight`, for one principal; anonymous clients have no such bound. */
  readonly maxInFlightPerPrincipal: number
  /** Open `subscriptions/listen` requests and standalone streams. */
  readonly maxListeners: number
  /** As `maxListeners`, for one principal; anonymous clients have no such bound. */
  readonly maxListenersPerPrincipal: number
  /** Progress and log messages on one stream or connection. */
  readonly notificationsPerSecond: number
}

/** Over HTTP. */
export interface ServeLimits extends SharedLimits {
  /** Bytes of one POST body. */
  readonly maxBodyBytes: number
  /** Sessions of the older revisions at a time. */
  readonly maxSessions: number
  /** As `maxSessions`, for one principal; anonymous clients have no such bound, but give way to whoever has fewer. */
  readonly maxSessionsPerPrincipal: number
  /** Time after which an unused session ends. */
  readonly sessionIdleMs: number
  /** Bytes kept of one resumable stream. */
  readonly maxReplayBytes: number
  /** Bytes kept of all resumable streams of one session. */
  readonly maxSessionReplayBytes: number
  /** Bytes kept of all resumable streams there are. */
  readonly maxTotalReplayBytes: number
  /** Time for which a finished stream can still be resumed. */
  readonly replayMs: number
  /** Time in which the head of a request has to arrive. */
  readonly headersTimeoutMs: number
  /** Time in which a whole request has to arrive. */
  readonly requestTimeoutMs: number
  /** Time between keep-alive comments on a silent event stream; 0 for none. */
  readonly keepAliveMs: number
}

/** Of what listens for connections that stay: WebSocket, Unix sockets and TCP ports. */
export interface ConnectionLimits {
  /** Connections at a time. */
  readonly maxConnections: number
  /** As `maxConnections`, for one principal; anonymous clients have no such bound. */
  readonly maxConnectionsPerPrincipal: number
  /** Time in which a message that has begun has to arrive, and a second more for each MiB of it. */
  readonly requestTimeoutMs: number
}

/** Over standard streams. */
export type PipeLimits = Partial<SharedLimits> & ByteStreamLimits

/** On Unix sockets and TCP ports. */
export type SocketLimits = Partial<ConnectionLimits> & PipeLimits

/** Over WebSocket. */
export interface UpgradeLimits extends Partial<ConnectionLimits>, Partial<SharedLimits> {
  /** Bytes of one message, whatever frames it comes in. */
  readonly maxFrameBytes?: number
  readonly headersTimeoutMs?: number
}

export interface AllLimits extends ServeLimits, ConnectionLimits {
  /** Bytes of one line on standard streams and sockets. */
  readonly maxLineBytes: number
  /** Bytes of one WebSocket message, whatever frames it comes in. */
  readonly maxFrameBytes: number
}

export const SERVE_LIMITS: AllLimits = {
  maxBodyBytes: FRAMING_LIMITS.maxBodyBytes,
  maxLineBytes: FRAMING_LIMITS.maxLineBytes,
  maxFrameBytes: FRAMING_LIMITS.maxFrameBytes,
  maxBatch: FRAMING_LIMITS.maxBatch,
  maxSessions: 10_000,
  maxSessionsPerPrincipal: 256,
  sessionIdleMs: 30 * MINUTE,
  maxConnections: 10_000,
  maxConnectionsPerPrincipal: 64,
  maxQueueBytes: SEND_LIMITS.maxQueueBytes,
  maxKeptBytes: SEND_LIMITS.maxKeptBytes,
  stalledMs: MINUTE,
  maxSendingBytes: 512 * MEBIBYTE,
  maxSendingBytesPerPeer: 128 * MEBIBYTE,
  maxReplayBytes: MEBIBYTE,
  maxSessionReplayBytes: 4 * MEBIBYTE,
  maxTotalReplayBytes: 256 * MEBIBYTE,
  replayMs: 5 * MINUTE,
  maxReceivingBytes: 512 * MEBIBYTE,
  maxReceivingBytesPerPeer: 128 * MEBIBYTE,
  maxInFlight: 4096,
  maxInFlightPerPrincipal: 256,
  maxListeners: 10_000,
  maxListenersPerPrincipal: 64,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: MINUTE,
  keepAliveMs: 15_000,
  notificationsPerSecond: 200,
}

const { maxDepth, maxKeys, maxItems, maxNodes, maxStringLength } = FRAMING_LIMITS

/** What `json` may hold: the bounds on the JSON of a message. */
export const JSON_OPTIONS = toBoundTable({ maxDepth, maxKeys, maxItems, maxNodes, maxStringLength })

/** What `limits` may hold, on every way of serving: one record may be given to several. */
export const LIMIT_OPTIONS = { ...toBoundTable(SERVE_LIMITS), ...JSON_OPTIONS }

/** The given bounds, and the table's for the rest. An option that is there but undefined was not given. */
export function withDefaults(given: Partial<AllLimits> | undefined): AllLimits {
  if (given === undefined) return SERVE_LIMITS
  const own = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return withinTimers({ ...SERVE_LIMITS, ...own })
}
