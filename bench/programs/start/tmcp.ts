/** tmcp on stdio. */

import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod'
import { StdioTransport } from '@tmcp/transport-stdio'
import { McpServer } from 'tmcp'
import { z } from 'zod'
import { cost } from './cost.ts'

const server = new McpServer(
  { name: 'start', version: '1.0.0' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } },
)
server.tool({ name: 'cost', description: 'cost', schema: z.object({ a: z.number(), b: z.number() }) }, async () => ({
  content: [{ type: 'text', text: cost() }],
}))
new StdioTransport(server).listen()
