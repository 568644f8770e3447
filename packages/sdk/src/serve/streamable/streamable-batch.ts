/**
 * JSON-RPC batches over HTTP, which few revisions have and must receive (2025-03-26, transports): which ones pass, and
 * how their answers come together on one outlet: an array when nothing preceded them, events of their own otherwise.
 */

import type { Principal } from '../../auth/principal.ts'
import type { Outlet, Urgency } from '../../jsonrpc/channel.ts'
import { INVALID_REQUEST } from '../../jsonrpc/errors.ts'
import { type Classified, classify, isRequestId, type RpcNotification } from '../../jsonrpc/message.ts'
import type { Endpoint } from '../../session/endpoint.ts'
import type { RequestHead } from '../../session/exchange.ts'
import type { LegacySession } from '../../session/legacy-session.ts'
import type { OutletOwner } from '../../transport/event-stream-outlet.ts'
import type { Reply } from '../../transport/http-reply.ts'
import { type Load, RequestCount } from '../rules/http-load.ts'
import { type Refusal, toErrorText } from '../rules/http-refusal.ts'

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
  if (!session.initialized || !session.revision.traits.batches) {
    return { status: 400, message: 'The body must be a single message in this revision' }
  }
  if (items.length === 0) return { status: 400, message: 'A batch needs at least one message' }
  if (items.length > maxBatch) return { status: 400, message: `maxBatch (${maxBatch}) exceeded` }
  const messages = items.map(classify)
  const opens = messages.some((item) => item.kind === 'request' && item.message.method === 'initialize')
  return opens ? { status: 400, message: 'initialize cannot be part of a batch' } : messages
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
  const texts = faults.map((fault) => toErrorText(INVALID_REQUEST, `Invalid message: ${fault.reason}`, fault.id))
  const answers = new BatchAnswers(outlet, requests.length, texts)
  for (const { message } of requests) {
    const exchange = { message, outlet: answers.outlet(), scope: session.incoming, principal, head }
    endpoint.serveLegacy(exchange, session)
  }
  if (requests.length === 0) answers.finish()
  return undefined
}

/** Ids are the transport's to know, so a cancellation is carried out here; the endpoint hears of it like of any other. */
export function takeNotification(message: RpcNotification, endpoint: Endpoint, session: LegacySession): void {
  if (message.method === 'notifications/cancelled') {
    const id = message.params?.requestId
    if (isRequestId(id)) session.incoming.cancel(id, message.params?.reason)
  }
  endpoint.notify(message, session)
}

class BatchAnswers {
  readonly #outlet: BatchOutlet
  readonly #answers: string[]
  #open: number

  /** `requests` is how many outlets will be taken; `answers` is what needs none. */
  constructor(outlet: BatchOutlet, requests: number, answers: string[]) {
    this.#outlet = outlet
    this.#open = requests
    this.#answers = answers
  }

  outlet(): Outlet {
    let done = false
    const finish = (): void => {
      done = true
      if (--this.#open === 0) this.finish()
    }
    return {
      send: (text: string, urgency: Urgency, key?: string | number) => {
        if (!done) this.#outlet.send(text, urgency, key)
      },
      end: (text) => {
        if (done) return
        this.#answers.push(text)
        finish()
      },
      close: () => {
        if (!done) finish()
      },
      settled: () => this.#outlet.settled?.(),
    }
  }

  finish(): void {
    const last = this.#answers.at(-1)
    if (last === undefined) this.#outlet.close()
    else if (this.#outlet.streaming) {
      for (const text of this.#answers.slice(0, -1)) this.#outlet.send(text, 'keep')
      this.#outlet.end(last)
    } else this.#outlet.end(`[${this.#answers.join(',')}]`)
  }
}
