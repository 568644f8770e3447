/**
 * Every refusal of the ways of serving: its HTTP status, its words, and its JSON-RPC code where that is not the one of the
 * status. One row each, so that the same refusal reads the same on every transport; `http-refusal.ts` writes them. Those
 * that challenge for a token are made in `bearer/bearer-refusals.ts`. A server holds only the rows that it can need.
 */

import { PARSE_ERROR } from '../../jsonrpc/errors.ts'
import { HEADER_MISMATCH } from '../../protocol/errors.ts'
import type { Refusal } from './http-refusal.ts'

const SOON = ['retry-after', '1'] as const

// What a request asks for.
export const NOT_FOUND: Refusal = { status: 404, message: 'There is nothing at this path' }
export const notAllowed = (methods: string, allow = methods): Refusal => ({
  status: 405,
  message: `Method not allowed; allowed: ${methods}`,
  headers: ['allow', allow],
})
export const NOT_WEBSOCKET: Refusal = { status: 400, message: 'Upgrade must be websocket' }
export const OTHER_SUBPROTOCOL: Refusal = {
  status: 400,
  message: 'Sec-WebSocket-Protocol must list mcp, or be absent',
}
export const UPGRADE_REQUIRED: Refusal = {
  status: 426,
  message: 'This endpoint speaks WebSocket',
  headers: ['upgrade', 'websocket', 'connection', 'upgrade'],
}

// Where it comes from, and from whom.
export const AMBIGUOUS_HEAD: Refusal = { status: 400, message: 'Host and Authorization may each be sent once' }
export const UNKNOWN_HOST: Refusal = {
  status: 403,
  message: 'The Host header names a host that is not in allowedHosts',
}
export const UNKNOWN_ORIGIN: Refusal = {
  status: 403,
  message: 'The Origin header names an origin that is not in allowedOrigins',
}
/** 403 and not 401: no scheme exists for certificates, so that there is nothing to challenge with. */
export const NO_CERTIFICATE: Refusal = { status: 403, message: 'A verified client certificate is required' }
export const UNKNOWN_CERTIFICATE: Refusal = { status: 403, message: 'The client certificate is not known here' }
export const TOO_MANY_PROOFS: Refusal = {
  status: 429,
  message: 'Too many DPoP proofs at a time: maxProofs reached',
  headers: ['retry-after', '10'],
}
/** Not 401: the client would throw away a token that may be good. */
export const UNVERIFIABLE_TOKEN: Refusal = {
  status: 503,
  message: 'The token cannot be verified at the moment',
  headers: ['retry-after', '5'],
}

// Its headers.
export const NOT_JSON: Refusal = { status: 415, message: 'Content-Type must be application/json' }
export const ENCODED: Refusal = { status: 415, message: 'Content-Encoding must be identity' }
export const ACCEPTS_ONE_FORM: Refusal = {
  status: 406,
  message: 'Accept must list application/json and text/event-stream',
}
export const ACCEPTS_NO_EVENTS: Refusal = { status: 406, message: 'Accept must list text/event-stream' }
export const unsupportedVersion = (versions?: readonly string[]): Refusal => ({
  status: 400,
  message: `MCP-Protocol-Version is not supported${versions === undefined ? '' : `; supported: ${versions.join(', ')}`}`,
})
export const headerMismatch = (message: string): Refusal => ({ status: 400, code: HEADER_MISMATCH, message })

// Its session. The same words for one that never was, has ended, or is somebody else's (sec-35).
export const UNKNOWN_SESSION: Refusal = {
  status: 404,
  message: 'There is no such session; start a new one with initialize',
}
export const UNKNOWN_EVENT_STREAM: Refusal = {
  status: 404,
  message: 'There is no such session; open a new event stream',
}
export const NO_SESSION: Refusal = {
  status: 400,
  message: 'The Mcp-Session-Id header is required after initialize',
}
/** Where several processes share sessions. What is answered so was not done. */
export const STATE_AWAY: Refusal = {
  status: 503,
  message: 'The store that keeps sessions cannot be reached at the moment; nothing was done, try again',
  headers: SOON,
}
/** Of a session that other processes go on with. */
export const STOPPED: Refusal = {
  status: 502,
  message: 'The process that worked on this was stopped before it answered: what it does may have happened',
}
export const UNKNOWN_STREAM: Refusal = { status: 400, message: 'Last-Event-ID names no stream of this session' }
export const STREAM_OPEN: Refusal = { status: 409, message: 'The session has an open stream already' }

// Its body.
export const tooLarge = (maxBodyBytes: number): Refusal => ({
  status: 413,
  message: `The body is too large: maxBodyBytes (${maxBodyBytes}) exceeded`,
})
export const NOT_UTF8: Refusal = { status: 400, message: 'Parse error: the body is not UTF-8', code: PARSE_ERROR }
export const unparsable = (reason: string, code?: number): Refusal => ({
  status: 400,
  message: `Parse error: ${reason}`,
  ...(code !== undefined && { code }),
})
export const invalidMessage = (reason: string): Refusal => ({ status: 400, message: `Invalid message: ${reason}` })
export const NO_BATCHES: Refusal = { status: 400, message: 'The body must be a single message in this revision' }
export const invalidBatch = (reason: string): Refusal => ({ status: 400, message: `Invalid request: ${reason}` })
export const BATCHED_INITIALIZE: Refusal = { status: 400, message: 'initialize cannot be part of a batch' }
export const NO_RESPONSES: Refusal = { status: 400, message: 'A client sends no responses in this revision' }

// How much there is at once.
export const busy = (why: string): Refusal => ({ status: 503, message: `The server is busy: ${why}`, headers: SOON })
export const tooMuch = (limit: string, max: number): Refusal => ({
  status: 429,
  message: `Too much at once: ${limit} (${max}) reached`,
  headers: SOON,
})
/** The last places are left to callers that have none. */
export const lastPlaces = (limit: string, max: number): Refusal =>
  busy(`the last of ${limit} (${max}) are for callers that have none`)
export const DRAINING: Refusal = { status: 503, message: 'The server is shutting down', headers: SOON }
export const INTERNAL: Refusal = { status: 500, message: 'Internal error' }
