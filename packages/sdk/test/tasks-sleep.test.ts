/** Tasks that wait: they take no memory meanwhile, and go on at their moment in whichever process there is. */

import { afterEach, expect, it } from 'vitest'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { createTasks, type Tasks, type TasksOptions } from '../src/server/tasks/tasks.ts'
import { createMemoryBus } from '../src/state/memory-bus.ts'
import { createMemoryStore } from '../src/state/memory-store.ts'
import type { Store } from '../src/state/store.ts'
import { createClock, type TestClock } from '../src/testing/clock.ts'
import { DECLARED, taskOf, textOf } from './tasks-fixture.ts'
import { open, type Wire } from './wire.ts'

const MINUTE = 60_000
const NAME = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const
let clock: TestClock
const opened: Tasks[] = []
afterEach(() => {
  for (const tasks of opened.splice(0)) tasks.close()
  clock.restore()
})

interface Seen {
  running: number
  begun: number
  readonly steps: string[]
}

function makeProcess(options: TasksOptions, seen: Seen): Promise<Wire> {
  const tasks = createTasks(options)
  opened.push(tasks)
  const server = createServer({
    name: 'sleepers',
    version: '1',
    slow: false,
    onError: () => {},
    tasks,
    tools: {
      naps: tool({ task: 'required' }, async (_args, ctx) => {
        seen.running++
        seen.begun++
        try {
          await ctx.step('before', () => void seen.steps.push('before'))
          await ctx.sleep(MINUTE)
          await ctx.step('after', () => void seen.steps.push('after'))
          return 'awake'
        } finally {
          seen.running--
        }
      }),
      blinks: tool({ task: 'required' }, async (_args, ctx) => {
        seen.begun++
        await ctx.sleep(900)
        return 'awake'
      }),
      waits: tool({ task: 'required' }, async (_args, ctx) => {
        const late = ctx.sleep(MINUTE).then(() => 'nobody answered')
        const name = ctx
          .elicit('name', { message: 'Name?', form: NAME })
          .then(({ content }) => `hello ${content?.name}`)
        return Promise.race([name, late])
      }),
      oversleeps: tool({ task: { mode: 'required', ttlMs: MINUTE } }, async (_args, ctx) => {
        await ctx.sleep(MINUTE + 1)
        return 'awake'
      }),
    },
  })
  return open({ transport: 'memory', server }, '2026-07-28', { capabilities: DECLARED })
}

async function start(wire: Wire, name: string): Promise<string> {
  const { taskId } = taskOf((await wire.request('tools/call', { name })).result)
  await clock.advance(1)
  return taskId
}

/** Lets next to no time pass until something is so. */
async function soon(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await clock.advance(1)
}

async function isOver(wire: Wire, taskId: string): Promise<boolean> {
  return ['completed', 'failed'].includes(String((await look(wire, taskId)).status))
}

async function look(wire: Wire, taskId: string) {
  return (await wire.request('tasks/get', { taskId })).result
}

const nothing = (): Seen => ({ running: 0, begun: 0, steps: [] })

it('a hundred that sleep have no handler, no lease and one timer, and all of them wake', async () => {
  clock = createClock()
  const [seen, many] = [nothing(), 100]
  const held = new Set<string>()
  const store = createMemoryStore()
  const counted: Store = {
    get: (key) => store.get(key),
    write: (changes) => store.write(changes),
    list: (prefix, range) => store.list(prefix, range),
    renew: (...args) => store.renew(...args),
    holder: (key) => store.holder(key),
    close: () => store.close(),
    async lease(key, owner, forMs) {
      const lease = await store.lease(key, owner, forMs)
      if (lease !== undefined) held.add(key)
      return lease
    },
    async release(key, lease) {
      held.delete(key)
      await store.release(key, lease)
    },
  }
  const timers = countTimers()
  const wire = await makeProcess({ store: counted }, seen)
  const ids = await Promise.all(Array.from({ length: many }, () => start(wire, 'naps')))
  await soon(() => held.size === 0 && timers.size === 1)
  expect([seen.begun, seen.running, held.size]).toEqual([many, 0, 0])
  expect(timers.size).toBe(1)
  await clock.advance(MINUTE)
  await soon(() => seen.steps.length === 2 * many)
  await soon(() => held.size === 0)
  const over = await Promise.all(ids.map((id) => look(wire, id)))
  expect(new Set(over.map(({ status }) => status))).toEqual(new Set(['completed']))
  expect(seen.steps.filter((step) => step === 'before')).toHaveLength(many)
  expect(seen.steps.filter((step) => step === 'after')).toHaveLength(many)
})

