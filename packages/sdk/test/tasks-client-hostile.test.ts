/** Servers that lie about their tasks, flood or stay silent: whatever they do, the call ends, with an error that says why. */

import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Client } from '../src/client/client.ts'
import { connect } from '../src/connect/connect.ts'
import type { ConnectOptions } from '../src/connect/options.ts'
import type { JsonObject } from '../src/jsonrpc/message.ts'
import { CORE_TASKS, EXTENSION_TASKS, readCreated, readTask, TASKS_EXTENSION } from '../src/protocol/tasks.ts'
import { discovered, error, initialized, type Message, type Reply, result, scriptedChannel } from './client-peers.ts'
import { textOf } from './tasks-fixture.ts'

const clients: Client[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const client of clients.splice(0)) await client.close()
})

const AT = { createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:00Z' }
const TASK = { taskId: 'one', status: 'working', ...AT, ttlMs: null, pollIntervalMs: 0 }
const OLD_TASK = { taskId: 'one', status: 'working', ...AT, ttl: null, pollInterval: 0 }
const DONE = { ...TASK, status: 'completed', result: { content: [{ type: 'text', text: 'done' }] } }
const TOOLS = ['required', 'optional', 'forbidden'].map((taskSupport) => {
  return { name: taskSupport, inputSchema: { type: 'object' }, execution: { taskSupport } }
})

type Script = (message: Message, reply: Reply) => void

/** A modern server that makes a task of every call, and answers `tasks/get` as the test says. */
async function openModern(get: (asked: number) => JsonObject, options: ConnectOptions = {}, script?: Script) {
  let asked = 0
  const peer = scriptedChannel((message, reply) => {
    const { id, method } = message
    if (method === 'server/discover') {
      reply(result(id, discovered({ tools: {}, extensions: { [TASKS_EXTENSION]: {} } })))
    } else if (method === 'tools/call') reply(result(id, { resultType: 'task', ...TASK }))
    else if (method === 'tasks/get') reply(result(id, { resultType: 'complete', ...get(++asked) }))
    else if (method === 'tasks/update' || method === 'tasks/cancel') reply(result(id, { resultType: 'complete' }))
    else if (method === 'subscriptions/listen') reply(error(id, -32601))
    script?.(message, reply)
  })
  const client = await connect(peer.channel, { versions: '2026-07-28', ...options })
  clients.push(client)
  return { client, ...peer }
}

/** A server of 2025-11-25, whose answers are the test's. */
async function openLegacy(script: Script, tasks: JsonObject | undefined, options: ConnectOptions = {}) {
  const peer = scriptedChannel((message, reply) => {
    const { id, method } = message
    if (method === 'server/discover') reply(error(id, -32601))
    else if (method === 'initialize')
      reply(result(id, initialized('2025-11-25', { tools: {}, ...(tasks && { tasks }) })))
    else if (method === 'tools/list') reply(result(id, { tools: TOOLS }))
    else script(message, reply)
  })
  const client = await connect(peer.channel, { versions: '2025-11-25', ...options })
  clients.push(client)
  return { client, ...peer }
}

const CALLS = { cancel: {}, requests: { tools: { call: {} } } }
const sent = (received: Message[], method: string) => received.filter((message) => message.method === method)

describe('a server of the extension', () => {
  const question = {
    method: 'elicitation/create',
    params: { message: 'Name?', requestedSchema: { type: 'object', properties: {} } },
  }
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`q${n}`, question]))

  it.each<[string, (asked: number) => JsonObject, string]>([
    ['T26-11 sec-365: an unknown status', () => ({ ...TASK, status: 'napping' }), 'invalid-message'],
    ['T26-08 sec-365: another id', () => ({ ...TASK, taskId: 'two' }), 'invalid-message'],
    ['T26-13 sec-365: no result', () => ({ ...TASK, status: 'completed' }), 'invalid-message'],
    ['T26-13 sec-365: a result that is none', () => ({ ...DONE, result: { content: 7 } }), 'invalid-message'],
    ['T26-14 sec-365: a failure without an error', () => ({ ...TASK, status: 'failed' }), 'invalid-message'],
    ['T26-08 sec-365: a negative ttl', () => ({ ...TASK, ttlMs: -1 }), 'invalid-message'],
    ['T26-08 sec-365: times that are none', () => ({ ...TASK, createdAt: 'soon' }), 'invalid-message'],
    ['T26-12 sec-365: no questions', () => ({ ...TASK, status: 'input_required' }), 'invalid-message'],
    [
      'T26-12 sec-365: more questions than anybody answers',
      () => ({ ...TASK, status: 'input_required', inputRequests: many(33) }),
      'limit-exceeded',
    ],
    [
      'T26-12 sec-365: questions without end',
      () => ({ ...TASK, status: 'input_required', inputRequests: many(1001) }),
      'invalid-message',
    ],
    ['T26-17 sec-365: work beyond its time', () => ({ ...TASK, ttlMs: 1 }), 'timeout'],
    ['sec-365: work without end', () => TASK, 'timeout'],
  ])('%s ends the call, and the task', async (_title, get, code) => {
    const form = () => ({ action: 'accept' as const, content: {} })
    const { client, received } = await openModern(get, {
      elicitation: { form },
      timeouts: { taskMs: code === 'timeout' ? 300 : 60_000 },
    })
    await expect(client.callTool('work')).rejects.toMatchObject({ code })
    expect(sent(received, 'tasks/cancel')).toHaveLength(1)
  })

  it('T26-20 T26-22 sec-363: each question is asked once, however often it is shown', async () => {
    const asked: string[] = []
    const form = ({ message }: { message: string }) => {
      asked.push(message)
      return { action: 'accept' as const, content: {} }
    }
    const waiting = { ...TASK, status: 'input_required', inputRequests: { one: question } }
    const { client, received } = await openModern((n) => (n < 4 ? waiting : DONE), { elicitation: { form } })
    expect(textOf(await client.callTool('work'))).toBe('done')
    expect(asked).toEqual(['Name?'])
    expect(sent(received, 'tasks/update').map(({ params }) => params?.inputResponses)).toEqual([
      { one: { action: 'accept', content: {} } },
    ])
  })

  it('T26-21 sec-363: what the client does not offer is refused, and the task ends', async () => {
    const waiting = { ...TASK, status: 'input_required', inputRequests: { one: question } }
    const { client, received } = await openModern(() => waiting)
    await expect(client.callTool('work')).rejects.toMatchObject({ code: 'input-refused' })
    expect(sent(received, 'tasks/update')).toEqual([])
    expect(sent(received, 'tasks/cancel')).toHaveLength(1)
  })

  it.each([
    ['T26-16 sec-366: 0 does not flood', 0, 1_000, 11],
    ['T26-16 sec-366: 1e12 does not hang', 1e12, 61_000, 2],
  ])('an interval of %s', async (_title, pollIntervalMs, passed, most) => {
    const { client, received } = await openModern(() => ({ ...TASK, pollIntervalMs }))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const run = await client.startTool('work')
    const ended = run.result().catch((thrown) => thrown)
    await vi.advanceTimersByTimeAsync(passed)
    const polls = sent(received, 'tasks/get').length
    expect(polls).toBeGreaterThan(0)
    expect(polls).toBeLessThanOrEqual(most)
    vi.useRealTimers()
    await client.close()
    expect(await ended).toMatchObject({ code: 'closed' })
  })

  it('T26-15 sec-365: what is over stays so, and one that goes on after its end is not believed', async () => {
    const { client } = await openModern((n) => (n === 1 ? DONE : TASK))
    const run = await client.startTool('work')
    expect(textOf(await run.result())).toBe('done')
    await expect(run.status()).rejects.toMatchObject({ code: 'invalid-message' })
    expect(run.task?.status).toBe('completed')
  })

  it('T26-05: a task in answer to anything but a call is no answer', async () => {
    const task = { resultType: 'task', ...TASK }
    const { client } = await openModern(
      () => DONE,
      {},
      ({ id, method }, reply) => {
        if (method === 'tools/list' || method === 'prompts/get') reply(result(id, task))
      },
    )
    await expect(client.listTools()).rejects.toMatchObject({ code: 'invalid-message' })
    await expect(client.request('prompts/get', { name: 'x' }, { task: true })).rejects.toMatchObject({})
    await expect(client.request('tools/call', { name: 'x' })).rejects.toMatchObject({ code: 'invalid-message' })
    expect(await client.request('tools/call', { name: 'x' }, { task: true })).toMatchObject(task)
  })

  it('T26-01 T26-03: declares tasks with calls and questions about tasks, and with nothing else; `never` with none', async () => {
    const declared = ({ params }: Message) => JSON.stringify(params?._meta).includes(TASKS_EXTENSION)
    const follows = await openModern(
      () => DONE,
      {},
      ({ id, method }, reply) => {
        if (method === 'tools/list') reply(result(id, { tools: [] }))
      },
    )
    await follows.client.listTools()
    await follows.client.callTool('work')
    const methods = follows.received.filter(declared).map(({ method }) => method)
    expect(new Set(methods)).toEqual(new Set(['tools/call', 'tasks/get', 'subscriptions/listen']))
    const never = await openModern(() => DONE, { tasks: 'never' })
    await expect(never.client.callTool('work')).rejects.toMatchObject({ code: 'invalid-message' })
    expect(never.received.filter(declared)).toEqual([])
  })
})

