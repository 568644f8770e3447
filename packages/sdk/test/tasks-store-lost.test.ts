/** A store that is away, full or forgetful while calls run that would become tasks: what ran has its answer all the same. */

import { expect, it } from 'vitest'
import { PorticoError } from '../src/jsonrpc/errors.ts'
import type { ProtocolVersion } from '../src/protocol/revision.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { createTasks, type TasksOptions } from '../src/server/tasks/tasks.ts'
import { createMemoryBus } from '../src/state/memory-bus.ts'
import { createMemoryStore } from '../src/state/memory-store.ts'
import type { Store } from '../src/state/store.ts'
import { createGate, DECLARED, taskOf, textOf } from './tasks-fixture.ts'
import { open } from './wire.ts'

const FAILING = ['lease', 'get', 'write', 'release'] as const
type Failing = (typeof FAILING)[number]

/** A store of which some methods fail from now on; with `after` a write is made first, and only its answer is lost. */
class LostStore {
  readonly kept = createMemoryStore()
  readonly store: Store
  failures = 0
  #failing: ReadonlySet<string> = new Set()
  #after = false
  #awaited: (() => void) | undefined

  constructor() {
    this.store = new Proxy(this.kept, {
      get: (kept, name: string) => {
        const method = kept[name as keyof Store] as (...args: unknown[]) => Promise<unknown>
        return async (...args: unknown[]) => {
          if (!this.#failing.has(name)) return method.apply(kept, args)
          if (this.#after) await method.apply(kept, args)
          this.failures++
          this.#awaited?.()
          throw new PorticoError('store-unavailable', 'redis at 10.1.2.3 does not answer')
        }
      },
    })
  }

  fail(names: readonly Failing[], after = false): void {
    this.#failing = new Set(names)
    this.#after = after
    this.failures = 0
  }

  /** Resolves with the next failure. */
  failed(): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited = resolve
    })
  }
}

async function office(version: ProtocolVersion, options: TasksOptions = {}, knowsTasks = true) {
  const lost = new LostStore()
  const [gate, begun] = [createGate(), createGate()]
  const done: string[] = []
  const tasks = createTasks({ store: lost.store, bus: createMemoryBus(), ...options })
  const stamp = tool({ task: { mode: 'auto', after: 1 } }, async () => {
    done.push('stamped')
    begun.open()
    await gate.opened
    return 'stamped'
  })
  const server = createServer({ name: 'office', version: '1', slow: false, onError: () => {}, tasks, tools: { stamp } })
  const capabilities = knowsTasks ? DECLARED : {}
  const wire = await open({ transport: 'memory', server }, version, { capabilities })
  return {
    lost,
    gate,
    begun,
    done,
    wire,
    tasks,
    call: () => wire.request('tools/call', { name: 'stamp', arguments: {} }),
  }
}

it.each(FAILING.slice(0, 3))(
  'sec-735: a call that cannot become a task, since "%s" fails, has its answer',
  async (name) => {
    const { lost, gate, done, call, tasks } = await office('2026-07-28')
    lost.fail([name])
    const failed = lost.failed()
    const answer = call()
    await failed
    gate.open()
    expect(textOf((await answer).result)).toBe('stamped')
    expect(done).toEqual(['stamped'])
    tasks.close()
  },
)

it('sec-735: a task that was kept without anybody hearing of it is withdrawn, and nobody runs its work again', async () => {
  const { lost, gate, done, call, tasks } = await office('2026-07-28', { leaseMs: 300 })
  lost.fail(['write'], true)
  const failed = lost.failed()
  const answer = call()
  await failed
  lost.fail([])
  await expect.poll(async () => (await lost.kept.list('task-due/', { limit: 10 })).length, { timeout: 60_000 }).toBe(0)
  gate.open()
  expect(textOf((await answer).result)).toBe('stamped')
  expect(done).toEqual(['stamped'])
  tasks.close()
})

it.each(['2025-06-18', '2025-11-25', '2026-07-28'] as const)(
  'sec-735: the held request of a caller of %s without tasks outlasts a store that goes away meanwhile',
  async (version) => {
    const { lost, gate, begun, done, call, tasks } = await office(version, { holdMs: 600_000 }, false)
    const answer = call()
    await begun.opened
    await expect
      .poll(async () => (await lost.kept.list('task-due/', { limit: 10 })).length, { timeout: 60_000 })
      .toBe(1)
    lost.fail(['get', 'write'])
    const failed = lost.failed()
    gate.open()
    await failed
    lost.fail([])
    expect(textOf((await answer).result)).toBe('stamped')
    expect(done).toEqual(['stamped'])
    tasks.close()
  },
)

it.each([false, true])(
  'sec-735: what a task came to is written once the store is back (answer lost: %s)',
  async (after) => {
    const { lost, gate, done, call, wire, tasks } = await office('2026-07-28')
    const { taskId } = taskOf((await call()).result)
    lost.fail(['write'], after)
    const failed = lost.failed()
    gate.open()
    await failed
    lost.fail([])
    const look = async () => (await wire.request('tasks/get', { taskId })).result
    await expect.poll(async () => (await look()).status, { timeout: 60_000 }).toBe('completed')
    expect(await look()).toMatchObject({ result: { content: [{ type: 'text', text: 'stamped' }] } })
    expect(done).toEqual(['stamped'])
    tasks.close()
  },
)

it('sec-735: a task that may or may not have been kept is told as such, with nothing of where the store is', async () => {
  const lost = new LostStore()
  const tasks = createTasks({ store: lost.store })
  const stamp = tool({ task: 'required' }, () => 'stamped')
  const server = createServer({ name: 'office', version: '1', slow: false, onError: () => {}, tasks, tools: { stamp } })
  const wire = await open({ transport: 'memory', server }, '2026-07-28', { capabilities: DECLARED })
  lost.fail(['write'])
  const { error } = await wire.request('tools/call', { name: 'stamp', arguments: {} })
  expect(error).toMatchObject({ code: -32603, data: { code: 'store-unavailable', delivery: 'unknown' } })
  expect(JSON.stringify(error)).not.toContain('10.1.2.3')
  tasks.close()
})

it('sec-735: a task that was kept is told to its caller, whatever fails while it is begun', async () => {
  const lost = new LostStore()
  const tasks = createTasks({ store: lost.store, bus: createMemoryBus(), leaseMs: 300 })
  const stamp = tool({ task: 'required' }, () => 'stamped')
  const server = createServer({ name: 'office', version: '1', slow: false, onError: () => {}, tasks, tools: { stamp } })
  const wire = await open({ transport: 'memory', server }, '2026-07-28', { capabilities: DECLARED })
  lost.fail(['lease'])
  const { taskId } = taskOf((await wire.request('tools/call', { name: 'stamp', arguments: {} })).result)
  lost.fail([])
  expect((await wire.request('tasks/get', { taskId })).result.status).toBe('working')
  tasks.close()
})
