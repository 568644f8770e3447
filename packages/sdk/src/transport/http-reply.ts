/**
 * The answering half of an HTTP exchange as the serving code sees it. The rules above decide what is answered; the
 * adapters for Node and for the web's `Request`/`Response` implement these two interfaces and decide nothing.
 */

import type { Sending, SendingLimits } from '../framing/sending.ts'

/** Header names and values in turn, the form that Node writes without another copy. Names are lower case. */
export type HeaderList = readonly string[]

export interface ReplyLimits extends SendingLimits {
  /** How long the client may take nothing of what waits for it. */
  readonly stalledMs: number
}

export interface Reply {
  /** Bounds on what waits for the client, where the runtime does not see to that. */
  limits?: ReplyLimits | undefined
  /** The principal that what waits is counted for; the address where there is none. */
  reader?: string | undefined
  /** Adds headers to whatever will be answered. Called before any of the methods below. */
  always(headers: HeaderList): void
  /** Answers with JSON text. Exactly one of `json`, `empty` and `stream` is called, once. */
  json(status: number, text: string, headers?: HeaderList): void
  empty(status: number, headers?: HeaderList): void
  /** Begins an event stream with status 200. */
  stream(headers?: HeaderList): StreamWriter
  /** Tells when the client goes away before the answer was complete; also when it already has. Called once at most. */
  watch(watcher: ReplyWatcher): void
}

/**
 * An object and not a function, as `StreamEvents` is too: ten thousand idle streams each keep one, and a closure is
 * larger.
 */
export interface ReplyWatcher {
  gone(): void
}

export interface StreamWriter {
  /** Counts what waits for this reader. */
  readonly sending?: Sending | undefined
  /** How long the reader may take nothing, where the writer does not see to that itself. */
  readonly stalledMs?: number | undefined
  /** Says who hears of the stream from now on. Called once, before anything is written. */
  open(events: StreamEvents): void
  /** Never throws. False asks to wait for `drained`; the text was taken all the same. */
  write(text: string): boolean
  end(): void
  /** Drops the connection and what it still holds. */
  abort(): void
}

export interface StreamEvents {
  /** More can be written. */
  drained(): void
  /** Called once when nothing more can be: the client went away, or `end` has run. */
  closed(): void
}

/** `X-Accel-Buffering` asks proxies to pass events on at once (2026-07-28, Streamable HTTP, "Receiving Messages"). */
export const EVENT_STREAM_HEADERS: HeaderList = [
  'content-type',
  'text/event-stream',
  'cache-control',
  'no-store, no-transform',
  'x-accel-buffering',
  'no',
]
