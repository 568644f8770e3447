/** What the store has of tasks: sealed under the author's keys, apart by server, counted over processes; and who is told of what. */

import { afterEach, describe, expect, it } from 'vitest'
import { createPrincipal } from '../src/auth/principal.ts'
import { limitCalls } from '../src/server/call/call-rate.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import type { TaskEvent } from '../src/server/tasks/task-events.ts'
import { createTasks, type Tasks, type TasksOptions } from '../src/server/tasks/tasks.ts'
import { createMemoryBus } from '../src/state/memory-bus.ts'
import { createMemoryStore } from '../src/state/memory-store.ts'
import type { Store } from '../src/state/store.ts'
import { DECLARED, taskOf, textOf, until } from './tasks-fixture.ts'
import { type OpenOptions, open, type Wire } from './wire.ts'

const NAME = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const
const [OLD, NEW] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
const SECRETS = ['argument-4711', 'answer-4711', 'step-4711', 'result-4711', 'claim-4711']
const opened: Tasks[] = []
afterEach(() => {
  for (const tasks of opened.splice(0)) tasks.close()
})

function makeServer(options: TasksOptions = {}, { name = 'kept', errors = [] as unknown[] } = {}) {
  const tasks = createTasks(options)
  opened.push(tasks)
  return createServer({
    name,
    version: '1',
    slow: false,
    onError: (error) => void errors.push(error),
    tasks,
    tools: {
      order: tool({ task: 'required', input: { type: 'object' } }, async (_args, ctx) => {
        await ctx.step('price', () => 'step-4711')
        const { content } = await ctx.elicit('name', { message: 'Name?', form: NAME })
        return `${content?.name}: result-4711`
      }),
      quick: tool({ task: 'required' }, () => 'quick'),
    },
  })
}

function connect(server: ReturnType<typeof makeServer>, options: OpenOptions = {}): Promise<Wire> {
  return open({ transport: 'memory', server }, '2026-07-28', { capabilities: DECLARED, ...options })
}

async function order(wire: Wire): Promise<string> {
  const call = { name: 'order', arguments: { card: 'argument-4711' } }
  const { taskId } = taskOf((await wire.request('tools/call', call)).result)
  await until(wire, taskId, 'input_required')
  return taskId
}

async function answer(wire: Wire, taskId: string): Promise<unknown> {
  const inputResponses = { name: { action: 'accept', content: { name: 'answer-4711' } } }
  await wire.request('tasks/update', { taskId, inputResponses })
  return textOf((await until(wire, taskId, 'completed')).result)
}

async function everything(store: Store): Promise<string> {
  return JSON.stringify(await store.list('', { limit: 1000 }))
}

describe('sealed at rest', () => {
  const principal = createPrincipal('ana', [], { email: 'claim-4711' })

  it('sec-372: arguments, answers, steps, results and claims are nowhere in the store', async () => {
    const [plain, sealed] = [createMemoryStore(), createMemoryStore()]
    for (const [store, keys] of [
      [plain, undefined],
      [sealed, [NEW]],
    ] as const) {
      const wire = await connect(makeServer({ store, ...(keys && { keys }) }), { principal })
      expect(await answer(wire, await order(wire))).toBe('answer-4711: result-4711')
    }
    const [open, closed] = [await everything(plain), await everything(sealed)]
    for (const secret of SECRETS) {
      expect(open).toContain(secret)
      expect(closed).not.toContain(secret)
    }
    expect(closed).not.toContain('ana')
  })

  it('sec-372: a process with a newer key goes on with what the older one sealed', async () => {
    const [store, bus] = [createMemoryStore(), createMemoryBus()]
    const taskId = await order(await connect(makeServer({ store, bus, keys: [OLD] })))
    const wire = await connect(makeServer({ store, bus, keys: [NEW, OLD] }))
    expect(await answer(wire, taskId)).toBe('answer-4711: result-4711')
  })

  it.each([
    ['another key', { keys: [NEW] }],
    ['no key', {}],
  ])(
    'sec-372: with %s there is an error that says so to the operator, and the process goes on',
    async (_title, other) => {
      const [store, bus, errors] = [createMemoryStore(), createMemoryBus(), [] as unknown[]]
      const taskId = await order(await connect(makeServer({ store, bus, keys: [OLD] })))
      const wire = await connect(makeServer({ store, bus, ...other }, { errors }))
      expect((await wire.request('tasks/get', { taskId })).error?.code).toBe(-32603)
      expect(errors.at(-1)).toMatchObject({ code: 'state-refused' })
      expect(taskOf((await wire.request('tools/call', { name: 'quick' })).result).status).toBe('working')
    },
  )

  it('sec-372: what is kept of one task cannot be put in the place of another', async () => {
    const [store, errors] = [createMemoryStore(), [] as unknown[]]
    const wire = await connect(makeServer({ store, keys: [OLD] }, { errors }))
    const [one, other] = [await order(wire), await order(wire)]
    const foreign = (await store.get(`task/kept/${other}`))?.value ?? ''
    await store.write([{ key: `task/kept/${one}`, value: foreign }])
    expect((await wire.request('tasks/get', { taskId: one })).error?.code).toBe(-32603)
    expect(errors.at(-1)).toMatchObject({ code: 'state-refused' })
  })
})