describe('a server of 2025-11-25', () => {
  it.each<[string, JsonObject | undefined]>([
    ['no tasks at all', undefined],
    ['tasks of other requests', { requests: {} }],
  ])('T25-05: is never asked for a task when it declares %s', async (_title, tasks) => {
    const { client, received } = await openLegacy(({ id, method }, reply) => {
      if (method === 'tools/call') reply(result(id, { content: [{ type: 'text', text: 'plain' }] }))
    }, tasks)
    await client.listTools()
    for (const name of ['required', 'optional'])
      expect(textOf(await client.callTool(name, {}, { task: true }))).toBe('plain')
    expect((await client.startTool('required')).task).toBeUndefined()
    expect(sent(received, 'tools/call').some(({ params }) => params?.task !== undefined)).toBe(false)
  })

  it('T25-06 T25-08 T25-11: is asked as the tool says and the caller wants', async () => {
    const { client, received } = await openLegacy(({ id, method }, reply) => {
      if (method === 'tools/call') reply(result(id, { content: [] }))
    }, CALLS)
    await client.listTools()
    await client.callTool('required')
    await client.callTool('optional')
    await client.callTool('optional', {}, { task: { ttlMs: 5000 } })
    await client.callTool('forbidden', {}, { task: true })
    expect(sent(received, 'tools/call').map(({ params }) => params?.task)).toEqual([
      {},
      undefined,
      { ttl: 5000 },
      undefined,
    ])
  })

  it.each([
    ['T25-07: -32601 from a tool that is only a task', 'required', -32601],
    ['T25-10: -32600 from one that may be a task', 'optional', -32600],
  ])('%s, not listed yet: the call is made once more as a task', async (_title, name, code) => {
    const { client } = await openLegacy(({ id, method, params }, reply) => {
      if (method === 'tools/call') reply(params?.task === undefined ? error(id, code) : result(id, { task: OLD_TASK }))
      else if (method === 'tasks/get') reply(result(id, { ...OLD_TASK, status: 'completed' }))
      else if (method === 'tasks/result') reply(result(id, { content: [{ type: 'text', text: 'as a task' }] }))
    }, CALLS)
    expect(textOf(await client.callTool(name))).toBe('as a task')
  })

  it.each([
    ['while it is accepted', false],
    ['once it is accepted', true],
  ])(
    'T25-35 T26-24: a call that is given up %s is ended by tasks/cancel, not by a notice',
    async (_title, accepted) => {
      let accept = (): void => {}
      const cancelled = new Promise<Message>((resolve) => {
        void openLegacy((message, reply) => {
          const { id, method } = message
          if (method === 'tools/call') {
            accept = () => reply(result(id, { task: OLD_TASK }))
            if (accepted) accept()
            else giveUp.abort()
          } else if (method === 'tasks/get') {
            reply(result(id, OLD_TASK))
            giveUp.abort()
          } else if (method === 'tasks/cancel') {
            reply(result(id, { ...OLD_TASK, status: 'cancelled' }))
            resolve(message)
          }
        }, CALLS).then(async ({ client, received }) => {
          await expect(client.callTool('required', {}, { task: true, signal: giveUp.signal })).rejects.toMatchObject({
            code: 'aborted',
          })
          if (!accepted) accept()
          await cancelled
          expect(sent(received, 'notifications/cancelled')).toEqual([])
          ended()
        })
      })
      const giveUp = new AbortController()
      let ended = (): void => {}
      const over = new Promise<void>((resolve) => {
        ended = resolve
      })
      expect((await cancelled).params).toMatchObject({ taskId: 'one' })
      await over
    },
  )

  it('T25-14: what the model may be told meanwhile is handed to the caller', async () => {
    const _meta = { 'io.modelcontextprotocol/model-immediate-response': 'On it' }
    const { client } = await openLegacy(({ id, method }, reply) => {
      if (method === 'tools/call') reply(result(id, { task: OLD_TASK, _meta }))
    }, CALLS)
    expect((await client.startTool('required')).immediateResponse).toBe('On it')
  })

  it('T25-37: progress of the call goes on when it has become a task, T25-36: and its status is told', async () => {
    let token: unknown
    const { client, far } = await openLegacy(({ id, method, params }, reply) => {
      if (method === 'tools/call') {
        token = (params?._meta as JsonObject | undefined)?.progressToken
        reply(result(id, { task: { ...OLD_TASK, pollInterval: 60_000 } }))
      } else if (method === 'tasks/result') reply(result(id, { content: [{ type: 'text', text: 'told' }] }))
    }, CALLS)
    const seen: unknown[] = []
    const notify = (method: string, params: JsonObject) => far.send(JSON.stringify({ jsonrpc: '2.0', method, params }))
    const run = await client.startTool('required', {}, { onProgress: ({ progress }) => seen.push(progress) })
    const ended = run.result()
    notify('notifications/progress', { progressToken: token, progress: 1 })
    notify('notifications/tasks/status', { ...OLD_TASK, status: 'nonsense' })
    notify('notifications/tasks/status', { ...OLD_TASK, status: 'completed' })
    expect(textOf(await ended)).toBe('told')
    expect(seen).toEqual([1])
  })

  it('T25-30: its list is read; T25-40: an unknown id is not found', async () => {
    const { client } = await openLegacy(
      ({ id, method }, reply) => {
        if (method === 'tasks/list') reply(result(id, { tasks: [OLD_TASK], nextCursor: 'more' }))
        else reply(error(id, -32602))
      },
      { ...CALLS, list: {} },
    )
    const page = await client.listTasks()
    expect(page).toMatchObject({ tasks: [{ taskId: 'one', ttlMs: Number.POSITIVE_INFINITY }], nextCursor: 'more' })
    await expect(client.resumeTask('gone')).rejects.toMatchObject({ code: 'not-found', data: { taskId: 'gone' } })
  })
})

