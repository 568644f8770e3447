/** Callers that know no tasks: the result on the open request, or after a while a handle and tools to follow it. */

import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createPrincipal } from '../src/auth/principal.ts'
import type { JsonObject } from '../src/jsonrpc/message.ts'
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../src/protocol/revision.ts'
import { loadAsking } from '../src/server/asking/load.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { createTasks, type TasksOptions } from '../src/server/tasks/tasks.ts'
import { createClock, type TestClock } from '../src/testing/clock.ts'
import { countSeals, DECLARED, digestAtOnce, textOf } from './tasks-fixture.ts'
import { type OpenOptions, type Outcome, open, type Wire } from './wire.ts'

const MINUTE = 60_000
const HELPERS = ['task_status', 'task_result', 'task_cancel']
const NAME = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const
const ANSWERS = { 'elicitation/create': () => ({ action: 'accept', content: { name: 'Eve' } }) }
let clock: TestClock | undefined
// Loaded when first needed, which takes real time.
beforeAll(() => loadAsking())
let sealed = async (): Promise<void> => {}
beforeEach(() => {
  digestAtOnce()
  sealed = countSeals()
})
afterEach(() => {
  clock?.restore()
  clock = undefined
})

function makeServer(options: TasksOptions = {}) {
  return createServer({
    name: 'callers',
    version: '1',
    slow: false,
    onError: () => {},
    tasks: createTasks(options),
    tools: {
      quick: tool({ task: 'auto' }, () => 'quick'),
      long: tool({ task: 'auto' }, async (_args, ctx) => {
        for (let part = 1; part <= 4; part++) {
          ctx.progress(part, 4, `part ${part}`)
          await ctx.sleep(5 * MINUTE)
        }
        return 'twenty minutes'
      }),
      must: tool({ task: 'required' }, () => 'done as a task'),
      typed: tool(
        { task: 'auto', output: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } },
        async (_args, ctx) => {
          await ctx.sleep(10 * MINUTE)
          return { n: 1 }
        },
      ),
      asks: tool({ task: 'auto' }, async (_args, ctx) => {
        const first = await ctx.elicit('first', { message: 'First?', form: NAME })
        await ctx.sleep(MINUTE)
        const second = await ctx.elicit('second', { message: 'Second?', form: NAME })
        return `${first.content?.name} and ${second.content?.name}`
      }),
    },
  })
}

function connect(version: ProtocolVersion, options: OpenOptions = {}, server = makeServer()): Promise<Wire> {
  return open({ transport: 'memory', server }, version, { capabilities: { elicitation: {} }, ...options })
}

async function names(wire: Wire, capabilities?: JsonObject): Promise<unknown[]> {
  const { result } = await wire.request('tools/list', {}, capabilities && { capabilities })
  return (result.tools as JsonObject[]).map(({ name }) => name)
}

/** An answer that takes time, with the time that it took. */
async function within(answer: Promise<Outcome>): Promise<Outcome & { tookMs: number }> {
  if (clock === undefined) throw new Error('no clock')
  const { now: begun } = clock
  let outcome: Outcome | undefined
  void answer.then((came) => {
    outcome = came
  })
  while (outcome === undefined) {
    await sealed()
    await clock.advance(outcome === undefined ? 15_000 : 0)
  }
  return { ...outcome, tookMs: clock.now - begun }
}

/** Follows a call as a model would: by what the answers say. */
async function follow(wire: Wire, name: string): Promise<{ texts: string[]; longestMs: number; last: JsonObject }> {
  const texts: string[] = []
  let outcome = await within(wire.request('tools/call', { name }))
  let longestMs = outcome.tookMs
  for (;;) {
    const text = String(textOf(outcome.result) ?? outcome.error?.message)
    texts.push(text)
    const taskId = /Task (\S+) of/.exec(text)?.[1]
    if (taskId === undefined) return { texts, longestMs, last: outcome.result }
    outcome = await within(wire.request('tools/call', { name: 'task_result', arguments: { taskId } }))
    longestMs = Math.max(longestMs, outcome.tookMs)
  }
}

