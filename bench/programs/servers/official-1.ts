/** The official SDK 1.x as its README serves sessions: one server and one transport each, kept in a map. */

import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js'
import { announce } from '../control.ts'
import { ADD, add, fillers, INFO, STEPS, TEXT, textOf } from '../work.ts'
import { count, numbers, query, size } from '../work-zod.ts'

function createServer(): McpServer {
  const server = new McpServer(INFO)
  server.registerTool('add', { description: ADD, inputSchema: numbers }, async ({ a, b }) => text(add(a, b)))
  server.registerTool('text', { description: TEXT, inputSchema: size }, async (args) => text(textOf(args.size)))
  server.registerTool('steps', { description: STEPS, inputSchema: count }, async ({ count: total }, extra) => {
    const progressToken = extra._meta?.progressToken ?? 0
    for (let progress = 1; progress <= total; progress++) {
      await extra.sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total } })
    }
    return text('done')
  })
  for (const { name, description } of fillers()) {
    server.registerTool(name, { description, inputSchema: query }, async () => text(name))
  }
  return server
}

function text(value: string) {
  return { content: [{ type: 'text' as const, text: value }] }
}

async function serveHttp(): Promise<void> {
  const transports = new Map<string, StreamableHTTPServerTransport>()
  const app = createMcpExpressApp()
  app.post('/mcp', async (req, res) => {
    const id = req.headers['mcp-session-id']
    let transport = typeof id === 'string' ? transports.get(id) : undefined
    if (transport === undefined) {
      if (!isInitializeRequest(req.body)) {
        res.status(400).end()
        return
      }
      const opened = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (sessionId) => {
          transports.set(sessionId, opened)
        },
      })
      transport = opened
      await createServer().connect(transport)
    }
    await transport.handleRequest(req, res, req.body)
  })
  app.get('/mcp', async (req, res) => {
    await transports.get(String(req.headers['mcp-session-id']))?.handleRequest(req, res)
  })
  const listening = app.listen(0, '127.0.0.1', () => announce((listening.address() as AddressInfo).port))
}

if (process.argv[2] === 'stdio') {
  await createServer().connect(new StdioServerTransport())
  announce()
} else await serveHttp()
