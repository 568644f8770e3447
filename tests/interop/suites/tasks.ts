/** Tasks with programs that nobody here wrote: requesters of both generations at our server, and our client at another's. */

import { deepStrictEqual } from 'node:assert/strict'
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client'
import {
  type ConnectedMcpSessionPort,
  createTaskSessionFromClient,
  resultFromTaskOutcome,
  withTasks,
} from '@modelcontextprotocol/ext-tasks/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { connect } from '@portico/sdk/client'
import { serveHttp } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'
import { createTasks } from '@portico/sdk/tasks'
import type { Trial } from '../../support/suite.ts'
import { toCommand } from '../server-under-test.ts'

const CAKE = [{ type: 'text', text: 'one cake' }]
const BAKE = { name: 'bake', inputSchema: { type: 'object' }, taskSupport: 'required' } as const
const INFO = { name: 'requester', version: '1' }

async function openBakery() {
  const bake = tool({ task: { mode: 'required', pollIntervalMs: 100 } }, async (_args, ctx) => {
    await ctx.sleep(150)
    return 'one cake'
  })
  const tasks = createTasks()
  return serveHttp(createServer({ name: 'bakery', version: '1', tasks, tools: { bake } }), { port: 0, graceMs: 500 })
}

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

/** Calls the tool by each requester, and gives what it answered. */
const REQUESTERS: { readonly [name: string]: (url: string) => Promise<unknown> } = {
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

function contentOf(result: unknown): unknown {
  return (result as { content?: unknown } | undefined)?.content
}

const requesters = Object.entries(REQUESTERS).map(([name, call]): Trial => {
  return {
    name: `tasks · ${name} · our server`,
    long: false,
    async run(report) {
      const bakery = await openBakery()
      try {
        await report.check('a task is followed to its result', async () => {
          deepStrictEqual(contentOf(await call(bakery.url)), CAKE)
        })
      } finally {
        await bakery.close()
      }
    },
  }
})

export const taskSuites: Trial[] = [
  ...requesters,
  {
    name: 'tasks · our client · sdk-1 server · 2025-11-25',
    long: false,
    async run(report) {
      const client = await connect(toCommand(new URL('../peers/sdk-1-tasks.ts', import.meta.url)))
      try {
        await report.check('a call is followed to its result', async () => {
          deepStrictEqual((await client.callTool('bake')).content, CAKE)
        })
        await report.check('a run is started, listed and cancelled', async () => {
          const run = await client.startTool('bake')
          const { tasks } = await client.listTasks()
          deepStrictEqual(
            tasks.some(({ taskId }) => taskId === run.task?.taskId),
            true,
          )
          await run.cancel()
          deepStrictEqual(run.task?.status, 'cancelled')
        })
      } finally {
        await client.close()
      }
    },
  },
]
