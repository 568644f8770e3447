/**
 * A `Channel` over a WebSocket that is open: one text frame per message, bounded both ways. Takes the `ws` package's
 * sockets, which can also pause, ping and say when a frame was written, and the web's, which cannot; who opens the
 * socket, and who may, is decided elsewhere (`serve/websocket/websocket.ts`).
 */

import { type JsonLimits, parseJson } from '../../framing/json.ts'
import { FRAMING_LIMITS } from '../../framing/limits.ts'
import type { Sending } from '../../framing/sending.ts'
import { utf8Length } from '../../framing/utf8.ts'
import type { Channel, ChannelEvents, Urgency } from '../../jsonrpc/channel.ts'
import { PorticoError } from '../../jsonrpc/errors.ts'
import { type SendLimits, SendQueue } from '../send-queue.ts'
import type { KeepAlive, Watched } from './websocket-keep-alive.ts'

/** The limits of a WebSocket unless others are given. */
export const WEBSOCKET_LIMITS = { maxFrameBytes: FRAMING_LIMITS.maxFrameBytes } as const

/**
 * The part of a WebSocket that is used. The runtime's own `WebSocket` has the members that are not optional, one of the
 * package `ws` has all.
 */
export interface WebSocketLike {
  readonly readyState: number
  readonly bufferedAmount: number
  send(text: string, done?: (error?: Error) => void): void
  close(code?: number, reason?: string): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  addEventListener(type: 'close', listener: (event: { readonly code: number }) => void): void
  addEventListener(type: 'error', listener: (event: object) => void): void
  on?(type: 'pong', listener: () => void): unknown
  ping?(): void
  pause?(): void
  resume?(): void
  terminate?(): void
}

/** The connection under a WebSocket, where it is at hand: saves system calls and shows signs of life sooner. */
interface RawSocket {
  cork(): void
  uncork(): void
  readonly bytesRead?: number
}

/** The most that is taken over a WebSocket, and kept for one. */
export interface WebSocketLimits extends JsonLimits, SendLimits {
  readonly maxFrameBytes?: number
}

/** The limits of a channel over WebSocket, and how it is kept alive. */
export interface WebSocketChannelOptions {
  readonly label?: string
  readonly limits?: WebSocketLimits
  /** Counts what waits for a peer that does not read. */
  readonly sending?: Sending
  readonly raw?: RawSocket
  /** Pings the peer, where the socket can. */
  readonly keepAlive?: KeepAlive
  /** What `close` tells the peer: 1000 unless given. */
  readonly closeCode?: number
  /** How long `close` waits for the peer to take what is queued and to answer: 5 s unless given. */
  readonly closeMs?: number
}

/**
 * Makes a channel of an open WebSocket, for `connect` or `serveChannel`.
 *
 * @example
 * ```ts
 * import { createWebSocketChannel } from '@portico/sdk/websocket'
 * import { connect } from '@portico/sdk/client'
 *
 * const socket = new WebSocket('wss://mcp.example.com/mcp', 'mcp')
 * await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }))
 * const client = await connect(createWebSocketChannel(socket))
 * ```
 */
export function createWebSocketChannel(socket: WebSocketLike, options: WebSocketChannelOptions = {}): Channel {
  return new WebSocketChannel(socket, options)
}

const UNSUPPORTED_DATA = 1003
const TOO_BIG = 1009
/** Ends that are nobody's fault: normal, going away, and a close frame without a code (RFC 6455, 7.4.1). */
const ORDERLY: ReadonlySet<number> = new Set([1000, 1001, 1005])

/** What may lie in the socket before the queue waits. */
const HIGH_WATER = 256 * 1024
const POLL_MS = 10
const CLOSE_MS = 5000

