/**
 * Opens the WebSocket of a client, subprotocol `mcp`, and hands it to `websocket-channel.ts`. Uses a constructor of the
 * caller's, the `ws` package where it is installed, or the runtime's own `WebSocket`; the first two can ping, so that a
 * server that is gone without a word is noticed.
 */

import type { Channel } from '../jsonrpc/channel.ts'
import { PorticoError } from '../jsonrpc/errors.ts'
import {
  createWebSocketChannel,
  WEBSOCKET_LIMITS,
  type WebSocketLike,
  type WebSocketLimits,
} from './websocket-channel.ts'
import { KeepAlive, type KeepAliveOptions } from './websocket-keep-alive.ts'

/** A socket that is not open yet. */
export interface OpeningWebSocket extends WebSocketLike {
  addEventListener: WebSocketLike['addEventListener'] & ((type: 'open', listener: () => void) => void)
}

export type WebSocketConstructor = new (url: string, protocols: string[]) => OpeningWebSocket

export interface WebSocketClientOptions {
  readonly url: URL
  readonly webSocket?: WebSocketConstructor
  readonly keepAlive?: KeepAliveOptions
  readonly limits?: WebSocketLimits
  readonly signal?: AbortSignal
}

export async function openWebSocketChannel(options: WebSocketClientOptions): Promise<Channel> {
  const { url, signal, limits } = options
  const WebSocket = options.webSocket ?? (await findConstructor(limits?.maxFrameBytes))
  const label = `${url.protocol}//${url.host}${url.pathname}`
  const keepAlive = options.keepAlive === undefined ? KEEP_ALIVE : new KeepAlive(options.keepAlive)
  const socket = new WebSocket(url.href, ['mcp'])
  const aborted = () => socket.close()
  try {
    return await new Promise((resolve, reject) => {
      const failed = (cause: unknown) => {
        const message = `No WebSocket connection to ${label}`
        reject(new PorticoError('connect-failed', message, { cause, delivery: 'not-sent' }))
      }
      // Made while `open` is told: a message may be right behind it.
      socket.addEventListener('open', () =>
        resolve(createWebSocketChannel(socket, { label, keepAlive, limits, closeMs: CLOSE_MS })),
      )
      socket.addEventListener('error', (event) => failed('error' in event ? event.error : undefined))
      socket.addEventListener('close', () => failed(signal?.reason))
      if (signal?.aborted) aborted()
      signal?.addEventListener('abort', aborted, { once: true })
    })
  } finally {
    signal?.removeEventListener('abort', aborted)
  }
}

/** One timer for all connections that say nothing else. */
const KEEP_ALIVE = new KeepAlive()
const CLOSE_MS = 2_000

/** The `ws` package takes options beyond the web's. */
type WsConstructor = new (url: string, protocols: string[], options: { maxPayload: number }) => OpeningWebSocket

async function findConstructor(maxPayload: number = WEBSOCKET_LIMITS.maxFrameBytes): Promise<WebSocketConstructor> {
  const { WebSocket: known, process } = globalThis as {
    WebSocket?: WebSocketConstructor
    process?: { versions?: { node?: string } }
  }
  if (known !== undefined && process?.versions?.node === undefined) return known
  try {
    // Named at run time, so that bundlers do not look for a package that most users do not have.
    const name = 'ws'
    const { WebSocket } = (await import(name)) as { WebSocket: WsConstructor }
    return class extends WebSocket {
      constructor(url: string, protocols: string[]) {
        super(url, protocols, { maxPayload })
      }
    }
  } catch (cause) {
    if (known !== undefined) return known
    const message = 'This runtime has no WebSocket: install the package "ws" or pass `webSocket`'
    throw new PorticoError('connect-failed', message, { cause, delivery: 'not-sent' })
  }
}
