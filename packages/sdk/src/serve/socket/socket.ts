/**
 * Serving on a Unix socket or a TCP port of this machine, with the framing of stdio: for clients that start no process
 * of their own. There are no headers here to say who is asking: a Unix socket lets its owner in, a port everybody on
 * the machine. Node only.
 */

import { type AddressInfo, createServer, type ListenOptions, type Server as NodeServer, type Socket } from 'node:net'
import type { Principal } from '../../auth/principal.ts'
import { Receiving } from '../../framing/receiving.ts'
import { Sending } from '../../framing/sending.ts'
import { INTERNAL_ERROR, invalidDefinition, PorticoError } from '../../jsonrpc/errors.ts'
import { type OptionTable, requireOptions } from '../../jsonrpc/option-table.ts'
import { endpointOf, type Server } from '../../server/server.ts'
import { serveChannel } from '../../session/connection.ts'
import type { Endpoint } from '../../session/endpoint.ts'
import { createByteStreamChannel } from '../../transport/byte-stream.ts'
import { Load } from '../rules/http-load.ts'
import { isRefusal, toErrorText } from '../rules/http-refusal.ts'
import { type AllLimits, LIMIT_OPTIONS, type SocketLimits, withDefaults } from '../rules/limits.ts'
import { Connections } from './socket-connections.ts'
import { withFirstWordCheck } from './socket-first-word.ts'
import { startListening, stopListening } from './socket-listener.ts'
import { claimSocketPath, type SocketPath } from './socket-path.ts'

/** How connections over a socket are bounded and watched. */
export type SocketOptions = SocketSettings & (UnixSocketOptions | PortOptions)

interface UnixSocketOptions {
  /** The socket's file, which only its owner can use; a named pipe on Windows. */
  readonly path: string
}

interface PortOptions {
  /** 0 takes any free port. */
  readonly port: number
  /** An address of this machine's own: 127.0.0.1 unless given. */
  readonly host?: string
  /** Listens for other machines too. Everybody who reaches the port can use the server. */
  readonly dangerouslyAllowRemote?: boolean
}

export interface SocketSettings {
  /** Who clients on this socket are; anonymous unless given. */
  readonly principal?: Principal
  readonly limits?: SocketLimits
  /** Time that requests under way have to finish when the server closes: 10 s unless given. */
  readonly graceMs?: number
}

const SOCKET_OPTIONS: OptionTable<SocketSettings & UnixSocketOptions & PortOptions> = {
  path: 'text',
  port: 'port',
  host: 'text',
  dangerouslyAllowRemote: 'flag',
  principal: 'record',
  limits: LIMIT_OPTIONS,
  graceMs: 'time',
}

/** A server that listens on a socket. */
export interface SocketListener {
  /** What a client connects to: `unix:/path` or `tcp://host:port`. */
  readonly url: string
  /** The port, where it listens on one. */
  readonly port: number | undefined
  readonly node: NodeServer
  /** Takes no new connections, lets requests under way finish within `graceMs`, then closes. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Serves over a Unix socket, a named pipe or a TCP port. Only this machine can reach it unless the options say
 * otherwise.
 *
 * @example
 * ```ts
 * import { serveSocket } from '@portico/sdk/socket'
 *
 * const listener = await serveSocket(server, { path: '/run/user/1000/notes.sock' })
 * console.error(`Listening on ${listener.url}`) // unix:/run/user/1000/notes.sock
 * ```
 */
export async function serveSocket(server: Server, options: SocketOptions): Promise<SocketListener> {
  const endpoint = endpointOf(server)
  requireOptions('serveSocket', options, SOCKET_OPTIONS)
  if (options === undefined || !('path' in options || 'port' in options)) {
    throw invalidDefinition('serveSocket: give a path or a port')
  }
  const limits = withDefaults(options.limits)
  const connections = new Connections(limits)
  const setting = { endpoint, connections, limits, load: new Load(limits, endpoint), options }
  const node = createServer(SOCKET_SETTINGS, (socket) => serve(setting, socket))
  const report = (error: Error): void => endpoint.report(error, 'socket')
  const file = 'path' in options ? await listenOnPath(node, options.path, report) : undefined
  if ('port' in options) await startListening(node, toAddress(options), report)
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= shutDown(node, connections, file, options.graceMs ?? 10_000)
    return closing
  }
  return {
    ...describe(node, options),
    node,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The system asks a silent peer after 10 s, once a second, and gives up after ten more. */
const SOCKET_SETTINGS = { allowHalfOpen: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: 10_000 } as const

interface Setting {
  readonly endpoint: Endpoint
  readonly connections: Connections
  readonly limits: AllLimits
  readonly load: Load
  readonly options: SocketOptions
}

function serve({ endpoint, connections, limits, load, options }: Setting, socket: Socket): void {
  const { graceMs, principal } = options
  const place = connections.enter()
  if (isRefusal(place)) {
    socket.on('error', ignore)
    socket.end(`${toErrorText(INTERNAL_ERROR, place.message)}\n`, () => socket.destroy())
    return
  }
  socket.once('close', () => place.leave())
  const refusal = place.claim(principal)
  const peer = principal?.id ?? socket.remoteAddress
  const receiving = new Receiving(limits, peer)
  place.watch(receiving, () => socket.destroy())
  const channel = createByteStreamChannel({
    readable: socket,
    writable: socket,
    label: 'socket',
    receiving,
    sending: new Sending(limits, peer),
    limits: { ...options.limits, ...limits },
  })
  if (refusal === undefined) {
    place.connection = serveChannel(endpoint, withFirstWordCheck(channel), { ...limits, graceMs, principal, load })
    return
  }
  channel.send(toErrorText(INTERNAL_ERROR, refusal.message))
  void channel.close()
}

async function listenOnPath(node: NodeServer, path: string, report: (error: Error) => void): Promise<SocketPath> {
  const file = await claimSocketPath(path)
  try {
    await startListening(node, { path: file.draft }, report)
    file.publish()
    return file
  } catch (error) {
    node.close()
    file.remove()
    throw error
  }
}

function toAddress({ port, host = '127.0.0.1', dangerouslyAllowRemote }: PortOptions): ListenOptions {
  if (dangerouslyAllowRemote || host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)) {
    return { port, host }
  }
  const message = `Cannot listen on ${host}: not an address of this machine alone, and nothing would ask who connects`
  throw new PorticoError('connect-failed', message)
}

function describe(node: NodeServer, options: SocketOptions): { url: string; port: number | undefined } {
  if ('path' in options) return { url: `unix:${options.path}`, port: undefined }
  // A server that listens on a port has an address of this form, not a pipe's name.
  const { address, port } = node.address() as AddressInfo
  return { url: `tcp://${address.includes(':') ? `[${address}]` : address}:${port}`, port }
}

async function shutDown(
  node: NodeServer,
  connections: Connections,
  file: SocketPath | undefined,
  graceMs: number,
): Promise<void> {
  const closed = stopListening(node)
  file?.remove()
  await connections.drain(graceMs)
  await closed
}

function ignore(): void {}
