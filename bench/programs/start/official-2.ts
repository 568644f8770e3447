/** The official SDK 2.x on stdio. */

import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'
import { cost } from './cost.ts'

serveStdio(() => {
  const server = new McpServer({ name: 'start', version: '1.0.0' })
  server.registerTool('cost', { inputSchema: z.object({ a: z.number(), b: z.number() }) }, async () => ({
    content: [{ type: 'text', text: cost() }],
  }))
  return server
})
