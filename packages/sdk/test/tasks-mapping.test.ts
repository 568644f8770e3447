/** One handler, three kinds of callers: what each event of a task is on each wire, side by side. */

import { describe, expect, it } from 'vitest'
import { RpcError } from '../src/jsonrpc/errors.ts'
import type { JsonObject } from '../src/jsonrpc/message.ts'
import type { ProtocolVersion } from '../src/protocol/revision.ts'
import { ToolError } from '../src/server/features/tool-result.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { createTasks, type TasksOptions } from '../src/server/tasks/tasks.ts'
import { createGate, DECLARED, type Gate, taskOf, textOf, until, untilSo } from './tasks-fixture.ts'
import { type OpenOptions, open, type Wire } from './wire.ts'

const TASK = { task: { mode: 'auto', after: 0 } } as const
const NAME = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const
const EVE = { action: 'accept', content: { name: 'Eve' } }
const PROGRESS = { meta: { progressToken: 'p' } }
/** Callers that can have no task, on both ways in which a revision asks. */
const WITHOUT = ['2025-06-18', '2025-11-25', '2026-07-28'] as const

interface Site {
  readonly gate: Gate
  readonly ended: string[]
  connect(version: ProtocolVersion, options?: OpenOptions): Promise<Wire>
}

function site(options: TasksOptions = {}): Site {
  const gate = createGate()
  const ended: string[] = []
  const server = createServer({
    name: 'mapping',
    version: '1',
    slow: false,
    onError: () => {},
    tasks: createTasks({ ...options, onTask: ({ type }) => void ended.push(type) }),
    tools: {
      waits: tool(TASK, async (_args, ctx) => {
        ctx.progress(1, 2, 'half way')
        await gate.opened
        return 'done'
      }),
      asks: tool(TASK, async (_args, ctx) => {
        const { content } = await ctx.elicit('name', { message: 'Name?', form: NAME })
        return `hello ${content?.name}`
      }),
      asksFirst: tool({ task: 'auto' }, async (_args, ctx) => {
        const { content } = await ctx.elicit('name', { message: 'Name?', form: NAME })
        return `hello ${content?.name}`
      }),
      broken: tool(TASK, () => {
        throw new ToolError('the tool failed')
      }),
      refused: tool(TASK, () => {
        throw new RpcError(-32000, 'the request failed')
      }),
    },
  })
  const connect: Site['connect'] = (version, own = {}) =>
    open({ transport: 'memory', server }, version, { capabilities: { elicitation: {} }, ...own })
  return { gate, ended, connect }
}

const asking = (made: Site) => made.connect('2025-11-25', { answers: { 'elicitation/create': () => EVE } })
const declaring = (made: Site) => made.connect('2026-07-28', { capabilities: DECLARED })

async function start(wire: Wire, name: string): Promise<string> {
  const params = wire.modern ? { name } : { name, task: {} }
  return taskOf((await wire.request('tools/call', params, PROGRESS)).result).taskId
}

describe('what a caller that asked for a task on 2025-11-25 has', () => {
  it('TM-01: the task, nested', async () => {
    const { result } = await (await asking(site())).request('tools/call', { name: 'waits', task: {} })
    expect(Object.keys(result)).toEqual(['task'])
  })

  it('TM-02: a question as a request while tasks/result is open', async () => {
    const wire = await asking(site())
    const taskId = await start(wire, 'asks')
    expect(await until(wire, taskId, 'input_required')).not.toHaveProperty('inputRequests')
    const { result, questions } = await wire.request('tasks/result', { taskId })
    expect([questions.map(({ method }) => method), textOf(result)]).toEqual([['elicitation/create'], 'hello Eve'])
  })

  it('TM-03 TM-04: failed for both kinds of failure, which tasks/result tells apart', async () => {
    const wire = await asking(site())
    const [broken, refused] = [await start(wire, 'broken'), await start(wire, 'refused')]
    for (const taskId of [broken, refused]) {
      expect((await until(wire, taskId, 'completed', 'failed')).status).toBe('failed')
    }
    expect((await wire.request('tasks/result', { taskId: broken })).result.isError).toBe(true)
    expect((await wire.request('tasks/result', { taskId: refused })).error?.code).toBe(-32000)
  })

  it('TM-05: progress on the token of its request', async () => {
    const wire = await asking(site())
    await start(wire, 'waits')
    const { params } = await wire.find(({ method }) => method === 'notifications/progress')
    expect(params).toMatchObject({ progressToken: 'p', progress: 1, message: 'half way' })
  })

  it('TM-06: the end before the answer, and a refusal once it is over', async () => {
    const wire = await asking(site())
    const taskId = await start(wire, 'waits')
    expect((await wire.request('tasks/cancel', { taskId })).result.status).toBe('cancelled')
    expect((await wire.request('tasks/cancel', { taskId })).error?.code).toBe(-32602)
  })
})

