/**
 * The only way from the browser to the network: a proxy of our own on the loopback address. Every connection passes here,
 * whatever began it, a page, a redirect, a script, a socket or a worker. The name is looked up once, every address
 * is judged, and the connection goes to the address that was judged, so that nothing can rebind it (sec-92).
 */

import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { judgedAddresses } from '@portico/sdk/internal'
import type { Destinations } from '../network/destination.ts'
import { RefusedDestination } from '../network/destination.ts'

export interface BrowserProxy {
  readonly server: string
  readonly username: string
  readonly password: string
  /** Why the last connection to a host was refused or did not come about, if so. */
  refusalOf(host: string): string | undefined
  close(): Promise<void>
}

const MAX_REFUSALS = 200
const CONNECT_MS = 20_000

export async function openBrowserProxy(destinations: Destinations): Promise<BrowserProxy> {
  const username = 'portico'
  const password = randomBytes(24).toString('base64url')
  const expected = Buffer.from(`Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`)
  const refusals = new Map<string, string>()
  const sockets = new Set<Duplex>()
  const judge = createJudge(destinations, refusals)

  const proxy = createServer({ maxHeaderSize: 65_536 }, (request, response) => {
    if (!isKnown(request, expected)) return void response.writeHead(407, CHALLENGE).end()
    forward(request, response, judge).catch((error) => refuse(response, error, hostOf(request)))
  })
  proxy.on('connect', (request, socket, head) => {
    keep(sockets, socket)
    if (!isKnown(request, expected)) return void socket.end(`HTTP/1.1 407 Proxy\r\n${CHALLENGE_LINE}\r\n\r\n`)
    tunnel(request.url ?? '', socket, head, { judge, sockets, failures: refusals }).catch(() =>
      socket.end('HTTP/1.1 403 Refused\r\n\r\n'),
    )
  })
  // Sockets go through `connect`; nothing else changes its protocol on the way.
  proxy.on('upgrade', (_request, socket) => socket.destroy())
  proxy.on('clientError', (_error, socket) => socket.destroy())
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
  const { port } = proxy.address() as AddressInfo
  return {
    server: `http://127.0.0.1:${port}`,
    username,
    password,
    refusalOf: (host) => refusals.get(host),
    close() {
      for (const socket of sockets) socket.destroy()
      proxy.closeAllConnections()
      return new Promise((done) => proxy.close(() => done()))
    },
  }
}

const CHALLENGE = { 'proxy-authenticate': 'Basic realm="proxy"' }
const CHALLENGE_LINE = 'Proxy-Authenticate: Basic realm="proxy"'

/** Other programs of this machine must not go out through here. */
function isKnown(request: IncomingMessage, expected: Buffer): boolean {
  const given = Buffer.from(request.headers['proxy-authorization'] ?? '')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

type Judge = (url: URL) => Promise<string>

/** Gives the address to connect to. */
function createJudge(destinations: Destinations, refusals: Map<string, string>): Judge {
  return async (url) => {
    try {
      destinations.judgeUrl(url)
      const host = url.hostname.replace(/^\[|\]$/g, '')
      if (isIP(host) !== 0) return host
      const [first] = await judgedAddresses(host, (address) => destinations.judgeAddress(url, address))
      refusals.delete(url.host)
      return first.address
    } catch (error) {
      note(refusals, url, error)
      throw error
    }
  }
}

function note(failures: Map<string, string>, url: URL, error: unknown): void {
  if (failures.size >= MAX_REFUSALS) failures.clear()
  failures.set(url.host, error instanceof RefusedDestination ? error.message : unreachable(url.hostname, error))
}

/** What a person needs to know who cannot tell a wrong name from a machine without a network. */
function unreachable(host: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no answer'
  const isName = code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'ENODATA'
  return isName
    ? `The name ${host} cannot be looked up (${code}): there is no such site, or this machine is offline.`
    : `The site ${host} cannot be reached (${code}).`
}

interface TunnelParts {
  readonly judge: Judge
  readonly sockets: Set<Duplex>
  readonly failures: Map<string, string>
}

async function tunnel(
  target: string,
  socket: Duplex,
  head: Buffer,
  { judge, sockets, failures }: TunnelParts,
): Promise<void> {
  const scheme = target.endsWith(':80') ? 'http' : 'https'
  if (!URL.canParse(`${scheme}://${target}`)) throw new Error('no target')
  const url = new URL(`${scheme}://${target}`)
  const address = await judge(url)
  const port = Number(url.port) || (scheme === 'http' ? 80 : 443)
  const far = connect({ host: address, port, timeout: CONNECT_MS })
  keep(sockets, far)
  far.once('connect', () => {
    far.setTimeout(0)
    socket.write('HTTP/1.1 200 Connected\r\n\r\n')
    far.write(head)
    far.pipe(socket).pipe(far)
  })
  far.once('error', (error) => note(failures, url, error))
  far.once('timeout', () => far.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })))
  far.once('close', () => socket.destroy())
  socket.once('close', () => far.destroy())
}

async function forward(request: IncomingMessage, response: ServerResponse, judge: Judge): Promise<void> {
  if (!URL.canParse(request.url ?? '')) return void response.writeHead(400).end()
  const url = new URL(request.url ?? '')
  const address = await judge(url)
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !HOP_BY_HOP.has(name)))
  const onward = requestHttp(
    {
      host: address,
      port: url.port === '' ? 80 : Number(url.port),
      method: request.method ?? 'GET',
      path: url.pathname + url.search,
      headers: { ...headers, host: url.host },
      agent: false,
      timeout: CONNECT_MS,
    },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(response)
      answer.once('error', () => response.destroy())
    },
  )
  onward.once('timeout', () => onward.destroy(new Error('timeout')))
  onward.once('error', (error) => refuse(response, error, url.hostname))
  onward.once('upgrade', (_answer, socket) => {
    socket.destroy()
    refuse(response, new Error('another protocol'), url.hostname)
  })
  response.once('close', () => onward.destroy())
  request.pipe(onward)
}

const HOP_BY_HOP = new Set([
  'proxy-authorization',
  'proxy-connection',
  'connection',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
])

function hostOf({ url = '' }: IncomingMessage): string {
  return URL.canParse(url) ? new URL(url).hostname : 'of this address'
}

function refuse(response: ServerResponse, error: unknown, host: string): void {
  if (response.headersSent) return void response.destroy()
  const refused = error instanceof RefusedDestination
  response.writeHead(refused ? 403 : 502, { 'content-type': 'text/plain', ...(refused && { [REFUSED_HEADER]: '1' }) })
  response.end(refused ? error.message : unreachable(host, error))
}

/** Marks answers that no site gave. */
export const REFUSED_HEADER = 'x-portico-refused'

function keep(sockets: Set<Duplex>, socket: Duplex): void {
  sockets.add(socket)
  socket.once('close', () => sockets.delete(socket))
  socket.on('error', () => socket.destroy())
}
