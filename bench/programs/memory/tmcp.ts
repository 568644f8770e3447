/** tmcp's in-memory session, which passes messages by reference. */

import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod'
import { InMemoryTransport } from '@tmcp/transport-in-memory'
import { McpServer } from 'tmcp'
import { z } from 'zod'
import { announceCaller } from '../control.ts'
import { ADD, add, INFO } from '../work.ts'
import { numbers } from '../work-zod.ts'

const server = new McpServer(INFO, {
  adapter: new ZodJsonSchemaAdapter(),
  capabilities: { tools: { listChanged: true } },
})
server.tool({ name: 'add', description: ADD, schema: z.object(numbers) }, async ({ a, b }) => ({
  content: [{ type: 'text', text: add(a, b) }],
}))
const session = new InMemoryTransport(server).session()
await session.initialize('2025-06-18', {}, { name: 'bench', version: '1.0.0' })
announceCaller(() => session.callTool('add', { a: 1, b: 2 }))
