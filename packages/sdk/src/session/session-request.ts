/** How a server asks the client of a session something. Apart from the session, since few servers ask. */

import type { Outlet } from '../jsonrpc/channel.ts'
import { PorticoError } from '../jsonrpc/errors.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { PendingCalls, type PendingOptions } from '../jsonrpc/pending.ts'
import type { LegacySession } from './legacy-session.ts'

interface SessionRequest {
  readonly method: string
  readonly params: JsonObject
}

/** Sends a request to the client: on the outlet of the request it serves, or as an unrelated message. */
export function requestClient(
  session: LegacySession,
  { method, params }: SessionRequest,
  outlet: Outlet | undefined,
  options: PendingOptions,
): Promise<JsonObject> {
  if (session.phase === 'closed') {
    return Promise.reject(new PorticoError('closed', 'The session has ended', { delivery: 'not-sent' }))
  }
  if (options.signal?.aborted) {
    const { reason: cause } = options.signal
    return Promise.reject(new PorticoError('aborted', 'The call was cancelled', { cause, delivery: 'not-sent' }))
  }
  session.answers ??= new PendingCalls(session.firstQuestion)
  const id = session.answers.nextId()
  const answer = session.answers.wait(id, {
    ...options,
    abandoned: (abandonedId, reason) => {
      const notice = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: abandonedId, reason } }
      // Nothing more goes out for a request that was cancelled, so this has to travel by itself then.
      send(session, JSON.stringify(notice), options.signal?.aborted ? undefined : outlet)
      options.abandoned?.(abandonedId, reason)
    },
  })
  send(session, JSON.stringify({ jsonrpc: '2.0', id, method, params }), outlet)
  return answer
}

function send(session: LegacySession, text: string, outlet: Outlet | undefined): void {
  if (outlet === undefined) session.post(text, 'keep')
  else outlet.send(text, 'keep')
}
