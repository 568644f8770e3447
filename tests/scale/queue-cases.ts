/** Tasks by BullMQ: a process that only answers, two that work, and jobs that come twice or late. */

import { deepEqual, equal, ok } from 'node:assert/strict'
import { type BullQueue, openBullQueue } from '@portico/host/bullmq'
import { openState, type StateSetting } from '@portico/host/state'
import { connect } from '@portico/sdk/client'
import { createServer, tool } from '@portico/sdk/server'
import { createTasks, type TaskJob } from '@portico/sdk/tasks'
import type { Report } from '../support/report.ts'
import type { Trial } from '../support/suite.ts'
import { until } from '../support/wait.ts'
import { missingFor, places, redisLibrary } from './places.ts'

/** Not with the engine in WebAssembly: it answers too slowly for BullMQ, which waits for one message in many calls. */
export const queueTrials: readonly Trial[] = (['redis', 'postgres'] as const).map((kind) => ({
  name: `${kind} queue`,
  missing: () => missingFor(kind),
  run: (report) => tryQueue(report, kind),
}))

const TASKS = 10

async function tryQueue(report: Report, kind: 'redis' | 'postgres'): Promise<void> {
  const place = await places.get(kind)
  const setting = place.fresh()
  const name = `queue-${Date.now()}`
  const ends: (() => Promise<void> | void)[] = []
  const done: string[] = []
  const seen: TaskJob[] = []
  const makeProcess = async (who: string, work: boolean) => {
    const state = await openState(setting)
    const bull = await openQueue(setting, name)
    const tasks = createTasks({ store: state.store, bus: state.bus, queue: noting(bull, seen), work })
    ends.push(
      () => tasks.close(),
      () => bull.close(),
      () => state.close(),
    )
    const stamp = tool({ description: 'Stamps', task: 'required' }, async (_args, ctx) => {
      await ctx.step('stamp', () => void done.push(who))
      return who
    })
    return { bull, server: createServer({ name: 'office', version: '1.0.0', tasks, tools: { stamp } }) }
  }
  try {
    const front = await makeProcess('front', false)
    await makeProcess('worker-1', true)
    await makeProcess('worker-2', true)
    const client = await connect(front.server)
    ends.unshift(() => client.close())
    await report.checkIn('queue', 'workers do what a process was asked for that does not work itself', async () => {
      const runs = await Promise.all(Array.from({ length: TASKS }, () => client.startTool('stamp', {})))
      for (const run of runs) ok((await run.result()).content)
      equal(done.length, TASKS)
      ok(!done.includes('front'), done.join(', '))
    })
    await report.checkIn(
      'queue',
      'jobs that come again, late or for nothing do no harm, and the next is done',
      async () => {
        for (const job of [...seen, ...seen, { id: 'gone', epoch: 0 }])
          await front.bull.push({ ...job, at: Date.now() + 1 })
        ok((await (await client.startTool('stamp', {})).result()).content)
        equal(done.length, TASKS + 1)
      },
    )
    await report.checkIn('queue', 'a job holds id and epoch and nothing else', async () => {
      await until(() => seen.length > 0, 'jobs were pushed')
      deepEqual(Object.keys(seen[0] ?? {}).sort(), ['epoch', 'id'])
    })
  } finally {
    for (const end of ends) await end()
  }
}

/** The libraries are the suite's own, which the host's package does not see. */
function openQueue(setting: StateSetting, name: string): Promise<BullQueue> {
  const bullmq = () => import('bullmq')
  return 'redis' in setting
    ? openBullQueue({ redis: setting.redis, name, bullmq, library: redisLibrary })
    : openBullQueue({
        postgres: 'postgres' in setting ? setting.postgres : '',
        name,
        bullmq,
        library: () => import('pg'),
      })
}

function noting(bull: BullQueue, seen: TaskJob[]): BullQueue {
  return {
    push(job) {
      seen.push(job)
      return bull.push(job)
    },
    take: (run) => bull.take(run),
    close: () => bull.close(),
  }
}