describe('the readers', () => {
  it.each([
    ['core', CORE_TASKS, OLD_TASK],
    ['extension', EXTENSION_TASKS, TASK],
  ])('T25-13 T26-08 sec-365: of %s take what is a task, and throw at everything else', (_name, generation, task) => {
    const created = generation === CORE_TASKS ? { task } : { resultType: 'task', ...task }
    expect(readCreated(created, generation).task).toMatchObject({ taskId: 'one', status: 'working', pollIntervalMs: 0 })
    const wrong: unknown[] = [undefined, null, 7, 'task', [], {}, { ...task, taskId: '' }, { ...task, taskId: 7 }]
    wrong.push({ ...task, taskId: 'x'.repeat(1025) }, { ...task, statusMessage: {} }, { ...task, lastUpdatedAt: 7 })
    wrong.push({ ...task, [generation.ttl]: 'long' }, { ...task, [generation.pollInterval]: -1 })
    wrong.push({ ...task, status: 'constructor' }, { ...task, status: '__proto__' })
    for (const value of wrong) expect(() => readTask(value, generation)).toThrow(/The task that the other side/)
    expect(readTask({ ...task, statusMessage: 'x'.repeat(10_000) }, generation).statusMessage).toHaveLength(8_192)
  })

  it.each([
    ['core', CORE_TASKS, OLD_TASK],
    ['extension', EXTENSION_TASKS, TASK],
  ])('T25-20 T26-17 sec-621: of %s take a time that no date can say for one without end', (_name, generation, task) => {
    const last = 8.64e15 - Date.parse(task.createdAt)
    const keptFor = (ttl: number) => readTask({ ...task, [generation.ttl]: ttl }, generation).ttlMs
    expect([last - 1, last, last + 2, 1e300].map(keptFor)).toEqual([
      last - 1,
      last,
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
    ])
  })
})
