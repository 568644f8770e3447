/** A task whose process died is taken up by another: what was done is not done again, and what may have been is said so. */

import { afterEach, describe, expect, it } from 'vitest'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { createTasks } from '../src/server/tasks/tasks.ts'
import { createMemoryBus } from '../src/state/memory-bus.ts'
import { createMemoryStore } from '../src/state/memory-store.ts'
import type { Store } from '../src/state/store.ts'
import { createClock, type TestClock } from '../src/testing/clock.ts'
import { createGate, DECLARED, type Gate, taskOf, textOf } from './tasks-fixture.ts'
import { open } from './wire.ts'

const LEASE_MS = 30_000
let clock: TestClock | undefined
afterEach(() => clock?.restore())

interface World {
  readonly store: Store
  readonly effects: string[]
  /** Holds the step in the first process alone. */
  readonly gate: Gate
  /** Holds the second. */
  readonly later: Gate
}

/** A process; one that is stuck no longer renews what it holds, as if its machine were asleep. */
function makeProcess({ store, effects, gate, later }: World, stuck: boolean) {
  const seen: Store = stuck ? { ...bound(store), renew: () => Promise.reject(new Error('stuck')) } : store
  const hold = async (): Promise<void> => {
    if (stuck) await gate.opened
  }
  const server = createServer({
    name: 'process',
    version: '1',
    onError: () => {},
    tasks: createTasks({ store: seen, bus: createMemoryBus() }),
    tools: {
      told: tool({ task: 'required' }, async (_args, ctx) => {
        await ctx.step('first', () => void effects.push('first'))
        const interrupted = await ctx.step('second', async (about) => {
          effects.push('second')
          await hold()
          return about.interrupted
        })
        return `interrupted: ${interrupted} in ${stuck ? 'the first' : 'the second'}`
      }),
      deaf: tool({ task: 'required' }, async (_args, ctx) => {
        await ctx.step('second', async () => {
          effects.push('second')
          await hold()
        })
        return 'done'
      }),
      harmless: tool({ task: 'required' }, async (_args, ctx) => {
        const act = async (): Promise<void> => {
          effects.push('second')
          await hold()
        }
        await ctx.step('second', act, { idempotent: true })
        return 'done'
      }),
      late: tool({ task: 'required' }, async (_args, ctx) => {
        effects.push('second')
        if (stuck) await gate.opened
        else await later.opened
        await ctx.step('late', (_again) => void effects.push(stuck ? 'late in the first' : 'late in the second'))
        return 'done'
      }),
    },
  })
  return open({ transport: 'memory', server }, '2026-07-28', { capabilities: DECLARED })
}

function bound(store: Store): Store {
  const names = ['get', 'write', 'list', 'lease', 'renew', 'release', 'holder', 'close'] as const
  return Object.fromEntries(names.map((name) => [name, (store[name] as () => unknown).bind(store)])) as unknown as Store
}

async function takeOver(name: string, isThere: (world: World) => boolean = () => false) {
  clock = createClock()
  const world: World = { store: createMemoryStore(), effects: [], gate: createGate(), later: createGate() }
  const one = await makeProcess(world, true)
  const { taskId } = taskOf((await one.request('tools/call', { name })).result)
  while (!world.effects.includes('second')) await clock.advance(1)
  const before = [...world.effects]
  const two = await makeProcess(world, false)
  const look = async () => (await two.request('tasks/get', { taskId })).result
  while ((await look()).status === 'working' && !isThere(world)) await clock.advance(LEASE_MS)
  return { world, before, look, clock }
}

describe('a task whose process died', () => {
  it('goes on in another: steps that are done stay done, one that was begun is told so', async () => {
    const { world, before, look } = await takeOver('told')
    expect(before).toEqual(['first', 'second'])
    const done = await look()
    expect(textOf(done.result)).toBe('interrupted: true in the second')
    expect(world.effects).toEqual(['first', 'second', 'second'])
  })

  it('T26-14: fails where a step cannot be told, and names it', async () => {
    const { world, look } = await takeOver('deaf')
    const { status, error } = await look()
    expect(status).toBe('failed')
    expect((error as { message: string }).message).toContain('The step "second" was interrupted')
    expect(world.effects).toEqual(['second'])
  })

  it('does a step again that says it does no harm twice', async () => {
    const { world, look } = await takeOver('harmless')
    expect(textOf((await look()).result)).toBe('done')
    expect(world.effects).toEqual(['second', 'second'])
  })

  it('cannot begin anything new in the process that lost it', async () => {
    const { world, look, clock: time } = await takeOver('late', ({ effects }) => effects.length === 2)
    world.gate.open()
    await time.advance(1)
    world.later.open()
    while ((await look()).status === 'working') await time.advance(1)
    expect(world.effects).toEqual(['second', 'second', 'late in the second'])
  })

  it('cannot be written to by the process that lost it', async () => {
    const { world, look, clock: time } = await takeOver('told')
    const before = await look()
    world.gate.open()
    await time.advance(1)
    expect(await look()).toEqual(before)
  })

  it('is not over for having lost its lease, though nobody else took it', async () => {
    clock = createClock()
    const store = createMemoryStore()
    let runs = 0
    const once = tool({ task: 'required' }, async (_args, ctx) => {
      if (++runs > 1) return 'done'
      return new Promise<string>((_resolve, reject) => ctx.signal.addEventListener('abort', () => reject(new Error())))
    })
    const tasks = createTasks({ store: { ...bound(store), renew: async () => runs > 1 } })
    const server = createServer({ name: 'process', version: '1', onError: () => {}, tasks, tools: { once } })
    const wire = await open({ transport: 'memory', server }, '2026-07-28', { capabilities: DECLARED })
    const { taskId } = taskOf((await wire.request('tools/call', { name: 'once' })).result)
    const look = async () => (await wire.request('tasks/get', { taskId })).result
    while ((await look()).status === 'working') await clock.advance(LEASE_MS)
    expect(textOf((await look()).result)).toBe('done')
    tasks.close()
  })
})
