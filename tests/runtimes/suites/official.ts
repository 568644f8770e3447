/** The official SDK's client before our server, over the two transports that older programs use beside HTTP. */

import assert from 'node:assert/strict'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { WebSocket } from 'ws'
import type { Report } from '../../support/report.ts'
import type { Trial } from '../../support/suite.ts'
import { until } from '../../support/wait.ts'
import type { Group } from '../checks/check.ts'
import { openOwnServer } from '../own-process.ts'

export const officialSuites: Trial[] = [
  {
    name: 'official client · http+sse',
    run: (report) => visit(report, 'sse', (origin) => new SSEClientTransport(new URL('/sse', origin))),
  },
  {
    name: 'official client · websocket',
    run: (report) => visit(report, 'socket', (origin) => new WebSocketClientTransport(toWebSocket(origin))),
  },
]

function toWebSocket(origin: string): URL {
  // Node has one of its own from version 22 on; the client looks for it as a global.
  if (!('WebSocket' in globalThis)) Object.assign(globalThis, { WebSocket })
  return new URL('/mcp', origin.replace('http:', 'ws:'))
}

async function visit(report: Report, group: Group, open: (origin: string) => Transport): Promise<void> {
  const served = await openOwnServer()
  const client = new Client({ name: 'official', version: '1.0.0' }, { capabilities: { elicitation: {} } })
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }))
  const changed = new Promise<void>((resolve) => {
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve())
  })
  try {
    await report.checkIn(group, 'connects', () => client.connect(open(served.origin)))
    await report.checkIn(group, 'lists and calls a tool with structured output', async () => {
      assert.ok((await client.listTools()).tools.some(({ name }) => name === 'add'))
      const { structuredContent } = await client.callTool({ name: 'add', arguments: { a: 20, b: 22 } })
      assert.deepEqual(structuredContent, { sum: 42 })
    })
    await report.checkIn(group, 'reads a resource and gets a prompt', async () => {
      const { contents } = await client.readResource({ uri: 'note://greeting' })
      assert.equal((contents[0] as { text?: string } | undefined)?.text, 'Grüße, 世界')
      const { messages } = await client.getPrompt({ name: 'welcome', arguments: { who: 'Ada' } })
      assert.match(JSON.stringify(messages), /Welcome Ada warmly/)
    })
    await report.checkIn('stream', 'hears progress before the result', async () => {
      const steps: number[] = []
      const onprogress = ({ progress }: { progress: number }) => void steps.push(progress)
      await client.callTool({ name: 'count', arguments: { to: 3 } }, undefined, { onprogress })
      // This client drops progress that arrives together with the result, so the last step may be missing.
      assert.deepEqual(steps.slice(0, 2), [1, 2])
    })
    await report.checkIn('asking', 'answers a question of the server', async () => {
      const { content } = await client.callTool({ name: 'greet', arguments: {} })
      assert.match(JSON.stringify(content), /Hello, Ada/)
    })
    await report.checkIn('listen', 'is told of a change', async () => {
      await client.callTool({ name: 'grow', arguments: {} })
      await changed
    })
    await report.checkIn('cancel', 'cancels a call', async () => {
      const before = await seen(client)
      const abort = new AbortController()
      const call = client.callTool({ name: 'wait', arguments: { speak: true } }, undefined, {
        signal: abort.signal,
        onprogress: () => abort.abort(),
      })
      await assert.rejects(call)
      await until(async () => (await seen(client)).cancelled === before.cancelled + 1, 'the handler hears of it')
    })
  } finally {
    await client.close()
    await served.close()
  }
}

async function seen(client: Client): Promise<{ cancelled: number }> {
  const { structuredContent } = await client.callTool({ name: 'seen', arguments: {} })
  // The subject's own tool, whose result has this form.
  return structuredContent as { cancelled: number }
}
