/** mcp-lite under Hono with sessions in memory, as its README has it for a single server. */

import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { InMemorySessionAdapter, McpServer, StreamableHttpTransport } from 'mcp-lite'
import { z } from 'zod'
import { announce } from '../control.ts'
import { ADD, add, fillers, INFO, STEPS, TEXT, textOf } from '../work.ts'
import { count, numbers, query, size } from '../work-zod.ts'

const mcp = new McpServer({ ...INFO, schemaAdapter: (schema) => z.toJSONSchema(schema as z.ZodType) })
mcp.tool('add', {
  description: ADD,
  inputSchema: z.object(numbers),
  handler: ({ a, b }) => text(add(a, b)),
})
mcp.tool('text', { description: TEXT, inputSchema: z.object(size), handler: (args) => text(textOf(args.size)) })
mcp.tool('steps', {
  description: STEPS,
  inputSchema: z.object(count),
  handler: async ({ count: total }, ctx) => {
    for (let progress = 1; progress <= total; progress++) await ctx.progress?.({ progress, total })
    return text('done')
  },
})
for (const { name, description } of fillers()) {
  mcp.tool(name, { description, inputSchema: z.object(query), handler: () => text(name) })
}

function text(value: string) {
  return { content: [{ type: 'text' as const, text: value }] }
}

const transport = new StreamableHttpTransport({
  sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 1024 }),
})
const handler = transport.bind(mcp)
const app = new Hono()
app.all('/mcp', async (c) => handler(c.req.raw))
const http = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () =>
  announce((http.address() as AddressInfo).port),
)
