/** What of a call on its way through the gateway the client knows that makes it: where its questions and logs go. */

import type { RequestRelay } from '@portico/sdk/client'
import { METHOD_NOT_FOUND } from '@portico/sdk/internal'
import { type JsonObject, RpcError } from '@portico/sdk/server'

/** What cancels a request that is on its way. */
export type Cancellable = Parameters<NonNullable<RequestRelay['begins']>>[0]

/** The call behind it: see `RelayedCall`. */
interface CallBehind {
  readonly signal: AbortSignal
  /** Whether it cannot be said which of several calls a message is about. */
  readonly isAmbiguous: boolean
  readonly ctx: { pause(retryMs: number): void } | undefined
  begins(request: Cancellable): boolean
  question(method: string, params: JsonObject, signal?: AbortSignal, key?: string): Promise<JsonObject>
  log(params: JsonObject): void
}

export class CallRelay implements RequestRelay {
  readonly #call: CallBehind

  constructor(call: CallBehind) {
    this.#call = call
  }

  get signal(): AbortSignal {
    return this.#call.signal
  }

  begins(request: Cancellable): boolean {
    return this.#call.begins(request)
  }

  async question(asked: Parameters<NonNullable<RequestRelay['question']>>[0]): Promise<JsonObject> {
    const { method, params, signal, required, owned, key } = asked
    // A URL that must have been visited before the call can be made is asked for by `url-visits.ts`, once it has failed.
    if (required) return { action: 'cancel' }
    if (!owned && this.#call.isAmbiguous) throw new RpcError(METHOD_NOT_FOUND, 'It is not certain whose call this is')
    return this.#call.question(method, params, signal, key)
  }

  log(params: JsonObject): void {
    this.#call.log(params)
  }

  paused(retryMs: number): void {
    this.#call.ctx?.pause(retryMs)
  }
}
