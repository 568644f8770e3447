/** Tasks whose store is away before anything was written: whoever asked is told that nothing was done, and to try again. */

import { expect, it, vi } from 'vitest'
import { PorticoError } from '../src/jsonrpc/errors.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { createTasks } from '../src/server/tasks/tasks.ts'
import { createMemoryStore } from '../src/state/memory-store.ts'
import { DECLARED, taskOf } from './tasks-fixture.ts'
import { open } from './wire.ts'

it('stores 4: a call that becomes a task and every request about one are refused in the words of all others', async () => {
  const store = createMemoryStore()
  const tasks = createTasks({ store })
  const stamp = tool({ task: 'required' }, () => 'stamped')
  const server = createServer({ name: 'office', version: '1', slow: false, tasks, tools: { stamp } })
  const wire = await open({ transport: 'memory', server }, '2026-07-28', { capabilities: DECLARED })
  const { taskId } = taskOf((await wire.request('tools/call', { name: 'stamp', arguments: {} })).result)
  vi.spyOn(store, 'get').mockRejectedValue(new PorticoError('store-unavailable', 'redis at 10.1.2.3 does not answer'))
  for (const [method, params] of [
    ['tools/call', { name: 'stamp', arguments: {} }],
    ['tasks/get', { taskId }],
    ['tasks/cancel', { taskId }],
  ] as const) {
    const { error } = await wire.request(method, params)
    expect([method, error]).toEqual([
      method,
      expect.objectContaining({
        message: expect.stringMatching(/nothing was done, try again/),
        data: { code: 'store-unavailable', retryAfterMs: 1000 },
      }),
    ])
  }
  tasks.close()
})
