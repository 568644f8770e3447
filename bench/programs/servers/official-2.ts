/**
 * The official SDK 2.x as its documentation serves it: `createMcpHandler` for 2026-07-28, one transport per session
 * for the older revisions, `serveStdio` on pipes.
 */

import { randomUUID } from 'node:crypto'
import { createServer as createHttp, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
} from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'
import { announce } from '../control.ts'
import { ADD, add, fillers, INFO, STEPS, TEXT, textOf } from '../work.ts'
import { count, numbers, query, size } from '../work-zod.ts'

const inputs = { add: z.object(numbers), text: z.object(size), steps: z.object(count), filler: z.object(query) }

function createServer(): McpServer {
  const server = new McpServer(INFO)
  server.registerTool('add', { description: ADD, inputSchema: inputs.add }, async ({ a, b }) => text(add(a, b)))
  server.registerTool('text', { description: TEXT, inputSchema: inputs.text }, async (args) => text(textOf(args.size)))
  server.registerTool('steps', { description: STEPS, inputSchema: inputs.steps }, async ({ count: total }, ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken ?? 0
    for (let progress = 1; progress <= total; progress++) {
      await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total } })
    }
    return text('done')
  })
  for (const { name, description } of fillers()) {
    server.registerTool(name, { description, inputSchema: inputs.filler }, async () => text(name))
  }
  return server
}

function text(value: string) {
  return { content: [{ type: 'text' as const, text: value }] }
}

function sessionListener(): RequestListener {
  const transports = new Map<string, NodeStreamableHTTPServerTransport>()
  return async (req, res) => {
    const id = req.headers['mcp-session-id']
    let transport = typeof id === 'string' ? transports.get(id) : undefined
    if (transport === undefined) {
      const opened = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (sessionId) => {
          transports.set(sessionId, opened)
        },
      })
      transport = opened
      await createServer().connect(transport)
    }
    await transport.handleRequest(req, res)
  }
}

function serveHttp(listener: RequestListener): void {
  const validateHost = localhostHostValidation()
  const validateOrigin = localhostOriginValidation()
  const http = createHttp((req, res) => {
    if (validateHost(req, res) && validateOrigin(req, res)) listener(req, res)
  })
  http.listen(0, '127.0.0.1', () => announce((http.address() as AddressInfo).port))
}

if (process.argv[2] === 'stdio') {
  serveStdio(createServer)
  announce()
} else if (process.argv[2] === 'http-modern') serveHttp(toNodeHandler(createMcpHandler(createServer)))
else serveHttp(sessionListener())
