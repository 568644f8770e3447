/**
 * One open event stream with a bounded memory: messages become events, pass the rate that notifications are allowed,
 * and wait in a send queue while the client does not read. Outlets and channels of the HTTP transports write through
 * it; it knows neither requests nor sessions.
 */

import { encodeEvent, type OutgoingEvent } from '../framing/event-stream.ts'
import type { Sending } from '../framing/sending.ts'
import type { Urgency } from '../jsonrpc/channel.ts'
import { NotificationRate } from '../jsonrpc/notification-rate.ts'
import type { Heartbeat, HeartbeatStream } from './http-heartbeat.ts'
import type { StreamEvents, StreamWriter } from './http-reply.ts'
import { SendQueue, type SendQueueOptions } from './send-queue.ts'

export interface EventStreamSettings {
  /** What may wait for a slow reader before progress coalesces and logs drop. */
  readonly maxQueueBytes: number
  /** What may wait in all, before the reader is given up. */
  readonly maxKeptBytes?: number
  /** Logs beyond this rate are dropped, of progress the newest waits for the next second. */
  readonly notificationsPerSecond: number
  readonly heartbeat?: Heartbeat
  /** Names the events of messages, as the documents of 2024 show them; `message` is what they are without a name too. */
  readonly named?: boolean
}

/** Whose stream it is. */
export interface EventStreamOwner {
  /** Called once, when the client is gone or the stream has ended. */
  streamClosed(stream: EventStream): void
}

/**
 * Kept small, since there may be ten thousand that say nothing: it is its queue's writer and its writer's listener
 * itself, and has a queue only while something is on its way.
 */
export class EventStream implements SendQueueOptions, StreamEvents, HeartbeatStream {
  readonly #writer: StreamWriter
  readonly #settings: EventStreamSettings
  readonly #owner: EventStreamOwner | undefined
  #queue: SendQueue | undefined
  /** Made for the first message that may be left out. */
  #rate: NotificationRate | undefined
  #state: 'open' | 'ending' | 'closed' = 'open'
  #silent = true

  constructor(writer: StreamWriter, settings: EventStreamSettings, owner?: EventStreamOwner) {
    this.#writer = writer
    this.#settings = settings
    this.#owner = owner
    settings.heartbeat?.add(this)
    writer.open(this)
  }

  /** Whether anything can still be sent. */
  get isOpen(): boolean {
    return this.#state === 'open'
  }

  get maxQueueBytes(): number {
    return this.#settings.maxQueueBytes
  }

  get maxKeptBytes(): number | undefined {
    return this.#settings.maxKeptBytes
  }

  get sending(): Sending | undefined {
    return this.#writer.sending
  }

  get stalledMs(): number | undefined {
    return this.#writer.stalledMs
  }

  /** How many logs and progress messages the client did not get because they came too fast. */
  get dropped(): number {
    return (this.#rate?.dropped ?? 0) + (this.#queue?.dropped ?? 0)
  }

  /** Sends a message as one event, under `id` where the stream can be resumed. */
  send(text: string, urgency: Urgency, key?: string | number, id?: string): void {
    if (this.#state !== 'open') return
    this.#silent = false
    // Messages are JSON on one line, so they need no splitting into data fields.
    const data = `data: ${text}\n\n`
    const event = id !== undefined ? `id: ${id}\n${data}` : this.#settings.named ? `event: message\n${data}` : data
    if (urgency === 'keep' && this.#rate === undefined) {
      this.#push(event)
      return
    }
    this.#rate ??= new NotificationRate(this.#settings.notificationsPerSecond, {
      send: (one, its, under) => this.#push(one, its, under),
    })
    this.#rate.send(event, urgency, key)
  }

  /** Sends an event that is no message: the priming event, `endpoint`, `retry`. */
  event(event: OutgoingEvent): void {
    if (this.#state === 'open') this.#push(encodeEvent(event))
  }

  /** Ends the stream behind all that was sent. */
  end(): void {
    if (this.#state !== 'open') return
    this.#rate?.flush()
    this.#state = 'ending'
    this.#settings.heartbeat?.delete(this)
    const flushed = this.flushed()
    if (this.#queue === undefined || this.#queue.waiting === 0) this.#finish()
    else flushed.then(() => this.#finish())
  }

  /** Resolves once all that was sent is with the writer, or the stream is gone. */
  flushed(): Promise<void> {
    return this.#queue?.flushed() ?? Promise.resolve()
  }

  /** Writes a comment when nothing else was sent since the last beat. */
  beat(): void {
    if (this.#silent && (this.#queue === undefined || this.#queue.size === 0)) this.#push(':\n\n', 'log')
    this.#silent = true
  }

  /** Called by the queue, as `overflow` and `idle` are. */
  write(texts: string[]): boolean {
    return this.#writer.write(texts.length === 1 && texts[0] !== undefined ? texts[0] : texts.join(''))
  }

  /** A reader that lets even that much wait is given up; where the stream can be resumed, nothing is lost by it. */
  overflow(): void {
    this.closed()
    this.#writer.abort()
  }

  idle(): void {
    // A queue that had to drop something remembers how much.
    if (this.#queue?.dropped === 0) this.#queue = undefined
  }

  /** Called by the writer, as `closed` is. */
  drained(): void {
    this.#queue?.drained()
  }

  closed(): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#settings.heartbeat?.delete(this)
    this.#rate?.close()
    this.#queue?.close()
    this.#owner?.streamClosed(this)
  }

  #finish(): void {
    this.closed()
    this.#writer.end()
  }

  #push(text: string, urgency?: Urgency, key?: string | number): void {
    if (this.#state === 'closed') return
    this.#queue ??= new SendQueue(this)
    this.#queue.push(text, urgency, key)
  }
}
