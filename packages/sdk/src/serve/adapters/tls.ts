/**
 * The listening server that `http-server.ts` puts the endpoint on: plain HTTP, HTTPS with or without client
 * certificates, or HTTP/2 with HTTP/1.1 for those that do not speak it. Node only.
 */

import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type ServerHttp2Session,
} from 'node:http2'
import { createServer as createTlsServer, type Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { TlsOptions as NodeTlsOptions } from 'node:tls'
import { PorticoError } from '../../jsonrpc/errors.ts'
import type { ServeLimits } from '../rules/limits.ts'

type Pem = string | Uint8Array

interface TlsOptions {
  /** The server's certificate (with its chain) and private key, as PEM. */
  readonly cert: Pem | readonly Pem[]
  readonly key: Pem
  readonly passphrase?: string
  /** The authorities whose client certificates are accepted. Needed for `clientCertificate`, and used for nothing else. */
  readonly ca?: Pem | readonly Pem[]
  /**
   * `required` ends connections without a certificate of `ca` before any request; `optional` lets them pass without
   * one, for another way in to decide. A certificate that is not verified never counts.
   */
  readonly clientCertificate?: 'required' | 'optional'
  /** Certificates that are accepted no longer, as PEM revocation lists. */
  readonly crl?: Pem | readonly Pem[]
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3'
}

export interface ListenerOptions {
  readonly tls?: TlsOptions
  /** Offers HTTP/2 besides HTTP/1.1; needs `tls`. */
  readonly http2?: boolean
}

type NodeListener = HttpServer | HttpsServer | Http2SecureServer

export interface Listener {
  readonly node: NodeListener
  /** Lets go of connections that have nothing to do. */
  closeIdle(): void
  /** Cuts all connections. */
  closeAll(): void
}

type RequestHandler = (req: IncomingMessage, res: ServerResponse) => void

export function createListener(options: ListenerOptions, limits: ServeLimits, handle: RequestHandler): Listener {
  const { tls, http2 } = options
  if (http2 && tls === undefined) throw new PorticoError('invalid-definition', 'http2 needs tls')
  const timing = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    // How often Node looks for requests that are late.
    connectionsCheckingInterval: Math.min(5000, limits.headersTimeoutMs),
  }
  if (tls === undefined) return toListener(createServer(timing, handle))
  if (http2) return createHttp2Listener(toNodeTls(tls), limits, handle, timing)
  return toListener(createTlsServer({ ...timing, ...toNodeTls(tls) }, handle))
}

/** Requests of one HTTP/2 connection at a time. */
const MAX_STREAMS = 256

function createHttp2Listener(
  tls: NodeTlsOptions,
  limits: ServeLimits,
  handle: RequestHandler,
  timing: ServerOptions,
): Listener {
  const settings = { maxConcurrentStreams: MAX_STREAMS, enablePush: false }
  const node = createSecureServer({ ...tls, allowHTTP1: true, settings }, (req, res) => {
    if (req.httpVersionMajor > 1) bound(req, limits.requestTimeoutMs)
    // Node's compatibility API: the same members, of which only those are used that both have.
    handle(req as unknown as IncomingMessage, res as unknown as ServerResponse)
  })
  // For those that speak HTTP/1.1; as options they would be left out.
  Object.assign(node, timing)
  const sessions = new Set<ServerHttp2Session>()
  const sockets = new Set<{ destroy(): void }>()
  node.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    endIdle(session, limits.requestTimeoutMs)
  })
  node.on('secureConnection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return {
    node,
    closeIdle() {
      for (const session of sessions) session.close()
    },
    closeAll() {
      for (const session of sessions) session.destroy()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Node keeps a connection without a request for ever: one on which nothing was asked for so long, or said, is ended. */
function endIdle(session: ServerHttp2Session, ms: number): void {
  let open = 0
  session.on('stream', (stream) => {
    open++
    stream.once('close', () => open--)
  })
  session.setTimeout(ms, () => {
    if (open === 0) session.destroy()
  })
}

/** HTTP/2 has no time limit for a request to arrive, so each is given one. */
function bound(req: Http2ServerRequest, ms: number): void {
  // Without a body it is here already, and nothing would read it to its end: a GET for an event stream stays open.
  if (req.stream.endAfterHeaders) return
  const timer = setTimeout(() => req.stream.close(), ms)
  timer.unref()
  const stop = (): void => clearTimeout(timer)
  req.once('end', stop)
  req.once('close', stop)
}

function toListener(node: HttpServer | HttpsServer): Listener {
  const silent = new SilentSockets()
  node.on('connection', (socket: Socket) => silent.add(socket))
  return {
    node,
    closeIdle() {
      node.closeIdleConnections()
      silent.destroy()
    },
    closeAll: () => node.closeAllConnections(),
  }
}

/**
 * The connections that have not said anything: Node does not count those as idle, yet nobody waits for an answer on one.
 * They are looked through now and then, since to listen for the end of each would cost every open connection half a
 * kilobyte; until then nothing is held of one that has ended, which may have had a large answer waiting.
 */
class SilentSockets {
  readonly #sockets = new Set<WeakRef<Socket>>()
  #enough = SOME_SOCKETS

  add(socket: Socket): void {
    if (this.#sockets.size >= this.#enough) {
      for (const one of this.#sockets) if (!isSilent(one.deref())) this.#sockets.delete(one)
      this.#enough = Math.max(SOME_SOCKETS, 2 * this.#sockets.size)
    }
    this.#sockets.add(new WeakRef(socket))
  }

  destroy(): void {
    for (const one of this.#sockets) {
      const socket = one.deref()
      if (isSilent(socket)) socket.destroy()
    }
    this.#sockets.clear()
  }
}

function isSilent(socket: Socket | undefined): socket is Socket {
  return socket !== undefined && !socket.destroyed && socket.bytesRead === 0
}

const SOME_SOCKETS = 32

function toNodeTls(tls: TlsOptions): NodeTlsOptions {
  const { clientCertificate, ca, minVersion = 'TLSv1.2' } = tls
  // Without authorities of one's own, Node would accept a certificate that any public authority gave to anybody.
  if (clientCertificate !== undefined && ca === undefined) {
    throw new PorticoError('invalid-definition', 'tls.clientCertificate needs tls.ca')
  }
  return {
    cert: toNodePem(tls.cert),
    key: toNodePem(tls.key),
    minVersion,
    ...(tls.passphrase !== undefined && { passphrase: tls.passphrase }),
    ...(ca !== undefined && { ca: toNodePem(ca) }),
    ...(tls.crl !== undefined && { crl: toNodePem(tls.crl) }),
    requestCert: clientCertificate !== undefined,
    rejectUnauthorized: clientCertificate === 'required',
  }
}

function toNodePem(pem: Pem | readonly Pem[]): string | Buffer | (string | Buffer)[] {
  const toNode = (one: Pem) => (typeof one === 'string' ? one : Buffer.from(one))
  return typeof pem === 'string' || pem instanceof Uint8Array ? toNode(pem) : pem.map(toNode)
}
