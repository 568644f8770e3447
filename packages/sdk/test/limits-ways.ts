/**
 * One server, every way in: the same raw messages over HTTP, fetch, HTTP+SSE, WebSocket, a TCP port and standard streams,
 * for tests of what has to hold on all of them. Texts are sent as they are, so that a test can say what no client would.
 */

import { connect, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { WebSocket } from 'ws'
import { createPrincipal, type Principal } from '../src/auth/principal.ts'
import { createEventDecoder } from '../src/framing/event-stream.ts'
import type { JsonLimits } from '../src/framing/json.ts'
import { createLineDecoder } from '../src/framing/lines.ts'
import { serveFetch } from '../src/serve/adapters/fetch.ts'
import { serveHttp } from '../src/serve/adapters/http.ts'
import type { ConnectionLimits, ServeLimits } from '../src/serve/rules/limits.ts'
import { serveSocket } from '../src/serve/socket/socket.ts'
import { serveStdio } from '../src/serve/stdio.ts'
import { serveWebSocket } from '../src/serve/websocket/websocket.ts'
import type { Server } from '../src/server/server.ts'

/** Whatever is there; what is in it is for the tests to find out. */
export type Json = { [key: string]: ReturnType<typeof JSON.parse> }

export interface Heard {
  /** The answer. */
  readonly message: Json
  /** Over HTTP. */
  readonly status: number | undefined
  readonly retryAfter: string | null | undefined
}

export interface WayOptions {
  readonly limits?: Partial<ServeLimits & ConnectionLimits> & {
    readonly maxLineBytes?: number
    readonly maxFrameBytes?: number
  }
  readonly json?: JsonLimits
  /** Who clients on a socket are; the other ways go by what each says. */
  readonly principal?: Principal
}

export interface Way {
  readonly name: string
  /** Whether a message travels as an HTTP request whose status tells what became of it. */
  readonly http: boolean
  /** Whether a client can say who it is. */
  readonly named: boolean
  /** Streams that count as listeners although nobody sent `subscriptions/listen`, for each line. */
  readonly streams: number
  open(server: Server, options?: WayOptions): Promise<Place>
}

export interface Place {
  line(who?: string): Promise<Line>
  close(): Promise<unknown>
}

export const MODERN = '2026-07-28'

export const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
}

/** Without a line, what comes back is nobody's answer. */
type Post = (text: string, headers: { [name: string]: string }, line?: Line) => Promise<Posted | undefined>

interface Posted {
  readonly status: number
  readonly headers: Headers
}

/** One client's conversation. */
export class Line {
  /** Notifications and requests of the server. */
  readonly notices: Json[] = []
  /** Where the client of an event stream was told to post. */
  address = ''
  readonly hangUp: () => void
  readonly closed: Promise<unknown>
  readonly #post: Post
  readonly #waiting = new Map<unknown, (message: Json) => void>()
  readonly #watching = new Set<() => void>()
  #session: { [name: string]: string } = {}
  #lastId = 0

  constructor(post: Post, hangUp: () => void, closed: Promise<unknown>) {
    this.#post = post
    this.hangUp = hangUp
    this.closed = closed
  }

  /** The session's id, where there is one. */
  get session(): string {
    return this.#session['mcp-session-id'] ?? ''
  }

