/** The client's HTTP on Node: node:http and node:https with agents that keep sockets alive. Loaded by `http-client-dialer.ts`. */

import { Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps, Agent as TlsAgent } from 'node:https'
import type { SecureContextOptions } from 'node:tls'
import { urlToHttpOptions } from 'node:url'
import type { TlsIdentity } from '../auth/tls-identity.ts'
import { PorticoError } from '../jsonrpc/errors.ts'
import type { BodySink, HttpAnswer, HttpCall, HttpDialer, HttpOutcome, HttpRequest } from './http-client.ts'

export function createNodeDialer(identity?: TlsIdentity): HttpDialer {
  // The newest idle socket is used first: the one least likely to have been closed by the other side meanwhile.
  const options = { keepAlive: true, scheduling: 'lifo', maxFreeSockets: 64 } as const
  const plain = new Agent(options)
  let secure: TlsAgent | undefined
  return {
    request(request, outcome) {
      const tls = request.url.protocol === 'https:'
      // Node's types want mutable arrays where it only reads.
      if (tls) secure ??= new TlsAgent({ ...options, ...(identity as SecureContextOptions | undefined) })
      try {
        return new NodeCall(request, outcome, tls ? secure! : plain)
      } catch (cause) {
        // A header that cannot be sent, from the caller or from a server's event id: node throws before it connects.
        const message = 'The request cannot be made'
        queueMicrotask(() =>
          outcome.failed(new PorticoError('connect-failed', message, { cause, delivery: 'not-sent' })),
        )
        return { abort() {} }
      }
    },
    close() {
      plain.destroy()
      secure?.destroy()
    },
  }
}

const ADDRESSES = new WeakMap<URL, ReturnType<typeof urlToHttpOptions>>()

/** A URL in the words of node:http, which would take it apart for every request. A link has one URL. */
function addressOf(url: URL): ReturnType<typeof urlToHttpOptions> {
  let address = ADDRESSES.get(url)
  if (address === undefined) {
    address = urlToHttpOptions(url)
    ADDRESSES.set(url, address)
  }
  return address
}

class NodeCall implements HttpCall, HttpAnswer {
  readonly #outcome: HttpOutcome
  readonly #request: ClientRequest
  #answer: IncomingMessage | undefined
  #body: BodySink | undefined
  #done = false

  constructor({ method, url, headers, body }: HttpRequest, outcome: HttpOutcome, agent: Agent) {
    this.#outcome = outcome
    const open = url.protocol === 'https:' ? requestHttps : requestHttp
    const all = body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) }
    this.#request = open({ ...addressOf(url), method, headers: all, agent })
    this.#request.on('response', (answer) => this.#answered(answer))
    this.#request.on('error', (error) => this.#failed(error))
    this.#request.end(body)
  }

  get status(): number {
    return this.#answer?.statusCode ?? 0
  }

  header(name: string): string | undefined {
    const value = this.#answer?.headers[name.toLowerCase()]
    return Array.isArray(value) ? value.join(', ') : value
  }

  read(body: BodySink): void {
    const answer = this.#answer
    if (answer === undefined || this.#done) return
    this.#body = body
    answer.on('data', (chunk: Uint8Array) => {
      if (!this.#done) body.data(chunk)
    })
    answer.on('end', () => this.#end(undefined))
    answer.on('error', (error) => this.#end(lost(error)))
    // A body that was cut short emits `close` without `end`. The error is made only then: its stack is what costs.
    answer.on('close', () => {
      if (!this.#done) this.#end(lost(undefined))
    })
  }

  abort(): void {
    if (this.#done) return
    this.#done = true
    this.#request.destroy()
  }

  #answered(answer: IncomingMessage): void {
    if (this.#done) return
    this.#answer = answer
    this.#outcome.answered(this)
  }

  #failed(error: NodeJS.ErrnoException): void {
    if (this.#done) return
    if (this.#body !== undefined) {
      this.#end(lost(error))
      return
    }
    this.#done = true
    this.#outcome.failed(toFailure(error))
  }

  #end(error: PorticoError | undefined): void {
    if (this.#done) return
    this.#done = true
    this.#body?.end(error)
  }
}

/** Errors that come before a connection stands: the request was certainly not seen. */
const UNCONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ENOENT',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

function toFailure(error: NodeJS.ErrnoException): PorticoError {
  const unconnected = error.syscall === 'connect' || UNCONNECTED.has(error.code ?? '')
  if (!unconnected) return lost(error)
  const message = `No connection: ${error.code ?? error.message}`
  return new PorticoError('connect-failed', message, { cause: error, delivery: 'not-sent' })
}

function lost(cause: Error | undefined): PorticoError {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code
  return new PorticoError('closed', `The connection was lost${code ? ` (${code})` : ''}`, {
    cause,
    delivery: 'unknown',
  })
}
