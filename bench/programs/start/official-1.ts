/** The official SDK 1.x on stdio. */

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'
import { cost } from './cost.ts'

const server = new McpServer({ name: 'start', version: '1.0.0' })
server.registerTool('cost', { inputSchema: { a: z.number(), b: z.number() } }, async () => ({
  content: [{ type: 'text', text: cost() }],
}))
await server.connect(new StdioServerTransport())