describe('what a caller that declares the extension has on 2026-07-28', () => {
  it('TM-01: the task, flat', async () => {
    const { result } = await (await declaring(site())).request('tools/call', { name: 'waits' })
    expect(result).toMatchObject({ resultType: 'task', status: 'working' })
    expect(result).not.toHaveProperty('task')
  })

  it('TM-02: a question among inputRequests', async () => {
    const wire = await declaring(site())
    const taskId = await start(wire, 'asks')
    const { inputRequests } = await until(wire, taskId, 'input_required')
    expect(inputRequests).toMatchObject({ name: { method: 'elicitation/create' } })
    await wire.request('tasks/update', { taskId, inputResponses: { name: EVE } })
    expect(textOf((await until(wire, taskId, 'completed')).result)).toBe('hello Eve')
  })

  it('TM-03 TM-04: completed where the tool failed, failed where the request did', async () => {
    const wire = await declaring(site())
    const end = async (name: string) => until(wire, await start(wire, name), 'completed', 'failed')
    expect(await end('broken')).toMatchObject({ status: 'completed', result: { isError: true } })
    expect(await end('refused')).toMatchObject({ status: 'failed', error: { code: -32000 } })
  })

  it('TM-05: progress as the message of the task alone', async () => {
    const wire = await declaring(site())
    const taskId = await start(wire, 'waits')
    await untilSo(wire, taskId, ({ result }) => result.statusMessage === 'half way')
    expect(wire.log.filter(({ method }) => method === 'notifications/progress')).toEqual([])
  })

  it('TM-06: an acknowledgement, however often', async () => {
    const wire = await declaring(site())
    const taskId = await start(wire, 'waits')
    for (const _time of [1, 2]) {
      const { _meta, ...ack } = (await wire.request('tasks/cancel', { taskId })).result
      expect(ack).toEqual({ resultType: 'complete' })
    }
  })
})

describe.each(WITHOUT)('what a caller without tasks has on %s', (version) => {
  it('TM-01: past the time that a request stays open, a text with the id, by which helper tools know it', async () => {
    const made = site({ holdMs: 20 })
    const wire = await made.connect(version)
    const call = (name: string, args: JsonObject = {}) => wire.request('tools/call', { name, arguments: args })
    const text = String(textOf((await call('waits')).result))
    const taskId = /"taskId":"([^"]+)"/.exec(text)?.[1]
    for (const name of ['task_status', 'task_result', 'task_cancel']) expect(text).toContain(name)
    expect(textOf((await call('task_status', { taskId })).result)).toContain('half way')
    made.gate.open()
    const last = async () => textOf((await call('task_result', { taskId })).result)
    await expect.poll(last).toBe('done')
  })

  it('TM-02: a question as any other call has it', async () => {
    const wire = await site().connect(version, { answers: { 'elicitation/create': () => EVE } })
    const { result, questions } = await wire.request('tools/call', { name: 'asksFirst' })
    expect([questions.map(({ method }) => method), textOf(result)]).toEqual([['elicitation/create'], 'hello Eve'])
  })

  it('TM-03 TM-04: a result with isError, and an error', async () => {
    const wire = await site().connect(version)
    expect((await wire.request('tools/call', { name: 'broken' })).result.isError).toBe(true)
    expect((await wire.request('tools/call', { name: 'refused' })).error?.code).toBe(-32000)
  })

  it('TM-05: progress on its request', async () => {
    const made = site()
    const wire = await made.connect(version)
    const call = wire.start('tools/call', { name: 'waits' }, PROGRESS)
    const { params } = await wire.find(({ method }) => method === 'notifications/progress')
    expect(params).toMatchObject({ progressToken: 'p', progress: 1, message: 'half way' })
    made.gate.open()
    expect(textOf((await call.outcome).result)).toBe('done')
  })

  it('TM-06: to give the request up is to end the work', async () => {
    const made = site()
    const wire = await made.connect(version)
    const call = wire.start('tools/call', { name: 'waits' }, PROGRESS)
    await wire.find(({ method }) => method === 'notifications/progress')
    await wire.notify('notifications/cancelled', { requestId: call.id })
    await expect.poll(() => made.ended).toEqual(['created', 'cancelled'])
  })
})
