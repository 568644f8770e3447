/** A client that takes on tasks of 2025-11-25: questions of a server that are answered as tasks of the client's own. */

import { afterEach, describe, expect, it } from 'vitest'
import type { Client } from '../src/client/client.ts'
import { connect } from '../src/connect/connect.ts'
import type { ConnectOptions } from '../src/connect/options.ts'
import type { Channel } from '../src/jsonrpc/channel.ts'
import { isObject, type JsonObject } from '../src/jsonrpc/message.ts'
import { META_RELATED_TASK } from '../src/protocol/tasks.ts'
import { deferred, error, initialized, type Message, result, scriptedChannel } from './client-peers.ts'

const clients: Client[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

interface Asking {
  readonly declared: JsonObject
  /** Asks the client, and gives its whole answer. */
  ask(method: string, params?: JsonObject): Promise<{ result?: JsonObject; error?: { code: number } }>
}

async function open(options: ConnectOptions, version = '2025-11-25'): Promise<Asking> {
  const waiting = new Map<unknown, (message: Message) => void>()
  let declared: JsonObject = {}
  let far: Channel | undefined
  const { channel } = scriptedChannel((message, reply, own) => {
    far = own
    if (message.method === 'server/discover') reply(error(message.id, -32601))
    else if (message.method === 'initialize') {
      declared = message.params?.capabilities as JsonObject
      reply(result(message.id, initialized(version)))
    } else if (message.method === undefined) waiting.get(message.id)?.(message)
  })
  clients.push(await connect(channel, { versions: version as '2025-11-25', ...options }))
  let last = 1000
  return {
    declared,
    ask: (method, params = {}) =>
      new Promise((resolve) => {
        const id = ++last
        waiting.set(id, resolve as (message: Message) => void)
        far?.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      }),
  }
}

const FORM = { message: 'Name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } }
const ACCEPTED = { action: 'accept', content: { name: 'Ada' } } as const
const form = () => ACCEPTED

async function create(peer: Asking, task: JsonObject = {}): Promise<string> {
  const { result: created } = await peer.ask('elicitation/create', { ...FORM, task })
  return idIn(created)
}

function idIn(created: JsonObject = {}): string {
  return String(isObject(created.task) ? created.task.taskId : undefined)
}

describe('what is declared', () => {
  it.each<[string, ConnectOptions, JsonObject | undefined]>([
    ['nothing unless asked for', { elicitation: { form } }, undefined],
    ['nothing without handlers', { receiveTasks: true }, undefined],
    ['what there is a handler for', { receiveTasks: true, elicitation: { form } }, { elicitation: { create: {} } }],
    [
      'both',
      { receiveTasks: true, elicitation: { form }, sampling: () => Promise.reject(new Error('no')) },
      { elicitation: { create: {} }, sampling: { createMessage: {} } },
    ],
  ])('T25-02: %s', async (_title, options, requests) => {
    const { declared } = await open(options)
    expect(declared.tasks).toEqual(requests && { list: {}, cancel: {}, requests })
  })

  it('T25-02: only on the revision that has it', async () => {
    expect((await open({ receiveTasks: true, elicitation: { form } }, '2025-06-18')).declared.tasks).toBeUndefined()
  })
})

describe('a question that is answered as a task', () => {
  it('T25-12 T25-13 T25-16 T25-19 T25-24 T25-26: is accepted, worked on and fetched', async () => {
    const gate = deferred()
    const peer = await open({
      receiveTasks: true,
      elicitation: { form: () => gate.promise.then(() => ACCEPTED) },
    })
    const { result: created } = await peer.ask('elicitation/create', { ...FORM, task: { ttl: 1e15 } })
    const taskId = idIn(created)
    expect(created?.task).toMatchObject({
      status: 'working',
      ttl: 3_600_000,
      createdAt: expect.stringMatching(/^\d{4}-/),
    })
    const fetched = peer.ask('tasks/result', { taskId })
    expect((await peer.ask('tasks/get', { taskId })).result).toMatchObject({ taskId, status: 'working' })
    gate.resolve()
    expect((await fetched).result).toEqual({ ...ACCEPTED, _meta: { [META_RELATED_TASK]: { taskId } } })
    expect((await peer.ask('tasks/get', { taskId })).result).toMatchObject({ status: 'completed' })
  })

  it('T25-25 T25-40: has the error that the question would have had, and unknown ids are unknown', async () => {
    const peer = await open({ receiveTasks: true, elicitation: { form: () => Promise.reject(new Error('private')) } })
    const taskId = await create(peer)
    const { error: failed } = await peer.ask('tasks/result', { taskId })
    expect(failed?.code).toBe(-32603)
    expect(JSON.stringify(failed)).not.toContain('private')
    expect((await peer.ask('tasks/get', { taskId })).result?.status).toBe('failed')
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
      expect((await peer.ask(method, { taskId: 'nobody' })).error?.code).toBe(-32602)
    }
  })

  it('T25-32 T25-33 T25-34: is cancelled at once and for good, and its handler hears of it', async () => {
    const aborted = deferred<unknown>()
    const peer = await open({
      receiveTasks: true,
      elicitation: {
        form: (_params, { signal }) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => {
              aborted.resolve(signal.reason)
              resolve(ACCEPTED)
            })
          }),
      },
    })
    const taskId = await create(peer)
    expect((await peer.ask('tasks/cancel', { taskId })).result).toMatchObject({ taskId, status: 'cancelled' })
    await aborted.promise
    expect((await peer.ask('tasks/cancel', { taskId })).error?.code).toBe(-32602)
    expect((await peer.ask('tasks/get', { taskId })).result?.status).toBe('cancelled')
    expect((await peer.ask('tasks/result', { taskId })).error?.code).toBe(-32603)
  })

  it('T25-30 T25-31 T25-43 sec-364: 32 are kept, listed in pages, and no more', async () => {
    const peer = await open({ receiveTasks: true, elicitation: { form } })
    const ids: string[] = []
    for (let n = 0; n < 32; n++) ids.push(await create(peer))
    expect((await peer.ask('elicitation/create', { ...FORM, task: {} })).error?.code).toBe(-32600)
    const { result: first } = await peer.ask('tasks/list')
    const { result: second } = await peer.ask('tasks/list', { cursor: first?.nextCursor })
    const listed = [first, second].flatMap((page) => (page?.tasks ?? []) as { taskId: string }[])
    expect([listed.map(({ taskId }) => taskId), second?.nextCursor]).toEqual([ids, undefined])
    expect((await peer.ask('tasks/list', { cursor: 'nobody' })).error?.code).toBe(-32602)
  })

  it('T25-20 T25-43 sec-364: is forgotten when its time is over', async () => {
    const peer = await open({ receiveTasks: true, elicitation: { form: () => new Promise(() => {}) } })
    const taskId = await create(peer, { ttl: 1 })
    const fetched = await peer.ask('tasks/result', { taskId })
    expect([-32602, -32603]).toContain(fetched.error?.code)
    expect((await peer.ask('tasks/get', { taskId })).error?.code).toBe(-32602)
  })

  it('sec-364: a result that is too large is not kept', async () => {
    const text = 'x'.repeat(2 * 1024 * 1024)
    const sampling = async () => ({ role: 'assistant' as const, model: 'm', content: { type: 'text' as const, text } })
    const peer = await open({ receiveTasks: true, sampling })
    const messages = [{ role: 'user', content: { type: 'text', text: 'hi' } }]
    const { result: created } = await peer.ask('sampling/createMessage', { messages, maxTokens: 1, task: {} })
    const taskId = idIn(created)
    expect((await peer.ask('tasks/result', { taskId })).error?.code).toBe(-32603)
  })
})

describe('what is no task', () => {
  it('T25-03 T25-09: is answered as it is, though `task` is sent', async () => {
    const peer = await open({ receiveTasks: true, elicitation: { form }, roots: [{ uri: 'file:///a' }] })
    expect((await peer.ask('roots/list', { task: {} })).result).toHaveProperty('roots')
    const plain = await open({ elicitation: { form } })
    expect((await plain.ask('elicitation/create', { ...FORM, task: {} })).result).toEqual(ACCEPTED)
    expect((await plain.ask('tasks/get', { taskId: 'x' })).error?.code).toBe(-32601)
  })

  it('T25-28: answers to questions of a task of the server’s are marked with it', async () => {
    const peer = await open({ elicitation: { form } })
    const related = { [META_RELATED_TASK]: { taskId: 'theirs' } }
    const { result: answer } = await peer.ask('elicitation/create', { ...FORM, _meta: related })
    expect(answer).toEqual({ ...ACCEPTED, _meta: related })
    expect(isObject((await peer.ask('elicitation/create', FORM)).result?._meta)).toBe(false)
  })
})
