/** Whatever can be closed can be disposed of: `await using` works on everything with `close`. */

import { createServer as createNodeServer } from 'node:http'
import { expect, test } from 'vitest'
import { connect } from '../src/connect/connect.ts'
import { serveFetch } from '../src/serve/adapters/fetch.ts'
import { createHttpHandler, serveHttp } from '../src/serve/adapters/http.ts'
import { serveSocket } from '../src/serve/socket/socket.ts'
import { attachWebSocket, serveWebSocket } from '../src/serve/websocket/websocket.ts'
import { resource } from '../src/server/items/definition.ts'
import { createServer, endpointOf } from '../src/server/server.ts'
import { serveChannel } from '../src/session/connection.ts'
import { createMemoryChannels } from '../src/transport/memory.ts'

const server = createServer({
  name: 'disposed',
  version: '1',
  resources: { one: resource({ uri: 'mem://one' }, () => 'text') },
})

type Closable = { close(): unknown; [Symbol.asyncDispose](): Promise<void> }

const ROWS: { what: string; open: () => Promise<Closable> | Closable }[] = [
  { what: 'an HTTP server', open: () => serveHttp(server, { port: 0 }) },
  { what: 'an HTTP handler', open: () => createHttpHandler(server) },
  { what: 'a fetch handler', open: () => serveFetch(server) },
  { what: 'a socket', open: () => serveSocket(server, { port: 0 }) },
  { what: 'a WebSocket server', open: () => serveWebSocket(server, { port: 0 }) },
  { what: 'an attached WebSocket', open: () => attachWebSocket(server, createNodeServer()) },
  { what: 'a connection', open: () => serveChannel(endpointOf(server), createMemoryChannels()[0]) },
  { what: 'a client', open: () => connect(server) },
  { what: 'a subscription', open: async () => (await connect(server)).subscribe('mem://one') },
]

test.each(ROWS)('sdk 17: $what is closed at the end of its block', async ({ open }) => {
  const opened = await open()
  expect(typeof opened.close).toBe('function')
  await opened[Symbol.asyncDispose]()
  // Once more does no harm.
  await opened[Symbol.asyncDispose]()
})
