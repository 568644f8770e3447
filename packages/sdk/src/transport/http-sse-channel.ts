/**
 * The two halves of the old HTTP+SSE transport (2024-11-05) as one `Channel`: what the server sends goes out on the
 * event stream. What the client posts comes with a credential of its own, so the assembly above, which checks who posts,
 * hands it to the connection itself.
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
    if (this.#closed) events.closed()
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
