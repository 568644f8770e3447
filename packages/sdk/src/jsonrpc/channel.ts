/**
 * The seam between transports and everything above them. A transport turns bytes into parsed JSON values and texts
 * into bytes; it knows no method and no feature. Duplex transports (pipes, sockets, WebSocket, memory) implement
 * `Channel`; request/response transports (HTTP) make one `Outlet` per incoming message.
 */

/**
 * What a full send queue may do with a message: progress is coalesced (the newest wins), logs are dropped and counted,
 * everything else is kept.
 */
export type Urgency = 'keep' | 'progress' | 'log'

/** Where the messages that belong to one incoming message go. */
export interface Outlet {
  /** Sends one serialized message that precedes the answer. `key` names what a newer progress message replaces. */
  send(text: string, urgency: Urgency, key?: string | number): void
  /** Sends the answer (serialized) and ends the exchange. `status` (200 unless given) and `headers` (names and values in turn) are for HTTP, when nothing was sent before. */
  end(text: string, status?: number, headers?: readonly string[]): void
  /** Whether `endWith` may be tried, where sender and receiver share a process. */
  readonly takesValues?: boolean
  /** Like `end`, with the message as a value that the receiver gets a copy of. False when only text will do: nothing was sent. */
  endWith?(message: object): boolean
  /** Ends the exchange without an answer: the request was cancelled, or it was a notification. */
  close(): void
  /** The work for the message is over. Called once, with or after the end: a handler may go on for a while after its call was cancelled. */
  settled?(): void
  /** Drops the connection but not the exchange, where the transport can resume it; `retryMs` is when to come back. */
  pause?(retryMs: number): void
}

/** What a channel reports. Every callback is called synchronously, in order, and never after `closed`. */
export interface ChannelEvents {
  /** One parsed JSON value: a message, or an array where a peer sends batches. */
  message(value: unknown): void
  /** Bytes that were no JSON value: not UTF-8, not JSON, too long, too deep. The channel goes on unless it also closes. */
  malformed(fault: Malformed): void
  /** The peer will send nothing more but still reads: the receiver answers and closes. Without it the channel closes itself. */
  ended?(): void
  /** The channel is gone; nothing more can be sent or received. Called exactly once. */
  closed(reason?: Error): void
}

/** What came over a channel and was no message. */
export interface Malformed {
  /** `parse`: not JSON (-32700). `limit`: JSON beyond a configured bound (-32600). `noise`: a line that was never meant as a message. */
  readonly kind: 'parse' | 'limit' | 'noise'
  readonly reason: string
  /**
   * The id of the message that was not read, where it could still be found. It may be any JSON value: nobody has
   * checked it.
   */
  readonly found?: { readonly id: unknown; readonly isRequest: boolean }
  /** The offending text, cut to a few hundred characters, for logs on this side only. */
  readonly excerpt?: string
}

/** A duplex connection that carries whole messages in order. */
export interface Channel {
  /** Begins delivery. Called once; messages that arrived earlier are delivered now. */
  open(events: ChannelEvents): void
  /** Queues one serialized message. Never throws; a failure ends in `closed`. */
  send(text: string, urgency?: Urgency, key?: string | number): void
  /** Queues a copy of one message where no text is needed, since the peer is in this process. False when only text will do: nothing was queued. */
  sendValue?(message: object): boolean
  /** Resolves once everything queued so far was handed to the operating system (or the peer, in memory). */
  flush(): Promise<void>
  /** Closes after flushing. Idempotent; resolves when the channel is gone. */
  close(): Promise<void>
  /** For logs and errors: `stdio`, `ws://…`, `memory`. Holds no secret. */
  readonly label: string
}
