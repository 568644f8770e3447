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
import { SendQueue, type SendQueueOptions } from './send-queue.ts'

export interface EventStreamSettings {
  /** What may wait for a slow reader before progress coalesces and logs drop. */
  readonly maxQueueBytes: number
  /** What may wait in all, before the reader is given up. */
  readonly maxKeptBytes?: number
  /** Logs beyond this rate are dropped, of progress the newest waits for the next second. */
  readonly notificationsPerSecond: number
  readonly heartbeat?: Heartbeat
}

/** Kept small: there may be ten thousand that say nothing. It is its queue's writer itself. */
export class EventStream implements SendQueueOptions {
  readonly #writer: StreamWriter
  readonly #settings: EventStreamSettings
  readonly #onClose: (() => void) | undefined
  readonly #queue: SendQueue
  /** Made for the first message that may be left out. */
  #rate: NotificationRate | undefined
  #closed = false
  #ending = false
  #silent = true

  constructor(writer: StreamWriter, settings: EventStreamSettings, onClose?: () => void) {
    this.#writer = writer
    this.#settings = settings
    this.#onClose = onClose
    this.#queue = new SendQueue(this)
    settings.heartbeat?.add(this)
    writer.onDrain(() => this.#queue.drained())
    writer.onClose(() => this.#close())
  }

  get closed(): boolean {
    return this.#closed || this.#ending
  }

  get maxQueueBytes(): number {
    return this.#settings.maxQueueBytes
  }

  get maxKeptBytes(): number | undefined {
    return this.#settings.maxKeptBytes
  }

  /** Called by the queue. */
  write(texts: string[]): boolean {
    return this.#writer.write(texts.length === 1 && texts[0] !== undefined ? texts[0] : texts.join(''))
  }

  /** A reader that lets even that much wait is given up; where the stream can be resumed, nothing is lost by it. */
  overflow(): void {
    this.#close()
    this.#writer.abort()
  }

  /** How many logs and progress messages the client did not get because they came too fast. */
  get dropped(): number {
    return (this.#rate?.dropped ?? 0) + this.#queue.dropped
  }

  /** Sends a message as one event, under `id` where the stream can be resumed. */
  send(text: string, urgency: Urgency, key?: string | number, id?: string): void {
    if (this.closed) return
    this.#silent = false
    // Messages are JSON on one line, so they need no splitting into data fields.
    const event = id === undefined ? `data: ${text}\n\n` : `id: ${id}\ndata: ${text}\n\n`
    if (urgency === 'keep' && this.#rate === undefined) {
      this.#queue.push(event)
      return
    }
    this.#rate ??= new NotificationRate(this.#settings.notificationsPerSecond, (one, its, under) =>
      this.#queue.push(one, its, under),
    )
    this.#rate.send(event, urgency, key)
  }

  /** Sends an event that is no message: the priming event, `endpoint`, `retry`. */
  event(event: OutgoingEvent): void {
    if (!this.closed) this.#queue.push(encodeEvent(event))
  }

  /** Ends the stream behind all that was sent. */
  end(): void {
    if (this.closed) return
    this.#rate?.flush()
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
    this.#rate?.close()
    this.#queue.close()
    this.#onClose?.()
  }
}
