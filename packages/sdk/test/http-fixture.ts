/**
 * What the HTTP tests share: a small server whose tools wait, report, ask and pause on demand, and a client made of
 * `node:http` that can send what a well-behaved one would not.
 */

import { once } from 'node:events'
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { createEventDecoder, type IncomingEvent } from '../src/framing/event-stream.ts'
import type { ProtocolVersion } from '../src/protocol/revision.ts'
import type { HttpOptions, HttpServer } from '../src/serve/adapters/http.ts'
import { serveHttp } from '../src/serve/adapters/http.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer, type Server } from '../src/server/server.ts'

export const LEGACY: readonly ProtocolVersion[] = ['2025-03-26', '2025-06-18', '2025-11-25']
export const MODERN = '2026-07-28'

/** Something a handler waits for, and that says when a handler has come to wait. */
export class Gate {
  readonly reached: Promise<void>
  readonly opened: Promise<void>
  arrive: () => void = () => {}
  open: () => void = () => {}

  constructor() {
    this.reached = new Promise((resolve) => {
      this.arrive = resolve
    })
    this.opened = new Promise((resolve) => {
      this.open = resolve
    })
  }
}

export interface Fixture {
  readonly server: Server
  readonly http: HttpServer
  readonly port: number
  /** The gate that `slow` and its relatives wait at. */
  readonly gate: Gate
  /** Resolves when `flood` has said all it had to say. */
  readonly flooded: Promise<void>
  /** Resolves with the reason when a waiting handler is cancelled. */
  readonly cancelled: Promise<unknown>
  /** Names of the tools that ran. */
  readonly ran: string[]
}

export async function createFixture(
  options: HttpOptions = {},
  versions?: readonly ProtocolVersion[],
  onError?: (error: unknown) => void,
): Promise<Fixture> {
  const gate = new Gate()
  const ran: string[] = []
  const flood = new Gate()
  let tellCancelled: (reason: unknown) => void = () => {}
  const cancelled = new Promise((resolve) => {
    tellCancelled = resolve
  })
  const text = { type: 'object', properties: { text: { type: 'string' } } } as const
  const server = createServer({
    name: 'fixture',
    version: '1.0.0',
    versions,
    onError: onError ?? (() => {}),
    tools: {
      echo: tool({ input: text }, ({ text: value }) => {
        ran.push('echo')
        return String(value ?? '')
      }),
      slow: tool({}, async (_, ctx) => {
        ran.push('slow')
        ctx.signal.addEventListener('abort', () => tellCancelled(ctx.signal.reason))
        gate.arrive()
        await gate.opened
        return 'slow result'
      }),
      steps: tool({}, async (_, ctx) => {
        ctx.progress(1, 2)
        ctx.signal.addEventListener('abort', () => tellCancelled(ctx.signal.reason))
        gate.arrive()
        await gate.opened
        ctx.progress(2, 2)
        return 'steps result'
      }),
      flood: tool({}, async (_, ctx) => {
        ctx.signal.addEventListener('abort', () => tellCancelled(ctx.signal.reason))
        ctx.progress(1, 2)
        gate.arrive()
        for (let round = 0; !ctx.signal.aborted && round < 2000; round++) {
          ctx.log('info', 'x'.repeat(10_000))
          await new Promise((resolve) => setImmediate(resolve))
        }
        flood.arrive()
        return 'flood result'
      }),
      pausing: tool({}, async (_, ctx) => {
        ctx.pause(20)
        gate.arrive()
        await gate.opened
        return 'paused result'
      }),
      ask: tool({}, async (_, ctx) => {
        const answer = await ctx.elicit({
          message: 'Who?',
          form: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        })
        return answer.action === 'accept' ? JSON.stringify(answer.content) : answer.action
      }),
      region: tool(
        { input: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } } },
        () => {
          ran.push('region')
          return 'region result'
        },
      ),
    },
  })
  const http = await serveHttp(server, { port: 0, graceMs: 2000, ...options })
  return { server, http, port: http.port, gate, flooded: flood.reached, cancelled, ran }
}

export interface Sent {
  readonly method?: string
  readonly path?: string
  readonly headers?: { readonly [name: string]: string | string[] }
  readonly body?: string | Uint8Array
}

export interface Received {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body as JSON; undefined when it is none. */
  readonly json: Answer | undefined
}

/** The members that the tests look at. Which of them are there is what the tests find out. */
export interface Answer {
  readonly id?: string | number
  readonly error: { readonly code: number; readonly message: string }
  readonly result: {
    readonly content: readonly [{ readonly text: string }]
    readonly protocolVersion: string
  }
}

