/**
 * Opens the WebSocket of a client, subprotocol `mcp`, and hands it to `websocket-channel.ts`. Uses a constructor of the
 * caller's, the `ws` package where it is installed, or the runtime's own `WebSocket`; the first two can ping, so that a
 * server that is gone without a word is noticed.
 */

import type { TlsIdentity } from '../../auth/tls-identity.ts'
import type { Channel } from '../../jsonrpc/channel.ts'
import { PorticoError } from '../../jsonrpc/errors.ts'
import {
  createWebSocketChannel,
  WEBSOCKET_LIMITS,
  type WebSocketLike,
  type WebSocketLimits,
} from './websocket-channel.ts'
import { KeepAlive, type KeepAliveOptions } from './websocket-keep-alive.ts'
import { answerPings, type PingedSocket } from './websocket-pongs.ts'

/** A socket that is not open yet. */
interface OpeningWebSocket extends WebSocketLike {
  addEventListener: WebSocketLike['addEventListener'] & ((type: 'open', listener: () => void) => void)
}

export type WebSocketConstructor = new (url: string, protocols: string[]) => OpeningWebSocket

type Headers = { readonly [name: string]: string }

/** What a server says that answers HTTP instead of opening the connection. */
export interface RefusedUpgrade {
  readonly status: number
  header(name: string): string | undefined
}

interface WebSocketClientOptions {
  readonly url: URL
  readonly webSocket?: WebSocketConstructor
  readonly keepAlive?: KeepAliveOptions
  readonly limits?: WebSocketLimits
  readonly signal?: AbortSignal
  /** The headers of the request that opens the connection, asked for anew each time that it is sent. */
  readonly headers?: () => Headers | Promise<Headers>
  readonly tls?: TlsIdentity
  /** Told of a refusal. Resolves when the request may be sent again, and rejects with what the caller is to be told. */
  readonly refused?: (answer: RefusedUpgrade) => Promise<void>
}

export async function openWebSocketChannel(options: WebSocketClientOptions): Promise<Channel> {
  const { url, signal } = options
  const label = `${url.protocol}//${url.host}${url.pathname}`
  const open = await findOpener(options)
  let protocols = ['mcp']
  for (;;) {
    const outcome = await attempt(open(protocols, (await options.headers?.()) ?? {}), label, options)
    if (!(outcome instanceof Failure)) return outcome
    const { answer, cause } = outcome
    if (answer !== undefined && options.refused !== undefined && !signal?.aborted) await options.refused(answer)
    // Early documents know no subprotocol; a client that asked for one must not go on with a server that chose none.
    else if (protocols.length > 0 && mayLackSubprotocol(outcome) && !signal?.aborted) protocols = []
    else {
      const detail = answer === undefined ? '' : `: HTTP ${answer.status}`
      const message = `No WebSocket connection to ${label}${detail}`
      throw new PorticoError('connect-failed', message, { cause: signal?.reason ?? cause, delivery: 'not-sent' })
    }
  }
}

/** Why a socket did not open. */
class Failure {
  readonly cause: unknown
  readonly answer: RefusedUpgrade | undefined

  constructor(cause: unknown, answer?: RefusedUpgrade) {
    this.cause = cause
    this.answer = answer
  }
}

/** The web's sockets do not say why they failed; those of `ws` give a code to whatever is no fault of the handshake. */
function mayLackSubprotocol({ cause, answer }: Failure): boolean {
  return answer === undefined && !(cause instanceof Error && 'code' in cause)
}

function attempt(socket: OpeningWebSocket, label: string, options: WebSocketClientOptions): Promise<Channel | Failure> {
  const { signal, limits } = options
  const keepAlive = options.keepAlive === undefined ? KEEP_ALIVE : new KeepAlive(options.keepAlive)
  const aborted = () => socket.close()
  return new Promise<Channel | Failure>((resolve) => {
    // Made while `open` is told: a message may be right behind it.
    socket.addEventListener('open', () =>
      resolve(createWebSocketChannel(socket, { label, keepAlive, limits, closeMs: CLOSE_MS })),
    )
    socket.addEventListener('error', (event) => resolve(new Failure('error' in event ? event.error : undefined)))
    socket.addEventListener('close', () => resolve(new Failure(signal?.reason)))
    const { on } = socket as { on?: (type: string, listener: (request: unknown, response: Response) => void) => void }
    on?.call(socket, 'unexpected-response', (_request, response) => {
      resolve(new Failure(undefined, toRefusal(response)))
      socket.terminate?.()
    })
    if (signal?.aborted) aborted()
    signal?.addEventListener('abort', aborted, { once: true })
  }).finally(() => signal?.removeEventListener('abort', aborted))
}

/** The head of an answer as `ws` hands it over. */
interface Response {
  readonly statusCode?: number
  readonly headers: { readonly [name: string]: string | string[] | undefined }
}

function toRefusal({ statusCode = 0, headers }: Response): RefusedUpgrade {
  return {
    status: statusCode,
    header: (name) => {
      const value = headers[name.toLowerCase()]
      return Array.isArray(value) ? value.join(', ') : value
    },
  }
}

/** One timer for all connections that say nothing else. */
const KEEP_ALIVE = new KeepAlive()
const CLOSE_MS = 2_000

type Opener = (protocols: string[], headers: Headers) => OpeningWebSocket

/** The `ws` package takes options beyond the web's. */
type WsConstructor = new (url: string, protocols: string[], options: object) => OpeningWebSocket & PingedSocket

async function findOpener(options: WebSocketClientOptions): Promise<Opener> {
  const { url, webSocket, tls, limits } = options
  if (webSocket !== undefined) return plainOpener(options, webSocket, 'The WebSocket given as `webSocket`')
  const { WebSocket: known, process } = globalThis as {
    WebSocket?: WebSocketConstructor
    process?: { versions?: { node?: string } }
  }
  const own = "This runtime's own WebSocket"
  if (known !== undefined && process?.versions?.node === undefined) return plainOpener(options, known, own)
  try {
    // Named at run time, so that bundlers do not look for a package that most users do not have.
    const name = 'ws'
    const { WebSocket } = (await import(name)) as { WebSocket: WsConstructor }
    const maxPayload = limits?.maxFrameBytes ?? WEBSOCKET_LIMITS.maxFrameBytes
    return (protocols, headers) => {
      const socket = new WebSocket(url.href, protocols, { maxPayload, headers, autoPong: false, ...tls })
      answerPings(socket)
      return socket
    }
  } catch (cause) {
    if (known !== undefined) return plainOpener(options, known, own)
    throw unusable('This runtime has no WebSocket: install the package "ws" or pass `webSocket`', cause)
  }
}

/** The web's sockets can say nothing of who opens them; to leave it out would be to connect as somebody else. */
function plainOpener(
  { url, headers, tls }: WebSocketClientOptions,
  WebSocket: WebSocketConstructor,
  what: string,
): Opener {
  if (tls !== undefined) throw unusable(`${what} takes no client certificate: \`tls\` needs Node and the package "ws"`)
  if (headers !== undefined) {
    throw unusable(`${what} sends no headers: \`headers\` and \`auth\` need Node and the package "ws"`)
  }
  return (protocols) => new WebSocket(url.href, protocols)
}

function unusable(message: string, cause?: unknown): PorticoError {
  return new PorticoError('connect-failed', message, { cause, delivery: 'not-sent' })
}
