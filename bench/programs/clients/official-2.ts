/** The official client 2.x. */

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { announceCaller } from '../control.ts'
import { command, isModern, SUM, startHttp, transport } from './target.ts'

const client = new Client(
  { name: 'bench', version: '1.0.0' },
  { versionNegotiation: { mode: isModern ? { pin: '2026-07-28' } : 'legacy' } },
)
await client.connect(
  transport === 'stdio'
    ? new StdioClientTransport(command)
    : new StreamableHTTPClientTransport(new URL(await startHttp())),
)
announceCaller(() => client.callTool(SUM))
