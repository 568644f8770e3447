/** What an operator reads while the store of tasks is away, where nobody has given `onError`. */

import { PorticoError } from '@portico/sdk/client'
import { createServer, tool } from '@portico/sdk/server'
import { createMemoryBus, createMemoryStore, type Store } from '@portico/sdk/state'
import { createTasks } from '@portico/sdk/tasks'
import { afterEach, expect, it, vi } from 'vitest'

afterEach(() => void vi.restoreAllMocks())

it('says in one line that the store is away, and not again with every look (newcomer 13)', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
  let looks = 0
  let enough = (): void => {}
  const looked = new Promise<void>((resolve) => {
    enough = resolve
  })
  const away = (): Promise<never> => {
    if (++looks === 5) enough()
    const cause = new Error('connect ECONNREFUSED 127.0.0.1:6379')
    return Promise.reject(new PorticoError('store-unavailable', 'Redis at 127.0.0.1 cannot be used', { cause }))
  }
  const store: Store = Object.assign(Object.create(createMemoryStore()) as Store, { list: away })
  const tasks = createTasks({ store, bus: createMemoryBus(), leaseMs: 20 })
  const report = tool({ description: 'Reports', task: 'required' }, () => 'done')
  createServer({ name: 'office', version: '1', tasks, tools: { report } })
  await looked
  tasks.close()
  expect(printed.mock.calls).toEqual([[expect.stringMatching(/^\[portico\] .*Redis at 127\.0\.0\.1 cannot be used$/)]])
})
