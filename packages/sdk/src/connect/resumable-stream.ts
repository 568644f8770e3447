/**
 * What an answer in progress and the stream for notices have in common: an event stream that is read under a heartbeat,
 * remembers where it was, and how long to wait before it is taken up again.
 */

import { createEventDecoder } from '../framing/event-stream.ts'
import { PorticoError } from '../jsonrpc/errors.ts'
import type { HttpAnswer, HttpCall } from '../transport/http-client/http-client.ts'
import { Heartbeat } from './heartbeat.ts'
import { clampRetry } from './http-answer.ts'

interface StreamReader {
  /** The text of one message. */
  message(data: string): void
  /** An event that was beyond a limit. */
  fault(reason: string): void
  /** The stream is over: said once for each that was read, with the error that ended it if there was one. */
  ended(error: PorticoError | undefined): void
}

/** UTF-16 units of an event's id: it goes back in a header, of which servers take some 16 kB in all. */
const MAX_EVENT_ID_LENGTH = 4_096

export class ResumableStream {
  /** The id to come back with; empty while the server gave none. */
  lastEventId = ''
  /** What the server wants to be waited, if it said so. */
  retryMs: number | undefined
  /** Attempts since the last event. */
  failures = 0
  readonly #reader: StreamReader
  #heartbeat: Heartbeat | undefined

  constructor(reader: StreamReader) {
    this.#reader = reader
  }

  /** Reads a stream to its end; `silenceMs` is how long one that has a heartbeat may be silent. */
  read(answer: HttpAnswer, call: HttpCall, silenceMs: number | undefined, maxEventBytes: number): void {
    const decoder = createEventDecoder({
      maxEventBytes,
      onEvent: ({ data, id, event }) => {
        this.failures = 0
        // A part of an id is the id of another event, or of none: such a stream is not taken up again.
        if (id !== '') this.lastEventId = id.length > MAX_EVENT_ID_LENGTH ? '' : id
        if (data !== '' && event === 'message') this.#reader.message(data)
      },
      onRetry: (ms) => {
        this.retryMs = clampRetry(ms)
      },
      onFault: (reason) => this.#reader.fault(reason),
    })
    const end = (error: PorticoError | undefined) => {
      heartbeat.stop()
      decoder.end()
      this.#reader.ended(error)
    }
    const heartbeat = new Heartbeat(() => {
      call.abort()
      end(new PorticoError('closed', 'The stream has gone silent', { delivery: 'unknown' }))
    }, silenceMs)
    this.#heartbeat = heartbeat
    answer.read({
      data: (chunk) => {
        heartbeat.seen(chunk)
        decoder.push(chunk)
      },
      end,
    })
  }

  /** Stops waiting for signs of life. */
  stop(): void {
    this.#heartbeat?.stop()
  }
}
