/** The server on the official SDK 1.32.2 over Streamable HTTP with sessions and resumption, and over HTTP+SSE. */

import { randomUUID } from 'node:crypto'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { type EventStore, StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { type Listening, listen } from './listening.ts'
import { createSdk1Server } from './sdk-1.ts'

export async function openSdk1Http(): Promise<Listening> {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const pairs = new Map<string, SSEServerTransport>()
  const servers: McpServer[] = []
  const connect = async (transport: StreamableHTTPServerTransport | SSEServerTransport) => {
    const server = createSdk1Server()
    servers.push(server)
    await server.connect(transport)
  }
  const listening = await listen(async (req, res, body) => {
    const url = new URL(req.url ?? '/', 'http://here')
    if (url.pathname === '/sse' && req.method === 'GET') {
      const transport = new SSEServerTransport('/messages', res)
      pairs.set(transport.sessionId, transport)
      await connect(transport)
    } else if (url.pathname === '/messages') {
      const pair = pairs.get(url.searchParams.get('sessionId') ?? '')
      if (pair === undefined) res.writeHead(404).end()
      else await pair.handlePostMessage(req, res, body)
    } else if (url.pathname === '/mcp') {
      const id = req.headers['mcp-session-id']
      const known = sessions.get(String(id))
      if (id !== undefined && known === undefined) res.writeHead(404).end()
      else if (known !== undefined) await known.handleRequest(req, res, body)
      else {
        const transport = new StreamableHTTPServerTransport({
          sessionIdGenerator: randomUUID,
          eventStore: createEventStore(),
          retryInterval: 50,
          onsessioninitialized: (session) => void sessions.set(session, transport),
        })
        await connect(transport)
        await transport.handleRequest(req, res, body)
      }
    } else res.writeHead(404).end()
  })
  return {
    origin: listening.origin,
    async close() {
      await Promise.all(servers.map((server) => server.close()))
      await listening.close()
    },
  }
}

/** Keeps all events of a session in memory, in order. */
function createEventStore(): EventStore {
  const events: { id: string; stream: string; message: JSONRPCMessage }[] = []
  return {
    async storeEvent(stream, message) {
      const id = String(events.length)
      events.push({ id, stream, message })
      return id
    },
    async replayEventsAfter(last, { send }) {
      const from = events[Number(last)]
      if (from === undefined) throw new Error(`no event ${last}`)
      for (const { id, stream, message } of events.slice(Number(last) + 1)) {
        if (stream === from.stream) await send(id, message)
      }
      return from.stream
    },
  }
}
