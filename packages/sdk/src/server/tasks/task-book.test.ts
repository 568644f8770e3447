/** How many tasks an owner may have, at the limit, beyond it, and beyond a page of the store. */

import { expect, test } from 'vitest'
import { createMemoryBus } from '../../state/memory-bus.ts'
import { createMemoryStore } from '../../state/memory-store.ts'
import { TASK_LIMITS, TaskBook } from './task-book.ts'
import type { TaskRequest } from './task-record.ts'

test.each([
  ['known', { maxTasksPerPrincipal: 3 }, 3],
  ['anonymous', { maxAnonymousTasks: 3 }, 3],
  ['anonymous', { maxAnonymousTasks: 1_001 }, 1_001],
  ['anonymous', { maxAnonymousTasks: 0 }, 0],
])('T25-43: of many at once by one who is %s, %j are kept', async (who, limits, most) => {
  const book = new TaskBook(createMemoryStore(), createMemoryBus(), { ...TASK_LIMITS, ...limits })
  const request: TaskRequest = {
    params: { name: 'work' },
    version: '2026-07-28',
    capabilities: {},
    ...(who === 'known' && { principal: { id: 'ada', scopes: [] } }),
  }
  const tries = Array.from({ length: most + 5 }, () => book.create({ request, ttlMs: 60_000, pollIntervalMs: 1_000 }))
  const outcomes = await Promise.allSettled(tries)
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(most)
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []))
  expect(refused).toEqual(Array(5).fill('limit-exceeded'))
})
