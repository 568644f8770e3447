/** What a caller is told when a call does not reach its server, or comes back without an answer. */

import { damagedRowIn, INTERNAL_ERROR, METHOD_NOT_FOUND } from '@portico/sdk/internal'
import {
  type CallToolResult,
  type CapabilityError,
  type JsonObject,
  PorticoError,
  RpcError,
  Suspended,
} from '@portico/sdk/server'
import { HostError } from '../../errors.ts'
import { toCleanError } from '../../guard/foreign-text.ts'
import { LimitError } from '../limits.ts'
import { SignInDeclined } from '../sign-in/sign-in.ts'

/** Words for the failures of a connection. They hold nothing of where the server is. */
const WORDS: { readonly [code: string]: string } = {
  timeout: 'did not answer in time',
  closed: 'closed the connection before it answered',
  'connect-failed': 'cannot be reached',
  'http-status': 'refused the request',
  'invalid-message': 'gave an answer that is not valid',
  'invalid-result': 'gave an answer that does not fit what it promised',
  'limit-exceeded': 'went beyond a limit of the gateway',
  'input-refused': 'asked something that was not answered',
}

/**
 * A failure as a JSON-RPC error for the caller. The server's own errors pass with code and data; what is hidden in their
 * words is made visible, since models and people read them.
 */
export function toCallerError(error: unknown, server: string): unknown {
  if (error instanceof Suspended) return error
  if (error instanceof RpcError) return toCleanError(error)
  if (error instanceof LimitError) {
    const { limit, retryAfterMs } = error
    return new RpcError(INTERNAL_ERROR, error.message, { limit, ...(retryAfterMs !== undefined && { retryAfterMs }) })
  }
  if (damagedRowIn(error) !== undefined) return new PorticoError('store-unavailable', DAMAGED, { cause: error })
  if (error instanceof HostError) {
    const unsent = error.code === 'unknown-server' && { delivery: 'not-sent' }
    return new RpcError(INTERNAL_ERROR, error.message, { code: error.code, ...unsent })
  }
  if (error instanceof SignInDeclined) return new RpcError(INTERNAL_ERROR, error.message, { url: error.url })
  if (!(error instanceof PorticoError) || error.code === 'aborted' || error.code === 'store-unavailable') return error
  if (error.code === 'capability-missing') {
    return new RpcError(METHOD_NOT_FOUND, `The server "${server}" does not offer this: ${error.message}`, error.data)
  }
  const words = WORDS[error.code] ?? `failed (${error.code})`
  // Whether the call may have run is for the caller to know: it decides whether to make it again.
  const { code, delivery } = error
  const data = { code, ...(delivery !== undefined && { delivery }) }
  return new RpcError(INTERNAL_ERROR, `The server "${server}" ${words}`, data, error)
}

/** For those who run the gateway: the server conceals it behind a reference. */
const DAMAGED = 'A row of the shared state cannot be used'

/** Why calls are given up that were under way when the gateway was closed. */
export const ENDING = 'The gateway is shutting down'

/** What a caller is told of a call that ended with the gateway: it may have happened, or it was never sent. */
export function toEnded(error: unknown, server: string): RpcError | undefined {
  if (!(error instanceof PorticoError) || error.code !== 'aborted') return undefined
  if (!(error.cause instanceof PorticoError) || error.cause.message !== ENDING) return undefined
  const { delivery = 'unknown' } = error
  const words = delivery === 'unknown' ? 'what it asked for may have happened: look first' : 'it was not sent'
  return new RpcError(INTERNAL_ERROR, `${ENDING} while a call waited for the server "${server}"; ${words}`, {
    code: 'closed',
    delivery,
  })
}

/** The same for a tool: what a model can act upon is a result that it reads. */
export function toToolFailure(error: unknown): CallToolResult | undefined {
  if (error instanceof LimitError || error instanceof SignInDeclined) return failure(error.message)
  if (!(error instanceof HostError) || damagedRowIn(error) !== undefined) return undefined
  // The tool is there no more, and has answered nothing: nobody may take the gateway's word for its result.
  if (error.code === 'unknown-server') return undefined
  const { remedy } = (error.data ?? {}) as { remedy?: unknown }
  return failure(typeof remedy === 'string' ? `${error.message}. ${remedy}` : error.message)
}

/** A server wanted what the client does not offer, and could not do without (2026-07-28, basic, "`_meta`"). */
export function toMissingCapability(first: CapabilityError, all: readonly CapabilityError[]): RpcError {
  const { rpcCode, message } = first.toRpcError()
  const required = new Map<string, JsonObject>()
  for (const { data } of all) {
    // Every such error names its capabilities, each an object.
    const { requiredCapabilities } = data as { requiredCapabilities: { [name: string]: JsonObject } }
    for (const [name, more] of Object.entries(requiredCapabilities)) {
      required.set(name, { ...required.get(name), ...more })
    }
  }
  return new RpcError(rpcCode, message, { requiredCapabilities: Object.fromEntries(required) })
}

function failure(message: string): CallToolResult {
  return { content: [{ type: 'text', text: message }], isError: true }
}

/** What the server that asked is told: the client's own refusal where there was one, and a plain reason otherwise. */
export function toRefusal(error: unknown): unknown {
  if (error instanceof RpcError) return error
  if (!(error instanceof PorticoError)) return error
  if (error.cause instanceof RpcError) return error.cause
  return error.code === 'capability-missing' ? new RpcError(METHOD_NOT_FOUND, error.message, error.data) : error
}
