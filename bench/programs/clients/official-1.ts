/** The official client 1.x. */

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { announceCaller } from '../control.ts'
import { command, SUM, startHttp, transport } from './target.ts'

const client = new Client({ name: 'bench', version: '1.0.0' })
await client.connect(
  transport === 'stdio'
    ? new StdioClientTransport(command)
    : new StreamableHTTPClientTransport(new URL(await startHttp())),
)
announceCaller(() => client.callTool(SUM))
