/** Tasks of 2025-11-25, as the core feature has them: every rule of it that a server keeps, word for word on the wire. */

import { describe, expect, it } from 'vitest'
import { createPrincipal } from '../src/auth/principal.ts'
import { isObject, type JsonObject } from '../src/jsonrpc/message.ts'
import { META_RELATED_TASK, TASKS_EXTENSION, TRANSITIONS } from '../src/protocol/tasks.ts'
import { changed, type TaskRecord } from '../src/server/tasks/task-record.ts'
import { createTaskServer, taskOf, textOf, until, untilSo } from './tasks-fixture.ts'
import { type OpenOptions, open, type Wire } from './wire.ts'

const ASKABLE = { elicitation: {}, sampling: {} }

async function connect(options: OpenOptions = {}, made = createTaskServer()): Promise<Wire> {
  return open({ transport: 'memory', server: made.server }, '2025-11-25', { capabilities: ASKABLE, ...options })
}

async function start(wire: Wire, name: string, task: JsonObject = {}, meta?: JsonObject): Promise<string> {
  const { result } = await wire.request('tools/call', { name, task }, meta && { meta })
  return taskOf(result).taskId
}

describe('what is declared', () => {
  it('T25-01 T25-03 T26-33: tasks of tools/call and their end; lists for those who are known by name', async () => {
    const requests = { tools: { call: {} } }
    const opened = await Promise.all([connect(), connect({ principal: createPrincipal('ana') })])
    const [nobody, ana] = opened.map(({ opening }) => (opening as JsonObject).capabilities as JsonObject)
    expect(nobody?.tasks).toEqual({ cancel: {}, requests })
    expect(ana?.tasks).toEqual({ list: {}, cancel: {}, requests })
    expect(JSON.stringify([nobody, ana])).not.toContain(TASKS_EXTENSION)
  })

  it('T25-04: each tool says whether it runs as a task, on this revision alone', async () => {
    const made = createTaskServer()
    const supports = async (version: '2025-11-25' | '2026-07-28' | '2025-06-18') => {
      const wire = await open({ transport: 'memory', server: made.server }, version)
      const tools = (await wire.request('tools/list')).result.tools as JsonObject[]
      return tools.slice(0, 3).map(({ execution }) => execution)
    }
    expect(await supports('2025-11-25')).toEqual([undefined, { taskSupport: 'optional' }, { taskSupport: 'required' }])
    expect(await supports('2026-07-28')).toEqual([undefined, undefined, undefined])
    expect(await supports('2025-06-18')).toEqual([undefined, undefined, undefined])
  })

  it.each([
    ['T25-06: a tool without tasks, asked for one', 'plain', { task: {} }],
    ['T25-07: a tool with nothing but tasks, asked without', 'gated', {}],
  ])('%s: -32601', async (_title, name, task) => {
    expect((await (await connect()).request('tools/call', { name, ...task })).error?.code).toBe(-32601)
  })

  it('T25-08: a tool that may be either is what is asked for', async () => {
    const wire = await connect()
    expect(textOf((await wire.request('tools/call', { name: 'quick' })).result)).toBe('quick')
    expect(taskOf((await wire.request('tools/call', { name: 'quick', task: {} })).result).status).toBe('working')
  })

  it('T25-09: a revision without tasks ignores `task`', async () => {
    const { server } = createTaskServer()
    const wire = await open({ transport: 'memory', server }, '2025-06-18')
    expect(textOf((await wire.request('tools/call', { name: 'plain', task: {} })).result)).toBe('at once')
    expect((await wire.request('tasks/get', { taskId: 'x' })).error?.code).toBe(-32601)
  })
})