/** Sends one request and waits for the whole answer. */
export async function send(port: number, sent: Sent = {}): Promise<Received> {
  const response = await begin(port, sent).response
  response.setEncoding('utf8')
  let text = ''
  for await (const chunk of response) text += chunk
  let json: Received['json']
  try {
    json = JSON.parse(text)
  } catch {}
  return { status: response.statusCode ?? 0, headers: response.headers, text, json }
}

export interface OpenStream {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The next event; undefined at the end of the stream. */
  next(): Promise<IncomingEvent | undefined>
  /** All events until the end. */
  rest(): Promise<IncomingEvent[]>
  /** The `retry` last seen. */
  readonly retry: () => number | undefined
  destroy(): void
}

/** Sends one request and reads its answer as events while they come. */
export async function open(port: number, sent: Sent = {}): Promise<OpenStream> {
  const { request: req, response: pending } = begin(port, sent)
  const response = await pending
  const events: IncomingEvent[] = []
  let retry: number | undefined
  let ended = false
  let wake: () => void = () => {}
  const decoder = createEventDecoder({
    onEvent: (event) => events.push(event),
    onRetry: (ms) => {
      retry = ms
    },
    onFault: (reason) => {
      throw new Error(reason)
    },
  })
  response.on('data', (chunk: Buffer) => {
    decoder.push(chunk)
    wake()
  })
  response.on('close', () => {
    ended = true
    wake()
  })
  response.on('error', () => {})
  async function next(): Promise<IncomingEvent | undefined> {
    while (events.length === 0 && !ended) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    return events.shift()
  }
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    next,
    async rest() {
      const all: IncomingEvent[] = []
      for (let event = await next(); event !== undefined; event = await next()) all.push(event)
      return all
    },
    retry: () => retry,
    destroy: () => req.destroy(),
  }
}

/** Begins a request; the caller reads the response. */
export function begin(port: number, sent: Sent): { request: ClientRequest; response: Promise<IncomingMessage> } {
  const { method = 'POST', path = '/mcp', headers = {}, body } = sent
  const req = request({ host: '127.0.0.1', port, method, path, headers: { ...headers }, agent: false })
  const response = once(req, 'response').then(([found]) => found as IncomingMessage)
  req.on('error', () => {})
  req.end(body)
  return { request: req, response }
}

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

export const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** A well-formed modern request; `headers` and `meta` replace parts of it. */
export function modern(
  method: string,
  params: { readonly [key: string]: unknown } = {},
  headers: { readonly [name: string]: string | string[] | undefined } = {},
  id: number | string = 1,
): Sent {
  const own: { [name: string]: string | string[] | undefined } = {
    ...JSON_HEADERS,
    'mcp-protocol-version': MODERN,
    'mcp-method': method,
    ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
    ...headers,
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: { _meta: META, ...params } })
  return { headers: withoutUndefined(own), body }
}

/** A message of an older revision, within a session where there is one. */
export function legacy(
  message: unknown,
  session?: Session,
  headers: { readonly [name: string]: string | undefined } = {},
): Sent {
  return {
    headers: withoutUndefined({ ...JSON_HEADERS, ...session?.headers, ...headers }),
    body: JSON.stringify(message),
  }
}

export interface Session {
  readonly id: string
  readonly headers: { readonly [name: string]: string }
}

export function initialize(version: string, id: number | string = 0, capabilities: object = {}): object {
  const params = { protocolVersion: version, capabilities, clientInfo: { name: 'test', version: '1' } }
  return { jsonrpc: '2.0', id, method: 'initialize', params }
}

/** Opens a session and brings it to where requests are served. */
export async function openSession(
  port: number,
  version: string,
  headers: { readonly [name: string]: string } = {},
  capabilities: object = {},
): Promise<Session> {
  const opened = await send(port, legacy(initialize(version, 0, capabilities), undefined, headers))
  const id = opened.headers['mcp-session-id']
  if (opened.status !== 200 || typeof id !== 'string') throw new Error(`initialize: ${opened.status} ${opened.text}`)
  const session = { id, headers: { 'mcp-session-id': id, 'mcp-protocol-version': version, ...headers } }
  const ready = await send(port, legacy({ jsonrpc: '2.0', method: 'notifications/initialized' }, session))
  if (ready.status !== 202 || ready.text !== '') throw new Error(`initialized: ${ready.status} ${ready.text}`)
  return session
}

export function call(name: string, id: number | string = 1, extra: object = {}): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {}, ...extra } }
}

export const PROGRESS = { _meta: { progressToken: 'p' } }

function withoutUndefined(headers: { [name: string]: string | string[] | undefined }) {
  const kept: { [name: string]: string | string[] } = {}
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) kept[name] = value
  return kept
}
