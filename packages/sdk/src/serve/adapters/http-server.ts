/**
 * An endpoint on Node's HTTP server: the listening, the time limits and the way down. What is answered is decided in
 * `streamable.ts`. `http.ts` offers this for servers; a gateway brings an endpoint of its own.
 */

import type { Server as NodeServer, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type OptionTable, requireOptions } from '../../jsonrpc/option-table.ts'
import type { Endpoint } from '../../session/endpoint.ts'
import { Health, type HealthOptions } from '../observe/health.ts'
import { cannotListen } from '../socket/socket-listener.ts'
import { Streamable } from '../streamable/streamable.ts'
import { STREAMABLE_OPTIONS, type StreamableOptions } from '../streamable/streamable-options.ts'
import { NodeExchange, type NodeRequest } from './http-node.ts'
import { endSession, listSessions, type OpenSession } from './open-sessions.ts'
import { createListener, type Listener, type ListenerOptions } from './tls.ts'

/** Where to listen, whom to let in, and within which limits. */
export interface HttpOptions extends StreamableOptions, ListenerOptions {
  /** 3000 unless given; 0 takes any free port. */
  readonly port?: number
  /** The address to listen on. Only this machine can reach the default, 127.0.0.1. */
  readonly host?: string
  /** Time that requests under way have to finish when the server closes. */
  readonly graceMs?: number
  /** Answers `/healthz` and `/readyz`, or the paths given. Off unless set. */
  readonly health?: boolean | HealthOptions
}

const HTTP_OPTIONS: OptionTable<HttpOptions> = {
  ...STREAMABLE_OPTIONS,
  tls: 'record',
  http2: 'flag',
  port: 'port',
  host: 'text',
  graceMs: 'time',
  health: 'any',
}

const GRACE_MS = 10_000

/** A server that listens over HTTP. */
export interface HttpServer {
  readonly url: string
  readonly port: number
  /** Node's own server. With `tls` it is one for HTTPS or HTTP/2, which has the same events and `address()`. */
  readonly node: NodeServer
  /** The sessions of the older revisions that are open in this process. */
  sessions(): readonly OpenSession[]
  /** Ends one for good, by the name that `sessions()` gives it; false where there is none of that name. */
  endSession(name: string): Promise<boolean>
  /** Refuses new requests, lets those under way finish within `graceMs`, then stops listening. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export interface HttpHandler {
  (req: NodeRequest, res: ServerResponse, next?: () => void): void
  /** Refuses new requests and lets those under way finish, at most for `graceMs`: call it before the server around closes. */
  close(graceMs?: number): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export async function listenHttp(endpoint: Endpoint, options: HttpOptions = {}): Promise<HttpServer> {
  requireOptions('serveHttp', options, HTTP_OPTIONS)
  const { port = 3000, host = '127.0.0.1', path = '/mcp', graceMs = GRACE_MS } = options
  const paths = { path, ssePath: options.ssePath ?? '/sse', messagesPath: options.messagesPath ?? '/messages' }
  const streamable = new Streamable(endpoint, { ...options, ...paths }, host)
  const health = options.health ? new Health(options.health === true ? {} : options.health) : undefined
  let closing: Promise<void> | undefined
  let lateAt = Number.NEGATIVE_INFINITY
  const listener = createListener(options, streamable.limits, (req, res) => {
    if (closing !== undefined) {
      lateAt = performance.now()
      // HTTP/2 has no such thing, and takes no notice.
      res.shouldKeepAlive = false
    }
    const exchange = new NodeExchange(req, res)
    if (health === undefined || !health.handle(exchange.method, exchange.url, exchange)) streamable.handle(exchange)
  })
  // All kinds emit `upgrade` and have an address, which is what others use of it.
  const node = listener.node as NodeServer
  await listen(node, port, host)
  // A server that listens on a port has an address of this form, not a pipe's name.
  const bound = (node.address() as AddressInfo).port
  const close = (): Promise<void> => {
    if (health !== undefined) health.draining = true
    closing ??= shutDown(listener, streamable, { graceMs, lateAt: () => lateAt })
    return closing
  }
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${bound}${path}`,
    port: bound,
    node,
    sessions: () => listSessions(streamable),
    endSession: (name) => endSession(streamable, name),
    close,
    [Symbol.asyncDispose]: close,
  }
}

export function createEndpointHandler(endpoint: Endpoint, options: StreamableOptions = {}): HttpHandler {
  requireOptions('createHttpHandler', options, STREAMABLE_OPTIONS)
  const streamable = new Streamable(endpoint, options)
  const handle = (req: NodeRequest, res: ServerResponse, next?: () => void): void => {
    const exchange = new NodeExchange(req, res)
    if (next !== undefined && !streamable.owns(exchange.url)) next()
    else streamable.handle(exchange)
  }
  const close = (graceMs = GRACE_MS) => streamable.close(graceMs)
  return Object.assign(handle, { close, [Symbol.asyncDispose]: () => close() })
}

function listen(node: NodeServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    node.once('error', (cause) => reject(cannotListen(`${host}:${port}`, port, cause)))
    node.listen(port, host, resolve)
  })
}

/** After the last request that came too late: how long the connections of those who still send are kept for the next. */
const LINGER_MS = 100

interface Ending {
  readonly graceMs: number
  /** When a request came last that was refused because of the end. */
  lateAt(): number
}

async function shutDown(listener: Listener, streamable: Streamable, { graceMs, lateAt }: Ending): Promise<void> {
  const deadline = performance.now() + graceMs
  await streamable.close(graceMs)
  // A request that crosses the end of its connection is lost; one that is refused can be made elsewhere.
  for (let now = performance.now(); now < Math.min(lateAt() + LINGER_MS, deadline); now = performance.now()) {
    await pause(Math.min(lateAt() + LINGER_MS, deadline) - now)
  }
  const closed = new Promise<void>((resolve) => listener.node.close(() => resolve()))
  listener.closeIdle()
  // Answers that are written but not yet with the client get what is left of the grace.
  const timer = setTimeout(() => listener.closeAll(), Math.max(0, deadline - performance.now()))
  await closed
  clearTimeout(timer)
}
