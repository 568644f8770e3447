/**
 * HTTP by hand: requests as the checks write them, answers as the server sent them, over HTTP/1.1, TLS or HTTP/2. It
 * knows no MCP; `checks/` brings that.
 */

import http, { type IncomingHttpHeaders } from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import type { Readable } from 'node:stream'

export interface Call {
  readonly method?: string
  readonly path?: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
  /** Sends the body without saying its length beforehand. */
  readonly chunked?: boolean
  /** Sends what there is of the body and never the end of it. */
  readonly unfinished?: boolean
}

export interface StreamEvent {
  readonly id?: string
  readonly event?: string
  readonly data: string
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  text(): Promise<string>
  /** The events of the answer, as they come; ends when the stream does. */
  events(): AsyncGenerator<StreamEvent, void>
  /** Closes the connection at once. */
  drop(): void
}

export interface Wire {
  readonly origin: string
  send(call: Call): Sent
  close(): void
}

/** A request under way; `drop` goes away without waiting for the answer. */
export interface Sent {
  readonly answer: Promise<Answer>
  drop(): void
}

export function openWire(origin: string, protocol: 'http/1.1' | 'h2' = 'http/1.1'): Wire {
  return protocol === 'h2' ? openHttp2(origin) : openHttp1(origin)
}

function openHttp1(origin: string): Wire {
  const { request, Agent } = origin.startsWith('https:') ? https : http
  // One connection for each call, so that dropping one is the end of that one alone.
  const agent = new Agent({ keepAlive: false })
  return {
    origin,
    send({ method = 'GET', path = '/mcp', headers = {}, body, chunked = false, unfinished = false }) {
      const length: { [name: string]: string } =
        body === undefined || chunked ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const options = { method, agent, headers: { ...headers, ...length }, rejectUnauthorized: false }
      const req = request(new URL(path, origin), options)
      const answer = new Promise<Answer>((resolve, reject) => {
        req.on('response', (res) => resolve(toAnswer(res.statusCode ?? 0, res.headers, res, () => req.destroy())))
        req.on('error', reject)
      })
      answer.catch(() => {})
      if (unfinished) req.write(body ?? '')
      else req.end(body)
      return { answer, drop: () => req.destroy() }
    },
    close: () => agent.destroy(),
  }
}

function openHttp2(origin: string): Wire {
  const session = http2.connect(origin, { rejectUnauthorized: false })
  session.on('error', () => {})
  return {
    origin,
    send({ method = 'GET', path = '/mcp', headers = {}, body, unfinished = false }) {
      const { host, ...rest } = headers
      const authority = host === undefined ? {} : { ':authority': host }
      const stream = session.request({ ':method': method, ':path': path, ...authority, ...rest })
      const drop = (): void => stream.close(http2.constants.NGHTTP2_CANCEL)
      const answer = new Promise<Answer>((resolve, reject) => {
        stream.on('response', (head) => resolve(toAnswer(head[':status'] ?? 0, head, stream, drop)))
        stream.on('error', reject)
        stream.on('close', () => reject(new Error('the stream was closed before an answer')))
      })
      answer.catch(() => {})
      if (unfinished) stream.write(body ?? '')
      else stream.end(body)
      return { answer, drop }
    },
    close: () => session.destroy(),
  }
}

function toAnswer(status: number, headers: IncomingHttpHeaders, body: Readable, drop: () => void): Answer {
  body.setEncoding('utf8')
  body.on('error', () => {})
  return {
    status,
    headers,
    drop,
    async text() {
      let text = ''
      for await (const chunk of body) text += chunk
      return text
    },
    async *events() {
      let rest = ''
      for await (const chunk of body) {
        const parts = (rest + chunk).split(/\r?\n\r?\n/)
        rest = parts.pop() ?? ''
        for (const part of parts) {
          const event = toEvent(part)
          if (event !== undefined) yield event
        }
      }
    },
  }
}

function toEvent(text: string): StreamEvent | undefined {
  const fields = new Map<string, string>()
  for (const line of text.split(/\r?\n/)) {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? []
    if (name === '') continue
    const earlier = fields.get(name)
    fields.set(name, earlier === undefined || name !== 'data' ? value : `${earlier}\n${value}`)
  }
  const data = fields.get('data')
  return data === undefined ? undefined : { id: fields.get('id'), event: fields.get('event'), data }
}
