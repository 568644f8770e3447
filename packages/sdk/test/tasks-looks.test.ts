/** How often a caller may ask about tasks, and how often a handler's words are written down: the store is everybody's. */

import { expect, it, vi } from 'vitest'
import { createPrincipal } from '../src/auth/principal.ts'
import type { JsonObject } from '../src/jsonrpc/message.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { createTasks, type TasksOptions } from '../src/server/tasks/tasks.ts'
import { createMemoryStore } from '../src/state/memory-store.ts'
import { createGate, createTaskServer, DECLARED, taskOf, until } from './tasks-fixture.ts'
import { open, type Wire } from './wire.ts'

const LIMITS = { maxLooksPerMinute: 10, maxAnonymousLooksPerMinute: 10 }

function countReads(options: TasksOptions = {}) {
  const store = createMemoryStore()
  const reads = vi.spyOn(store, 'get')
  return { reads, made: createTaskServer({ store, limits: LIMITS, leaseMs: 600_000, ...options }) }
}

type Look = (wire: Wire, taskId: string) => [method: string, params: JsonObject, options?: { capabilities: JsonObject }]
const PLAIN = { capabilities: {} }
const LOOKS: readonly [what: string, version: '2025-11-25' | '2026-07-28', look: Look][] = [
  ['tasks/get', '2025-11-25', (_wire, taskId) => ['tasks/get', { taskId }]],
  ['tasks/list', '2025-11-25', () => ['tasks/list', {}]],
  ['tasks/cancel', '2025-11-25', (_wire, taskId) => ['tasks/cancel', { taskId }]],
  ['tasks/get', '2026-07-28', (_wire, taskId) => ['tasks/get', { taskId }]],
  ['tasks/get of none', '2026-07-28', () => ['tasks/get', { taskId: 'nonsense' }]],
  ['tasks/update', '2026-07-28', (_wire, taskId) => ['tasks/update', { taskId, inputResponses: {} }]],
  [
    'task_status',
    '2026-07-28',
    (_wire, taskId) => ['tools/call', { name: 'task_status', arguments: { taskId } }, PLAIN],
  ],
]

it.each(LOOKS)(
  'sec-689: %s on %s in a row is refused with the time to wait, and the store is not asked',
  async (_what, version, look) => {
    const { reads, made } = countReads()
    const principal = createPrincipal('ana')
    const wire = await open({ transport: 'memory', server: made.server }, version, {
      capabilities: DECLARED,
      principal,
    })
    const { taskId } = taskOf(
      (await wire.request('tools/call', { name: 'gated', ...(!wire.modern && { task: {} }) })).result,
    )
    const asked = () => reads.mock.calls.filter(([key]) => key.startsWith('task/')).length
    let before = asked()
    let refused = await wire.request(...look(wire, taskId))
    // However slow each is, they come faster than one in six seconds.
    for (let turn = 1; refused.error?.code !== -32603 && turn < 1000; turn++) {
      before = asked()
      refused = await wire.request(...look(wire, taskId))
    }
    expect(refused.error).toMatchObject({ code: -32603, data: { retryAfterMs: expect.any(Number) } })
    expect(refused.error?.message).toContain('maxLooksPerMinute')
    expect(asked()).toBe(before)
    const ben = await open({ transport: 'memory', server: made.server }, version, {
      capabilities: DECLARED,
      principal: createPrincipal('ben'),
    })
    expect((await ben.request('tasks/get', { taskId })).error?.code).toBe(-32602)
    made.effects.gate.open()
  },
)

it('sec-689: whoever waits for a task is not refused by what the task tells meanwhile', async () => {
  const { made } = countReads()
  const wire = await open({ transport: 'memory', server: made.server }, '2025-11-25', { capabilities: DECLARED })
  const { taskId } = taskOf((await wire.request('tools/call', { name: 'gated', task: {} })).result)
  const waiting = wire.request('tasks/result', { taskId })
  made.effects.gate.open()
  expect((await waiting).error).toBeUndefined()
})

it('sec-690: what a handler says in a row is written now and then, cut, and its last words with its end', async () => {
  const store = createMemoryStore()
  const writes = vi.spyOn(store, 'write')
  const gate = createGate()
  const chatty = tool({ task: 'required' }, async (_args, ctx) => {
    for (let step = 1; step <= 500; step++) {
      ctx.progress(step, 500, `step ${step} ${'x'.repeat(20_000)}`)
      await new Promise((resolve) => setImmediate(resolve))
    }
    gate.open()
  })
  const server = createServer({
    name: 'chatty',
    version: '1',
    slow: false,
    tasks: createTasks({ store }),
    tools: { chatty },
  })
  const wire = await open({ transport: 'memory', server }, '2026-07-28', { capabilities: DECLARED })
  const begun = performance.now()
  const { taskId } = taskOf((await wire.request('tools/call', { name: 'chatty' })).result)
  await gate.opened
  const tookMs = performance.now() - begun
  const { statusMessage } = await until(wire, taskId, 'completed')
  expect(String(statusMessage)).toMatch(/^step 500 /)
  expect(String(statusMessage)).toHaveLength(8192)
  const told = writes.mock.calls.filter(([changes]) => changes.some(({ key }) => key.startsWith('task/')))
  // Made, taken, over, and what was said: once at the start, and once for every quarter of a second.
  expect(told.length).toBeLessThanOrEqual(5 + Math.ceil(tookMs / 250))
})
