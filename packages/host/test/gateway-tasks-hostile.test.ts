/** Servers that lie about their tasks, or leave in the middle: what callers of the gateway see of it. */

import { randomUUID } from 'node:crypto'
import { createServer as createNodeServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { closeAll, closers, createSite, MODERN, type Site, textOf } from './gateway-site.ts'
import { eventually, FORM, followed, modern, TASKS, type Wire } from './gateway-task-site.ts'

afterEach(closeAll)

type Answer = (params: Wire, server: Liar) => object

/** A server of the newest revision as it is on the wire, which answers about its tasks what a test says. */
class Liar {
  readonly id = `upstream-${randomUUID()}`
  readonly asked: string[] = []
  readonly answers: { [method: string]: Answer } = {
    'tools/call': () => this.task('working'),
    'tasks/get': () => this.task('working'),
    'tasks/cancel': () => ({}),
    'tasks/update': () => ({}),
  }

  constructor(answers: { readonly [method: string]: Answer } = {}) {
    Object.assign(this.answers, answers)
  }

  /** A task as a server tells of it. */
  task(status: string, more: object = {}): object {
    const at = '2026-01-01T00:00:00Z'
    const own = { taskId: this.id, status, createdAt: at, lastUpdatedAt: at, ttlMs: 60_000, pollIntervalMs: 1 }
    return { ...own, ...more }
  }

  done(text: string): object {
    return this.task('completed', { result: { content: [{ type: 'text', text }] } })
  }

  #answer(method: string, params: Wire): object {
    this.asked.push(method)
    if (method === 'server/discover') {
      const capabilities = { tools: {}, extensions: { [TASKS]: {} } }
      return {
        resultType: 'complete',
        supportedVersions: [MODERN],
        capabilities,
        serverInfo: { name: 'liar', version: '1' },
      }
    }
    if (method === 'tools/list') {
      const tools = ['slow', 'other'].map((name) => ({ name, inputSchema: { type: 'object' } }))
      return { resultType: 'complete', tools, ttlMs: 0, cacheScope: 'private' }
    }
    const resultType = method === 'tools/call' ? 'task' : 'complete'
    return { resultType, ...this.answers[method]?.(params, this) }
  }

  async listen(): Promise<string> {
    const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as Wire
      if (method === 'subscriptions/listen') {
        response.writeHead(404).end()
        return
      }
      const answered = (() => {
        try {
          return { result: this.#answer(method, params) }
        } catch (error) {
          return { error }
        }
      })()
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answered }))
    }
    const http = createNodeServer((request, response) => void serve(request, response))
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    closers.push(async () => {
      http.closeAllConnections()
      http.close()
    })
    return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
  }
}

async function siteOf(liar: Liar, options: Parameters<typeof createSite>[1] = {}): Promise<Site> {
  return createSite({ liar: { target: await liar.listen(), versions: MODERN } }, options)
}

async function begin(site: Site, name = 'slow', user?: string): Promise<string> {
  const { result, error } = await modern(site, 'tools/call', { name, arguments: {} }, user)
  expect(error).toBeUndefined()
  expect(result.resultType).toBe('task')
  return result.taskId
}

