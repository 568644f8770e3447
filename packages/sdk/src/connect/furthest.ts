/** Of several failed ways to a server, the failure that says most: a server that refused a version was reached after all. */

import { httpFault } from '../client/link.ts'
import { INVALID_REQUEST, METHOD_NOT_FOUND, PorticoError, RpcError } from '../jsonrpc/errors.ts'

/** The error of the attempt that came furthest; the first where both came as far. */
export function furthest(first: unknown, second: unknown): unknown {
  return reach(second) > reach(first) ? second : first
}

function reach(error: unknown): number {
  if (error instanceof RpcError) return error.rpcCode === METHOD_NOT_FOUND || error.rpcCode === INVALID_REQUEST ? 3 : 4
  if (!(error instanceof PorticoError)) return 0
  const fault = httpFault(error)
  if (fault !== undefined) return fault.status === 401 ? 5 : [403, 429].includes(fault.status) ? 4 : 2
  switch (error.code) {
    case 'unsupported-version':
    case 'auth-failed':
      return 5
    case 'invalid-message':
      return 2
    case 'closed':
    case 'timeout':
      return 1
    default:
      return 0
  }
}