it('one whose process ended while it slept is woken by another', async () => {
  clock = createClock()
  const [seen, store, bus] = [nothing(), createMemoryStore(), createMemoryBus()]
  const taskId = await start(await makeProcess({ store, bus }, seen), 'naps')
  await soon(() => seen.begun === 1 && seen.running === 0)
  opened.splice(0)[0]?.close()
  const other = await makeProcess({ store, bus }, seen)
  await clock.advance(MINUTE)
  await soon(() => isOver(other, taskId))
  expect(textOf((await look(other, taskId)).result)).toBe('awake')
  expect(seen.steps).toEqual(['before', 'after'])
})

it('a nap of less than a second stays in memory', async () => {
  clock = createClock()
  const seen = nothing()
  const wire = await makeProcess({}, seen)
  const taskId = await start(wire, 'blinks')
  await clock.advance(900)
  await soon(() => isOver(wire, taskId))
  expect([(await look(wire, taskId)).status, seen.begun]).toEqual(['completed', 1])
})

it.each([
  ['forward by ten minutes', 10 * MINUTE, 10_000],
  ['back by ten minutes', -10 * MINUTE, 11 * MINUTE],
])('no sleeper is lost when the clock is set %s', async (_title, step, later) => {
  clock = createClock()
  const seen = nothing()
  const wire = await makeProcess({}, seen)
  const taskId = await start(wire, 'naps')
  await soon(() => seen.begun === 1 && seen.running === 0)
  const now = Date.now
  Date.now = () => now() + step
  await clock.advance(later)
  await soon(() => isOver(wire, taskId))
  expect(textOf((await look(wire, taskId)).result)).toBe('awake')
})

it('T26-12 T26-20: a question may wait against a sleep; it keeps its key, and whichever is first counts', async () => {
  clock = createClock()
  const wire = await makeProcess({}, nothing())
  const [alone, answered] = [await start(wire, 'waits'), await start(wire, 'waits')]
  for (const id of [alone, answered]) await soon(async () => (await look(wire, id)).status === 'input_required')
  expect(Object.keys((await look(wire, answered)).inputRequests as object)).toEqual(['name'])
  await clock.advance(MINUTE / 2)
  const inputResponses = { name: { action: 'accept', content: { name: 'Eve' } } }
  await wire.request('tasks/update', { taskId: answered, inputResponses })
  await soon(() => isOver(wire, answered))
  expect(textOf((await look(wire, answered)).result)).toBe('hello Eve')
  expect((await look(wire, alone)).status).toBe('input_required')
  await clock.advance(MINUTE / 2)
  await soon(() => isOver(wire, alone))
  expect(textOf((await look(wire, alone)).result)).toBe('nobody answered')
})

it('a task that would sleep past its time fails, and says what to change', async () => {
  clock = createClock()
  const wire = await makeProcess({}, nothing())
  const taskId = await start(wire, 'oversleeps')
  await soon(() => isOver(wire, taskId))
  const { status, error } = await look(wire, taskId)
  expect(status).toBe('failed')
  expect((error as { message: string }).message).toContain('ttlMs')
})

/** The timers that are set at the moment. */
function countTimers(): Set<unknown> {
  const set = new Set<unknown>()
  for (const [begin, end] of [
    ['setTimeout', 'clearTimeout'],
    ['setInterval', 'clearInterval'],
  ] as const) {
    const [real, clear] = [globalThis[begin] as (...args: unknown[]) => unknown, globalThis[end]]
    const counted = (action: () => void, ...rest: unknown[]): unknown => {
      const handle = real(
        () => {
          if (begin === 'setTimeout') set.delete(handle)
          action()
        },
        ...rest,
      )
      set.add(handle)
      return handle
    }
    const cleared = (handle: never): void => {
      set.delete(handle)
      clear(handle)
    }
    Object.assign(globalThis, { [begin]: counted, [end]: cleared })
  }
  return set
}
