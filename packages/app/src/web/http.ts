/**
 * The workbench's HTTP server: the page, the requests of the page, and its one stream of events. Bound to loopback
 * unless asked otherwise; every request passes the door keeper first.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ApiEvent, ApiFailure } from './api.ts'
import { createDoorKeeper, type DoorKeeper, type RequestHead } from './door-keeper.ts'
import { EventStream } from './event-stream.ts'
import type { StaticFile } from './static-files.ts'

export interface WebOptions {
  readonly files: ReadonlyMap<string, StaticFile>
  /** Answers one request of the page. Rejections become failures by `toFailure`. */
  answer(method: string, params: unknown, signal: AbortSignal): Promise<unknown>
  toFailure(error: unknown): { readonly status: number; readonly failure: ApiFailure }
  /** 127.0.0.1 unless given. */
  readonly host?: string
  /** Any free one unless given. */
  readonly port?: number
}

export interface WebServer {
  /** Where it is served, without a token. */
  readonly origin: string
  /** A link that works once. */
  link(): string
  emit(event: ApiEvent): void
  close(): Promise<void>
}

export const WEB_LIMITS = { maxBodyBytes: 8 * 1024 * 1024, headersTimeoutMs: 10_000, requestTimeoutMs: 60_000 } as const

/** Nothing but files of this page runs, nothing of it is framed, and nothing elsewhere is contacted. */
const HEADERS = {
  'content-security-policy':
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; media-src 'self' data: blob:; connect-src 'self'; font-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
}

export async function serveWeb(options: WebOptions): Promise<WebServer> {
  const { host = '127.0.0.1', port = 0 } = options
  const hosts = new Set<string>()
  const keeper = createDoorKeeper(hosts)
  const events = new EventStream()
  const server = createServer({
    headersTimeout: WEB_LIMITS.headersTimeoutMs,
    requestTimeout: WEB_LIMITS.requestTimeoutMs,
  })
  server.on('request', (request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
    handle(request, response, { options, keeper, events }).catch(() => response.destroy())
  })
  await listen(server, host, port)
  const { port: bound } = server.address() as AddressInfo
  for (const name of [host, '127.0.0.1', 'localhost', '[::1]']) hosts.add(`${name}:${bound}`)
  const origin = `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${bound}`
  return {
    origin,
    link: () => `${origin}/?token=${keeper.mint()}`,
    emit: (event) => events.send(event),
    close: async () => {
      events.close()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

interface Parts {
  readonly options: WebOptions
  readonly keeper: DoorKeeper
  readonly events: EventStream
}

async function handle(request: IncomingMessage, response: ServerResponse, parts: Parts): Promise<void> {
  const head = toHead(request)
  const api = head.path.startsWith('/api/')
  const refusal = parts.keeper.judge(head, !api)
  if (refusal !== undefined) return sendFailure(response, refusal.status, refusal)
  if (!api) return sendPage(head, response, parts)
  if (head.path === '/api/events' && head.method === 'GET') return parts.events.add(response)
  if (head.method !== 'POST') return sendFailure(response, 405, { code: 'wrong-method', message: 'Use POST' })
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  try {
    const params = await readJson(request)
    const result = await parts.options.answer(head.path.slice('/api/'.length), params, gone.signal)
    sendJson(response, 200, result ?? {})
  } catch (error) {
    const { status, failure } = parts.options.toFailure(error)
    sendFailure(response, status, failure)
  }
}

function sendPage(head: RequestHead, response: ServerResponse, { options, keeper }: Parts): void {
  const token = head.query.get('token')
  if (head.path === '/' && token !== null) {
    const cookie = keeper.admit(token)
    if (cookie === undefined) return sendUsed(response)
    // The token leaves the address bar, the history and every later referrer.
    response.writeHead(303, { location: '/', 'set-cookie': cookie, 'cache-control': 'no-store' }).end()
    return
  }
  if (head.method !== 'GET' && head.method !== 'HEAD')
    return sendFailure(response, 405, { code: 'wrong-method', message: 'Use GET' })
  const file = options.files.get(head.path === '/' ? '/index.html' : head.path)
  if (file === undefined) return sendFailure(response, 404, { code: 'not-found', message: 'There is no such page' })
  const caching = file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache'
  response.writeHead(200, { 'content-type': file.type, 'content-length': file.bytes.length, 'cache-control': caching })
  response.end(head.method === 'HEAD' ? undefined : file.bytes)
}

const USED_PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Portico</title>
<body style="font: 16px/1.5 system-ui; max-width: 34rem; margin: 20vh auto; padding: 0 1rem">
<h1 style="font-size: 1.3rem">This link has been used</h1>
<p>Each link opens the workbench once, so that nobody else can use it. If this is the browser you used it in, go to <a href="/">the workbench</a>.
Otherwise press <b>Enter</b> in the terminal where Portico runs, or start it again, and open the new link.</p></body></html>`

function sendUsed(response: ServerResponse): void {
  response.writeHead(403, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }).end(USED_PAGE)
}

function toHead(request: IncomingMessage): RequestHead {
  // The origin is a placeholder: only path and query of the request line are looked at.
  const url = URL.canParse(request.url ?? '/', 'http://localhost')
    ? new URL(request.url ?? '/', 'http://localhost')
    : new URL('http://localhost/_')
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    header: (name) => {
      const value = request.headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > WEB_LIMITS.maxBodyBytes)
      throw new BodyError(413, `A request is ${WEB_LIMITS.maxBodyBytes} bytes at most`)
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    throw new BodyError(400, 'The body is not JSON')
  }
}

/** A body that cannot be taken. */
export class BodyError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'BodyError'
    this.status = status
  }
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  if (response.destroyed) return
  const text = JSON.stringify(value)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  })
  response.end(text)
}

function sendFailure(response: ServerResponse, status: number, { code, message, remedy, data }: ApiFailure): void {
  sendJson(response, status, {
    code,
    message,
    ...(remedy !== undefined && { remedy }),
    ...(data !== undefined && { data }),
  })
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