class WebSocketChannel implements Channel, Watched {
  readonly label: string
  readonly #socket: WebSocketLike
  readonly #options: WebSocketChannelOptions
  readonly #maxFrame: number
  readonly #queue: SendQueue
  readonly #gone: Promise<void>
  #resolveGone = (): void => {}
  #events: ChannelEvents | undefined
  /** What came before anybody listened; undefined from then on. */
  #early: string[] | undefined = []
  #earlySize = 0
  /** Writes that were begun and those that are done. */
  #begun = 0
  #written = 0
  #blocked = false
  #flushes: { readonly upTo: number; readonly resolve: () => void }[] = []
  #poll: ReturnType<typeof setTimeout> | undefined
  #heard = false
  #bytesRead = 0
  #unwatch: (() => void) | undefined
  #closing: Promise<void> | undefined
  #over: { readonly reason: Error | undefined } | undefined

  constructor(socket: WebSocketLike, options: WebSocketChannelOptions) {
    this.label = options.label ?? 'websocket'
    this.#socket = socket
    this.#options = options
    this.#maxFrame = options.limits?.maxFrameBytes ?? WEBSOCKET_LIMITS.maxFrameBytes
    this.#gone = new Promise((resolve) => {
      this.#resolveGone = resolve
    })
    this.#queue = new SendQueue({
      ...options.limits,
      sending: options.sending,
      write: (texts) => this.#write(texts),
      overflow: (error) => this.#drop(error),
    })
    socket.pause?.()
    socket.addEventListener('message', (event) => this.#received(event.data))
    socket.addEventListener('error', (event) => this.#finish(this.#toFault('error' in event ? event.error : event)))
    socket.addEventListener('close', (event) => this.#finish(this.#toReason(event.code)))
    socket.on?.('pong', () => {
      this.#heard = true
    })
  }

  open(events: ChannelEvents): void {
    this.#events = events
    this.#bytesRead = this.#options.raw?.bytesRead ?? 0
    if (this.#socket.ping !== undefined && !this.#over) this.#unwatch = this.#options.keepAlive?.watch(this)
    queueMicrotask(() => {
      const early = this.#early ?? []
      const over = this.#over
      this.#early = undefined
      for (const text of early) {
        // An end that comes of the delivery itself has been told.
        if (this.#over !== over) return
        this.#take(text)
      }
      if (over !== undefined) events.closed(over.reason)
      else this.#socket.resume?.()
    })
  }

  send(text: string, urgency?: Urgency, key?: string | number): void {
    if (this.#closing === undefined) this.#queue.push(text, urgency, key)
  }

  async flush(): Promise<void> {
    await this.#queue.flushed()
    const upTo = this.#begun
    if (this.#over !== undefined || this.#written >= upTo || this.#socket.bufferedAmount === 0) return
    await new Promise<void>((resolve) => {
      this.#flushes.push({ upTo, resolve })
      if (!this.#tellsWritten) this.#look()
    })
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut()
    return this.#closing
  }

  heard(): boolean {
    const bytesRead = this.#options.raw?.bytesRead ?? 0
    const heard = this.#heard || bytesRead !== this.#bytesRead
    this.#bytesRead = bytesRead
    this.#heard = false
    return heard
  }

  ping(): void {
    this.#socket.ping?.()
  }

  drop(): void {
    this.#drop(new PorticoError('closed', 'The WebSocket was dropped: no answer to a ping', { delivery: 'unknown' }))
  }

  async #shut(): Promise<void> {
    if (this.#over !== undefined) return
    const deadline = setTimeout(() => this.#drop(undefined), this.#options.closeMs ?? CLOSE_MS)
    // The peer's own close is behind whatever it has sent, so that must be read even if nobody wants it.
    if (this.#events === undefined) this.#socket.resume?.()
    await this.flush()
    if (this.#over === undefined) this.#closeSocket(this.#options.closeCode ?? 1000)
    await this.#gone
    clearTimeout(deadline)
  }

  #received(data: unknown): void {
    if (this.#over !== undefined) return
    this.#heard = true
    if (typeof data !== 'string') {
      this.#refuse(UNSUPPORTED_DATA, new PorticoError('invalid-message', 'A binary frame is no message'))
    } else if (this.#earlySize + data.length > this.#maxFrame || this.#isTooLong(data)) {
      this.#refuse(TOO_BIG, this.#tooBig())
    } else if (this.#early !== undefined) {
      this.#early.push(data)
      this.#earlySize += data.length
    } else {
      this.#take(data)
    }
  }

  /** Counts bytes only where the text is long enough for it to matter. */
  #isTooLong(text: string): boolean {
    return text.length * 3 > this.#maxFrame && utf8Length(text) > this.#maxFrame
  }

  #take(text: string): void {
    this.#earlySize = 0
    const parsed = parseJson(text, this.#options.limits)
    if (parsed.ok) this.#events?.message(parsed.value)
    else this.#events?.malformed({ ...parsed, excerpt: text.slice(0, 200) })
  }

  #write(texts: string[]): boolean {
    const { raw } = this.#options
    const last = texts.length - 1
    if (last > 0) raw?.cork()
    for (let at = 0; at < last; at++) this.#socket.send(texts[at] ?? '')
    this.#begun++
    this.#socket.send(texts[last] ?? '', this.#onWritten)
    if (last > 0) raw?.uncork()
    this.#blocked = this.#socket.bufferedAmount > HIGH_WATER
    if (this.#blocked && !this.#tellsWritten) this.#look()
    return !this.#blocked
  }

  /** The web's WebSocket takes no callback; having `on` is what tells the two apart. */
  get #tellsWritten(): boolean {
    return this.#socket.on !== undefined
  }

  readonly #onWritten = (): void => {
    this.#written++
    this.#settle()
  }

  readonly #look = (): void => {
    if (this.#over !== undefined) return
    if (this.#socket.bufferedAmount > 0) {
      clearTimeout(this.#poll)
      this.#poll = setTimeout(this.#look, POLL_MS)
      return
    }
    this.#written = this.#begun
    this.#settle()
  }

  #settle(): void {
    if (this.#over !== undefined) return
    if (this.#blocked && this.#written === this.#begun) {
      // What had filled all buffers on the way was taken by somebody.
      this.#blocked = false
      this.#heard = true
      this.#queue.drained()
    }
    while (this.#flushes[0] !== undefined && this.#flushes[0].upTo <= this.#written) this.#flushes.shift()?.resolve()
  }

  /** Says why to the peer and is done with it; the socket ends the closing handshake by itself. */
  #refuse(code: number, reason: PorticoError): void {
    this.#closeSocket(code)
    this.#finish(reason)
  }

  #drop(reason: Error | undefined): void {
    if (this.#over !== undefined) return
    if (this.#socket.terminate === undefined) this.#closeSocket(1000)
    else this.#socket.terminate()
    this.#finish(reason)
  }

  #closeSocket(code: number): void {
    try {
      this.#socket.close(code)
    } catch {
      // The web lets programs use 1000 and the private range only.
      this.#socket.close(3000 + code)
    }
  }

  #toFault(error: unknown): PorticoError {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') return this.#tooBig()
    const shown = typeof code === 'string' ? ` (${code})` : ''
    return new PorticoError('closed', `The WebSocket failed${shown}`, { cause: error, delivery: 'unknown' })
  }

  #toReason(code: number): PorticoError | undefined {
    if (this.#closing !== undefined || ORDERLY.has(code)) return undefined
    return new PorticoError('closed', `The WebSocket was closed (${code})`, { delivery: 'unknown' })
  }

  #tooBig(): PorticoError {
    return new PorticoError('limit-exceeded', `maxFrameBytes (${this.#maxFrame}) exceeded`)
  }

  #finish(reason: Error | undefined): void {
    if (this.#over !== undefined) return
    this.#over = { reason }
    this.#unwatch?.()
    clearTimeout(this.#poll)
    this.#queue.close()
    for (const { resolve } of this.#flushes.splice(0)) resolve()
    if (this.#early === undefined) this.#events?.closed(reason)
    this.#resolveGone()
  }
}