  /** Sends a text and waits for the answer: to its id if it has one, else whatever comes without one. */
  async say(text: string, headers: { [name: string]: string } = {}): Promise<Heard> {
    const parsed = read(text)
    const first: Json | undefined = Array.isArray(parsed) ? parsed[0] : parsed
    const answer = new Promise<Json>((resolve) => this.#waiting.set(first?.id ?? NO_ID, resolve))
    const posted = await this.#post(text, { ...this.#headersOf(first), ...headers }, this)
    const { status, headers: found } = posted ?? {}
    const session = found?.get('mcp-session-id')
    if (session) this.#session = { 'mcp-session-id': session }
    return { message: await answer, status, retryAfter: found?.get('retry-after') }
  }

  /** Sends a notification, or whatever is not answered. */
  async tell(message: Json, headers: { [name: string]: string } = {}): Promise<number | undefined> {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    const posted = await this.#post(text, { ...this.#headersOf(message), ...headers })
    return posted?.status
  }

  request(method: string, params: Json = {}, id: string | number = ++this.#lastId): Promise<Heard> {
    return this.say(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
  }

  /** A request of the newest revision. */
  modern(method: string, params: Json = {}, id?: string | number): Promise<Heard> {
    return this.request(method, { ...params, _meta: { ...ENVELOPE, ...params._meta } }, id)
  }

  async initialize(protocolVersion: string): Promise<Heard> {
    const clientInfo = { name: 'test', version: '1' }
    const opened = await this.request('initialize', { protocolVersion, capabilities: {}, clientInfo }, 'opening')
    if (opened.message.result !== undefined) await this.tell({ method: 'notifications/initialized' })
    return opened
  }

  /** Resolves with the first notice that the test is true of. */
  async notice(test: (message: Json) => boolean): Promise<Json> {
    for (;;) {
      const found = this.notices.find(test)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => this.#watching.add(resolve))
    }
  }

  receive(value: unknown): void {
    for (const message of (Array.isArray(value) ? value : [value]) as Json[]) {
      if (message.method !== undefined) this.notices.push(message)
      else this.#settle(message)
    }
    for (const wake of this.#watching) wake()
    this.#watching.clear()
  }

  #settle(message: Json): void {
    // A refusal that could not read the id, or does not tell it, belongs to what was sent last.
    const key = this.#waiting.has(message.id)
      ? message.id
      : message.id == null
        ? [...this.#waiting.keys()].at(-1)
        : undefined
    this.#waiting.get(key)?.(message)
    this.#waiting.delete(key)
  }

  #headersOf(message: Json | undefined): { [name: string]: string } {
    const { method, params } = message ?? {}
    const version = params?._meta?.['io.modelcontextprotocol/protocolVersion']
    if (typeof version !== 'string') return this.#session
    const name = params.name ?? params.uri
    return {
      'mcp-protocol-version': version,
      'mcp-method': String(method),
      ...(typeof name === 'string' && { 'mcp-name': name }),
    }
  }
}

const NO_ID = Symbol('no id')

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** A name in `Authorization` is believed: these tests are about what follows from it. */
const authenticate = (head: { header(name: string): string | undefined }): Principal | undefined => {
  const name = head.header('authorization')
  return name === undefined ? undefined : createPrincipal(name)
}

function credential(who: string | undefined): { [name: string]: string } {
  return who === undefined ? {} : { authorization: who }
}

type FetchLike = (url: string, init: RequestInit) => Promise<Response>

function httpLine(url: string, fetchLike: FetchLike, who: string | undefined): Line {
  const going = new AbortController()
  const post: Post = async (body, headers, line) => {
    const init = {
      method: 'POST',
      headers: { ...JSON_HEADERS, ...headers, ...credential(who) },
      body,
      signal: going.signal,
    }
    const response = await fetchLike(url, init)
    if (line !== undefined) void listen(response, line)
    return { status: response.status, headers: response.headers }
  }
  return new Line(post, () => going.abort(), Promise.resolve())
}

/** Feeds what a response says to the line, while it says it. */
async function listen(
  response: Response,
  line: Line,
  onEvent?: (event: string, data: string) => boolean,
): Promise<void> {
  if (response.headers.get('content-type')?.includes('event-stream') !== true) {
    const text = await response.text().catch(() => '')
    if (text !== '') line.receive(JSON.parse(text))
    return
  }
  const decoder = createEventDecoder({
    onEvent: ({ event, data }) => {
      if (data !== '' && onEvent?.(event, data) !== true) line.receive(JSON.parse(data))
    },
    onFault: () => {},
  })
  try {
    for await (const chunk of response.body ?? []) decoder.push(chunk)
  } catch {
    // The test has hung up.
  }
}

async function sseLine(base: string, who: string | undefined): Promise<Line> {
  const going = new AbortController()
  const own = credential(who)
  const opened = await fetch(`${base}/sse`, { headers: { accept: 'text/event-stream', ...own }, signal: going.signal })
  let tellEndpoint: (path: string) => void = () => {}
  const endpoint = new Promise<string>((resolve) => {
    tellEndpoint = resolve
  })
  const post: Post = async (body, headers, line) => {
    const url = base + (await endpoint)
    const response = await fetch(url, { method: 'POST', headers: { ...JSON_HEADERS, ...headers, ...own }, body })
    if (response.status !== 202 && line !== undefined) void listen(response, line)
    return { status: response.status, headers: response.headers }
  }
  const line = new Line(post, () => going.abort(), Promise.resolve())
  if (opened.status !== 200) {
    line.notices.push(await opened.json().then((body) => ({ ...body, method: 'refused', status: opened.status })))
    return line
  }
  void listen(opened, line, (event, data) => {
    if (event === 'endpoint') tellEndpoint(data)
    return event === 'endpoint'
  })
  line.address = base + (await endpoint)
  return line
}

function byteLine(input: NodeJS.ReadableStream, write: (text: string) => void, hangUp: () => void): Line {
  const closed = new Promise((resolve) => input.once('close', resolve))
  const line = new Line(async (text) => void write(`${text}\n`), hangUp, closed)
  const decoder = createLineDecoder({ onLine: (text) => line.receive(JSON.parse(text)), onFault: () => {} })
  input.on('data', (chunk: Uint8Array) => decoder.push(chunk))
  input.on('error', () => {})
  return line
}

export const WAYS: readonly Way[] = [
  {
    name: 'http',
    http: true,
    named: true,
    streams: 0,
    async open(server, { limits, json } = {}) {
      const http = await serveHttp(server, { port: 0, graceMs: 500, limits, json, authenticate })
      return { line: async (who) => httpLine(http.url, fetch, who), close: () => http.close() }
    },
  },
  {
    name: 'fetch',
    http: true,
    named: true,
    streams: 0,
    async open(server, { limits, json } = {}) {
      const handler = serveFetch(server, { limits, json, authenticate })
      const fetchLike: FetchLike = (url, init) => handler.fetch(new Request(url, init))
      return {
        line: async (who) => httpLine('http://localhost/mcp', fetchLike, who),
        close: () => handler.close(500),
      }
    },
  },
  {
    name: 'http+sse',
    http: true,
    named: true,
    streams: 1,
    async open(server, { limits, json } = {}) {
      const http = await serveHttp(server, { port: 0, graceMs: 500, limits, json, authenticate })
      return { line: (who) => sseLine(new URL(http.url).origin, who), close: () => http.close() }
    },
  },
  {
    name: 'websocket',
    http: false,
    named: true,
    streams: 0,
    async open(server, { limits, json } = {}) {
      const listener = await serveWebSocket(server, { port: 0, graceMs: 500, limits, json, authenticate })
      return {
        async line(who) {
          const socket = new WebSocket(listener.url, 'mcp', { headers: credential(who) })
          const closed = new Promise((resolve) => socket.once('close', resolve))
          const line = new Line(
            async (text) => void socket.send(text),
            () => socket.terminate(),
            closed,
          )
          socket.on('message', (data) => line.receive(JSON.parse(String(data))))
          socket.on('error', () => {})
          await new Promise((resolve) => socket.once('open', resolve))
          return line
        },
        close: () => listener.close(),
      }
    },
  },
  {
    name: 'socket',
    http: false,
    named: false,
    streams: 0,
    async open(server, { limits, json, principal } = {}) {
      const listener = await serveSocket(server, { port: 0, graceMs: 500, limits: { ...limits, ...json }, principal })
      return {
        async line() {
          const socket: Socket = connect(listener.port ?? 0, '127.0.0.1')
          return byteLine(
            socket,
            (text) => socket.write(text),
            () => socket.destroy(),
          )
        },
        close: () => listener.close(),
      }
    },
  },
  {
    name: 'stdio',
    http: false,
    named: false,
    streams: 0,
    async open(server, { limits, json } = {}) {
      const stdin = new PassThrough()
      const stdout = new PassThrough()
      const settings = { exit: false, graceMs: 500, limits: { ...limits, ...json }, stdin, stdout }
      const connection = serveStdio(server, settings)
      return {
        line: async () =>
          byteLine(
            stdout,
            (text) => stdin.write(text),
            () => stdin.end(),
          ),
        close: () => connection.drain(),
      }
    },
  },
]

function read(text: string): Json | Json[] | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
