/**
 * How HTTP requests are turned down: a status, a JSON-RPC error for people and programs, and headers. The check of
 * origins, the load bounds and the transport's own rules all return refusals; only here are they written.
 */

import { INTERNAL_ERROR, INVALID_REQUEST } from '../../jsonrpc/errors.ts'
import type { RequestId } from '../../jsonrpc/message.ts'
import type { HeaderList, Reply } from '../../transport/http-reply.ts'

export interface Refusal {
  readonly status: number
  readonly message: string
  /** The JSON-RPC code; by default `-32600` below status 500 and `-32603` from there on. */
  readonly code?: number
  readonly headers?: HeaderList
}

/** Answers with the refusal. Without a readable request id the error has none (Streamable HTTP, "Sending Messages"). */
export function refuse(reply: Reply, refusal: Refusal, id?: RequestId | null): void {
  const code = refusal.code ?? (refusal.status < 500 ? INVALID_REQUEST : INTERNAL_ERROR)
  reply.json(refusal.status, toErrorText(code, refusal.message, id), refusal.headers)
}

export function toErrorText(code: number, message: string, id?: RequestId | null): string {
  const error = { code, message }
  return JSON.stringify(id === undefined || id === null ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id, error })
}

export function isRefusal(value: object): value is Refusal {
  return 'status' in value && typeof value.status === 'number'
}
