/**
 * A port for those who run the gateway, apart from the one for callers: metrics and health for machines, and actions for
 * whoever has the token. It is off unless it is asked for.
 */

import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { PorticoError } from '@portico/sdk/server'
import { callListener } from '../../config/call-listener.ts'
import { HostError } from '../../errors.ts'
import type { Gateway } from '../gateway.ts'
import { METRICS_TYPE, metricsText } from './metrics-text.ts'
import { endSessionOf, sessionsOf } from './served-sessions.ts'

/** Options of `serveOperations`. */
export interface OperationsOptions {
  /** 9464 by default, the port that exporters of OpenTelemetry use. */
  readonly port?: number
  /** The address to listen on. 127.0.0.1 by default. */
  readonly host?: string
  /** Names under which the port is reached, besides addresses and `localhost`. */
  readonly allowedHosts?: readonly string[]
  /** Opens the actions for those who send it as a bearer token; at least 24 characters. Without it there are none. */
  readonly token?: string
  /** Reads the configuration anew. Without it `/reload` is not there. */
  readonly reload?: () => Promise<unknown>
  /** Whether whatever else serves here is ready too, as `cluster.ready()` says; `/readyz` and `/drain` ask it. */
  readonly ready?: () => boolean
  /** Told about every action that was done, for the log. */
  readonly onAction?: (action: string, subject: string | undefined) => void
}

