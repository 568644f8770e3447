/**
 * JSON-RPC batches over HTTP, which few revisions have and must receive (2025-03-26, transports): which ones pass, and
 * how their answers come together on one outlet: an array when nothing preceded them, events of their own otherwise.
 */

import type { Principal } from '../../auth/principal.ts'
import { BatchReply, batchFault } from '../../jsonrpc/batch.ts'
import type { Outlet, Urgency } from '../../jsonrpc/channel.ts'
import { INVALID_REQUEST } from '../../jsonrpc/errors.ts'
import { cancelNamed } from '../../jsonrpc/incoming.ts'
import { type Classified, classify, type RpcNotification } from '../../jsonrpc/message.ts'
import type { Endpoint } from '../../session/endpoint.ts'
import type { RequestHead } from '../../session/exchange.ts'
import type { LegacySession } from '../../session/legacy-session.ts'
import type { OutletOwner } from '../../transport/event-stream-outlet.ts'
import type { Reply } from '../../transport/http-reply.ts'
import { type Load, RequestCount } from '../rules/http-load.ts'
import { type Refusal, toErrorText } from '../rules/http-refusal.ts'
import { BATCHED_INITIALIZE, invalidBatch } from '../rules/refusals.ts'

/** A message that is one. */
export type Message = Exclude<Classified, { kind: 'invalid' }>

/** The outlet of the POST, which knows whether it has become a stream. */
interface BatchOutlet extends Outlet {
  readonly streaming: boolean
}

interface Batch {
  readonly endpoint: Endpoint
  readonly session: LegacySession
  readonly principal: Principal | undefined
  readonly load: Load
  readonly head: RequestHead
  readonly reply: Reply
  /** Makes the outlet for all answers, when there will be any, whose end the owner hears of. */
  outlet(owner: OutletOwner): BatchOutlet
}

/** The messages of a batch, or why it may not be one. */
export function checkBatch(
  items: readonly unknown[],
  session: LegacySession,
  maxBatch: number,
): readonly Classified[] | Refusal {
  const fault = batchFault(items, session.batches, maxBatch)
  if (fault !== undefined) return invalidBatch(fault)
  const messages = items.map(classify)
  const opens = messages.some((item) => item.kind === 'request' && item.message.method === 'initialize')
  return opens ? BATCHED_INITIALIZE : messages
}

/** Serves a batch, or says why not. */
export function serveBatch(messages: readonly Classified[], batch: Batch): Refusal | undefined {
  const { endpoint, session, principal, load, head, reply } = batch
  const requests = messages.filter((item) => item.kind === 'request')
  const faults = messages.filter((item) => item.kind === 'invalid')
  const refusal = load.enter('request', principal, requests.length)
  if (refusal !== undefined) return refusal
  for (const item of messages) {
    if (item.kind === 'notification') takeNotification(item.message, endpoint, session)
    else if (item.kind === 'response') session.answers?.settle(item.message)
  }
  if (requests.length + faults.length === 0) {
    reply.empty(202)
    return undefined
  }
  const outlet = batch.outlet(new RequestCount(load, principal, requests.length))
  const answers = new BatchReply((texts) => deliver(texts, outlet))
  for (const fault of faults) answers.add(toErrorText(INVALID_REQUEST, `Invalid message: ${fault.reason}`, fault.id))
  for (const { message } of requests) {
    const exchange = { message, outlet: outletFor(answers, outlet), scope: session.incoming, principal, head }
    endpoint.serveLegacy(exchange, session)
  }
  answers.seal()
  return undefined
}

export function takeNotification(message: RpcNotification, endpoint: Endpoint, session: LegacySession): void {
  if (message.method === 'notifications/cancelled') cancelNamed(message.params, session.incoming)
  endpoint.notify(message, session)
}

/** The outlet of one request: what precedes its answer goes out at once, the answer with the others. */
function outletFor(answers: BatchReply, outlet: BatchOutlet): Outlet {
  let done = false
  const finish = (text: string | undefined): void => {
    if (done) return
    done = true
    answers.answered(text)
  }
  answers.expect()
  return {
    send: (text: string, urgency: Urgency, key?: string | number) => {
      if (!done) outlet.send(text, urgency, key)
    },
    end: (text) => finish(text),
    close: () => finish(undefined),
    settled: () => outlet.settled?.(),
  }
}

function deliver(texts: readonly string[], outlet: BatchOutlet): void {
  const last = texts.at(-1)
  if (last === undefined) outlet.close()
  else if (outlet.streaming) {
    for (const text of texts.slice(0, -1)) outlet.send(text, 'keep')
    outlet.end(last)
  } else outlet.end(`[${texts.join(',')}]`)
}
