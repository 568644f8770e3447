/** How many tasks an owner may have, at the limit, beyond it, and beyond a page of the store. */

import { expect, test } from 'vitest'
import { createMemoryBus } from '../../state/memory-bus.ts'
import { createMemoryStore } from '../../state/memory-store.ts'
import { TASK_LIMITS, TaskBook } from './task-book.ts'
import type { TaskRequest } from './task-record.ts'
import { createTaskSealer } from './task-seal.ts'

test('T25-43 sec-370: long arguments take the places of several', async () => {
  const [store, bus, sealer] = [createMemoryStore(), createMemoryBus(), createTaskSealer(undefined)]
  const limits = { ...TASK_LIMITS, maxAnonymousTasks: 10 }
  const book = new TaskBook({ store, bus, sealer, leaseMs: 30_000, server: 'books', limits })
  const params = { name: 'work', arguments: { text: 'x'.repeat(300_000) } }
  const request: TaskRequest = { params, version: '2026-07-28', capabilities: {} }
  const create = () => book.create({ request, ttlMs: 60_000, pollIntervalMs: 1_000 })
  await create()
  await create()
  await expect(create()).rejects.toThrow('count until they expire')
})

test.each([
  ['known', { maxTasksPerPrincipal: 3 }, 3],
  ['anonymous', { maxAnonymousTasks: 3 }, 3],
  ['anonymous', { maxAnonymousTasks: 1_001 }, 1_001],
  ['anonymous', { maxAnonymousTasks: 0 }, 0],
])('T25-43 sec-370: of many at once by one who is %s, in two processes, %j are kept', async (who, limits, most) => {
  const [store, bus, sealer] = [createMemoryStore(), createMemoryBus(), createTaskSealer(undefined)]
  const makeBook = () =>
    new TaskBook({ store, bus, sealer, leaseMs: 30_000, server: 'books', limits: { ...TASK_LIMITS, ...limits } })
  // Two processes that share a store.
  const books = [makeBook(), makeBook()]
  const request: TaskRequest = {
    params: { name: 'work' },
    version: '2026-07-28',
    capabilities: {},
    ...(who === 'known' && { principal: { id: 'ada', scopes: [] } }),
  }
  const tries = Array.from({ length: most + 5 }, (_, at) =>
    books[at % 2]?.create({ request, ttlMs: 60_000, pollIntervalMs: 1_000 }),
  )
  const outcomes = await Promise.allSettled(tries)
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(most)
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []))
  expect(refused).toEqual(Array(5).fill('limit-exceeded'))
})
