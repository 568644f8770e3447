/** A tool that takes as long as it says, by the real clock, through clients that wait a minute for any answer. */

import { equal, ok } from 'node:assert/strict'
import { openState } from '@portico/host/state'
import { type Client, connect } from '@portico/sdk/client'
import { serveHttp } from '@portico/sdk/http'
import { createServer, type ProtocolVersion, tool } from '@portico/sdk/server'
import { createTasks } from '@portico/sdk/tasks'
import type { Report } from '../support/report.ts'
import type { Trial } from '../support/suite.ts'
import { places } from './places.ts'

const MINUTE_MS = 60_000
/** What the client gives every request. */
const LIMIT_MS = MINUTE_MS
const RESULT = 'it took its time'

/** Nothing unless minutes are given: the short forms advance the clock. */
export function createRealTrials(minutes: number): readonly Trial[] {
  if (!(minutes > 0)) return []
  return [{ name: `${minutes} minutes for real`, run: (report) => takeTime(report, minutes * MINUTE_MS) }]
}

async function takeTime(report: Report, ms: number): Promise<void> {
  const { store, bus, close } = await openState((await places.get('sqlite')).fresh())
  // One that sleeps in the store, and one whose process works all the time.
  const sleeps = tool({ task: 'auto' }, async (_args, ctx) => {
    await ctx.sleep(ms)
    return RESULT
  })
  const works = tool({ task: 'auto' }, async (_args, ctx) => {
    await new Promise((resolve) => setTimeout(resolve, ms))
    ctx.progress(1)
    return RESULT
  })
  const tasks = createTasks({ store, bus })
  const server = createServer({ name: 'patient', version: '1.0.0', tasks, tools: { sleeps, works } })
  const http = await serveHttp(server, { port: 0 })
  const limitMs = ms + 2 * MINUTE_MS
  const tries = (['2025-06-18', '2025-11-25', '2026-07-28'] as const).flatMap((version) =>
    ['sleeps', 'works'].map((name) =>
      report.checkIn('real', `${name} · ${version}`, () => call(http.url, version, name, ms), { limitMs }),
    ),
  )
  try {
    await Promise.all(tries)
  } finally {
    tasks.close()
    await http.close()
    await close()
  }
}

async function call(url: string, versions: ProtocolVersion, name: string, ms: number): Promise<void> {
  const client = await connect(url, { versions })
  const began = performance.now()
  try {
    equal(await resultOf(client, name), RESULT)
    ok(performance.now() - began >= ms, 'it was not done sooner than it says')
  } finally {
    await client.close()
  }
}

/** By the task where the revision has them, and by what its model would do where it has none. */
async function resultOf(client: Client, name: string): Promise<string> {
  let text = textOf(await client.callTool(name, {}, { timeoutMs: LIMIT_MS }))
  for (;;) {
    const taskId = /"taskId":"([^"]+)"|Task (\S+) of the tool/.exec(text)?.slice(1).find(Boolean)
    if (taskId === undefined) return text
    text = textOf(await client.callTool('task_result', { taskId }, { timeoutMs: LIMIT_MS }))
  }
}

function textOf({ content: [block] }: Awaited<ReturnType<Client['callTool']>>): string {
  return block?.type === 'text' ? block.text : ''
}
