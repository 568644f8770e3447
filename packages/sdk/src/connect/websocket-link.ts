/** A link over a WebSocket: what the options say of headers, TLS and signing in goes into the request that opens it. */

import { type AuthHeaders, MAX_RETRIES } from '../auth/client/authorization.ts'
import { openWebSocketChannel, type RefusedUpgrade } from '../transport/websocket/websocket-client.ts'
import { answerLimits } from './answer-limits.ts'
import { authorizerOf, withAuthorizer } from './auth.ts'
import { ChannelLink } from './channel-link.ts'
import type { OpenLink } from './connectors.ts'
import { statusError } from './http-answer.ts'
import type { ConnectOptions } from './options.ts'

export function createWebSocketOpener(url: URL, given: ConnectOptions): OpenLink {
  // The upgrade is an HTTP request: whoever protects it speaks of it by that address.
  const address = new URL(url.href.replace(/^ws/i, 'http'))
  // Once for all connections, so that each finds the tokens of the one before.
  const options = withAuthorizer(given, address)
  const { webSocket, keepAlive, tls } = options
  return async (signal) => {
    const upgrade = new Upgrade(address, options, signal)
    const limits = answerLimits(options)
    const headers = options.auth !== undefined || hasHeaders(options) ? () => upgrade.headers() : undefined
    const refused = (answer: RefusedUpgrade) => upgrade.refused(answer)
    return new ChannelLink(
      await openWebSocketChannel({ url, webSocket, keepAlive, tls, limits, signal, headers, refused }),
    )
  }
}

export function hasHeaders({ headers }: ConnectOptions): boolean {
  return headers !== undefined && (typeof headers === 'function' || Object.keys(headers).length > 0)
}

/** The request that opens one connection, as often as it is sent. */
class Upgrade {
  readonly #address: URL
  readonly #options: ConnectOptions
  readonly #signal: AbortSignal
  #sent: AuthHeaders = {}
  #retries = 0

  constructor(address: URL, options: ConnectOptions, signal: AbortSignal) {
    this.#address = address
    this.#options = options
    this.#signal = signal
  }

  async headers(): Promise<AuthHeaders> {
    const { headers: source } = this.#options
    const own = (typeof source === 'function' ? await source() : source) ?? {}
    this.#sent = (await authorizerOf(this.#options)?.headers({ method: 'GET', url: this.#address })) ?? {}
    const kept = Object.entries(own).filter(([name]) => !Object.hasOwn(this.#sent, name.toLowerCase()))
    return { ...Object.fromEntries(kept), ...this.#sent }
  }

  /** Resolves when the request may be sent once more. */
  async refused(answer: RefusedUpgrade): Promise<void> {
    if (this.#retries++ < MAX_RETRIES && (await this.#remedied(answer))) return
    throw statusError(answer, false, this.#address)
  }

  async #remedied(answer: RefusedUpgrade): Promise<boolean> {
    const authorizer = authorizerOf(this.#options)
    if (authorizer?.note(answer, this.#sent)) {
      return (await authorizer.challenge(answer, this.#sent, this.#signal)) === 'retry'
    }
    const { status } = answer
    if (this.#retries > 1 || (status !== 401 && status !== 403)) return false
    return (await this.#options.onRefused?.({ status, challenge: answer.header('www-authenticate') })) === true
  }
}
