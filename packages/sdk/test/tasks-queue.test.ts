/** Tasks that are handed to workers: by a queue, or by word on the bus. A job that is late or doubled does no harm. */

import { afterEach, describe, expect, it } from 'vitest'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import type { TaskJob, TaskQueue } from '../src/server/tasks/task-queue.ts'
import { createTasks, type Tasks, type TasksOptions } from '../src/server/tasks/tasks.ts'
import { createMemoryBus } from '../src/state/memory-bus.ts'
import { createMemoryStore } from '../src/state/memory-store.ts'
import { DECLARED, taskOf } from './tasks-fixture.ts'
import { open } from './wire.ts'

/** Keeps every job, and gives each to one worker when told to. */
class TestQueue implements TaskQueue {
  readonly jobs: TaskJob[] = []
  readonly workers: ((job: TaskJob) => Promise<void>)[] = []

  async push(job: TaskJob): Promise<void> {
    this.jobs.push(job)
  }

  async take(run: (job: TaskJob) => Promise<void>): Promise<() => Promise<void>> {
    this.workers.push(run)
    return async () => void this.workers.splice(this.workers.indexOf(run), 1)
  }
}

const made: Tasks[] = []
afterEach(() => {
  for (const tasks of made.splice(0)) tasks.close()
})

/** A process; `effects` tells where the work was done. */
function makeProcess(name: string, effects: string[], options: TasksOptions) {
  const tasks = createTasks(options)
  made.push(tasks)
  return createServer({
    name: 'office',
    version: '1',
    onError: () => {},
    tasks,
    tools: { work: tool({ task: 'required' }, () => void effects.push(name)) },
  })
}

async function call(server: ReturnType<typeof makeProcess>): Promise<string> {
  const wire = await open({ transport: 'memory', server }, '2026-07-28', { capabilities: DECLARED })
  return taskOf((await wire.request('tools/call', { name: 'work' })).result).taskId
}

describe('a queue of tasks', () => {
  it('has a worker run what another process was asked for, by id and epoch alone (stores 4)', async () => {
    const [store, bus, queue, effects] = [createMemoryStore(), createMemoryBus(), new TestQueue(), [] as string[]]
    const front = makeProcess('front', effects, { store, bus, queue, work: false })
    makeProcess('worker', effects, { store, bus, queue })
    const id = await call(front)
    expect(queue.workers).toHaveLength(1)
    expect(queue.jobs.map((job) => Object.keys(job).sort())).toEqual([['epoch', 'id']])
    expect(queue.jobs[0]?.id).toBe(id)
    await queue.workers[0]?.(queue.jobs[0] as TaskJob)
    expect(effects).toEqual(['worker'])
  })

  it('runs a job once that comes twice, late, or for a task that is gone (stores 4)', async () => {
    const [store, bus, queue, effects] = [createMemoryStore(), createMemoryBus(), new TestQueue(), [] as string[]]
    const front = makeProcess('front', effects, { store, bus, queue, work: false })
    makeProcess('one', effects, { store, bus, queue })
    makeProcess('other', effects, { store, bus, queue })
    await call(front)
    const job = queue.jobs[0] as TaskJob
    await Promise.all([...queue.workers, ...queue.workers].map((work) => work(job)))
    for (const work of queue.workers) {
      await work(job)
      await work({ ...job, epoch: job.epoch + 1 })
      await work({ id: 'gone', epoch: 0 })
    }
    expect(effects).toHaveLength(1)
  })

  it('does not fail the call when the queue is away: the task is kept, and found later (stores 4)', async () => {
    const [store, bus, effects] = [createMemoryStore(), createMemoryBus(), [] as string[]]
    const away: TaskQueue = {
      push: () => Promise.reject(new Error('away')),
      take: () => Promise.reject(new Error('away')),
    }
    const id = await call(makeProcess('front', effects, { store, bus, queue: away, work: false }))
    makeProcess('worker', effects, { store, bus })
    await expect.poll(() => effects, { timeout: 10_000 }).toEqual(['worker'])
    expect(id).not.toBe('')
  })
})

describe('a process that only answers callers', () => {
  it('leaves work to others, who hear of it on the bus (stores 4)', async () => {
    const [store, bus, effects] = [createMemoryStore(), createMemoryBus(), [] as string[]]
    const front = makeProcess('front', effects, { store, bus, work: false })
    makeProcess('worker', effects, { store, bus })
    await call(front)
    await expect.poll(() => effects, { timeout: 10_000 }).toEqual(['worker'])
  })

  it.each([{ work: false }, { queue: new TestQueue() }])('needs a store that others have too (stores 4)', (options) => {
    expect(() => createTasks(options)).toThrow(expect.objectContaining({ code: 'invalid-definition' }))
  })
})