describe('which tools there are', () => {
  it.each(PROTOCOL_VERSIONS)(
    'T26-03: on %s, callers without tasks have the helper tools in their list',
    async (version) => {
      const wire = await connect(version)
      expect((await names(wire)).slice(-3)).toEqual(HELPERS)
    },
  )

  it('T26-04: callers that declare the extension do not, nor do servers without such tools, or without the option', async () => {
    const wire = await connect('2026-07-28')
    expect(await names(wire, DECLARED)).not.toContain('task_result')
    expect(await names(await connect('2025-06-18', {}, makeServer({ helperTools: false })))).not.toContain(
      'task_result',
    )
    const plain = createServer({ name: 'p', version: '1', tasks: createTasks(), tools: { plain: tool({}, () => '') } })
    expect(await names(await connect('2025-06-18', {}, plain as never))).toEqual(['plain'])
  })

  it('a tool of the author’s that has the name of one is a mistake in the definition', () => {
    const make = () =>
      createServer({ name: 'x', version: '1', tasks: createTasks(), tools: { task_result: tool({}, () => '') } })
    expect(make).toThrow(/helper tool/)
  })
})

describe('a call that takes long', () => {
  it.each(PROTOCOL_VERSIONS)('on %s, what is quick is answered as ever', async (version) => {
    const { result } = await (await connect(version)).request('tools/call', { name: 'quick' })
    expect(textOf(result)).toBe('quick')
  })

  it.each(['2025-06-18', '2025-11-25', '2026-07-28'] as const)(
    'on %s, twenty minutes come through a client that waits for one',
    async (version) => {
      clock = createClock()
      const { texts, longestMs } = await follow(await connect(version), 'long')
      expect(texts[0]).toMatch(/is working.*task_result/s)
      expect(texts.at(-1)).toBe('twenty minutes')
      expect(longestMs).toBeLessThan(MINUTE)
      expect(texts.filter((text) => text.includes('part 4'))).not.toEqual([])
    },
  )

  it.each([
    ['2024-11-05', 'done as a task'],
    ['2025-06-18', 'done as a task'],
    ['2025-11-25', -32601],
    ['2026-07-28', -32021],
  ] as const)('T25-07 T26-06: on %s, one that runs as a task only: %s', async (version, expected) => {
    const { result, error } = await (await connect(version)).request('tools/call', { name: 'must' })
    expect(error?.code ?? textOf(result)).toBe(expected)
  })

  it('has its progress and signs of life on the request, before and after it became a task', async () => {
    clock = createClock()
    const wire = await connect('2025-06-18')
    await within(wire.request('tools/call', { name: 'long' }, { meta: { progressToken: 'p' } }))
    const told = wire.log
      .filter(({ method }) => method === 'notifications/progress')
      .map(({ params }) => params as JsonObject)
    expect(told[0]).toMatchObject({ progressToken: 'p', progress: 1 })
    expect(told.length).toBeGreaterThan(2)
    const values = told.map(({ progress }) => Number(progress))
    expect(values).toEqual(values.toSorted((one, other) => one - other))
  })

  it.each(['2025-06-18', '2025-11-25', '2026-07-28'] as const)(
    'TM-01 TM-05: on %s, is held for 45 seconds with signs of life, and is then a handle that status and cancel take',
    async (version) => {
      clock = createClock()
      const wire = await connect(version)
      const { now: begun } = clock
      let outcome: Outcome | undefined
      void wire.request('tools/call', { name: 'long' }, { meta: { progressToken: 'p' } }).then((came) => {
        outcome = came
      })
      const until = async (ms: number) => {
        for (; clock !== undefined && clock.now - begun < ms; await clock.advance(1000)) await sealed()
        await sealed()
      }
      await until(44_000)
      expect(outcome).toBeUndefined()
      const told = wire.log.filter(({ method }) => method === 'notifications/progress')
      expect(told.length).toBeGreaterThanOrEqual(3)
      await until(47_000)
      const text = String(textOf(outcome?.result))
      const taskId = /"taskId":"([^"]+)"/.exec(text)?.[1]
      for (const helper of HELPERS) expect(text).toContain(helper)
      const use = async (name: string) =>
        textOf((await wire.request('tools/call', { name, arguments: { taskId } })).result)
      expect(await use('task_status')).toContain('is working: part 1')
      expect(await use('task_cancel')).toContain('is cancelled')
    },
  )

  it('says that it is no result where the tool promises structured content, which comes by task_result', async () => {
    clock = createClock()
    const wire = await connect('2025-06-18')
    const first = await within(wire.request('tools/call', { name: 'typed' }))
    expect(first.result.isError).toBe(true)
    expect((await follow(wire, 'typed')).last.structuredContent).toEqual({ n: 1 })
  })

  it.each(['2025-06-18', '2025-11-25', '2026-07-28'] as const)(
    'on %s, asks before and after it became a task, and nothing twice',
    async (version) => {
      clock = createClock()
      const wire = await connect(version, { answers: ANSWERS })
      expect((await follow(wire, 'asks')).texts.at(-1)).toBe('Eve and Eve')
    },
  )

  it('stays open for as long as it takes without helper tools', async () => {
    clock = createClock()
    const { result, tookMs } = await within(
      (await connect('2025-06-18', {}, makeServer({ helperTools: false }))).request('tools/call', { name: 'long' }),
    )
    expect(textOf(result)).toBe('twenty minutes')
    expect(tookMs).toBeGreaterThanOrEqual(20 * MINUTE)
  })
})