describe('servers that share a store', () => {
  it('sec-373: know nothing of each other’s tasks, and run none of them', async () => {
    const [store, bus] = [createMemoryStore(), createMemoryBus()]
    const [one, other] = [makeServer({ store, bus }), makeServer({ store, bus }, { name: 'other' })]
    const taskId = await order(await connect(one))
    expect((await (await connect(other)).request('tasks/get', { taskId })).error?.code).toBe(-32602)
  })
})

it('a bus that is away delays what is told, and fails no task', async () => {
  const away = (): Promise<never> => Promise.reject(new Error('away'))
  const bus = { publish: away, subscribe: away, close: async () => {} }
  const wire = await connect(makeServer({ store: createMemoryStore(), bus }))
  expect(await answer(wire, await order(wire))).toBe('answer-4711: result-4711')
})

describe('middleware', () => {
  it('a rate limit counts a call that becomes a task once, however often its handler runs', async () => {
    const server = makeServer()
    const marked: boolean[] = []
    server.use('tools/call', limitCalls({ callsPerMinute: 1, burst: 1 }))
    server.use('tools/call', async ({ ctx }, next) => {
      marked.push(ctx.task !== undefined)
      return next()
    })
    const wire = await connect(server)
    expect(await answer(wire, await order(wire))).toBe('answer-4711: result-4711')
    expect(marked).toEqual([false, true, true])
    expect((await wire.request('tools/call', { name: 'quick' })).error?.message).toMatch(/callsPerMinute/)
  })

  it('what it does to results is done once to the result of a task', async () => {
    const server = makeServer()
    server.use('tools/call', async (_request, next) => {
      const result = await next()
      const [block] = result.content
      return block?.type === 'text' ? { ...result, content: [{ type: 'text', text: `(${block.text})` }] } : result
    })
    const wire = await connect(server)
    expect(await answer(wire, await order(wire))).toBe('(answer-4711: result-4711)')
    const older = await open({ transport: 'memory', server }, '2025-06-18')
    expect(textOf((await older.request('tools/call', { name: 'quick' })).result)).toBe('(quick)')
  })
})

describe('tools of a mounted server', () => {
  it('become tasks of the server that shows them, with the middleware of both', async () => {
    const [inner, names] = [makeServer(), [] as unknown[]]
    const outer = createServer({ name: 'outer', version: '1', slow: false, tasks: createTasks() })
    inner.use('tools/call', async ({ params }, next) => {
      names.push(params.name)
      return next()
    })
    outer.use('tools/call', async ({ params }, next) => {
      names.push(params.name)
      return next()
    })
    outer.mount('shop', inner)
    const wire = await open({ transport: 'memory', server: outer }, '2026-07-28', { capabilities: DECLARED })
    const { result } = await wire.request('tools/call', { name: 'shop_quick' })
    const done = await until(wire, taskOf(result).taskId, 'completed')
    expect(textOf(done.result)).toBe('quick')
    expect(names).toEqual(['shop_quick', 'shop_quick', 'quick'])
  })

  it('run on their request where the server that shows them has no tasks, which it then does not declare', async () => {
    const outer = createServer({ name: 'outer', version: '1', slow: false })
    outer.mount('shop', makeServer())
    const wire = await open({ transport: 'memory', server: outer }, '2026-07-28', { capabilities: DECLARED })
    const { result } = await wire.request('server/discover')
    expect(JSON.stringify(result.capabilities)).not.toContain('tasks')
    expect(textOf((await wire.request('tools/call', { name: 'shop_quick' })).result)).toBe('quick')
  })
})

describe('what operators are told', () => {
  it('T25-43 sec-374: who made, looked at and ended which task, and nothing of what it holds', async () => {
    const events: TaskEvent[] = []
    const server = makeServer({
      onTask: (event) => {
        events.push(event)
        throw new Error('of the observer')
      },
    })
    const [ana, ben] = await Promise.all(
      ['ana', 'ben'].map((id) => connect(server, { principal: createPrincipal(id) })),
    )
    if (ana === undefined || ben === undefined) throw new Error('not connected')
    const taskId = await order(ana)
    await ben.request('tasks/get', { taskId })
    await ben.request('tasks/get', { taskId: 'x'.repeat(10_000) })
    await answer(ana, taskId)
    const known = { taskId, tool: 'order', principal: 'ana', at: expect.any(Number) }
    expect(events).toContainEqual({ type: 'created', ...known })
    expect(events).toContainEqual({ type: 'input_required', ...known })
    expect(events).toContainEqual({ type: 'accessed', method: 'tasks/update', ...known })
    expect(events).toContainEqual({ type: 'completed', ...known })
    const refused = { type: 'refused', method: 'tasks/get', principal: 'ben', at: expect.any(Number) }
    expect(events).toContainEqual({ ...refused, taskId })
    expect(events).toContainEqual({ ...refused, taskId: 'x'.repeat(256) })
    for (const secret of SECRETS) expect(JSON.stringify(events)).not.toContain(secret)
  })
})
