/**
 * A server on the official SDK 1.32.2 that keeps no sessions and gives its lists in pages: every request is served by an
 * instance of its own, without a session id and without a stream of the server's.
 */

import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import {
  ErrorCode,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import { type Listening, listen } from './listening.ts'

export const ITEMS = 7
const PAGE = 2

export function openSdk1Paged(): Promise<Listening> {
  return listen(async (req, res, body) => {
    if (req.method !== 'POST') return void res.writeHead(405).end()
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true })
    const server = createPagedServer()
    await server.connect(transport)
    await transport.handleRequest(req, res, body)
    res.once('close', () => void server.close())
  })
}

function createPagedServer(): Server {
  const info = { name: 'official-1', version: '1.32.2' }
  const server = new Server(info, { capabilities: { tools: {}, resources: {}, prompts: {} } })
  const inputSchema = { type: 'object' as const }
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const { names, next } = toPage(params?.cursor)
    return { tools: names.map((name) => ({ name, inputSchema })), ...next }
  })
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }) => {
    const { names, next } = toPage(params?.cursor)
    return { resources: names.map((name) => ({ name, uri: `note://${name}` })), ...next }
  })
  server.setRequestHandler(ListResourceTemplatesRequestSchema, ({ params }) => {
    const { names, next } = toPage(params?.cursor)
    return { resourceTemplates: names.map((name) => ({ name, uriTemplate: `note://${name}/{id}` })), ...next }
  })
  server.setRequestHandler(ListPromptsRequestSchema, ({ params }) => {
    const { names, next } = toPage(params?.cursor)
    return { prompts: names.map((name) => ({ name })), ...next }
  })
  return server
}

function toPage(cursor: string | undefined): { names: string[]; next: { nextCursor?: string } } {
  const from = cursor === undefined ? 0 : Number(cursor.replace('after ', ''))
  if (!Number.isInteger(from)) throw new McpError(ErrorCode.InvalidParams, 'no such cursor')
  const names = Array.from({ length: ITEMS }, (_, at) => `item-${at}`).slice(from, from + PAGE)
  return { names, next: from + PAGE < ITEMS ? { nextCursor: `after ${from + PAGE}` } : {} }
}