describe('a server that lies about its tasks', () => {
  test.each<[string, (asked: number, liar: Liar) => object]>([
    ['answers about another task', (_asked, liar) => ({ ...liar.task('working'), taskId: 'another' })],
    ['has the result of another task', (_asked, liar) => ({ ...liar.done('of another'), taskId: 'another' })],
    ['says that it has no task', () => ({})],
    ['has a status that does not exist', (_asked, liar) => liar.task('sleeping')],
    ['is done without a result', (_asked, liar) => liar.task('completed')],
    ['has content that is none', (_asked, liar) => liar.task('completed', { result: { content: 'text' } })],
    ['has failed without an error', (_asked, liar) => liar.task('failed')],
    ['asks nothing and waits for an answer', (_asked, liar) => liar.task('input_required')],
  ])('sec-395: that %s fails the call, and its id goes nowhere', async (_lie, answer) => {
    let asked = 0
    const liar = new Liar({ 'tasks/get': (_params, self) => answer(++asked, self) })
    const site = await siteOf(liar)
    const task = await followed(site, await begin(site))
    expect(task).toMatchObject({ status: 'failed', error: { code: expect.any(Number) } })
    expect(JSON.stringify(task)).not.toContain(liar.id)
  })

  test('sec-395: that goes back from an end keeps to what it said first', async () => {
    let asked = 0
    const liar = new Liar({
      'tasks/get': (_params, self) => (++asked === 1 ? self.done('first') : self.task('working')),
    })
    const site = await siteOf(liar)
    const taskId = await begin(site)
    expect(textOf((await followed(site, taskId)).result)).toBe('first')
    expect(await followed(site, taskId)).toMatchObject({ status: 'completed' })
  })

  test('sec-395: that names its task everywhere is not quoted', async () => {
    const id = (self: Liar) => `see ${self.id}`
    const told = new Liar({ 'tasks/get': (_params, self) => self.task('working', { statusMessage: id(self) }) })
    const site = await siteOf(told)
    const taskId = await begin(site)
    await eventually(async () => (await modern(site, 'tasks/get', { taskId })).result.statusMessage).toBe('see …')
    await modern(site, 'tasks/cancel', { taskId })
    const failing = new Liar({
      'tasks/get': (_params, self) => self.task('failed', { error: { code: -1, message: id(self), data: [self.id] } }),
    })
    const other = await siteOf(failing)
    const task = await followed(other, await begin(other))
    expect(task.error.message).toBe('The server "liar" could not finish this work')
    expect(JSON.stringify(task)).not.toContain(failing.id)
  })

  test('sec-390: its id is not the caller’s, and is unknown here', async () => {
    const liar = new Liar()
    const site = await siteOf(liar)
    const taskId = await begin(site)
    expect(taskId).not.toBe(liar.id)
    expect((await modern(site, 'tasks/get', { taskId: liar.id })).error).toMatchObject({ code: -32602 })
    await modern(site, 'tasks/cancel', { taskId })
    await eventually(() => liar.asked).toContain('tasks/cancel')
  })

  test('sec-394: two callers with the same id of the server get each their own questions and answers', async () => {
    const answered: Wire[] = []
    const liar: Liar = new Liar({
      'tasks/get': (_params, self) => {
        const last = answered.at(-1)
        if (last !== undefined) return self.done('asked')
        return self.task('input_required', {
          inputRequests: {
            k: { method: 'elicitation/create', params: { mode: 'form', message: 'For whom?', requestedSchema: FORM } },
          },
        })
      },
      'tasks/update': (params) => {
        answered.push(params)
        return {}
      },
    })
    const site = await siteOf(liar)
    const [ada, bob] = [await begin(site, 'slow', 'ada'), await begin(site, 'other', 'bob')]
    expect(ada).not.toBe(bob)
    expect(await followed(site, ada, 'ada', 'input_required')).toMatchObject({ status: 'input_required' })
    expect((await modern(site, 'tasks/get', { taskId: bob }, 'ada')).error).toMatchObject({ code: -32602 })
    const wrong = await modern(
      site,
      'tasks/update',
      { taskId: ada, inputResponses: { k: { action: 'accept' } } },
      'bob',
    )
    expect(wrong.error).toMatchObject({ code: -32602 })
    expect(answered).toEqual([])
    expect(textOf((await followed(site, ada, 'ada')).result)).toBe('asked')
    expect(answered[0]).toMatchObject({ taskId: liar.id })
    await followed(site, bob, 'bob')
  })

  test('sec-394: that asks what a client never answers is refused', async () => {
    const liar = new Liar({
      'tasks/get': (_params, self) =>
        self.task('input_required', { inputRequests: { k: { method: 'tools/call', params: { name: 'slow' } } } }),
    })
    const site = await siteOf(liar)
    expect(await followed(site, await begin(site))).toMatchObject({ status: 'failed' })
  })
})

describe('a server that is not there any more', () => {
  test('tasks 1.4: that no longer knows the task ends it in words', async () => {
    const liar = new Liar({
      'tasks/get': () => {
        throw { code: -32602, message: 'Unknown task' }
      },
    })
    const site = await siteOf(liar)
    const task = await followed(site, await begin(site))
    expect(task).toMatchObject({
      status: 'failed',
      error: { message: 'The server "liar" no longer knows of this work' },
    })
  })

  test('tasks 1.4: that has cancelled the work says so', async () => {
    const site = await siteOf(new Liar({ 'tasks/get': (_params, self) => self.task('cancelled') }))
    const task = await followed(site, await begin(site))
    expect(task).toMatchObject({ status: 'failed', error: { message: 'The server "liar" has cancelled this work' } })
  })

  test('tasks 1.4: that never ends is given up after the time that it keeps its task', async () => {
    const site = await siteOf(
      new Liar({
        'tools/call': (_params, self) => self.task('working', { ttlMs: 150 }),
        'tasks/get': (_params, self) => self.task('working', { ttlMs: 150 }),
      }),
    )
    const task = await followed(site, await begin(site))
    expect(task.error.message).toBe('The server "liar" did not finish this work in the time that it keeps it')
  })

  test('tasks 1.4: the gateway’s own time ends what no server does', async () => {
    const liar = new Liar()
    const site = await siteOf(liar, { tasks: { ttlMs: 50 } })
    const taskId = await begin(site)
    await eventually(async () => (await modern(site, 'tasks/get', { taskId })).error?.code).toBe(-32602)
    liar.answers['tasks/get'] = () => liar.done('late')
  })
})
