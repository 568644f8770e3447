/** What `notifications/cancelled` does. Ids are the transport's to know, so it names the scopes that may hold the call. */

import type { IncomingCalls } from '../jsonrpc/incoming.ts'
import { isRequestId, type RpcNotification } from '../jsonrpc/message.ts'

const MAX_REASON = 200

/** Ends the call that the notice names, in whichever scope it is; any other notice does nothing. */
export function carryOutCancellation({ method, params }: RpcNotification, ...scopes: readonly IncomingCalls[]): void {
  if (method !== 'notifications/cancelled') return
  const { requestId, reason } = params ?? {}
  if (!isRequestId(requestId)) return
  const words = typeof reason === 'string' ? reason.slice(0, MAX_REASON) : undefined
  for (const scope of scopes) scope.cancel(requestId, words)
}
