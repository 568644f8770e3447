/** The server inside this process, on HTTP, HTTP+SSE and WebSocket at one port, for the clients of `suites/`. */

import { serveHttp } from '@portico/sdk/http'
import { attachWebSocket } from '@portico/sdk/websocket'
import { OPTIONS } from './options.ts'
import { createSubject } from './server.ts'

export interface OwnServer {
  readonly origin: string
  /** How many requests of any kind a handler or the handshake has answered. */
  readonly answered: () => number
  close(): Promise<void>
}

export async function openOwnServer(allowedOrigins: readonly string[] = []): Promise<OwnServer> {
  const server = createSubject()
  let answered = 0
  const count = (): void => {
    answered += 1
  }
  for (const method of ['initialize', 'tools/call']) server.on(method, count)
  const http = await serveHttp(server, { ...OPTIONS, allowedOrigins, port: 0, graceMs: 500 })
  const sockets = attachWebSocket(server, http.node, { path: OPTIONS.path, allowedOrigins, graceMs: 500 })
  return {
    origin: new URL(http.url).origin,
    answered: () => answered,
    async close() {
      await Promise.all([sockets.close(), http.close()])
    },
  }
}
