/**
 * A `Channel` over a WebSocket that this side opens: one text frame per message, subprotocol `mcp`. Uses the runtime's
 * `WebSocket`, a constructor of the caller's, or the `ws` package where it is installed.
 */

import { parseJson } from '../framing/json.ts'
import { FRAMING_LIMITS } from '../framing/limits.ts'
import type { Channel, ChannelEvents } from '../jsonrpc/channel.ts'
import { PorticoError } from '../jsonrpc/errors.ts'

/** The part of the web's `WebSocket` that is used. */
export interface WebSocketLike {
  readonly readyState: number
  readonly bufferedAmount: number
  binaryType: string
  send(text: string): void
  close(code?: number, reason?: string): void
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: never) => void): void
}

export type WebSocketConstructor = new (url: string, protocols: string[]) => WebSocketLike

export interface WebSocketChannelOptions {
  readonly url: URL
  readonly webSocket?: WebSocketConstructor
  readonly signal?: AbortSignal
}

export async function openWebSocketChannel({ url, webSocket, signal }: WebSocketChannelOptions): Promise<Channel> {
  const WebSocket = webSocket ?? (await findConstructor())
  const socket = new WebSocket(url.href, ['mcp'])
  const channel = new WebSocketChannel(socket, `${url.protocol}//${url.host}${url.pathname}`)
  const aborted = () => channel.abort(signal?.reason)
  if (signal?.aborted) aborted()
  signal?.addEventListener('abort', aborted, { once: true })
  try {
    await channel.opened
    return channel
  } finally {
    signal?.removeEventListener('abort', aborted)
  }
}

class WebSocketChannel implements Channel {
  readonly label: string
  readonly opened: Promise<void>
  readonly #socket: WebSocketLike
  readonly #gone: Promise<void>
  #resolveGone = (): void => {}
  #rejectOpen: (error: PorticoError) => void = () => {}
  #events: ChannelEvents | undefined
  #early: string[] = []
  #over: { readonly reason: PorticoError | undefined } | undefined
  #closing = false
  #open = false

  constructor(socket: WebSocketLike, label: string) {
    this.#socket = socket
    this.label = label
    this.#gone = new Promise((resolve) => {
      this.#resolveGone = resolve
    })
    this.opened = new Promise((resolve, reject) => {
      this.#rejectOpen = reject
      socket.addEventListener('open', () => {
        this.#open = true
        resolve()
      })
    })
    socket.binaryType = 'arraybuffer'
    socket.addEventListener('message', (event: { data: unknown }) => this.#received(event.data))
    socket.addEventListener('error', () => this.#end(this.#lost()))
    socket.addEventListener('close', () => this.#end(this.#closing ? undefined : this.#lost()))
  }

  open(events: ChannelEvents): void {
    this.#events = events
    for (const text of this.#early.splice(0)) this.#take(text)
    if (this.#over !== undefined) events.closed(this.#over.reason)
  }

  send(text: string): void {
    if (this.#over !== undefined || this.#closing) return
    if (this.#socket.bufferedAmount > MAX_BUFFERED) {
      this.abort(
        new PorticoError('limit-exceeded', `maxQueueBytes (${MAX_BUFFERED}) exceeded`, { delivery: 'unknown' }),
      )
      return
    }
    this.#socket.send(text)
  }

  async flush(): Promise<void> {
    const deadline = Date.now() + CLOSE_MS
    while (this.#over === undefined && this.#socket.bufferedAmount > 0 && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  /** The closing handshake comes after all queued frames; a peer that does not answer it is given up on. */
  async close(): Promise<void> {
    if (this.#over !== undefined) return
    this.#closing = true
    this.#socket.close(1000)
    const timer = setTimeout(() => this.#end(undefined), CLOSE_MS)
    await this.#gone
    clearTimeout(timer)
  }

  abort(reason: unknown): void {
    const error = reason instanceof PorticoError ? reason : this.#lost()
    this.#end(error)
    this.#socket.close()
  }

  #received(data: unknown): void {
    if (this.#over !== undefined) return
    if (typeof data !== 'string') {
      this.#events?.malformed({ kind: 'parse', reason: 'a binary frame is no message' })
    } else if (data.length > FRAMING_LIMITS.maxEventBytes) {
      this.#events?.malformed({ kind: 'limit', reason: `maxEventBytes (${FRAMING_LIMITS.maxEventBytes}) exceeded` })
    } else if (this.#events === undefined) {
      this.#early.push(data)
    } else {
      this.#take(data)
    }
  }

  #take(text: string): void {
    const parsed = parseJson(text)
    if (parsed.ok) this.#events?.message(parsed.value)
    else this.#events?.malformed({ kind: parsed.kind, reason: parsed.reason })
  }

  #lost(): PorticoError {
    if (this.#open) return new PorticoError('closed', 'The WebSocket was closed', { delivery: 'unknown' })
    return new PorticoError('connect-failed', `No WebSocket connection to ${this.label}`, { delivery: 'not-sent' })
  }

  #end(reason: PorticoError | undefined): void {
    if (this.#over !== undefined) return
    this.#over = { reason }
    this.#rejectOpen(reason ?? this.#lost())
    this.#resolveGone()
    this.#events?.closed(reason)
  }
}

const MAX_BUFFERED = 64 * 1024 * 1024
const CLOSE_MS = 2_000

/** The `ws` package takes options beyond the web's. */
type WsConstructor = new (url: string, protocols: string[], options: { maxPayload: number }) => WebSocketLike

async function findConstructor(): Promise<WebSocketConstructor> {
  const known = (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket
  if (known !== undefined) return known
  try {
    // Named at run time, so that bundlers do not look for a package that most users do not have.
    const name = 'ws'
    const { WebSocket } = (await import(name)) as { WebSocket: WsConstructor }
    return class extends WebSocket {
      constructor(url: string, protocols: string[]) {
        super(url, protocols, { maxPayload: FRAMING_LIMITS.maxEventBytes })
      }
    }
  } catch (cause) {
    const message = 'This runtime has no WebSocket: install the package "ws" or pass `webSocket`'
    throw new PorticoError('connect-failed', message, { cause, delivery: 'not-sent' })
  }
}
