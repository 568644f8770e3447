/** The server on the official SDK 2.4.0 over HTTP: 2026-07-28 by request, the older revisions with sessions. */

import { randomUUID } from 'node:crypto'
import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node'
import { createMcpHandler, isLegacyRequest, type McpServer } from '@modelcontextprotocol/server'
import { type Listening, listen } from './listening.ts'
import { createSdk2Server, createWorld } from './sdk-2.ts'

export async function openSdk2Http(): Promise<Listening> {
  const world = createWorld()
  const modern = createMcpHandler(() => createSdk2Server(world, false), { legacy: 'reject' })
  world.notify = modern.notify
  const serveModern = toNodeHandler(modern)
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>()
  const servers: McpServer[] = []
  const listening = await listen(async (req, res, body) => {
    if (!(await isLegacyRequest(await toWebRequest(req, body), body))) return serveModern(req, res, body)
    const id = req.headers['mcp-session-id']
    const known = sessions.get(String(id))
    if (known !== undefined) return known.handleRequest(req, res, body)
    if (id !== undefined) return void res.writeHead(404).end()
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => void sessions.set(session, transport),
    })
    // A session of its own world: what changes in it is told by the instance itself.
    const server = createSdk2Server(createWorld(), true)
    servers.push(server)
    await server.connect(transport)
    return transport.handleRequest(req, res, body)
  })
  return {
    origin: listening.origin,
    async close() {
      await modern.close()
      await Promise.all(servers.map((server) => server.close()))
      await listening.close()
    },
  }
}
