/**
 * A stream of a 2025 session that outlives its connections: its events are numbered and kept, written to whichever
 * connection is attached, and replayed to the next one (2025-11-25, transports, "Resumability and Redelivery"). The
 * answer to a POST travels on one of these once something precedes it; so do messages about no request.
 */

import type { Urgency } from '../../jsonrpc/channel.ts'
import { EventStream, type EventStreamOwner, type EventStreamSettings } from '../../transport/http-event-stream.ts'
import type { StreamWriter } from '../../transport/http-reply.ts'
import type { EventStore } from './event-store.ts'

/** What a stream needs of the session it belongs to. */
export interface StreamHost {
  /** Made when an event is first kept. */
  readonly events: EventStore
  readonly settings: EventStreamSettings
  /** Whether connections open with an event that has an id and no data, so that a client can always come back. */
  readonly primed: boolean
  /** What may be kept for a client that is away before logs and progress are dropped. */
  readonly maxReplayBytes: number
  /** Told when the event store fails. */
  onError(error: unknown): void
}

/** Whether whoever is connected may have a message that was kept. */
type Admits = (text: string) => boolean

const everything: Admits = () => true

export class ResumableStream implements EventStreamOwner {
  readonly id: string
  readonly #host: StreamHost
  #connection: EventStream | undefined
  /** The number of the newest event, and of the newest that was given to a connection. */
  #newest = 0
  #written = 0
  #away: Away | undefined
  /** When the stream ended, if it has. */
  endedAt: number | undefined

  /** `newest` is the number of the last event that it had in another process. */
  constructor(id: string, host: StreamHost, newest = 0) {
    this.id = id
    this.#host = host
    this.#newest = newest
    this.#written = newest
  }

  get attached(): boolean {
    return this.#connection !== undefined
  }

  /** The number of the newest event that some connection was given. */
  get written(): number {
    return this.#written
  }

  /**
   * Goes on, on this connection, behind event number `after`. An older connection is taken to be dead. An `owner` hears
   * of the connection's end in place of this stream and passes it on. What it may not have is not replayed.
   */
  attach(writer: StreamWriter, after: number, owner: EventStreamOwner = this, admits: Admits = everything): void {
    const older = this.#connection
    this.#connection = undefined
    older?.end()
    const connection = new EventStream(writer, this.#host.settings, owner)
    this.#connection = connection
    this.#away = undefined
    if (this.#host.primed) connection.event({ id: this.#eventId(after), data: '' })
    if (this.#newest > after) this.#replay(connection, after, admits)
    this.#written = this.#newest
    if (this.endedAt !== undefined) connection.end()
  }

  streamClosed(connection: EventStream): void {
    if (this.#connection === connection) this.#connection = undefined
  }

  send(text: string, urgency: Urgency): void {
    if (this.endedAt !== undefined) return
    const connection = this.#connection
    if (connection === undefined && !this.#keepsWhileAway(text, urgency)) return
    const seq = ++this.#newest
    this.#keep(seq, text)
    if (connection === undefined) return
    this.#written = seq
    // Progress that replaced an older one in the queue would overtake what lies between, and its id with it.
    connection.send(text, urgency === 'keep' ? 'keep' : 'log', undefined, this.#eventId(seq))
  }

  /** Sends the last message, if there is one, and ends the stream; it can be resumed until it is dropped. */
  finish(text: string | undefined, now: number): void {
    if (this.endedAt !== undefined) return
    if (text !== undefined) this.send(text, 'keep')
    this.endedAt = now
    this.#connection?.end()
  }

  /** Drops the connection and tells the client when to come back, unless it does not know events without data. */
  pause(retryMs: number, tells = true): void {
    const connection = this.#connection
    if (connection === undefined) return
    if (tells) connection.event({ id: this.#eventId(this.#written), data: '', retry: retryMs })
    connection.end()
  }

  #replay(connection: EventStream, after: number, admits: Admits): void {
    for (const event of this.#host.events.replay(this.id, after)) {
      if (!admits(event.text)) continue
      connection.send(event.text, 'keep', undefined, this.#eventId(event.seq))
    }
  }

  /** A store that fails costs the replay, never the message: whoever is connected still gets it. */
  #keep(seq: number, text: string): void {
    try {
      this.#host.events.append(this.id, seq, text)
    } catch (error) {
      this.#host.onError(error)
    }
  }

  #keepsWhileAway(text: string, urgency: Urgency): boolean {
    this.#away ??= { unseen: new Set(), length: 0 }
    const away = this.#away
    // The same change notice twice says no more than once.
    if (urgency === 'keep' && away.unseen.has(text)) return false
    away.length += text.length
    if (away.length <= this.#host.maxReplayBytes) away.unseen.add(text)
    else if (urgency !== 'keep') return false
    else away.unseen.clear()
    return true
  }

  #eventId(seq: number): string {
    return `${this.id}_${seq}`
  }
}

/** What waits for the next connection, to leave out what says the same again, and how much was kept for it. */
interface Away {
  readonly unseen: Set<string>
  length: number
}

/** Reads an event id; undefined when it was not made here. */
export function parseEventId(id: string): { readonly stream: string; readonly seq: number } | undefined {
  const match = /^([0-9a-z]{1,12})_([0-9]{1,15})$/.exec(id)
  if (match?.[1] === undefined) return undefined
  return { stream: match[1], seq: Number(match[2]) }
}
