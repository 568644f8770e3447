/**
 * The stream that a client of the older revisions opens with GET, for messages that belong to no request of its own
 * (2025-11-25, transports, "Listening for Messages from the Server"). Comes back after every interruption, from where it
 * was; gives up where the server has no such stream.
 */

import type { LinkEvents } from '../client/link.ts'
import { parseJson } from '../framing/json.ts'
import type { PorticoError } from '../jsonrpc/errors.ts'
import { classify } from '../jsonrpc/message.ts'
import { discard, type HttpAnswer, type HttpCall, type HttpOutcome } from '../transport/http-client/http-client.ts'
import { type FramedLimits, inClientWords } from './answer-limits.ts'
import { backoff, contentType, statusError } from './http-answer.ts'
import { ResumableStream } from './resumable-stream.ts'

export interface ListenerHost {
  readonly events: LinkEvents
  /** Sends the GET. */
  get(outcome: HttpOutcome, lastEventId: string): HttpCall
  readonly inSession: boolean
  /** How long a stream that has a heartbeat may be silent. */
  readonly silenceMs: number | undefined
  /** What a message may be. */
  readonly limits: FramedLimits
  /** The server has forgotten the session. */
  sessionLost(error: PorticoError): void
}

export class HttpListener implements HttpOutcome {
  readonly #host: ListenerHost
  readonly #stream = new ResumableStream({
    message: (data) => {
      if (!this.#closed) this.#take(data)
    },
    fault: (reason) => this.#host.events.irregular('An event was left out', inClientWords(reason)),
    ended: () => {
      if (!this.#closed) this.#later()
    },
  })
  #call: HttpCall | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #closed = false

  constructor(host: ListenerHost) {
    this.#host = host
    this.#open()
  }

  close(): void {
    this.#closed = true
    this.#stream.stop()
    clearTimeout(this.#timer)
    this.#call?.abort()
  }

  answered(answer: HttpAnswer): void {
    if (this.#closed) return
    if (answer.status === 200 && contentType(answer) === 'text/event-stream') {
      this.#stream.read(answer, this.#call!, this.#host.silenceMs, this.#host.limits.maxEventBytes)
      return
    }
    const error = statusError(answer, this.#host.inSession)
    discard(answer, this.#call!)
    if (answer.status === 404 && this.#host.inSession) {
      this.#closed = true
      this.#host.sessionLost(error)
    } else if (answer.status >= 500 || answer.status === 429) {
      this.#later()
    } else {
      this.#closed = true
      // 405 is the proper way to say that there is no such stream, and no news to anybody.
      if (answer.status !== 405) this.#host.events.irregular('The server refused the stream for notices', error.message)
    }
  }

  failed(): void {
    if (!this.#closed) this.#later()
  }

  #open(): void {
    this.#call = this.#host.get(this, this.#stream.lastEventId)
  }

  #take(text: string): void {
    const parsed = parseJson(text, this.#host.limits)
    if (!parsed.ok) {
      this.#host.events.irregular('The server sent a broken message', parsed.reason)
      return
    }
    for (const value of Array.isArray(parsed.value) ? parsed.value : [parsed.value]) {
      const classified = classify(value)
      // Responses belong on the stream of their request; one that strays here is still the answer to it.
      if (classified.kind === 'response') this.#host.events.response(classified.message)
      else if (classified.kind !== 'invalid') this.#host.events.message(classified.message, undefined)
      else this.#host.events.irregular(`A message was left out: ${classified.reason}`)
    }
  }

  #later(): void {
    const { retryMs, failures } = this.#stream
    const waitMs = retryMs !== undefined && failures === 0 ? retryMs : Math.max(retryMs ?? 0, backoff(failures))
    this.#stream.failures++
    this.#timer = setTimeout(() => this.#open(), waitMs)
  }
}
