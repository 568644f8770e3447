/** Socket mode: Slack's events over a WebSocket that this side opens, and opens again whenever it ends. */

import { isObject } from '@portico/sdk/internal'
import { WebSocket } from 'ws'
import type { SlackApi } from './slack-api.ts'

/** What an envelope is answered with; nothing is a plain acknowledgement. */
type Receive = (type: string, payload: { readonly [name: string]: unknown }) => Promise<object | undefined>

interface SlackSocketOptions {
  /** With the token of the app, not of the bot. */
  readonly api: SlackApi
  readonly receive: Receive
  readonly warn: (error: unknown) => void
}

const MAX_BYTES = 1_000_000
const PING_MS = 15_000
const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 30_000

export class SlackSocket {
  readonly #options: SlackSocketOptions
  #socket: WebSocket | undefined
  #retry: NodeJS.Timeout | undefined
  #waitMs = FIRST_WAIT_MS
  #closed = false

  constructor(options: SlackSocketOptions) {
    this.#options = options
  }

  /** Rejects when the first connection cannot be made. */
  async start(): Promise<void> {
    await this.#connect()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#retry)
    this.#socket?.close()
    this.#socket?.terminate()
  }

  async #connect(): Promise<void> {
    const { api } = this.#options
    const { url } = await api.call('apps.connections.open', {})
    if (typeof url !== 'string') throw new Error('Slack gave no address for socket mode')
    api.requireSlack(url)
    const socket = new WebSocket(url, { maxPayload: MAX_BYTES, handshakeTimeout: 20_000 })
    const before = this.#socket
    this.#socket = socket
    try {
      await new Promise<void>((resolve, reject) => {
        socket.once('open', () => resolve())
        socket.once('error', reject)
      })
    } catch (error) {
      this.#socket = before
      throw error
    }
    if (this.#closed) return socket.terminate()
    this.#waitMs = FIRST_WAIT_MS
    this.#keepAlive(socket)
    socket.on('message', (data) => void this.#take(socket, String(data)))
    socket.on('error', (error) => this.#options.warn(error))
    socket.once('close', () => this.#socket === socket && this.#again())
  }

  /** A connection that gives no sign of life is ended: what it would have brought comes on the next one. */
  #keepAlive(socket: WebSocket): void {
    let alive = true
    socket.on('pong', () => {
      alive = true
    })
    const timer = setInterval(() => {
      if (!alive) return socket.terminate()
      alive = false
      socket.ping()
    }, PING_MS)
    timer.unref()
    socket.once('close', () => clearInterval(timer))
  }

  async #take(socket: WebSocket, text: string): Promise<void> {
    const { receive, warn } = this.#options
    try {
      const message: unknown = JSON.parse(text)
      if (!isObject(message)) return
      const { envelope_id: id, type, payload } = message
      if (type === 'disconnect') return await this.#replace(socket)
      if (typeof id !== 'string' || typeof type !== 'string') return
      const answer = await receive(type, isObject(payload) ? payload : {})
      socket.send(JSON.stringify({ envelope_id: id, ...(answer !== undefined && { payload: answer }) }))
    } catch (error) {
      // Without an acknowledgement Slack sends it again.
      warn(error)
    }
  }

  /** Slack says before it ends a connection: the next one stands before this one is closed, so that nothing falls in between. */
  async #replace(socket: WebSocket): Promise<void> {
    try {
      if (this.#socket === socket) await this.#connect()
    } finally {
      socket.close()
    }
  }

  #again(): void {
    if (this.#closed) return
    const wait = this.#waitMs * (0.5 + Math.random() / 2)
    this.#waitMs = Math.min(this.#waitMs * 2, MAX_WAIT_MS)
    this.#retry = setTimeout(() => {
      this.#connect().catch((error) => {
        this.#options.warn(error)
        this.#again()
      })
    }, wait)
  }
}
