/**
 * Where the answer to a POST of a 2025 session goes: one JSON answer when nothing precedes it, otherwise a resumable
 * stream. A client that goes away has not cancelled (sec-14); what it misses is kept on the stream.
 */

import type { Outlet, Urgency } from '../../jsonrpc/channel.ts'
import type { RequestId } from '../../jsonrpc/message.ts'
import type { OutletOwner } from '../../transport/event-stream-outlet.ts'
import { EVENT_STREAM_HEADERS, type HeaderList, type Reply } from '../../transport/http-reply.ts'
import { refuse } from '../rules/http-refusal.ts'
import { STOPPED } from '../rules/refusals.ts'
import type { HttpSession } from './streamable-session.ts'
import type { ResumableStream } from './streamable-stream.ts'

/** What an outlet answers. */
interface Answered {
  readonly requests: readonly RequestId[]
  /** Asked for when the JSON answer is there, since what they say may depend on it. */
  readonly headers?: () => HeaderList | undefined
}

export class ResumableOutlet implements Outlet {
  readonly #reply: Reply
  readonly #session: HttpSession
  readonly #owner: OutletOwner
  readonly #requests: readonly RequestId[]
  readonly #headers: (() => HeaderList | undefined) | undefined
  #stream: ResumableStream | undefined
  #done = false

  constructor(reply: Reply, session: HttpSession, owner: OutletOwner, { requests, headers }: Answered) {
    this.#reply = reply
    this.#session = session
    this.#owner = owner
    this.#requests = requests
    this.#headers = headers
    session.uses++
  }

  get streaming(): boolean {
    return this.#stream !== undefined
  }

  send(text: string, urgency: Urgency): void {
    if (this.#done) return
    this.#stream ??= this.#open()
    this.#stream.send(text, urgency)
  }

  end(text: string, status = 200, headers?: HeaderList): void {
    if (this.#done) return
    this.#done = true
    if (this.#stream === undefined) this.#reply.json(status, text, headers ?? this.#headers?.())
    else this.#session.finishStream(this.#stream, text)
    this.#session.uses--
    this.#owner.answered()
  }

  close(): void {
    if (this.#done) return
    this.#done = true
    if (this.#stream !== undefined) this.#session.finishStream(this.#stream, undefined)
    else if (this.#session.left) refuse(this.#reply, STOPPED, this.#requests[0])
    else this.#reply.empty(204)
    this.#session.uses--
    this.#owner.answered()
  }

  settled(): void {
    this.#owner.settled()
  }

  /** Only where clients know to come back: elsewhere the stream stays open until the answer. */
  pause(retryMs: number): void {
    if (this.#done || !this.#session.primed) return
    this.#stream ??= this.#open()
    this.#stream.pause(retryMs)
  }

  #open(): ResumableStream {
    const stream = this.#session.openStream(this.#requests)
    stream.attach(this.#reply.stream(EVENT_STREAM_HEADERS), 0)
    return stream
  }
}
