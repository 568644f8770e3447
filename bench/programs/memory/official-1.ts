/** The official SDK 1.x over its own linked pair, which passes messages by reference. */

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { announceCaller } from '../control.ts'
import { ADD, add, INFO } from '../work.ts'
import { numbers } from '../work-zod.ts'

const server = new McpServer(INFO)
server.registerTool('add', { description: ADD, inputSchema: numbers }, async ({ a, b }) => ({
  content: [{ type: 'text', text: add(a, b) }],
}))
const client = new Client({ name: 'bench', version: '1.0.0' })
const [left, right] = InMemoryTransport.createLinkedPair()
await Promise.all([server.connect(right), client.connect(left)])
announceCaller(() => client.callTool({ name: 'add', arguments: { a: 1, b: 2 } }))