describe('whose a task is', () => {
  async function begin(wire: Wire): Promise<string> {
    const { result } = await within(wire.request('tools/call', { name: 'long' }))
    return /Task (\S+) of/.exec(String(textOf(result)))?.[1] ?? ''
  }

  it.each(HELPERS)('T25-41 sec-371: %s of another’s task is answered like that of an unknown one', async (helper) => {
    clock = createClock()
    const server = makeServer()
    const [ana, ben] = await Promise.all(
      ['ana', 'ben'].map((id) => connect('2025-06-18', { principal: createPrincipal(id) }, server)),
    )
    if (ana === undefined || ben === undefined) throw new Error('not connected')
    const taskId = await begin(ana)
    const use = async (wire: Wire, id: string) =>
      (await wire.request('tools/call', { name: helper, arguments: { taskId: id } })).result
    const foreign = await use(ben, taskId)
    expect(foreign).toEqual(await use(ben, 'no-such-task'))
    expect(foreign.isError).toBe(true)
    const status = await ana.request('tools/call', { name: 'task_status', arguments: { taskId } })
    expect(textOf(status.result)).toContain('is working')
  })

  it('T25-34: task_cancel ends it, and its result says so', async () => {
    clock = createClock()
    const wire = await connect('2025-06-18')
    const taskId = await begin(wire)
    const use = (name: string) => wire.request('tools/call', { name, arguments: { taskId } })
    expect(textOf((await use('task_cancel')).result)).toContain('is cancelled')
    expect((await use('task_result')).error?.message).toContain('cancelled')
  })

  it('a caller that gives up while its request is held ends the work: it has no id to ask for it by', async () => {
    clock = createClock()
    const events: string[] = []
    const wire = await connect('2025-06-18', {}, makeServer({ onTask: ({ type }) => void events.push(type) }))
    const call = wire.start('tools/call', { name: 'long' })
    while (!events.includes('created')) await clock.advance(100)
    await wire.notify('notifications/cancelled', { requestId: call.id })
    while (!events.includes('cancelled')) await clock.advance(100)
    expect(events).toEqual(['created', 'cancelled'])
  })
})
