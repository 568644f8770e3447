/** A task whose question nobody answers, until its time is over: whoever held something for the answer hears of it. */

import { expect, it, vi } from 'vitest'
import { onCancel } from '../src/server/context.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { createTasks } from '../src/server/tasks/tasks.ts'
import type { Bus } from '../src/state/bus.ts'
import { createMemoryBus } from '../src/state/memory-bus.ts'
import { createMemoryStore } from '../src/state/memory-store.ts'
import { DECLARED, taskOf, untilSo } from './tasks-fixture.ts'
import { open } from './wire.ts'

const FORM = { type: 'object', properties: {} } as const

/** A bus that says how many listen. */
function createCountedBus(): Bus & { listening: number } {
  const bus = createMemoryBus()
  const counted = {
    listening: 0,
    publish: bus.publish.bind(bus),
    close: () => bus.close(),
    async subscribe(topic: string, listener: (message: string | undefined) => void) {
      const stop = await bus.subscribe(topic, listener)
      counted.listening++
      return () => {
        counted.listening--
        stop()
      }
    },
  }
  return counted
}

it('reliability: a task that expires while it waits for an answer leaves no listener behind, and its run is told', async () => {
  const [bus, told] = [createCountedBus(), vi.fn()]
  const tasks = createTasks({ store: createMemoryStore(), bus })
  const asks = tool({ task: { mode: 'required', ttlMs: 1_000 } }, async (_args, ctx) => {
    try {
      const { action } = await ctx.elicit('name', { message: 'Name?', form: FORM })
      return action
    } catch (error) {
      // As the gateway does for what it has open at a server meanwhile.
      onCancel(ctx, told)
      throw error
    }
  })
  const server = createServer({ name: 'tasks', version: '1', slow: false, onError: () => {}, tasks, tools: { asks } })
  const wire = await open({ transport: 'memory', server }, '2026-07-28', { capabilities: DECLARED })
  try {
    await wire.request('server/discover')
    const before = bus.listening
    const { taskId } = taskOf((await wire.request('tools/call', { name: 'asks' })).result)
    await untilSo(wire, taskId, ({ result, error }) => error !== undefined || result.status === 'input_required')
    await vi.waitFor(() => expect(told).toHaveBeenCalled(), { timeout: 60_000 })
    // Besides the one that hears what is cancelled, as long as the server is there.
    expect(bus.listening).toBeLessThanOrEqual(before + 1)
  } finally {
    tasks.close()
  }
})
