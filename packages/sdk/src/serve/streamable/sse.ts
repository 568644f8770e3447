/**
 * The HTTP+SSE transport of 2024-11-05, beside Streamable HTTP: a GET opens the event stream and learns where to post,
 * answers to what is posted come on the stream. Each pair is a channel, served like any pipe.
 */

import type { Principal } from '../../auth/principal.ts'
import { type Connection, serveChannel } from '../../session/connection.ts'
import type { Endpoint } from '../../session/endpoint.ts'
import type { RequestHead } from '../../session/exchange.ts'
import type { EventStreamSettings } from '../../transport/http-event-stream.ts'
import { EVENT_STREAM_HEADERS, type Reply } from '../../transport/http-reply.ts'
import { SseChannel } from '../../transport/http-sse-channel.ts'
import { acceptsEvents, pathOf } from '../rules/http-headers.ts'
import type { Load } from '../rules/http-load.ts'
import type { Refusal } from '../rules/http-refusal.ts'
import { ACCEPTS_NO_EVENTS, UNKNOWN_EVENT_STREAM } from '../rules/refusals.ts'
import { createSessionId } from './streamable-session.ts'

interface Pair {
  readonly channel: SseChannel
  readonly connection: Connection
  readonly principal: Principal | undefined
}

export class SseHttp {
  readonly #endpoint: Endpoint
  readonly #load: Load
  readonly #settings: EventStreamSettings
  readonly #maxBatch: number
  readonly #process: string | undefined
  readonly #pairs = new Map<string, Pair>()

  /** `process` is the name of this one among several: ids end with it, since a stream cannot go to another. */
  constructor(
    endpoint: Endpoint,
    load: Load,
    settings: EventStreamSettings,
    { maxBatch, process }: { readonly maxBatch: number; readonly process: string | undefined },
  ) {
    this.#maxBatch = maxBatch
    this.#process = process
    this.#endpoint = endpoint
    this.#load = load
    this.#settings = { ...settings, named: true }
  }

  get size(): number {
    return this.#pairs.size
  }

  /** Opens the event stream. `messagesPath` is where the client shall post; on the same origin by being a path. */
  get(head: RequestHead, principal: Principal | undefined, reply: Reply, messagesPath = pathOf(head.url)) {
    if (!acceptsEvents(head)) return ACCEPTS_NO_EVENTS
    const refusal = this.#load.enter('listener', principal)
    if (refusal !== undefined) return refusal
    const id = this.#process === undefined ? createSessionId() : `${createSessionId()}.${this.#process}`
    const writer = reply.stream(EVENT_STREAM_HEADERS)
    const channel = new SseChannel(writer, `${messagesPath}?session=${id}`, this.#settings)
    const connection = serveChannel(this.#endpoint, channel, {
      principal,
      maxBatch: this.#maxBatch,
      maxInFlight: Number.POSITIVE_INFINITY,
      load: this.#load,
    })
    this.#pairs.set(id, { channel, connection, principal })
    connection.closed.then(() => {
      this.#pairs.delete(id)
      this.#load.answered('listener')
      this.#load.leave('listener', principal)
    })
    return undefined
  }

  /** Whether a URL names an open stream: on a path of its own it always should, on the MCP endpoint only this tells. */
  has(url: string): boolean {
    // Every POST to the endpoint asks; most servers never see an old client.
    if (this.#pairs.size === 0) return false
    const id = sessionIn(url)
    return id !== undefined && this.#pairs.has(id)
  }

  /** Whether there is a stream that this request may post to; the refusal otherwise. */
  check(head: RequestHead, principal: Principal | undefined): Refusal | undefined {
    return this.#find(head, principal) === undefined ? UNKNOWN_EVENT_STREAM : undefined
  }

  /** Delivers what was posted. The answer, if there is one, comes on the stream. */
  post(value: unknown, head: RequestHead, principal: Principal | undefined, reply: Reply): Refusal | undefined {
    const pair = this.#find(head, principal)
    if (pair === undefined) return UNKNOWN_EVENT_STREAM
    reply.empty(202)
    // By the request's own credential: it may have fewer scopes than the one that opened the stream, or more.
    if (!pair.channel.closed) pair.connection.receive(value, principal)
    return undefined
  }

  /** Lets requests under way finish, then ends the streams. */
  async drain(graceMs: number): Promise<void> {
    await Promise.all([...this.#pairs.values()].map(({ connection }) => connection.drain(graceMs)))
  }

  close(): void {
    for (const { connection } of this.#pairs.values()) void connection.close()
  }

  #find(head: RequestHead, principal: Principal | undefined): Pair | undefined {
    const pair = this.#pairs.get(sessionIn(head.url) ?? '')
    return pair !== undefined && pair.principal?.id === principal?.id ? pair : undefined
  }
}

/** The session that a URL of the old transport names. */
function sessionIn(url: string): string | undefined {
  return /[?&]session=([0-9a-f]+(?:\.[0-9a-z]+)?)(?:&|$)/.exec(url)?.[1]
}
