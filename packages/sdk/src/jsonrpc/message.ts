/**
 * JSON-RPC 2.0 messages as TypeScript sees them, and the one function that tells them apart. Framing hands this
 * module a parsed JSON value; everything above works on the classified message and never looks at `jsonrpc` again.
 */

export type RequestId = string | number

/** An object as it comes from JSON. */
export type JsonObject = { [key: string]: unknown }

export interface RpcRequest {
  readonly jsonrpc: '2.0'
  readonly id: RequestId
  readonly method: string
  readonly params?: JsonObject
}

export interface RpcNotification {
  readonly jsonrpc: '2.0'
  readonly method: string
  readonly params?: JsonObject
}

interface RpcResult {
  readonly jsonrpc: '2.0'
  readonly id: RequestId
  readonly result: JsonObject
}

export interface RpcErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

interface RpcFailure {
  readonly jsonrpc: '2.0'
  readonly id?: RequestId | null
  readonly error: RpcErrorObject
}

export type RpcResponse = RpcResult | RpcFailure

/** What a received JSON value turned out to be. `id` of an invalid message is kept when it could be read. */
export type Classified =
  | { readonly kind: 'request'; readonly message: RpcRequest }
  | { readonly kind: 'notification'; readonly message: RpcNotification }
  | { readonly kind: 'response'; readonly message: RpcResponse }
  | { readonly kind: 'invalid'; readonly id: RequestId | null; readonly reason: string }

/** Tells a parsed JSON value's kind without copying it. Arrays (batches) are the caller's business: here they are invalid. */
export function classify(value: unknown): Classified {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return invalid(null, 'a message must be a JSON object')
  }
  const message = value as JsonObject
  const id = message.id
  const readableId = isRequestId(id) ? id : null
  if (message.jsonrpc !== '2.0') return invalid(readableId, '"jsonrpc" must be "2.0"')
  if (message.method !== undefined) {
    if (typeof message.method !== 'string') return invalid(readableId, '"method" must be a string')
    const params = message.params
    if (params !== undefined && (typeof params !== 'object' || params === null || Array.isArray(params))) {
      return invalid(readableId, '"params" must be an object')
    }
    // `value` was just shown to have every member that its type promises, so the assertions below are true.
    if (id === undefined && !('id' in message)) {
      return { kind: 'notification', message: value as unknown as RpcNotification }
    }
    if (readableId === null) return invalid(null, BAD_ID)
    return { kind: 'request', message: value as unknown as RpcRequest }
  }
  if (message.result !== undefined) {
    if (message.error !== undefined) return invalid(readableId, 'a response has either "result" or "error"')
    if (readableId === null) return invalid(null, 'a result needs the "id" of its request')
    if (!isObject(message.result)) return invalid(readableId, '"result" must be an object')
    return { kind: 'response', message: value as unknown as RpcResult }
  }
  if (message.error !== undefined) {
    const error = message.error
    if (!isObject(error) || !Number.isInteger(error.code) || typeof error.message !== 'string') {
      return invalid(readableId, '"error" needs an integer "code" and a string "message"')
    }
    return { kind: 'response', message: value as unknown as RpcFailure }
  }
  return invalid(readableId, 'a message needs "method", "result" or "error"')
}

/** UTF-16 units of a request's id: it is kept for as long as the request is open. */
export const MAX_ID_LENGTH = 1024

/**
 * MCP narrows JSON-RPC: an id is a string or an integer, never null and never a fraction. An integer that a double
 * cannot hold would come back as another one, to a caller who waits for its own.
 */
export function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' ? id.length <= MAX_ID_LENGTH : typeof id === 'number' && Number.isSafeInteger(id)
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const BAD_ID = `"id" must be a string of at most ${MAX_ID_LENGTH} characters (maxIdLength) or an integer between -(2^53 - 1) and 2^53 - 1`

function invalid(id: RequestId | null, reason: string): Classified {
  return { kind: 'invalid', id, reason }
}
