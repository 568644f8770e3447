/**
 * One open event stream with a bounded memory: messages become events, pass the rate that notifications are allowed,
 * and wait in a send queue while the client does not read. Outlets and channels of the HTTP transports write through
 * it; it knows neither requests nor sessions.
 */

import { encodeEvent, type OutgoingEvent } from '../framing/event-stream.ts'
import type { Urgency } from '../jsonrpc/channel.ts'
import { NotificationRate } from '../jsonrpc/notification-rate.ts'
import type { Heartbeat } from './http-heartbeat.ts'
import type { StreamWriter } from './http-reply.ts'
import { SendQueue } from './send-queue.ts'

export interface EventStreamSettings {
  /** What may wait for a slow reader before progress coalesces and logs drop. */
  readonly maxQueueBytes: number
  /** What may wait in all, before the reader is given up. */
  readonly maxKeptBytes?: number
  /** Logs beyond this rate are dropped, of progress the newest waits for the next second. */
  readonly notificationsPerSecond: number
  readonly heartbeat?: Heartbeat
}

export class EventStream {
  readonly #writer: StreamWriter
  readonly #settings: EventStreamSettings
  readonly #onClose: (() => void) | undefined
  readonly #queue: SendQueue
  readonly #rate: NotificationRate
  #closed = false
  #ending = false
  #silent = true

  constructor(writer: StreamWriter, settings: EventStreamSettings, onClose?: () => void) {
    this.#writer = writer
    this.#settings = settings
    this.#onClose = onClose
    this.#queue = new SendQueue({
      maxQueueBytes: settings.maxQueueBytes,
      maxKeptBytes: settings.maxKeptBytes,
      write: (texts) => writer.write(texts.length === 1 && texts[0] !== undefined ? texts[0] : texts.join('')),
      // A reader that lets even that much wait is given up; where the stream can be resumed, nothing is lost by it.
      overflow: () => {
        this.#close()
        writer.abort()
      },
    })
    this.#rate = new NotificationRate(settings.notificationsPerSecond, (event, urgency, key) =>
      this.#queue.push(event, urgency, key),
    )
    settings.heartbeat?.add(this)
    writer.onDrain(() => this.#queue.drained())
    writer.onClose(() => this.#close())
  }

  get closed(): boolean {
    return this.#closed || this.#ending
  }

  /** How many logs and progress messages the client did not get because they came too fast. */
  get dropped(): number {
    return this.#rate.dropped + this.#queue.dropped
  }

  /** Sends a message as one event, under `id` where the stream can be resumed. */
  send(text: string, urgency: Urgency, key?: string | number, id?: string): void {
    if (this.closed) return
    this.#silent = false
    // Messages are JSON on one line, so they need no splitting into data fields.
    const event = id === undefined ? `data: ${text}\n\n` : `id: ${id}\ndata: ${text}\n\n`
    this.#rate.send(event, urgency, key)
  }

  /** Sends an event that is no message: the priming event, `endpoint`, `retry`. */
  event(event: OutgoingEvent): void {
    if (!this.closed) this.#queue.push(encodeEvent(event))
  }

  /** Ends the stream behind all that was sent. */
  end(): void {
    if (this.closed) return
    this.#rate.flush()
    this.#ending = true
    this.#settings.heartbeat?.delete(this)
    const flushed = this.#queue.flushed()
    if (this.#queue.waiting === 0) this.#finish()
    else flushed.then(() => this.#finish())
  }

  /** Resolves once all that was sent is with the writer, or the stream is gone. */
  flushed(): Promise<void> {
    return this.#queue.flushed()
  }

  /** Writes a comment when nothing else was sent since the last beat. */
  beat(): void {
    if (this.#silent && this.#queue.size === 0) this.#queue.push(':\n\n', 'log')
    this.#silent = true
  }

  #finish(): void {
    this.#close()
    this.#writer.end()
  }

  #close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#settings.heartbeat?.delete(this)
    this.#rate.close()
    this.#queue.close()
    this.#onClose?.()
  }
}