/** The port for those who run the gateway, while it listens. */
export interface OperationsServer {
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

interface Answer {
  readonly status: number
  readonly body: string
  readonly type?: string
}

type Action = (gateway: Gateway, request: IncomingMessage, options: OperationsOptions) => Answer | Promise<Answer>

const DEFAULT_PORT = 9464
const SHORTEST_TOKEN = 24
const MAX_BODY = 4096
const REQUEST_MS = 10_000

/** What everybody who reaches the port may read. */
const OPEN: { readonly [route: string]: Action } = {
  'GET /metrics': (gateway) => ({ status: 200, body: metricsText(gateway), type: METRICS_TYPE }),
  'GET /healthz': () => text(200, 'ok'),
  'GET /readyz': (gateway, _request, { ready }) => readiness(gateway.health(), ready?.() !== false),
}

function readiness({ ok, state, audit }: ReturnType<Gateway['health']>, isReady: boolean): Answer {
  if (ok && isReady) return text(200, 'ok')
  if (state?.available === false) return text(503, 'not ready: the shared state does not answer, or takes no writes')
  if (audit?.writable === false) return text(503, 'not ready: the audit log cannot be written')
  return text(503, isReady ? 'not ready' : "not ready: sessions are not known to be this replica's own")
}

/** What takes the token. */
const GUARDED: { readonly [route: string]: Action } = {
  'GET /sessions': (gateway) => json({ sessions: sessionsOf(gateway).map(toShown) }),
  'GET /callers': (gateway) => json({ callers: gateway.callers().map(toShown), revoked: gateway.revoked() }),
  'POST /drain': (gateway, _request, { onAction }) => {
    gateway.drain(true)
    callListener(onAction, 'drain', undefined)
    return json({ ready: false })
  },
  'DELETE /drain': (gateway, _request, { onAction, ready }) => {
    gateway.drain(false)
    callListener(onAction, 'resume', undefined)
    return json({ ready: gateway.health().ok && ready?.() !== false })
  },
  'POST /reload': async (_gateway, _request, { reload, onAction }) => {
    if (reload === undefined) return text(404, 'This gateway has nothing to reload')
    await reload()
    callListener(onAction, 'reload', undefined)
    return json({ reloaded: true })
  },
  'POST /revoke': async (gateway, request, { onAction }) => {
    const { caller, session } = await readNames(request)
    if (session !== undefined) return revokeSession(gateway, session, onAction)
    if (caller === undefined) return text(400, NAME_ONE)
    const known = isKnown(gateway, caller)
    await gateway.revoke(caller)
    callListener(onAction, 'revoke', caller)
    return json({ revoked: caller, known, ...(!known && { note: NOT_KNOWN }) })
  },
  'POST /restore': async (gateway, request, { onAction }) => {
    const { caller } = await readNames(request)
    if (caller === undefined) return text(400, NAME_A_CALLER)
    if (!(await gateway.restore(caller))) return text(404, 'Nobody of that name is shut out')
    callListener(onAction, 'restore', caller)
    return json({ restored: caller })
  },
}

/** By the word that `/revoke` and `/restore` take. */
function toShown<Row extends { readonly principal?: string | undefined }>({ principal, ...row }: Row): object {
  return { ...(principal !== undefined && { caller: principal }), ...row }
}

/** A name with a slip in it is shut out too, and the caller who was meant is not. */
function isKnown(gateway: Gateway, caller: string): boolean {
  return [...gateway.callers(), ...sessionsOf(gateway)].some(({ principal }) => principal === caller)
}

const NOT_KNOWN =
  'Nobody of that name has called this process yet; whoever comes by it is refused. GET /callers has the names.'

/** It ends and cannot be taken up anywhere; who had it may open another, unless the caller is revoked too. */
async function revokeSession(gateway: Gateway, name: string, onAction: OperationsOptions['onAction']): Promise<Answer> {
  if (!(await endSessionOf(gateway, name))) {
    return text(404, 'No session of that name is here; GET /sessions names those of this process')
  }
  callListener(onAction, 'revoke session', name)
  return json({ ended: name })
}

const NAME_A_CALLER = 'Send {"caller": "…"} as application/json, at most 4096 bytes'
const NAME_ONE = 'Send {"caller": "…"} or {"session": "…"} as application/json, at most 4096 bytes'

/**
 * Listens on a port of its own for those who run a gateway. `GET /metrics`, `/healthz` and `/readyz` are open; with a
 * `token`, `GET /callers`, `GET /sessions`, `POST` and `DELETE /drain`, `POST /reload`, `/revoke` and `/restore` are there too. Web pages
 * are refused, and so are names that are not in `allowedHosts`.
 *
 * @example
 * ```ts
 * import { createGateway, serveOperations } from '@portico/host/gateway'
 * import { createCatalogue, createUpstreams } from '@portico/host/upstream'
 *
 * const upstreams = createUpstreams()
 * const gateway = createGateway({ upstreams, catalogue: createCatalogue(upstreams) })
 * const token = process.env.OPERATIONS_TOKEN
 * const { url } = await serveOperations(gateway, { port: 9464, ...(token !== undefined && { token }) })
 * ```
 */
export async function serveOperations(gateway: Gateway, options: OperationsOptions = {}): Promise<OperationsServer> {
  const { port = DEFAULT_PORT, host = '127.0.0.1', token } = options
  if (token !== undefined && token.length < SHORTEST_TOKEN) {
    throw new HostError('invalid-config', `The token for operations must have at least ${SHORTEST_TOKEN} characters`)
  }
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
    answer(gateway, request, options)
      .catch((error: unknown) => text(isAway(error) ? 503 : 500, error instanceof Error ? error.message : 'Failed'))
      .then((answered) => send(response, answered))
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  const address = server.address()
  const own = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://${isIP(host) === 6 ? `[${host}]` : host}:${own}`,
    port: own,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function isAway(error: unknown): boolean {
  return error instanceof PorticoError && error.code === 'store-unavailable'
}

async function answer(gateway: Gateway, request: IncomingMessage, options: OperationsOptions): Promise<Answer> {
  if (request.headers.origin !== undefined) return text(403, 'Web pages have no business here')
  if (!isKnownHost(request.headers.host, options.allowedHosts)) {
    return text(403, 'This name is not known here; add it to allowedHosts')
  }
  const [path = '/'] = (request.url ?? '/').split('?', 1)
  const route = `${request.method === 'HEAD' ? 'GET' : request.method} ${path}`
  const open = Object.hasOwn(OPEN, route) ? OPEN[route] : undefined
  if (open !== undefined) return open(gateway, request, options)
  if (options.token === undefined) return text(404, 'Not found; actions are there when a token is set')
  if (!hasToken(request, options.token)) return text(401, 'Send the token of operations as a bearer token')
  const guarded = Object.hasOwn(GUARDED, route) ? GUARDED[route] : undefined
  if (guarded !== undefined) return guarded(gateway, request, options)
  const methods = Object.keys({ ...OPEN, ...GUARDED }).filter((known) => known.endsWith(` ${path}`))
  return methods.length === 0 ? text(404, 'Not found') : text(405, `Use ${methods.join(' or ')}`)
}

/** An address cannot be made to point elsewhere by a name service, as a page of a stranger would have to. */
function isKnownHost(header: string | undefined, allowed: readonly string[] = []): boolean {
  const name = header?.replace(/:\d+$/, '').toLowerCase() ?? ''
  return name === 'localhost' || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || allowed.includes(name)
}

function hasToken(request: IncomingMessage, token: string): boolean {
  const [scheme = '', sent = ''] = (request.headers.authorization ?? '').split(' ', 2)
  return scheme.toLowerCase() === 'bearer' && timingSafeEqual(digest(sent), digest(token))
}

function digest(value: string): Buffer {
  return createHash('sha256').update(value).digest()
}

interface Names {
  readonly caller?: string
  readonly session?: string
}

async function readNames(request: IncomingMessage): Promise<Names> {
  if (!request.headers['content-type']?.startsWith('application/json')) return {}
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > MAX_BODY) return {}
    chunks.push(chunk)
  }
  try {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    return typeof body === 'object' && body !== null ? { ...named(body, 'caller'), ...named(body, 'session') } : {}
  } catch {
    return {}
  }
}

function named(body: object, member: keyof Names): Names {
  const value: unknown = Object.hasOwn(body, member) ? Reflect.get(body, member) : undefined
  return typeof value === 'string' && value !== '' ? { [member]: value } : {}
}

function send(response: ServerResponse, { status, body, type = 'text/plain; charset=utf-8' }: Answer): void {
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    ...(status >= 400 && { connection: 'close' }),
  })
  response.end(response.req.method === 'HEAD' ? undefined : body)
}

function text(status: number, words: string): Answer {
  return { status, body: `${words}\n` }
}

function json(value: unknown): Answer {
  return { status: 200, body: `${JSON.stringify(value)}\n`, type: 'application/json' }
}
