/**
 * Tasks through our gateway: requesters of both generations that nobody here wrote, before servers of both, one of them the official
 * SDK's. Each of the four directions has to end with what the tool answered.
 */

import { deepStrictEqual, ok } from 'node:assert/strict'
import { defineServer, type ServerTarget } from '@portico/host/config'
import { createGateway, serveGateway } from '@portico/host/gateway'
import { createCatalogue, createUpstreams } from '@portico/host/upstream'
import { serveHttp } from '@portico/sdk/http'
import { createServer, type ProtocolVersion, tool } from '@portico/sdk/server'
import { createTasks } from '@portico/sdk/tasks'
import type { Trial } from '../../support/suite.ts'
import { REQUESTERS } from '../clients/task-requesters.ts'
import { toCommand } from '../server-under-test.ts'

/** A server behind the gateway. */
interface Far {
  readonly target: ServerTarget
  close(): Promise<void>
}

async function openOurs(version: ProtocolVersion): Promise<Far> {
  const bake = tool({ task: { mode: 'required', pollIntervalMs: 100 } }, async (_args, ctx) => {
    ctx.progress(1, 2, 'in the oven')
    await ctx.sleep(150)
    return 'one cake'
  })
  const server = createServer({
    name: 'bakery',
    version: '1',
    versions: [version],
    tasks: createTasks(),
    tools: { bake },
  })
  const { url, close } = await serveHttp(server, { port: 0, graceMs: 500 })
  return { target: { kind: 'http', url, headers: {} }, close: () => close() }
}

const SERVERS: { readonly [name: string]: () => Promise<Far> } = {
  'our server of 2025-11-25': () => openOurs('2025-11-25'),
  'our server of 2026-07-28': () => openOurs('2026-07-28'),
  async 'sdk-1 server of 2025-11-25'() {
    const { command, args = [] } = toCommand(new URL('../peers/sdk-1-tasks.ts', import.meta.url))
    return { target: { kind: 'stdio', command, args: [...args], env: {} }, close: async () => {} }
  },
}

/** A gateway before one server, which shows its tool under its own name. */
async function openGateway(target: ServerTarget) {
  const upstreams = createUpstreams({ watchdog: false })
  const catalogue = createCatalogue(upstreams, { patienceMs: 30_000 })
  await upstreams.set([defineServer('far', target, { tasksAfterMs: 0 })])
  await catalogue.list()
  const created: string[] = []
  const audit = { append: async ({ what }: { readonly what?: string }) => void created.push(what ?? '') }
  const gateway = createGateway(
    { upstreams, catalogue, audit: audit as never },
    { ownNames: true, allowAnonymous: true, onError: () => {} },
  )
  const http = await serveGateway(gateway, { port: 0, graceMs: 200 })
  return {
    url: http.url,
    created,
    async close() {
      await gateway.close(0)
      await http.close()
      catalogue.close()
      await upstreams.close()
    },
  }
}

export const gatewayTaskSuites: Trial[] = Object.entries(SERVERS).map(([name, open]) => ({
  name: `tasks through our gateway · ${name}`,
  async run(report) {
    const far = await open()
    const gateway = await openGateway(far.target)
    try {
      for (const [requester, call] of Object.entries(REQUESTERS))
        await report.check(`${requester}: a task of the gateway is followed to the server's result`, async () => {
          gateway.created.length = 0
          const { content } = (await call(gateway.url)) as { readonly content?: unknown }
          deepStrictEqual(content, [{ type: 'text', text: 'one cake' }])
          ok(gateway.created.includes('task-created'), 'the gateway made a task of its own')
        })
    } finally {
      await gateway.close()
      await far.close()
    }
  },
}))
