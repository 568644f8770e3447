/**
 * A link over any channel: pipes, sockets, WebSocket, memory, and the old HTTP+SSE pair. All messages share one stream,
 * so answers are told apart by id alone, and giving up means saying so.
 */

import {
  type Link,
  type LinkEvents,
  type Outgoing,
  type ProcessView,
  requestParams,
  requestText,
} from '../client/link.ts'
import { FRAMING_LIMITS } from '../framing/limits.ts'
import type { Channel, ChannelEvents, Malformed } from '../jsonrpc/channel.ts'
import { PorticoError } from '../jsonrpc/errors.ts'
import { classify, type RequestId, type RpcNotification, type RpcResponse } from '../jsonrpc/message.ts'
import type { Revision } from '../protocol/revision.ts'
import { inClientWords } from './answer-limits.ts'

export class ChannelLink implements Link, ChannelEvents {
  readonly kind = 'channel'
  readonly label: string
  readonly process: ProcessView | undefined
  readonly #channel: Channel
  #events: LinkEvents | undefined
  #revision: Revision | undefined

  constructor(channel: Channel, process?: ProcessView) {
    this.#channel = channel
    this.label = channel.label
    this.process = process
  }

  open(events: LinkEvents): void {
    this.#events = events
    this.#channel.open(this)
  }

  request(outgoing: Outgoing): void {
    if (this.#channel.sendValue !== undefined) {
      const { id, method } = outgoing
      if (this.#channel.sendValue({ jsonrpc: '2.0', id, method, params: requestParams(outgoing) })) return
    }
    let text: string
    try {
      text = requestText(outgoing)
    } catch (cause) {
      this.#events?.failed(outgoing.id, unwritable(cause))
      return
    }
    this.#channel.send(text)
  }

  /** `initialize` cannot be cancelled (2025-11-25, cancellation); the handshake never asks for it. */
  cancel(id: RequestId, reason: string): void {
    const params = { requestId: id, reason }
    this.#channel.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params }))
  }

  async send(message: RpcNotification | RpcResponse): Promise<void> {
    this.#channel.send(JSON.stringify(message))
  }

  agree(revision: Revision): void {
    this.#revision = revision
  }

  listen(): void {}

  close(): Promise<void> {
    return this.#channel.close()
  }

  message(value: unknown): void {
    if (!Array.isArray(value)) {
      this.#take(value)
    } else if (value.length > FRAMING_LIMITS.maxBatch || this.#revision?.traits.batches === false) {
      this.#events?.irregular('A batch was left out', `${value.length} messages`)
    } else {
      for (const item of value) this.#take(item)
    }
  }

  malformed({ kind, reason: framed, excerpt, found }: Malformed): void {
    const reason = inClientWords(framed)
    const what = kind === 'noise' ? 'The server wrote something that is no message' : 'The server sent a broken message'
    this.#events?.irregular(`${what}: ${reason}`, excerpt)
    const id = kind === 'noise' ? undefined : found === undefined ? idIn(excerpt) : answeredId(found)
    if (id === undefined) return
    const code = kind === 'limit' ? 'limit-exceeded' : 'invalid-message'
    this.#events?.failed(id, new PorticoError(code, `The answer is not valid: ${reason}`, { delivery: 'unknown' }))
  }

  closed(reason?: Error): void {
    const error =
      reason instanceof PorticoError
        ? inWords(reason)
        : new PorticoError('closed', `The connection to ${this.label} has ended`, {
            cause: reason,
            delivery: 'unknown',
          })
    this.#events?.closed(error)
  }

  #take(value: unknown): void {
    const classified = classify(value)
    switch (classified.kind) {
      case 'response':
        this.#events?.response(classified.message)
        return
      case 'request':
        // Modern servers have no requests of their own, and modern clients no answers to them (stdio, "Receiving Messages").
        if (this.#revision?.era !== 'modern') this.#events?.message(classified.message, undefined)
        else this.#events?.irregular('A request from the server was left out', classified.message.method)
        return
      case 'notification':
        this.#events?.message(classified.message, undefined)
        return
      case 'invalid':
        if (classified.id === null || isRequest(value))
          this.#events?.irregular(`A message was left out: ${classified.reason}`)
        // A broken answer is an answer all the same: the call it belongs to must not wait for another.
        else this.#events?.failed(classified.id, invalidAnswer(classified.reason))
    }
  }
}

function inWords(error: PorticoError): PorticoError {
  const { code, message, data, delivery } = error
  const own = inClientWords(message)
  return own === message ? error : new PorticoError(code, own, { cause: error, data, delivery })
}

export function unwritable(cause: unknown): PorticoError {
  return new PorticoError('invalid-arguments', 'The request cannot be written as JSON', { cause, delivery: 'not-sent' })
}

export function invalidAnswer(reason: string): PorticoError {
  return new PorticoError('invalid-message', `The answer is not valid: ${reason}`, { delivery: 'unknown' })
}

/** The id at the beginning of a message that could not be read: the call it was meant for need not wait for another. */
function idIn(excerpt: string | undefined): RequestId | undefined {
  const found = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,\s*"(?:result|error)"/.exec(
    excerpt ?? '',
  )
  return found === null ? undefined : Number(found[1])
}

/** The id of an answer that was found in what could not be read. */
function answeredId({ id, isRequest }: NonNullable<Malformed['found']>): RequestId | undefined {
  return isRequest || typeof id !== 'number' ? undefined : id
}

function isRequest(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'method' in value
}
