/** A caller with a name, who makes whole visits: several requests of any revision, one after the other, on kept connections. */

import { Agent, type IncomingMessage, request } from 'node:http'

export interface Reply {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** The result or error of the request, whether it came as JSON or as an event. */
  readonly message: { readonly result?: Json; readonly error?: Json }
}

export type Json = { readonly [name: string]: unknown }

export interface Sent {
  readonly headers?: { readonly [name: string]: string }
  readonly capabilities?: Json
}

const MODERN = '2026-07-28'
const MAX_MS = 30_000

export class Visitor {
  readonly name: string
  readonly #agent: Agent
  readonly #address: string

  /** `address` is where on this machine its connections come from. */
  constructor(name: string, address = '127.0.0.1') {
    this.name = name
    this.#address = address
    this.#agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  }

  /** A request of the newest revision. */
  call(port: number, method: string, params: Json, { headers = {}, capabilities = {} }: Sent = {}): Promise<Reply> {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    }
    const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }
    const name = params.name ?? params.taskId
    return this.post(`http://127.0.0.1:${port}/mcp`, body, {
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...headers,
    })
  }

  /** Rejects where the connection is lost or nothing comes. */
  post(url: string, body: Json | undefined, headers: Sent['headers'] = {}, method = 'POST'): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const text = body === undefined ? '' : JSON.stringify(body)
      const sent = request(url, {
        method,
        agent: this.#agent,
        localAddress: this.#address,
        timeout: MAX_MS,
        headers: {
          authorization: this.name,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
          ...headers,
        },
      })
      sent.on('error', reject)
      sent.on('timeout', () => sent.destroy(new Error('nothing came')))
      sent.on('response', (response) => {
        let heard = ''
        response.setEncoding('utf8')
        response.on('data', (piece: string) => {
          heard += piece
          // A listener does not end: that it was heard is all there is to wait for.
          if (heard.includes('acknowledged')) {
            resolve({ status: 200, headers: response.headers, message: {} })
          }
        })
        response.on('error', reject)
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, message: toMessage(heard) })
        })
      })
      sent.end(text)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

function toMessage(heard: string): Reply['message'] {
  const data = heard.split('\n').filter((line) => line.startsWith('data:'))
  const last = data.at(-1)?.slice(5) ?? heard
  try {
    return JSON.parse(last)
  } catch {
    return {}
  }
}
