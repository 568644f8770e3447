/** Programs that nobody here wrote and that ask for tasks: `ext-tasks` in both generations, and the official SDK 1.x. */

import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client'
import {
  type ConnectedMcpSessionPort,
  createTaskSessionFromClient,
  resultFromTaskOutcome,
  withTasks,
} from '@modelcontextprotocol/ext-tasks/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const BAKE = { name: 'bake', inputSchema: { type: 'object' }, taskSupport: 'required' } as const
const INFO = { name: 'requester', version: '1' }

/** The wire of 2026-07-28 by hand: `ext-tasks` leaves it to its user. */
function createPort(url: string): ConnectedMcpSessionPort {
  const own = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': INFO,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  let last = 0
  return {
    endpointId: 'bakery',
    taskCapabilities: { generation: 'v2', capabilities: {} },
    invalidated: false,
    onServerRequest: () => () => {},
    onNotification: () => () => {},
    onInvalidated: () => () => {},
    async dispatch(request) {
      const { method, params = {} } = request as { method: string; params?: { [name: string]: unknown } }
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': String(params.name ?? params.taskId),
      }
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: ++last,
        method,
        params: { ...params, _meta: { ...own, ...(params._meta as object) } },
      })
      const answer = (await (await fetch(url, { method: 'POST', headers, body })).json()) as never
      const { result, error } = answer as { result: never; error?: never }
      return error === undefined ? { kind: 'result', result } : { kind: 'error', error }
    },
  }
}

/** Calls the tool `bake` by each requester, and gives what it answered. */
export const REQUESTERS: { readonly [name: string]: (url: string) => Promise<unknown> } = {
  async 'ext-tasks 0.2.2 · 2026-07-28'(url) {
    const session = withTasks(createPort(url))
    try {
      const execution = await session.callTool('bake', {}, { declaration: BAKE })
      return resultFromTaskOutcome((await execution.settle()).outcome)
    } finally {
      await session.close()
    }
  },
  async 'ext-tasks 0.2.2 · 2025-11-25'(url) {
    const client = new Client2(INFO, {
      capabilities: {},
      versionNegotiation: { mode: 'legacy' },
      supportedProtocolVersions: ['2025-11-25'],
    })
    await client.connect(new Http2(new URL(url)))
    const session = createTaskSessionFromClient(client, { endpointId: 'bakery' })
    try {
      const execution = await session.callTool('bake', {}, { declaration: BAKE })
      return resultFromTaskOutcome((await execution.settle()).outcome)
    } finally {
      await session.close()
      await client.close()
    }
  },
  async 'sdk-1 client · 2025-11-25'(url) {
    const client = new Client1(INFO, { capabilities: {} })
    await client.connect(new Http1(new URL(url)))
    try {
      await client.listTools()
      const call = { name: 'bake', arguments: {} }
      const stream = client.experimental.tasks.callToolStream(call, undefined, { task: { ttl: 60_000 } })
      for await (const message of stream) {
        if (message.type === 'error') throw message.error
        if (message.type === 'result') return message.result
      }
    } finally {
      await client.close()
    }
  },
}
