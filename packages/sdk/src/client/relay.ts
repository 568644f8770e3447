/**
 * How one request is made on behalf of somebody else: its questions and logs go to whoever asked for it, instead of to
 * the handlers that the client was made with. `peer.ts` finds the request, `questions.ts` words the answer.
 */

import type { JsonObject } from '../jsonrpc/message.ts'

/**
 * Takes what a server asks and logs while one request runs, in place of the client's own handlers: for a gateway, which
 * makes the request for a client of its own.
 */
export interface RequestRelay {
  /** Fires when the request is to be cancelled, in place of the one in the options. Looked at when something has to wait. */
  readonly signal?: AbortSignal
  /** Called each time the request goes out, with what cancels it then. False when it is cancelled already. */
  begins?(request: Cancellable): boolean
  /** Told to the client's own handlers as `context.owner` where there is no `question`. */
  readonly owner?: unknown
  /**
   * Answers a question in place of the client's own handlers, in the newest spelling. `owned` is false where the transport cannot tell which request the
   * question belongs to and this was the newest; `required` marks a URL that must have been visited first (`-32042`).
   */
  question?(asked: {
    readonly method: string
    readonly params: JsonObject
    readonly signal: AbortSignal
    readonly owned: boolean
    readonly required: boolean
    /** The server's own name for the question, on the revisions that have one. */
    readonly key: string | undefined
  }): Promise<JsonObject>
  /** A log message that came on the request's own stream. */
  log?(params: JsonObject): void
  /** The server let go of the connection and will be asked again after so long; the request goes on. */
  paused?(retryMs: number): void
}

/** A request that is on its way. */
export interface Cancellable {
  /** Idempotent; does nothing once there is an answer. */
  cancel(reason: unknown): void
}

/** What cancels a request, made where somebody has to hear of it. */
export function signalOf({ relay, signal }: { relay?: RequestRelay; signal?: AbortSignal }): AbortSignal | undefined {
  return relay?.begins === undefined ? signal : relay.signal
}

/** Whoever takes the questions of a request, and whether it is certain that the question is of that request. */
export interface Relayed {
  readonly relay: RequestRelay
  readonly key?: string
  readonly owned: boolean
}
