/**
 * Serving over WebSocket on Node: `serveWebSocket` listens on a port of its own, `attachWebSocket` shares the port of
 * an HTTP server, such as that of `serveHttp`. Both speak every revision on one connection; what is let in is decided
 * in `websocket-upgrade.ts`.
 */

import { createServer, type IncomingMessage, type Server as NodeServer } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { type OptionTable, requireOptions } from '../../jsonrpc/option-table.ts'
import { endpointOf, type Server } from '../../server/server.ts'
import { Heartbeat } from '../../transport/http-heartbeat.ts'
import { NodeExchange } from '../adapters/http-node.ts'
import { refuse } from '../rules/http-refusal.ts'
import { withDefaults } from '../rules/limits.ts'
import { UPGRADE_REQUIRED } from '../rules/refusals.ts'
import { startListening, stopListening } from '../socket/socket-listener.ts'
import { UPGRADE_OPTIONS, type UpgradeOptions, WebSocketUpgrades } from './websocket-upgrade.ts'

/** Where to listen for WebSocket connections, and how they are bounded. */
export interface WebSocketOptions extends UpgradeOptions {
  /** 3000 unless given; 0 takes any free port. */
  readonly port?: number
  /** The address to listen on. Only this machine can reach the default, 127.0.0.1. */
  readonly host?: string
}

const WEBSOCKET_OPTIONS: OptionTable<WebSocketOptions> = { ...UPGRADE_OPTIONS, port: 'port', host: 'text' }

/** A server that listens for WebSocket connections. */
export interface WebSocketListener {
  readonly url: string
  readonly port: number
  readonly node: NodeServer
  /** Refuses new connections, lets requests under way finish within `graceMs`, then closes. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** A server on the WebSocket connections of an HTTP server of your own, as `attachWebSocket` makes it. */
export interface WebSocketAttachment {
  /** Refuses new connections, lets requests under way finish within `graceMs`, then closes the open connections. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Serves over WebSocket, on a port of its own.
 *
 * @example
 * ```ts
 * import { serveWebSocket } from '@portico/sdk/websocket'
 *
 * const listener = await serveWebSocket(server, { port: 3001 })
 * console.error(`Listening on ${listener.url}`) // ws://127.0.0.1:3001/mcp
 * ```
 */
export async function serveWebSocket(server: Server, options: WebSocketOptions = {}): Promise<WebSocketListener> {
  requireOptions('serveWebSocket', options, WEBSOCKET_OPTIONS)
  const { port = 3000, host = '127.0.0.1' } = options
  const endpoint = endpointOf(server)
  const limits = withDefaults(options.limits)
  const node = createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      // How often Node looks for requests that are late.
      connectionsCheckingInterval: Math.min(5000, limits.headersTimeoutMs),
    },
    (req, res) => refuse(new NodeExchange(req, res), UPGRADE_REQUIRED),
  )
  const upgrades = new WebSocketUpgrades(endpoint, options, () => host)
  node.on('upgrade', (req, socket, head) => void upgrades.handle(req, socket, head))
  await startListening(node, { port, host }, (error) => endpoint.report(error, 'websocket'))
  // A server that listens on a port has an address of this form, not a pipe's name.
  const bound = (node.address() as AddressInfo).port
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= shutDown(node, upgrades)
    return closing
  }
  return {
    url: `ws://${host.includes(':') ? `[${host}]` : host}:${bound}${upgrades.path}`,
    port: bound,
    node,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/**
 * Serves WebSocket connections on an HTTP server of your own, which you also close. Upgrades to other paths are left to
 * the server's other listeners; where there are none, they are answered by 404.
 *
 * @example
 * ```ts
 * import { attachWebSocket } from '@portico/sdk/websocket'
 * import { createServer } from 'node:http'
 *
 * const node = createServer((_req, res) => res.end('hello'))
 * attachWebSocket(server, node, { path: '/mcp' })
 * node.listen(3000, '127.0.0.1')
 * ```
 */
export function attachWebSocket(
  server: Server,
  node: NodeServer | TlsServer,
  options: UpgradeOptions = {},
): WebSocketAttachment {
  requireOptions('attachWebSocket', options, UPGRADE_OPTIONS)
  const upgrades = new WebSocketUpgrades(endpointOf(server), options, () => {
    const address = node.address()
    return typeof address === 'object' && address !== null ? address.address : undefined
  })
  const onUpgrade = (req: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if (upgrades.owns(req) || node.listenerCount('upgrade') === 1) void upgrades.handle(req, socket, head)
  }
  node.on('upgrade', onUpgrade)
  let closing: Promise<void> | undefined
  const attachment: WebSocketAttachment = {
    close() {
      watch.delete(watched)
      closing ??= upgrades.drain().finally(() => node.off('upgrade', onUpgrade))
      return closing
    },
    [Symbol.asyncDispose]() {
      return this.close()
    },
  }
  // A server that was told to close waits for its connections, these included, and says so to nobody.
  const watch = new Heartbeat(WATCH_MS)
  let wasListening = node.listening
  node.once('listening', () => {
    wasListening = true
  })
  const watched = {
    beat(): void {
      if (wasListening && !node.listening) void attachment.close()
    },
  }
  watch.add(watched)
  return attachment
}

const WATCH_MS = 1000

async function shutDown(node: NodeServer, upgrades: WebSocketUpgrades): Promise<void> {
  const closed = stopListening(node)
  await upgrades.drain()
  node.closeAllConnections()
  await closed
}
