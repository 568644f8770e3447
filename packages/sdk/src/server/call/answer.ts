/** The last step of every request: a result or an error becomes the text of a JSON-RPC response, once. */

import { INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, PorticoError, RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject, type RequestId } from '../../jsonrpc/message.ts'
import type { Implementation } from '../../protocol/content.ts'
import { META_SERVER_INFO } from '../../protocol/meta.ts'
import type { Revision } from '../../protocol/revision.ts'
import { CapabilityError } from '../../session/conversation.ts'
import type { Written } from './method.ts'

/** `"result":…` or `"error":…`: a response without its id, so that it can be kept and sent again under another. */
export type Fragment = string

export function responseText(id: RequestId, fragment: Fragment): string {
  return `{"jsonrpc":"2.0","id":${typeof id === 'number' ? id : JSON.stringify(id)},${fragment}}`
}

/** Writes results for one revision; what every modern result carries is serialized ahead. */
export class ResultWriter {
  readonly #modern: boolean
  readonly #tail: string
  readonly #info: unknown

  constructor(revision: Revision, info: Implementation) {
    this.#modern = revision.era === 'modern'
    this.#info = revision.writeImplementation(info)
    this.#tail = `"resultType":"complete","_meta":${JSON.stringify({ [META_SERVER_INFO]: this.#info })}}`
  }

  /** The result as a value, for a receiver in this process. */
  value(written: JsonObject): JsonObject {
    if (!this.#modern) return written
    const own = isObject(written._meta) ? written._meta : undefined
    return { resultType: 'complete', ...written, _meta: { [META_SERVER_INFO]: this.#info, ...own } }
  }

  /** Throws when the value cannot be serialized. */
  write(written: Written): Fragment {
    if (typeof written === 'string') return `"result":${written}${this.#modern ? `,${this.#tail}` : '}'}`
    if (!this.#modern) return `"result":${JSON.stringify(written)}`
    if (written._meta !== undefined || written.resultType !== undefined) {
      return `"result":${JSON.stringify(this.value(written))}`
    }
    const text = JSON.stringify(written)
    return text === '{}' ? `"result":{${this.#tail}` : `"result":${text.slice(0, -1)},${this.#tail}`
  }
}

export function errorFragment(error: RpcError): Fragment {
  try {
    return `"error":${JSON.stringify(error.toErrorObject())}`
  } catch {
    return `"error":${JSON.stringify({ code: error.rpcCode, message: error.message })}`
  }
}

/** Own errors of asking and waiting, whose message holds nothing private; anything else is concealed behind a reference. */
const TELLABLE: ReadonlySet<string> = new Set([
  'peer-error',
  'timeout',
  'closed',
  'aborted',
  'invalid-message',
  'limit-exceeded',
  'replay-failed',
  // A handler's own words for the caller, in prompts and resources as in tools.
  'tool-error',
])

/** Whether the message of an error may be shown as it is. */
export function isTellable(error: unknown): error is PorticoError {
  return error instanceof PorticoError && TELLABLE.has(error.code)
}

/** The JSON-RPC error for whatever was thrown, or undefined when it must be concealed. */
export function toRpcError(error: unknown, revision: Revision): RpcError | undefined {
  if (error instanceof RpcError) return error
  if (error instanceof CapabilityError) {
    return revision.era === 'modern' ? error.toRpcError() : new RpcError(INTERNAL_ERROR, error.message)
  }
  if (error instanceof PorticoError && error.code === 'not-found') return new RpcError(INVALID_PARAMS, error.message)
  if (isAway(error)) return new RpcError(INTERNAL_ERROR, AWAY, { code: 'store-unavailable', retryAfterMs: 1000 })
  if (isTellable(error)) return new RpcError(INTERNAL_ERROR, error.message)
  return undefined
}

const AWAY = 'The state that this needs cannot be reached now; nothing was done, try again'

/** Shared state was away before anything was done: over HTTP a 503 with `Retry-After`, which says that it was not done. */
export function isAway(error: unknown): boolean {
  return error instanceof PorticoError && error.code === 'store-unavailable' && error.delivery === 'not-sent'
}

export function methodNotFound(method: string): RpcError {
  return new RpcError(METHOD_NOT_FOUND, `Method not found: ${method.slice(0, 128)}`)
}
