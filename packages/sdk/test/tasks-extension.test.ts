/** Tasks of 2026-07-28, as the extension has them: every rule of it that a server keeps, word for word on the wire. */

import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createPrincipal } from '../src/auth/principal.ts'
import type { JsonObject } from '../src/jsonrpc/message.ts'
import { META_RELATED_TASK, TASKS_EXTENSION } from '../src/protocol/tasks.ts'
import { createTaskServer, DECLARED, taskOf, textOf, until, untilSo } from './tasks-fixture.ts'
import { type OpenOptions, open, type Wire } from './wire.ts'

const NEEDED = { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } }

async function connect(options: OpenOptions = {}, made = createTaskServer()): Promise<Wire> {
  return open({ transport: 'memory', server: made.server }, '2026-07-28', { capabilities: DECLARED, ...options })
}

async function start(wire: Wire, name: string): Promise<string> {
  return taskOf((await wire.request('tools/call', { name })).result).taskId
}

describe('what is declared', () => {
  it('T26-02 T26-33 TT-06: the extension in server/discover, and no tasks of 2025-11-25', async () => {
    const { result } = await (await connect()).request('server/discover')
    const capabilities = result.capabilities as JsonObject
    expect(capabilities.extensions).toEqual({ [TASKS_EXTENSION]: {} })
    expect(capabilities).not.toHaveProperty('tasks')
  })

  it('T26-03 T26-01: each request says it anew, whatever earlier ones said', async () => {
    const wire = await connect()
    expect((await wire.request('tools/call', { name: 'gated' })).result.resultType).toBe('task')
    const undeclared = await wire.request('tools/call', { name: 'quick' }, { capabilities: {} })
    expect(undeclared.result.resultType).toBe('complete')
  })

  it('T26-06: what runs as a task only refuses others with -32021 and what they lack', async () => {
    const { error } = await (await connect()).request('tools/call', { name: 'gated' }, { capabilities: {} })
    expect(error).toMatchObject({ code: -32021, data: NEEDED })
  })

  it.each(['tasks/get', 'tasks/update', 'tasks/cancel'])(
    'T26-26 TT-01: %s without the declaration is -32021, before the id is looked at',
    async (method) => {
      const wire = await connect()
      const { error } = await wire.request(method, { taskId: 'nothing', inputResponses: {} }, { capabilities: {} })
      expect(error).toMatchObject({ code: -32021, data: NEEDED })
    },
  )

  it.each(['tasks/list', 'tasks/result'])('T26-31: %s is not found', async (method) => {
    expect((await (await connect()).request(method, { taskId: 'x' })).error?.code).toBe(-32601)
  })
})

