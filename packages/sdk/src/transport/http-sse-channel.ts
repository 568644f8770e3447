/**
 * The two halves of the old HTTP+SSE transport (2024-11-05) as one `Channel`: what the server sends goes out on the
 * event stream, what the client posts is delivered here. The assembly above pairs the requests; it checks who posts.
 */

import type { Channel, ChannelEvents, Urgency } from '../jsonrpc/channel.ts'
import { EventStream, type EventStreamOwner, type EventStreamSettings } from './http-event-stream.ts'
import type { StreamWriter } from './http-reply.ts'

export class SseChannel implements Channel, EventStreamOwner {
  readonly label = 'http+sse'
  readonly #stream: EventStream
  readonly #gone: Promise<void>
  #resolveGone: () => void = () => {}
  #events: ChannelEvents | undefined
  #early: unknown[] = []
  #closed = false

  /** `endpoint` is the URL that the client is told to post to. */
  constructor(writer: StreamWriter, endpoint: string, settings: EventStreamSettings) {
    this.#gone = new Promise((resolve) => {
      this.#resolveGone = resolve
    })
    this.#stream = new EventStream(writer, settings, this)
    this.#stream.event({ event: 'endpoint', data: endpoint })
  }

  get closed(): boolean {
    return this.#closed
  }

  open(events: ChannelEvents): void {
    this.#events = events
    for (const value of this.#early.splice(0)) events.message(value)
    if (this.#closed) events.closed()
  }

  /** Takes what the client posted. */
  deliver(value: unknown): void {
    if (this.#closed) return
    if (this.#events === undefined) this.#early.push(value)
    else this.#events.message(value)
  }

  send(text: string, urgency: Urgency = 'keep', key?: string | number): void {
    this.#stream.send(text, urgency, key)
  }

  flush(): Promise<void> {
    return this.#stream.flushed()
  }

  close(): Promise<void> {
    this.#stream.end()
    return this.#gone
  }

  streamClosed(): void {
    this.#closed = true
    this.#events?.closed()
    this.#resolveGone()
  }
}
