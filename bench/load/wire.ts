/**
 * A client that costs next to nothing, so that a thousand of them and ten thousand listeners fit into one process: HTTP
 * written by hand on a kept-alive connection, one request at a time.
 */

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface Answer {
  readonly status: number
  readonly retryAfter: string | undefined
  /** The answer is an error, or a result that says so. */
  readonly failed: boolean
  readonly ms: number
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/logLevel': 'info',
}

export class Wire {
  readonly socket: Socket
  readonly #port: number
  readonly #principal: string | undefined
  #heard = ''
  #wake: () => void = () => {}
  #closed = false

  constructor(port: number, principal?: string) {
    this.#port = port
    this.#principal = principal
    this.socket = connect(port, '127.0.0.1')
    this.socket.setNoDelay(true)
    this.socket.setEncoding('latin1')
    this.socket.on('data', (text: string) => {
      this.#heard += text
      this.#wake()
    })
    this.socket.on('error', () => {})
    this.socket.on('close', () => {
      this.#closed = true
      this.#wake()
    })
  }

  /** Resolves when connected: more at once than the system queues would wait for its next try. */
  static async open(port: number, principal?: string): Promise<Wire> {
    const wire = new Wire(port, principal)
    await once(wire.socket, 'connect')
    return wire
  }

  get closed(): boolean {
    return this.#closed
  }

  send(method: string, params: object): void {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } })
    const name = 'name' in params ? `Mcp-Name: ${params.name}\r\n` : ''
    const who = this.#principal === undefined ? '' : `Authorization: ${this.#principal}\r\n`
    this.socket.write(
      `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${this.#port}\r\nContent-Type: application/json\r\n` +
        `Accept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2026-07-28\r\nMcp-Method: ${method}\r\n` +
        `${name}${who}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
  }

  /** Sends a request whose answer is one JSON text, and waits for it. */
  async request(method: string, params: object): Promise<Answer> {
    const started = performance.now()
    this.send(method, params)
    await this.until(() => isWhole(this.#heard))
    const status = Number(this.#heard.slice(9, 12))
    const retryAfter = /\r\nretry-after: ([^\r]*)/i.exec(this.#heard)?.[1]
    const failed = /"isError":true|"error":\{/.test(this.#heard)
    this.#heard = ''
    return { status, retryAfter, failed, ms: performance.now() - started }
  }

  /** Waits until what was heard holds the text, and forgets it all. */
  async hear(text: string): Promise<void> {
    await this.until(() => this.#heard.includes(text))
    this.#heard = ''
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      if (this.#closed) throw new Error(`the server closed the connection after: ${this.#heard.slice(0, 200)}`)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  close(): void {
    this.socket.destroy()
  }
}

function isWhole(heard: string): boolean {
  const end = heard.indexOf('\r\n\r\n')
  if (end === -1) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(heard)?.[1]
  return length !== undefined && heard.length >= end + 4 + Number(length)
}
