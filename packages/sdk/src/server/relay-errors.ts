/** Errors of the server behind a relay, with the codes that the client's own revision has for them. */

import { INTERNAL_ERROR, INVALID_PARAMS, RpcError } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import {
  HEADER_MISMATCH,
  MISSING_CLIENT_CAPABILITY,
  RESOURCE_NOT_FOUND,
  UNSUPPORTED_VERSION,
} from '../protocol/errors.ts'
import type { ServerCall } from './call/call.ts'

export function translate(call: ServerCall): (error: unknown) => never {
  return (error) => {
    throw translated(error, call)
  }
}

/** Codes that mean something between the server behind and this side alone. */
const HOP_CODES: ReadonlySet<number> = new Set([HEADER_MISMATCH, UNSUPPORTED_VERSION])

/** The error of a server of another revision, with the code that the client's own revision has for it. */
export function translated(error: unknown, { conversation, params }: ServerCall): unknown {
  if (!(error instanceof RpcError)) return error
  const { rpcCode, data } = error
  const { revision } = conversation
  const { uri } = params
  const gone = rpcCode === RESOURCE_NOT_FOUND || (rpcCode === INVALID_PARAMS && isObject(data) && data.uri === uri)
  if (typeof uri === 'string' && gone) return revision.resourceNotFound(uri)
  const foreign = rpcCode === MISSING_CLIENT_CAPABILITY && revision.era === 'legacy'
  return foreign || HOP_CODES.has(rpcCode) ? new RpcError(INTERNAL_ERROR, error.message, data, error) : error
}
