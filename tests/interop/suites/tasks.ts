/** Tasks with programs that nobody here wrote: requesters of both generations at our server, and our client at another's. */

import { deepStrictEqual } from 'node:assert/strict'
import { connect } from '@portico/sdk/client'
import { serveHttp } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'
import { createTasks } from '@portico/sdk/tasks'
import type { Trial } from '../../support/suite.ts'
import { REQUESTERS } from '../clients/task-requesters.ts'
import { toCommand } from '../server-under-test.ts'

const CAKE = [{ type: 'text', text: 'one cake' }]

async function openBakery() {
  const bake = tool({ task: { mode: 'required', pollIntervalMs: 100 } }, async (_args, ctx) => {
    await ctx.sleep(150)
    return 'one cake'
  })
  const tasks = createTasks()
  return serveHttp(createServer({ name: 'bakery', version: '1', tasks, tools: { bake } }), { port: 0, graceMs: 500 })
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
