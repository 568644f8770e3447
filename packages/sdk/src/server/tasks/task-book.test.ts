/** How many tasks an owner may have, at the limit, beyond it, and beyond a page of the store. */

import { expect, test } from 'vitest'
import { createMemoryBus } from '../../state/memory-bus.ts'
import { createMemoryStore } from '../../state/memory-store.ts'
import { TaskBook } from './task-book.ts'
import { TASK_LIMITS } from './task-limits.ts'
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
  await expect(create()).rejects.toThrow('maxAnonymousTasks (10) reached. Cancel one that is no longer needed')
})

function makeBook(limits: object) {
  const [store, bus, sealer] = [createMemoryStore(), createMemoryBus(), createTaskSealer(undefined)]
  return new TaskBook({ store, bus, sealer, leaseMs: 30_000, server: 'books', limits: { ...TASK_LIMITS, ...limits } })
}

const REQUEST: TaskRequest = { params: { name: 'work' }, version: '2026-07-28', capabilities: {} }
const NEW = { request: REQUEST, ttlMs: 60_000, pollIntervalMs: 1_000 }

test.each(['cancelled', 'completed', 'failed'] as const)(
  'T25-43 sec-516: a task that was %s leaves its place to others, but for a tenth of it',
  async (status) => {
    const book = makeBook({ maxAnonymousTasks: 2 })
    for (let over = 0; over < 10; over++) {
      const { id } = await book.create(NEW)
      await book.change(id, () => ({ status }))
    }
    await book.create(NEW)
    await expect(book.create(NEW)).rejects.toMatchObject({ data: { option: 'maxAnonymousTasks', limit: 2 } })
  },
)

test('T25-43 sec-517: a long result and long answers take the places of several', async () => {
  const text = 'x'.repeat(300_000)
  const book = makeBook({ maxAnonymousTasks: 7 })
  const { id } = await book.create(NEW)
  const asked = { key: 'name', method: 'elicitation/create', params: {} }
  await book.change(id, () => ({ status: 'input_required', questions: { name: asked } }))
  await book.change(id, () => ({ status: 'working', questions: { name: { ...asked, answer: { text } } } }))
  await book.create(NEW)
  await book.create(NEW)
  await expect(book.create(NEW)).rejects.toThrow('No room')
  await book.change(id, () => ({ status: 'completed', result: { content: [{ type: 'text', text }] }, questions: {} }))
  await expect(book.create(NEW)).rejects.toThrow('No room')
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