describe('a task', () => {
  it('T25-11 T25-12 T25-13 T25-15 T25-16 T25-18 T25-42: is nested, working, with times and an id nobody guesses', async () => {
    const { result } = await (await connect()).request('tools/call', { name: 'gated', task: { ttl: 70_000 } })
    expect(result).toEqual({
      task: {
        taskId: expect.stringMatching(/^[A-Za-z0-9_-]{32}$/),
        status: 'working',
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/),
        lastUpdatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/),
        ttl: 70_000,
        pollInterval: 100,
      },
    })
  })

  it.each([
    [100_000, 99_999, 99_999],
    [100_000, 100_000, 100_000],
    [100_000, 100_001, 100_000],
    [100_000, 1e300, 100_000],
  ])(
    'T25-19 T25-21 T25-23 T25-43 sec-622: of at most %d ms, a client that asks for %d is told %d',
    async (maxTtlMs, ttl, told) => {
      const wire = await connect({}, createTaskServer({ limits: { maxTtlMs } }))
      const { result } = await wire.request('tools/call', { name: 'gated', task: { ttl } })
      const { taskId } = taskOf(result)
      expect(result.task).toMatchObject({ ttl: told })
      expect((await wire.request('tasks/get', { taskId })).result).toMatchObject({ ttl: told, pollInterval: 100 })
    },
  )

  it('T25-19 T25-43: is kept for a minute, however short a time was asked for', async () => {
    const wire = await connect()
    const taskId = await start(wire, 'gated', { ttl: 1 })
    expect((await wire.request('tasks/get', { taskId })).result).toMatchObject({ taskId, ttl: 60_000 })
  })

  it('T25-20 T25-40: is unknown when its time is over', async () => {
    const wire = await connect({}, createTaskServer({ limits: { maxTtlMs: 50 } }))
    const taskId = await start(wire, 'gated', {})
    const { error } = await untilSo(wire, taskId, (outcome) => outcome.error !== undefined)
    expect(error?.code).toBe(-32602)
  })

  it('T25-17: goes from status to status as the table says, and nowhere from its end', () => {
    const all = Object.keys(TRANSITIONS) as TaskRecord['status'][]
    const went = all.flatMap((from) =>
      all
        .filter((to) => to !== from && changed({ status: from } as TaskRecord, { status: to }, 0))
        .map((to) => [from, to]),
    )
    expect(went).toEqual(
      (['working', 'input_required'] as const).flatMap((from) =>
        all.filter((to) => to !== from).map((to) => [from, to]),
      ),
    )
  })
})

describe('tasks/result', () => {
  it('T25-24 T25-25 T25-26: waits for the end, and gives what the call would have, marked with the task', async () => {
    const made = createTaskServer()
    const wire = await connect({}, made)
    const taskId = await start(wire, 'gated')
    const result = wire.start('tasks/result', { taskId })
    expect((await wire.request('tasks/get', { taskId })).result.status).toBe('working')
    made.effects.gate.open()
    expect((await result.outcome).result).toEqual({
      content: [{ type: 'text', text: 'through the gate' }],
      _meta: { [META_RELATED_TASK]: { taskId } },
    })
  })

  it('T25-25 T25-39: a tool that fails is failed, and gives its result', async () => {
    const wire = await connect()
    const taskId = await start(wire, 'broken')
    expect((await until(wire, taskId, 'completed', 'failed')).status).toBe('failed')
    expect((await wire.request('tasks/result', { taskId })).result).toMatchObject({ isError: true })
  })

  it('T25-25: a request that fails gives the error that it would have had', async () => {
    const wire = await connect()
    const taskId = await start(wire, 'refused')
    const { error } = await wire.request('tasks/result', { taskId })
    expect(error).toMatchObject({ code: -32000, message: 'the request failed' })
    expect((await wire.request('tasks/get', { taskId })).result).toMatchObject({ status: 'failed' })
  })

  it('T25-27 T25-28 T25-29: whoever waits is asked the task’s questions, marked with the task', async () => {
    const made = createTaskServer()
    const seen: JsonObject[] = []
    const answers = {
      'elicitation/create': (params: JsonObject) => {
        seen.push(params)
        return { action: 'accept', content: { name: 'Eve' } }
      },
    }
    const wire = await connect({ answers }, made)
    const taskId = await start(wire, 'asks')
    await until(wire, taskId, 'input_required')
    expect(seen).toEqual([])
    expect(textOf((await wire.request('tasks/result', { taskId })).result)).toBe('hello Eve')
    expect(seen.map(({ _meta }) => (_meta as JsonObject)[META_RELATED_TASK])).toEqual([{ taskId }])
    expect(made.effects.done).toEqual(['before', 'after'])
  })
})

