/** How work is cancelled that others wait for: what it has on its way is told, and a signal fires where somebody wants one. */

import { PorticoError } from '@portico/sdk/server'
import type { Cancellable } from './call-relay.ts'

export class CancellableCall {
  /** Made when something has to wait for it: most calls are over before anybody asks. */
  #controller: AbortController | undefined
  #cancelled: PorticoError | undefined
  /** What is on its way to the server. */
  #request: Cancellable | undefined

  /** Fires when the call is cancelled: the server is to be told. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#cancelled !== undefined) this.#controller.abort(this.#cancelled)
    }
    return this.#controller.signal
  }

  get cancelled(): boolean {
    return this.#cancelled !== undefined
  }

  cancel(reason: string): void {
    if (this.#cancelled !== undefined) return
    this.#cancelled = new PorticoError('aborted', reason)
    this.#controller?.abort(this.#cancelled)
    this.#request?.cancel(this.#cancelled)
  }

  /** Takes what cancels the request that goes out now. False when there is none to be sent any more. */
  begins(request: Cancellable): boolean {
    this.#request = request
    return this.#cancelled === undefined
  }
}
