/**
 * Where the answer to one POST goes: a single JSON answer when nothing precedes it, an event stream as soon as
 * something does. This is the outlet of a modern request, and of older ones where no session keeps streams; resumable
 * streams have an outlet of their own above this layer.
 */

import type { Outlet, Urgency } from '../jsonrpc/channel.ts'
import type { IncomingCall } from '../jsonrpc/incoming.ts'
import { EventStream, type EventStreamSettings } from './http-event-stream.ts'
import { EVENT_STREAM_HEADERS, type HeaderList, type Reply, type ReplyWatcher } from './http-reply.ts'

/** Whoever waits for the end of the answer. */
export interface OutletOwner {
  /** Called once, when the answer was written or will not be. */
  answered(): void
  /** Called once, when the work for the request is over. */
  settled(): void
}

export class EventStreamOutlet implements Outlet, ReplyWatcher {
  /** The running call, where the client's going away cancels it: set before the reply is watched. */
  call: IncomingCall | undefined
  readonly #reply: Reply
  readonly #settings: EventStreamSettings
  readonly #owner: OutletOwner
  #stream: EventStream | undefined
  #done = false

  constructor(reply: Reply, settings: EventStreamSettings, owner: OutletOwner) {
    this.#reply = reply
    this.#settings = settings
    this.#owner = owner
  }

  get streaming(): boolean {
    return this.#stream !== undefined
  }

  send(text: string, urgency: Urgency, key?: string | number): void {
    if (this.#done) return
    this.#stream ??= new EventStream(this.#reply.stream(EVENT_STREAM_HEADERS), this.#settings)
    this.#stream.send(text, urgency, key)
  }

  end(text: string, status = 200, headers?: HeaderList): void {
    if (this.#done) return
    this.#done = true
    if (this.#stream === undefined) {
      this.#reply.json(status, text, headers)
    } else {
      this.#stream.send(text, 'keep')
      this.#stream.end()
    }
    this.#owner.answered()
  }

  /** A cancelled request has no answer, but its POST still needs an end. */
  close(): void {
    if (this.#done) return
    this.#done = true
    if (this.#stream === undefined) this.#reply.empty(204)
    else this.#stream.end()
    this.#owner.answered()
  }

  settled(): void {
    this.#owner.settled()
  }

  /** The client went away: nothing further is written, not even an end. */
  gone(): void {
    if (!this.#done) {
      this.#done = true
      this.#owner.answered()
    }
    this.call?.cancel('The client closed the connection')
  }
}
