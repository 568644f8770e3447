/** The client's HTTP on Node: node:http and node:https with agents that keep sockets alive. Loaded by `http-client-dialer.ts`. */

import { Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps, Agent as TlsAgent } from 'node:https'
import type { SecureContextOptions } from 'node:tls'
import { urlToHttpOptions } from 'node:url'
import type { TlsIdentity } from '../../auth/tls-identity.ts'
import { PorticoError } from '../../jsonrpc/errors.ts'
import type { BodySink, HttpAnswer, HttpCall, HttpDialer, HttpOutcome, HttpRequest } from './http-client.ts'
import { KeptSockets, type Waiting } from './http-client-sockets.ts'

export function createNodeDialer(identity?: TlsIdentity): HttpDialer {
  // The newest idle socket is used first: the one least likely to have been closed by the other side meanwhile.
  const options = { keepAlive: true, scheduling: 'lifo', maxFreeSockets: 64 } as const
  // Node's types want mutable arrays where it only reads.
  const tls = identity as SecureContextOptions | undefined
  let plain: Connections | undefined
  let secure: Connections | undefined
  return {
    request(request, outcome) {
      if (request.url.protocol === 'https:') secure ??= connections(new TlsAgent({ ...options, ...tls }), tls)
      else plain ??= connections(new Agent(options), undefined)
      const call = new NodeCall(request, outcome, request.url.protocol === 'https:' ? secure! : plain!)
      call.start()
      return call
    },
    close() {
      plain?.agent.destroy()
      secure?.agent.destroy()
    },
  }
}

/** The sockets of a client, and how it makes one that is not kept. */
interface Connections {
  readonly agent: Agent
  readonly kept: KeptSockets
  readonly tls: SecureContextOptions | undefined
}

function connections(agent: Agent, tls: SecureContextOptions | undefined): Connections {
  return { agent, kept: new KeptSockets(agent), tls }
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

class NodeCall implements HttpCall, HttpAnswer, Waiting {
  turn = 0
  readonly #outcome: HttpOutcome
  readonly #connections: Connections
  readonly #asked: HttpRequest
  #request: ClientRequest | undefined
  #answer: IncomingMessage | undefined
  #body: BodySink | undefined
  #done = false

  constructor(asked: HttpRequest, outcome: HttpOutcome, connections: Connections) {
    this.#asked = asked
    this.#outcome = outcome
    this.#connections = connections
  }

  start(): void {
    if (this.#asked.fresh) this.send()
    else this.#connections.kept.whenFit(this)
  }

  send(): void {
    if (this.#done) return
    const { method, url, headers, body, fresh } = this.#asked
    const { agent, tls } = this.#connections
    const open = url.protocol === 'https:' ? requestHttps : requestHttp
    const all = body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) }
    const address = addressOf(url)
    try {
      const request = open(
        fresh
          ? { ...tls, ...address, method, headers: all, agent: false }
          : { ...address, method, headers: all, agent },
      )
      this.#request = request
      request.on('response', (answer) => this.#answered(answer))
      request.on('error', (error) => this.#failed(error))
      // An answer that is none, such as 101, closes the connection and says nothing else.
      request.on('close', () => {
        if (this.#answer === undefined && !this.#done) this.#settle(lost(undefined))
      })
      request.end(body)
    } catch (cause) {
      // A header that cannot be sent, from the caller or from a server's event id: node throws before it connects.
      const error = new PorticoError('connect-failed', 'The request cannot be made', { cause, delivery: 'not-sent' })
      queueMicrotask(() => this.#settle(error))
    }
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
    this.#request?.destroy()
  }

  #answered(answer: IncomingMessage): void {
    if (this.#done) return
    this.#answer = answer
    this.#connections.kept.answered(answer.socket, answer.headers['keep-alive'] as string | undefined)
    this.#outcome.answered(this)
  }

  #failed(error: NodeJS.ErrnoException): void {
    if (this.#done) return
    if (this.#body !== undefined) {
      this.#end(lost(error))
      return
    }
    this.#settle(toFailure(error, this.#wasUnsent(error), this.#asked.url))
  }

  #settle(error: PorticoError): void {
    if (this.#done) return
    this.#done = true
    this.#outcome.failed(error)
  }

  /** Whether the server cannot have had the whole request: a write that fails has not handed all of it on. */
  #wasUnsent({ syscall }: NodeJS.ErrnoException): boolean {
    const request = this.#request
    return syscall === 'write' || request === undefined || this.#connections.kept.wroteNothing(request)
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

function toFailure(error: NodeJS.ErrnoException, unsent: boolean, { host }: URL): PorticoError {
  const unconnected = error.syscall === 'connect' || UNCONNECTED.has(error.code ?? '') || error.message === NOT_SECURED
  if (!unconnected) return lost(error, unsent)
  const message = `No connection to ${host}: ${error.code ?? error.message}`
  return new PorticoError('connect-failed', message, { cause: error, delivery: 'not-sent' })
}

/** A connection that ended during the TLS handshake has no code of its own. */
const NOT_SECURED = 'Client network socket disconnected before secure TLS connection was established'

function lost(cause: Error | undefined, unsent = false): PorticoError {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code
  return new PorticoError('closed', `The connection was lost${code ? ` (${code})` : ''}`, {
    cause,
    delivery: unsent ? 'not-sent' : 'unknown',
  })
}
