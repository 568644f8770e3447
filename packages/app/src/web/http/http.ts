/**
 * The workbench's HTTP server: the page, the requests of the page, and its one stream of events. Bound to loopback
 * unless asked otherwise; `page-access.ts` judges every request first.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ApiEvent, ApiFailure } from '../api-types/api.ts'
import { EventStream } from './event-stream.ts'
import {
  ASKER_NONCE_HEADER,
  isCode,
  LINK_PATH,
  LinkExchanges,
  PROOF_HEADER,
  WORKBENCH_NONCE_HEADER,
} from './link-proof.ts'
import { createPageAccess, type KnownSessions, type PageAccess, type RequestHead } from './page-access.ts'
import { sendFailure, sendFile, sendJson, sendUsed } from './responses.ts'
import type { StaticFile } from './static-files.ts'

export interface WebOptions {
  readonly files: ReadonlyMap<string, StaticFile>
  /** Answers one request of the page. Rejections become failures by `toFailure`. */
  answer(method: string, params: unknown, signal: AbortSignal): Promise<unknown>
  toFailure(error: unknown): { readonly status: number; readonly failure: ApiFailure }
  /** 127.0.0.1 unless given. Whoever can reach another address needs the link all the same. */
  readonly host?: string
  /** Names besides its own under which the page may be opened, where `host` is not loopback: `portico.lan`. */
  readonly names?: readonly string[]
  /** Any free one unless given. */
  readonly port?: number
  /** Taken where it is free, so that a page that is open finds the program again after a restart. */
  readonly preferredPort?: number
  /** Which browsers were let in before. */
  readonly sessions?: KnownSessions
  /** Lets whoever proves to know it ask for another link: the same user, by a file that only they can read. */
  readonly linkKey?: string
}

export interface WebServer {
  /** Where it is served, without a token. */
  readonly origin: string
  /** How many pages listen to events. */
  readonly pages: number
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

interface Parts {
  readonly options: WebOptions
  readonly access: PageAccess
  readonly events: EventStream
  /** Absent where nobody may ask for another link. */
  readonly exchanges: LinkExchanges | undefined
}

export async function serveWeb(options: WebOptions): Promise<WebServer> {
  const { host = '127.0.0.1', preferredPort, sessions } = options
  const hosts = new Set<string>()
  let [cookie, origin] = ['', '']
  const access = createPageAccess({ hosts, cookie: () => cookie, ...(sessions !== undefined && { sessions }) })
  const events = new EventStream()
  const { linkKey = '' } = options
  const exchanges = linkKey === '' ? undefined : new LinkExchanges(linkKey, () => origin)
  const parts: Parts = { options, access, events, exchanges }
  const server = createServer({
    headersTimeout: WEB_LIMITS.headersTimeoutMs,
    requestTimeout: WEB_LIMITS.requestTimeoutMs,
  })
  server.on('request', (request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
    handle(request, response, parts).catch(() => response.destroy())
  })
  const isTaken = (error: unknown) => (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
  await listen(server, host, options.port ?? preferredPort ?? 0).catch((error: unknown) => {
    if (options.port !== undefined || preferredPort === undefined || !isTaken(error)) throw error
    return listen(server, host, 0)
  })
  // A server that listens on TCP has such an address.
  const { port: bound } = server.address() as AddressInfo
  cookie = `portico_session_${bound}`
  origin = `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : bracketed(host)}:${bound}`
  for (const name of [host, '127.0.0.1', 'localhost', '::1', ...(options.names ?? [])]) {
    hosts.add(`${bracketed(name).toLowerCase()}:${bound}`)
  }
  return {
    origin,
    get pages() {
      return events.size
    },
    link: () => `${origin}/?token=${access.mint()}`,
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

async function handle(request: IncomingMessage, response: ServerResponse, parts: Parts): Promise<void> {
  const head = toHead(request)
  const api = head.path.startsWith('/api/')
  const refusal = parts.access.judge(head, !api)
  if (refusal !== undefined) return sendFailure(response, refusal.status, refusal)
  if (head.path === LINK_PATH && head.method === 'POST') return sendLink(head, response, parts)
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

function sendPage(head: RequestHead, response: ServerResponse, { options, access }: Parts): void {
  const token = head.query.get('token')
  // A program that only looks whether the link is alive must not use it up.
  if (head.path !== '/' || token === null || head.method !== 'GET') {
    sendFile(head, response, options.files)
    return
  }
  const cookie = access.admit(token)
  if (cookie === undefined) {
    sendUsed(response)
    return
  }
  // The token leaves the address bar, the history and every later referrer.
  response.writeHead(303, { location: '/', 'set-cookie': cookie, 'cache-control': 'no-store' })
  response.end()
}

/** First the workbench proves itself, then whoever asks; only then is there a token, of which they make the link. */
function sendLink(head: RequestHead, response: ServerResponse, { exchanges, access }: Parts): void {
  const asker = head.header(ASKER_NONCE_HEADER)
  const proof = head.header(PROOF_HEADER)
  const isOpen = exchanges !== undefined && isCode(asker) && head.header('origin') === undefined
  if (isOpen && proof === undefined) sendJson(response, 200, exchanges.begin(asker))
  else if (isOpen && exchanges.end(asker, head.header(WORKBENCH_NONCE_HEADER), proof))
    sendJson(response, 200, { token: access.mint() })
  else sendFailure(response, 403, { code: 'wrong-key', message: 'Links are given to the same user alone' })
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
  const body = await readBody(request)
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new BodyError(400, 'The body is not JSON')
  }
}

/** What is too much is read to its end and thrown away, so that the sender gets to hear why. */
function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= WEB_LIMITS.maxBodyBytes) chunks.push(chunk)
      else {
        chunks = []
        reject(new BodyError(413, `A request is ${WEB_LIMITS.maxBodyBytes} bytes at most`))
      }
    })
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('error', reject)
  })
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

function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
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
