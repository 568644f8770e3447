/** What a caller is told when the replica that it needs is not there: always whether the request was sent. */

import { INTERNAL_ERROR, isObject, type Reply, type RequestId } from '@portico/sdk/internal'

const LOST =
  'The replica that worked on this ended before it answered: what it does may have happened. Look first, and send it again only if it has not.'
const NOT_SENT = 'The replica that has this session cannot be reached at the moment; nothing was done, try again.'

/** The answer to a request whose replica ended. */
export function lostAnswer(id: RequestId): string {
  return answer(id, LOST, 'unknown')
}

export function replyLost(reply: Reply, body: string | undefined): void {
  reply.json(502, answer(idIn(body), LOST, 'unknown'))
}

export function replyNotSent(reply: Reply, body: string | undefined): void {
  reply.json(503, answer(idIn(body), NOT_SENT, 'not-sent'), ['retry-after', '1'])
}

/** The answer to a request that changed a session which could not be kept. */
export function notKept(id: RequestId): string {
  return answer(
    id,
    'The store that keeps sessions cannot be reached at the moment: this may be done, look first.',
    'unknown',
  )
}

function answer(id: RequestId | undefined, message: string, delivery: 'unknown' | 'not-sent'): string {
  const error = { code: INTERNAL_ERROR, message, data: { delivery } }
  return JSON.stringify(id === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id, error })
}

/** The id of the request in a body that was not served; looked for only then. */
function idIn(body: string | undefined): RequestId | undefined {
  try {
    const value: unknown = JSON.parse(body ?? '')
    const isRequest = isObject(value) && 'method' in value
    return isRequest && (typeof value.id === 'string' || typeof value.id === 'number') ? value.id : undefined
  } catch {
    return undefined
  }
}