describe('how a call becomes a task', () => {
  it('T26-15: what was said before it became one is its first message', async () => {
    const wire = await connect()
    const { taskId } = taskOf((await wire.request('tools/call', { name: 'leaves' })).result)
    expect((await wire.request('tasks/get', { taskId })).result).toMatchObject({ statusMessage: 'on its way' })
  })

  it('T26-07 T26-08 T26-09 sec-160: the answer is flat, and the task can be got at once', async () => {
    const wire = await connect()
    const { result } = await wire.request('tools/call', { name: 'gated' })
    const { _meta, ...members } = result
    expect(members).toEqual({
      resultType: 'task',
      taskId: expect.stringMatching(/^[A-Za-z0-9_-]{32}$/),
      status: 'working',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/),
      lastUpdatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/),
      ttlMs: 3_600_000,
      pollIntervalMs: 100,
    })
    const got = await wire.request('tasks/get', { taskId: members.taskId })
    expect(got.result).toMatchObject({ resultType: 'complete', taskId: members.taskId, status: 'working' })
  })

  it('T26-08 T26-15 sec-622: the time that a task is kept is the server’s to say, within its own limit', async () => {
    const wire = await connect({}, createTaskServer({ limits: { maxTtlMs: 90_000 } }))
    const { result } = await wire.request('tools/call', { name: 'gated', task: { ttl: 1e300 }, ttlMs: 1e300 })
    expect(result.ttlMs).toBe(90_000)
    expect((await wire.request('tasks/get', { taskId: result.taskId })).result.ttlMs).toBe(90_000)
  })

  it('T26-04: what is quick is answered at once, also by a tool that may become one', async () => {
    const { result } = await (await connect()).request('tools/call', { name: 'quick' })
    expect([result.resultType, textOf(result)]).toEqual(['complete', 'quick'])
  })

  it('T26-04: what takes long leaves its request, and is not begun a second time', async () => {
    const made = createTaskServer()
    const wire = await connect({}, made)
    const { result } = await wire.request('tools/call', { name: 'leaves' })
    expect(result.resultType).toBe('task')
    made.effects.gate.open()
    const done = await until(wire, taskOf(result).taskId, 'completed')
    expect(textOf(done.result)).toBe('left the request')
    expect(made.effects.done).toEqual(['begun'])
  })

  it('T26-32: `task` of 2025-11-25 is ignored', async () => {
    const { result } = await (await connect()).request('tools/call', { name: 'plain', task: { ttl: 1 } })
    expect([result.resultType, textOf(result)]).toEqual(['complete', 'at once'])
  })

  it('T26-10: what is asked before is asked on the request, and its keys are not those of the task', async () => {
    const wire = await connect()
    const first = await wire.request('tools/call', { name: 'asksFirst' }, { rounds: false })
    expect(first.result).toMatchObject({ resultType: 'input_required' })
    expect(first.result).not.toHaveProperty('taskId')
    const second = await wire.request('tools/call', {
      name: 'asksFirst',
      requestState: first.result.requestState,
      inputResponses: { name: { action: 'accept', content: { name: 'Alice' } } },
    })
    expect(second.result.resultType).toBe('task')
    for (const member of ['requestState', 'inputRequests']) expect(second.result).not.toHaveProperty(member)
    const done = await until(wire, taskOf(second.result).taskId, 'completed')
    expect(textOf(done.result)).toBe('hello Alice')
  })
})

describe('how a task ends', () => {
  it('T26-11 T26-13 TT-07: completed, with exactly what the call would have had', async () => {
    const made = createTaskServer()
    const wire = await connect({}, made)
    const taskId = await start(wire, 'gated')
    made.effects.gate.open()
    const done = await until(wire, taskId, 'completed')
    expect(done.resultType).toBe('complete')
    expect(done.result).toEqual({ resultType: 'complete', content: [{ type: 'text', text: 'through the gate' }] })
    for (const member of [META_RELATED_TASK, 'requestState']) expect(JSON.stringify(done)).not.toContain(member)
  })

  it('T26-13 T26-14: a tool that fails is completed with isError', async () => {
    const wire = await connect()
    const done = await until(wire, await start(wire, 'broken'), 'completed', 'failed')
    expect(done).toMatchObject({ status: 'completed', result: { isError: true } })
  })

  it('T26-14: a request that fails is failed, with the error and a message', async () => {
    const wire = await connect()
    const done = await until(wire, await start(wire, 'refused'), 'completed', 'failed')
    const error = { code: -32000, message: 'the request failed' }
    expect(done).toMatchObject({ status: 'failed', error, statusMessage: error.message })
    expect(done).not.toHaveProperty('result')
  })

  it('T26-15 T26-23 T26-24: cancelled by tasks/cancel, with neither result nor error, and the handler hears of it', async () => {
    const wire = await connect()
    const taskId = await start(wire, 'gated')
    const { _meta, ...ack } = (await wire.request('tasks/cancel', { taskId })).result
    expect(ack).toEqual({ resultType: 'complete' })
    const { result } = await wire.request('tasks/get', { taskId })
    expect(result.status).toBe('cancelled')
    for (const member of ['result', 'error', 'inputRequests']) expect(result).not.toHaveProperty(member)
    const { _meta: again, ...second } = (await wire.request('tasks/cancel', { taskId })).result
    expect(second).toEqual({ resultType: 'complete' })
  })

  it('T26-28: progress is the message of the task, and no notice', async () => {
    const wire = await connect()
    const taskId = await start(wire, 'gated')
    await untilSo(wire, taskId, ({ result }) => result.statusMessage === 'half way')
    expect(wire.log.filter(({ method }) => method === 'notifications/progress')).toEqual([])
  })
})

