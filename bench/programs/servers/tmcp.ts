/** tmcp with its Zod adapter and, on HTTP, the listener that its README names. */

import { createServer as createHttp } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRequestListener } from '@remix-run/node-fetch-server'
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod'
import { HttpTransport } from '@tmcp/transport-http'
import { StdioTransport } from '@tmcp/transport-stdio'
import { McpServer } from 'tmcp'
import { z } from 'zod'
import { announce } from '../control.ts'
import { ADD, add, fillers, INFO, STEPS, TEXT, textOf } from '../work.ts'
import { count, numbers, query, size } from '../work-zod.ts'

const server = new McpServer(INFO, {
  adapter: new ZodJsonSchemaAdapter(),
  capabilities: { tools: { listChanged: true } },
})
server.tool({ name: 'add', description: ADD, schema: z.object(numbers) }, async ({ a, b }) => text(add(a, b)))
server.tool({ name: 'text', description: TEXT, schema: z.object(size) }, async (args) => text(textOf(args.size)))
server.tool({ name: 'steps', description: STEPS, schema: z.object(count) }, async ({ count: total }) => {
  for (let step = 1; step <= total; step++) server.progress(step, total)
  return text('done')
})
for (const { name, description } of fillers()) {
  server.tool({ name, description, schema: z.object(query) }, async () => text(name))
}

function text(value: string) {
  return { content: [{ type: 'text' as const, text: value }] }
}

if (process.argv[2] === 'stdio') {
  new StdioTransport(server).listen()
  announce()
} else {
  const transport = new HttpTransport(server, { path: '/mcp' })
  const http = createHttp(
    createRequestListener(async (request) => (await transport.respond(request)) ?? new Response(null, { status: 404 })),
  )
  http.listen(0, '127.0.0.1', () => announce((http.address() as AddressInfo).port))
}
