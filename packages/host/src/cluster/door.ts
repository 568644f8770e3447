/**
 * The internal door of a replica: an HTTP server for the other replicas alone, on an address of its own. It takes one kind of
 * request, and of that only what a replica sealed for this one; a caller's headers never lead here.
 */

import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { cannotListen } from '@portico/sdk/internal'
import { type Hop, type HopReader, PROOF_HEADER } from './hop.ts'
import { HopRequest } from './hop-request.ts'

/** Where the other replicas reach this one. */
export interface DoorOptions {
  /** The address to listen on; only this machine reaches the default, 127.0.0.1. */
  readonly host?: string
  /** Any free port unless given. */
  readonly port?: number
  /** What the other replicas call it, where that is not the address it listens on: `http://10.0.3.7:4100`. */
  readonly url?: string
  /** In place of a port: a folder of this machine, for a socket that only this user's processes reach. */
  readonly folder?: string
}

export interface Door {
  /** `http://host:port`, or `unix:` and the path of the socket. */
  readonly url: string
  close(): Promise<void>
}

const HOP_PATH = '/hop'
const KEEP_ALIVE_MS = 60_000
const MAX_CONNECTIONS = 4096

/** `serve` gets what was opened; it answers, or says that it is elsewhere. */
export async function openDoor(
  options: DoorOptions & { readonly name: string; readonly maxBytes: number },
  reader: HopReader,
  serve: (request: HopRequest, hop: Hop) => void,
): Promise<Door> {
  const server = createServer((req, res) => {
    req.on('error', () => undefined)
    const { 'content-length': length, [PROOF_HEADER]: proof } = req.headers
    // Whatever was wrong, it is told nothing, and what it sends is not read.
    if (req.method !== 'POST' || req.url !== HOP_PATH || !reader.expects(length, String(proof))) {
      res.writeHead(404, ['connection', 'close']).end(() => req.destroy())
      return
    }
    receive(req, options.maxBytes, (bytes) => {
      const opened = reader.open(bytes)
      if (opened === undefined) return void res.writeHead(404).end()
      res.writeHead(200, ['content-type', 'application/octet-stream'])
      serve(new HopRequest(opened.hop, opened.key, res), opened.hop)
    })
  })
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.maxConnections = MAX_CONNECTIONS
  server.unref()
  const url = await listen(server, options)
  return {
    url: options.url ?? url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function receive(req: IncomingMessage, maxBytes: number, done: (bytes: Buffer) => void): void {
  const chunks: Buffer[] = []
  let size = 0
  req.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > maxBytes) req.destroy()
    else chunks.push(chunk)
  })
  req.on('end', () => done(Buffer.concat(chunks)))
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
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound}`
}
