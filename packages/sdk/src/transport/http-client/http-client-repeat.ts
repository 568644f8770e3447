/**
 * Sends again, on a connection of its own, what a lost connection cannot have delivered or what does no harm twice.
 * Every request of a client passes here, whoever makes it; nothing else repeats what had no answer.
 */

import { type PorticoError, withDoubt } from '../../jsonrpc/errors.ts'
import type { HttpAnswer, HttpCall, HttpDialer, HttpOutcome, HttpRequest } from './http-client.ts'

export function createRepeatingDialer(dialer: HttpDialer): HttpDialer {
  return {
    request(request, outcome) {
      const call = new RepeatingCall(dialer, request, outcome)
      call.start()
      return call
    },
    close: () => dialer.close(),
  }
}

class RepeatingCall implements HttpCall, HttpOutcome {
  readonly #dialer: HttpDialer
  readonly #request: HttpRequest
  readonly #outcome: HttpOutcome
  #call: HttpCall | undefined
  /** How the first attempt failed. */
  #lost: PorticoError | undefined

  constructor(dialer: HttpDialer, request: HttpRequest, outcome: HttpOutcome) {
    this.#dialer = dialer
    this.#request = request
    this.#outcome = outcome
  }

  start(): void {
    this.#call = this.#dialer.request(this.#request, this)
  }

  abort(): void {
    this.#call?.abort()
  }

  answered(answer: HttpAnswer): void {
    this.#outcome.answered(answer)
  }

  failed(error: PorticoError): void {
    if (this.#lost === undefined && mayRepeat(this.#request, error)) {
      this.#lost = error
      this.#call = this.#dialer.request({ ...this.#request, fresh: true }, this)
      return
    }
    // What the first attempt may have done is not undone by the failure of the second.
    this.#outcome.failed(this.#lost?.delivery === 'unknown' ? (withDoubt(error) as PorticoError) : error)
  }

  held(waiting: boolean): void {
    this.#outcome.held?.(waiting)
  }
}

function mayRepeat({ method, repeatable = method !== 'POST' }: HttpRequest, { code, delivery }: PorticoError): boolean {
  return code === 'closed' && (repeatable || delivery === 'not-sent')
}