it('TT-02 TT-08: is told to whoever asks faster than its interval, and for as long as it is kept after its end', async () => {
  const made = createTaskServer()
  const wire = await connect({}, made)
  const taskId = await start(wire, 'gated')
  const look = () => wire.request('tasks/get', { taskId })
  for (let time = 0; time < 50; time++) expect((await look()).result.status).toBe('working')
  made.effects.gate.open()
  await until(wire, taskId, 'completed')
  vi.useFakeTimers({ now: Date.now() + 3_500_000 })
  onTestFinished(() => void vi.useRealTimers())
  expect((await look()).result).toMatchObject({ status: 'completed', result: { content: [{ type: 'text' }] } })
})

describe('questions inside a task', () => {
  it('T26-12 T26-18: stand in tasks/get, are answered by tasks/update, and no step runs twice', async () => {
    const made = createTaskServer()
    const wire = await connect({}, made)
    const taskId = await start(wire, 'asks')
    const waiting = await until(wire, taskId, 'input_required')
    expect(waiting.inputRequests).toMatchObject({ name: { method: 'elicitation/create' } })
    const inputResponses = { name: { action: 'accept', content: { name: 'Eve' } } }
    const { _meta, ...ack } = (await wire.request('tasks/update', { taskId, inputResponses })).result
    expect(ack).toEqual({ resultType: 'complete' })
    expect(textOf((await until(wire, taskId, 'completed')).result)).toBe('hello Eve')
    expect(made.effects.done).toEqual(['before', 'after'])
  })

  it('T26-12 T26-19 TT-03 TT-04 TT-05: all open ones at once; what is answered is gone from the very next look', async () => {
    const wire = await connect()
    const taskId = await start(wire, 'asksTwo')
    const waiting = await until(wire, taskId, 'input_required')
    expect(Object.keys(waiting.inputRequests as JsonObject)).toEqual(['one', 'two'])
    const answer = (name: string) => ({ action: 'accept', content: { name } })
    await wire.request('tasks/update', { taskId, inputResponses: { one: answer('a'), unknown: answer('x') } })
    const { result } = await wire.request('tasks/get', { taskId })
    expect([result.status, Object.keys(result.inputRequests as JsonObject)]).toEqual(['input_required', ['two']])
    await wire.request('tasks/update', { taskId, inputResponses: { one: answer('too late'), two: answer('b') } })
    expect(textOf((await until(wire, taskId, 'completed')).result)).toBe('a and b')
  })

  it('T26-20: a question that is asked again has another key', async () => {
    const wire = await connect()
    const taskId = await start(wire, 'asks')
    await until(wire, taskId, 'input_required')
    await wire.request('tasks/update', { taskId, inputResponses: { name: { action: 'accept', content: {} } } })
    const { result } = await untilSo(wire, taskId, ({ result }) => result.status === 'input_required')
    expect(Object.keys(result.inputRequests as JsonObject)).toEqual(['name.2'])
  })
})

