/**
 * The internal door of a replica, for the other replicas alone, on an address of its own. Whoever has no key of the cluster is told
 * nothing and not kept for long; a caller's headers never lead here.
 */

import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { cannotListen } from '@portico/sdk/internal'
import { PorticoError } from '@portico/sdk/server'
import type { Hop } from './hop.ts'
import { admit, type HopConnection } from './hop-connection.ts'
import { HopRequest } from './hop-request.ts'
import type { Seal } from './seal.ts'

/** Where the other replicas reach this one. */
export interface DoorOptions {
  /** The address to listen on; only this machine reaches the default, 127.0.0.1. */
  readonly host?: string
  /** Any free port unless given. */
  readonly port?: number
  /** What the other replicas call it, where that is not the address it listens on: `tcp://10.0.3.7:4100`. */
  readonly url?: string
  /** In place of a port: a folder of this machine, for a socket that only this user's processes reach. */
  readonly folder?: string
}

export interface Door {
  /** `tcp://host:port`, or `unix:` and the path of the socket. */
  readonly url: string
  close(): Promise<void>
}

const STRANGER_MS = 5_000
const MAX_STRANGERS = 256
const MAX_CONNECTIONS = 4096

/** `serve` gets what was passed on; it answers, or says that it is elsewhere. */
export async function openDoor(
  options: DoorOptions & { readonly name: string; readonly strangerMs?: number },
  seal: Seal,
  serve: (request: HopRequest, hop: Hop) => void,
): Promise<Door> {
  if (options.url !== undefined) checkUrl(options.url)
  const all = new Set<Socket>()
  /** Those that have not shown that they are replicas, oldest first. */
  const strangers = new Set<Socket>()
  const server = createServer((socket) => {
    all.add(socket)
    strangers.add(socket)
    const [oldest] = strangers
    if (strangers.size > MAX_STRANGERS && oldest !== undefined) {
      // Its end is told later; the next one must not find it here.
      strangers.delete(oldest)
      oldest.destroy()
    }
    const timer = setTimeout(() => socket.destroy(), options.strangerMs ?? STRANGER_MS)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(timer)
      strangers.delete(socket)
      all.delete(socket)
    })
    admit(socket, seal, options.name, (connection) => {
      clearTimeout(timer)
      strangers.delete(socket)
      receive(connection, serve)
    })
  })
  server.maxConnections = MAX_CONNECTIONS
  server.unref()
  const url = await listen(server, options)
  return {
    url: options.url ?? url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of all) socket.destroy()
      }),
  }
}

/** Others could not reach what has no port. */
function checkUrl(url: string): void {
  if (url.startsWith('unix:')) return
  if (!URL.canParse(url) || new URL(url).port === '') {
    throw new PorticoError(
      'invalid-definition',
      `The url for the other replicas, "${url}", is no address with a port, such as tcp://10.0.3.7:4100`,
    )
  }
}

/** One request after the other: a replica opens another connection where this one is busy. */
function receive(connection: HopConnection, serve: (request: HopRequest, hop: Hop) => void): void {
  const waiting = {
    received(value: unknown): void {
      // Only a replica writes what opens on this connection.
      const hop = value as Hop
      const request = new HopRequest(hop, connection, () => connection.use(waiting))
      connection.use(request)
      serve(request, hop)
    },
    drained: () => undefined,
    closed: () => undefined,
  }
  connection.use(waiting)
}

async function listen(
  server: Server,
  { host = '127.0.0.1', port = 0, folder, name }: DoorOptions & { readonly name: string },
): Promise<string> {
  const path = folder === undefined ? undefined : join(folder, `${name}.sock`)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(cannotListen(path ?? `${host}:${port}`, port, cause)))
    // Workers of one process would otherwise share the port, and with it what was meant for one of them.
    if (path === undefined) server.listen({ port, host, exclusive: true }, resolve)
    else server.listen(path, resolve)
  })
  if (path !== undefined) return `unix:${path}`
  // A server that listens on a port has an address of this form, not a pipe's name.
  const bound = (server.address() as AddressInfo).port
  return `tcp://${host.includes(':') ? `[${host}]` : host}:${bound}`
}