describe('tasks/cancel', () => {
  it('T25-32 T25-33 T25-34: is done when it is answered, is final, and is refused for what is over', async () => {
    const made = createTaskServer()
    const wire = await connect({}, made)
    const taskId = await start(wire, 'gated')
    expect((await wire.request('tasks/cancel', { taskId })).result).toMatchObject({ taskId, status: 'cancelled' })
    made.effects.gate.open()
    await wire.settle()
    expect((await wire.request('tasks/get', { taskId })).result.status).toBe('cancelled')
    expect((await wire.request('tasks/cancel', { taskId })).error?.code).toBe(-32602)
  })
})

describe('whose a task is', () => {
  it.each(['tasks/get', 'tasks/result', 'tasks/cancel'])(
    'T25-40 T25-41 sec-159 sec-335: %s of another’s task is answered like that of an unknown one',
    async (method) => {
      const made = createTaskServer()
      const [ana, ben] = [
        await connect({ principal: createPrincipal('ana') }, made),
        await connect({ principal: createPrincipal('ben') }, made),
      ]
      const taskId = await start(ana, 'gated')
      const [foreign, unknown] = [await ben.request(method, { taskId }), await ben.request(method, { taskId: 'x' })]
      expect(foreign.error?.code).toBe(-32602)
      expect(foreign.error).toEqual(unknown.error)
    },
  )

  it('T25-30 T25-31 T25-41: a list has one’s own, page by page; a cursor that was never given is -32602', async () => {
    const made = createTaskServer({ limits: { maxTasksPerPrincipal: 200 } })
    const [ana, ben] = [
      await connect({ principal: createPrincipal('ana') }, made),
      await connect({ principal: createPrincipal('ben') }, made),
    ]
    const own = new Set<string>()
    for (let count = 0; count < 101; count++) own.add(await start(ana, 'gated'))
    await start(ben, 'gated')
    const listed: unknown[] = []
    let cursor: unknown
    do {
      const { result } = await ana.request('tasks/list', cursor === undefined ? {} : { cursor })
      listed.push(...(result.tasks as JsonObject[]).map(({ taskId }) => taskId))
      cursor = result.nextCursor
    } while (cursor !== undefined)
    expect(listed.length).toBe(101)
    expect(new Set(listed)).toEqual(own)
    expect((await ana.request('tasks/list', { cursor: 'never-given' })).error?.code).toBe(-32602)
  })

  it('T25-42 sec-159: who is not known by name has no list', async () => {
    expect((await (await connect()).request('tasks/list')).error?.code).toBe(-32601)
  })
})

describe('what is told without being asked for', () => {
  it('T25-36 T25-28: each status, to the session that asked for the task, without the mark', async () => {
    const made = createTaskServer()
    const wire = await connect({}, made)
    const other = await connect({}, made)
    const taskId = await start(wire, 'gated')
    made.effects.gate.open()
    const told = await wire.find(
      ({ method, params }) =>
        method === 'notifications/tasks/status' && isObject(params) && params.status === 'completed',
    )
    expect(told.params).toMatchObject({ taskId })
    expect(told.params).not.toHaveProperty('_meta')
    await other.settle()
    expect(JSON.stringify(other.log)).not.toContain(taskId)
  })

  it('T25-37: progress on the token of the request, marked with the task', async () => {
    const made = createTaskServer()
    const wire = await connect({}, made)
    const { result } = await wire.request(
      'tools/call',
      { name: 'gatedProgress', task: {} },
      { meta: { progressToken: 'p' } },
    )
    const { taskId } = taskOf(result)
    made.effects.gate.open()
    const told = await wire.find(({ method }) => method === 'notifications/progress')
    expect(told.params).toEqual({
      progressToken: 'p',
      progress: 1,
      total: 2,
      message: 'late',
      _meta: { [META_RELATED_TASK]: { taskId } },
    })
  })
})