describe('whose a task is', () => {
  it.each(['tasks/get', 'tasks/update', 'tasks/cancel'])(
    'T26-25 T26-30 sec-159 sec-335: %s of another’s task is answered like that of an unknown one',
    async (method) => {
      const made = createTaskServer()
      const [ana, ben] = [
        await connect({ principal: createPrincipal('ana') }, made),
        await connect({ principal: createPrincipal('ben') }, made),
      ]
      const nobody = await connect({}, made)
      const taskId = await start(ana, 'gated')
      const outcomes = await Promise.all(
        [ben, nobody].map(async (wire) => (await wire.request(method, { taskId, inputResponses: {} })).error),
      )
      const unknown = (await ben.request(method, { taskId: 'tasks-nonexistent', inputResponses: {} })).error
      expect(unknown?.code).toBe(-32602)
      for (const error of outcomes) expect(error).toEqual(unknown)
      expect((await ana.request('tasks/get', { taskId })).result.status).toBe('working')
    },
  )

  it('T25-43 sec-336: one principal has so many and no more, whatever others have', async () => {
    const made = createTaskServer({ limits: { maxTasksPerPrincipal: 2 } })
    const ana = await connect({ principal: createPrincipal('ana') }, made)
    await start(ana, 'gated')
    await start(ana, 'gated')
    const { error } = await ana.request('tools/call', { name: 'gated' })
    expect(error).toMatchObject({ code: -32600, data: { option: 'maxTasksPerPrincipal', limit: 2 } })
    expect(error?.data).toHaveProperty('remedy', expect.stringContaining('Cancel one'))
    await start(await connect({ principal: createPrincipal('ben') }, made), 'gated')
  })
})

it('T25-43 sec-518: so many tasks run at a time, and the others have their turn when one is over', async () => {
  const made = createTaskServer({ limits: { maxRunning: 2 } })
  const wire = await connect({}, made)
  const ids = await Promise.all([1, 2, 3, 4, 5].map(() => start(wire, 'gated')))
  const begun = async () => {
    const looks = await Promise.all(ids.map((taskId) => wire.request('tasks/get', { taskId })))
    return looks.filter(({ result }) => result.statusMessage !== undefined).length
  }
  await expect.poll(begun).toBe(2)
  made.effects.gate.open()
  for (const taskId of ids) expect((await until(wire, taskId, 'completed')).status).toBe('completed')
})

describe('push', () => {
  it.each([
    ['100', 100, undefined],
    ['101', 101, -32602],
  ])('T26-27 sec-519: a listener names at most 100 tasks: %s', async (_count, length, code) => {
    const taskIds = Array.from({ length }, (_none, at) => `task-${at}`)
    const wire = await connect({}, createTaskServer())
    const listen = wire.start('subscriptions/listen', { notifications: { taskIds } })
    if (code === undefined) await wire.find(({ method }) => method === 'notifications/subscriptions/acknowledged')
    else expect((await listen.outcome).error?.code).toBe(code)
    listen.abort()
  })

  it('T26-27 T26-30 TT-09: a listener hears of its own tasks alone, in the words of tasks/get', async () => {
    const made = createTaskServer()
    const [ana, ben] = [
      await connect({ principal: createPrincipal('ana') }, made),
      await connect({ principal: createPrincipal('ben') }, made),
    ]
    const [own, foreign] = [await start(ana, 'gated'), await start(ben, 'gated')]
    const listen = ana.start('subscriptions/listen', { notifications: { taskIds: [own, foreign, 'unknown'] } })
    const ack = await ana.find(({ method }) => method === 'notifications/subscriptions/acknowledged')
    expect((ack.params as JsonObject).notifications).toEqual({ taskIds: [own] })
    made.effects.gate.open()
    const told = await ana.find(
      ({ method, params }) => method === 'notifications/tasks' && (params as JsonObject).status === 'completed',
    )
    const { _meta: meta, ...params } = told.params as JsonObject
    const { _meta, resultType, ...got } = (await ana.request('tasks/get', { taskId: own })).result
    expect(params).toEqual(got)
    expect(meta).toMatchObject({ 'io.modelcontextprotocol/subscriptionId': listen.id })
    expect(JSON.stringify(ana.log)).not.toContain(foreign)
    listen.abort()
  })

  it('T26-26: a listener that does not declare the extension is refused with -32021', async () => {
    const wire = await connect()
    const asked = { notifications: { taskIds: ['x'] } }
    expect((await wire.request('subscriptions/listen', asked, { capabilities: {} })).error?.code).toBe(-32021)
  })
})
