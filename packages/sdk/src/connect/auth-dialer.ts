/**
 * A dialer that authorizes what it sends: puts tokens on requests, answers challenges, and sends again what was refused
 * for want of a token. Links, listeners and the older event stream use it like any other and notice nothing.
 */

import { type AnswerHead, type AuthHeaders, type Authorizer, MAX_RETRIES } from '../auth/client/authorization.ts'
import { PorticoError } from '../jsonrpc/errors.ts'
import {
  discard,
  type HttpAnswer,
  type HttpCall,
  type HttpDialer,
  type HttpOutcome,
  type HttpRequest,
} from '../transport/http-client/http-client.ts'

export function createAuthorizedDialer(dialer: HttpDialer, authorizer: Authorizer): HttpDialer {
  return {
    request(request, outcome) {
      const call = new AuthorizedCall(dialer, authorizer, request, outcome)
      call.start()
      return call
    },
    close: () => dialer.close(),
  }
}

class AuthorizedCall implements HttpCall, HttpOutcome {
  readonly #dialer: HttpDialer
  readonly #authorizer: Authorizer
  readonly #request: HttpRequest
  readonly #outcome: HttpOutcome
  #call: HttpCall | undefined
  #sent: AuthHeaders = {}
  #retries = 0
  #aborted = false
  /** Made when a challenge is to be answered. */
  #waiting: AbortController | undefined

  constructor(dialer: HttpDialer, authorizer: Authorizer, request: HttpRequest, outcome: HttpOutcome) {
    this.#dialer = dialer
    this.#authorizer = authorizer
    this.#request = request
    this.#outcome = outcome
  }

  start(): void {
    const headers = this.#authorizer.headers(this.#request)
    if (!(headers instanceof Promise)) {
      this.#send(headers)
      return
    }
    headers.then(
      (sent) => this.#send(sent),
      (error) => this.#fail(error),
    )
  }

  abort(): void {
    this.#aborted = true
    this.#waiting?.abort()
    this.#call?.abort()
  }

  answered(answer: HttpAnswer): void {
    if (this.#authorizer.note(answer, this.#sent) && this.#retries < MAX_RETRIES) void this.#consider(answer)
    else this.#outcome.answered(answer)
  }

  failed(error: PorticoError): void {
    this.#outcome.failed(error)
  }

  #send(sent: AuthHeaders): void {
    if (this.#aborted) return
    this.#sent = sent
    this.#call = this.#dialer.request(withAuth(this.#request, sent), this)
  }

  async #consider(answer: HttpAnswer): Promise<void> {
    let next: 'retry' | 'fail'
    this.#waiting = new AbortController()
    if (this.#authorizer.interactive) this.#outcome.held?.(true)
    try {
      next = await this.#authorizer.challenge(answer satisfies AnswerHead, this.#sent, this.#waiting.signal)
    } catch (error) {
      this.#call?.abort()
      this.#fail(error)
      return
    }
    if (this.#aborted) return
    if (this.#authorizer.interactive) this.#outcome.held?.(false)
    if (next === 'fail') {
      this.#outcome.answered(answer)
      return
    }
    this.#retries++
    discard(answer, this.#call!)
    this.start()
  }

  #fail(error: unknown): void {
    if (this.#aborted) return
    const failure = error instanceof PorticoError ? error : undefined
    const message = 'The request could not be authorized'
    this.#outcome.failed(failure ?? new PorticoError('auth-failed', message, { cause: error, delivery: 'not-sent' }))
  }
}

/** The request with the headers that authorize it, in place of its own of those names. */
function withAuth(request: HttpRequest, sent: AuthHeaders): HttpRequest {
  for (const _ in sent) {
    const own = Object.entries(request.headers).filter(([name]) => !Object.hasOwn(sent, name.toLowerCase()))
    return { ...request, headers: { ...Object.fromEntries(own), ...sent } }
  }
  return request
}
