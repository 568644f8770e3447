/**
 * The bounds on serving, in one table with their defaults. The HTTP assembly reads them; a passed bound is answered
 * with an error that names its key here, so that an operator knows what to change.
 */

import { FRAMING_LIMITS } from '../framing/limits.ts'

const MEBIBYTE = 1024 * 1024
const MINUTE = 60_000

export interface ServeLimits {
  /** Bytes of one POST body. */
  readonly maxBodyBytes: number
  /** Messages in one JSON-RPC batch. */
  readonly maxBatch: number
  /** Sessions of the older revisions at a time. */
  readonly maxSessions: number
  /** Time after which an unused session ends. */
  readonly sessionIdleMs: number
  /** Bytes that wait for one slow reader before what may be dropped is. */
  readonly maxQueueBytes: number
  /** Bytes kept of one resumable stream. */
  readonly maxReplayBytes: number
  /** Bytes kept of all resumable streams of one session. */
  readonly maxSessionReplayBytes: number
  /** Bytes kept of all resumable streams there are. */
  readonly maxTotalReplayBytes: number
  /** Time for which a finished stream can still be resumed. */
  readonly replayMs: number
  /** Requests being worked on at a time. */
  readonly maxInFlight: number
  /** The same for one principal; anonymous clients have no such bound. */
  readonly maxInFlightPerPrincipal: number
  /** Open `subscriptions/listen` requests and standalone streams. */
  readonly maxListeners: number
  readonly maxListenersPerPrincipal: number
  /** Time in which the head of a request has to arrive. */
  readonly headersTimeoutMs: number
  /** Time in which a whole request has to arrive. */
  readonly requestTimeoutMs: number
  /** Time between keep-alive comments on a silent event stream; 0 for none. */
  readonly keepAliveMs: number
  /** Progress and log messages on one stream. */
  readonly notificationsPerSecond: number
}

export const SERVE_LIMITS: ServeLimits = {
  maxBodyBytes: FRAMING_LIMITS.maxBodyBytes,
  maxBatch: FRAMING_LIMITS.maxBatch,
  maxSessions: 10_000,
  sessionIdleMs: 30 * MINUTE,
  maxQueueBytes: MEBIBYTE,
  maxReplayBytes: MEBIBYTE,
  maxSessionReplayBytes: 4 * MEBIBYTE,
  maxTotalReplayBytes: 256 * MEBIBYTE,
  replayMs: 5 * MINUTE,
  maxInFlight: 4096,
  maxInFlightPerPrincipal: 256,
  maxListeners: 10_000,
  maxListenersPerPrincipal: 64,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: MINUTE,
  keepAliveMs: 15_000,
  notificationsPerSecond: 200,
}
