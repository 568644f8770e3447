/** What following a task over HTTP takes besides: headers that name it, connections that are lost, two eras at one door. */

import { afterEach, describe, expect, it } from 'vitest'
import { connect } from '../src/connect/connect.ts'
import { isObject } from '../src/jsonrpc/message.ts'
import { MISSING_CLIENT_CAPABILITY } from '../src/protocol/errors.ts'
import type { TaskView } from '../src/protocol/tasks.ts'
import { serveHttp } from '../src/serve/adapters/http.ts'
import { createTaskServer, createTurnstile, textOf } from './tasks-fixture.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function serve(port = 0, made = createTaskServer({}, { gate: createTurnstile(), done: [] })) {
  const http = await serveHttp(made.server, { port })
  closers.push(() => http.close())
  return { http, made, url: http.url }
}

async function open(url: string, versions: '2025-11-25' | '2026-07-28', fetch?: typeof globalThis.fetch) {
  const client = await connect(url, { versions, ...(fetch && { fetch }) })
  closers.push(() => client.close())
  return client
}

it('T26-29 T26-36: requests about a task name it in a header', async () => {
  const named: [method: string | null, name: string | null][] = []
  const { url } = await serve()
  const client = await open(url, '2026-07-28', (input, init) => {
    const headers = new Headers(init?.headers)
    if (headers.get('mcp-method')?.startsWith('tasks/'))
      named.push([headers.get('mcp-method'), headers.get('mcp-name')])
    return fetch(input, init)
  })
  const run = await client.startTool('gated')
  await run.status()
  await run.cancel()
  const { taskId } = run.task as TaskView
  expect(named.slice(0, 2)).toEqual([
    ['tasks/get', taskId],
    ['tasks/cancel', taskId],
  ])
})

it.each(['2025-11-25', '2026-07-28'] as const)(
  'sec-746: a call that became a task of %s is not said to be unsent when its server is gone for good',
  async (versions) => {
    const { http, url } = await serve()
    const client = await connect(url, { versions, timeouts: { ceilingMs: 300 } })
    closers.push(() => client.close())
    const begun = new Promise<void>((resolve) => {
      client.callTool('gated', {}, { onTask: () => resolve() }).catch((error) => (ended = error))
    })
    let ended: unknown
    await begun
    await http.close()
    closers.shift()
    await expect.poll(() => ended, { timeout: 60_000 }).toMatchObject({ delivery: 'unknown' })
  },
)

it.each(['2025-11-25', '2026-07-28'] as const)(
  'T25-38 T26-16: a task of %s is followed over the loss of its connection, and of the door itself',
  async (version) => {
    const { http, made, url } = await serve()
    const client = await open(url, version)
    let began: (run: { task?: TaskView }) => void = () => {}
    const begun = new Promise<{ task?: TaskView }>((resolve) => {
      began = resolve
    })
    const result = client.callTool('gated', {}, { onTask: began })
    await begun
    await http.close()
    closers.shift()
    await serve(Number(new URL(url).port), made)
    await client.callTool('opens', {}, { idempotent: true })
    expect(textOf(await result)).toBe('through the gate')
  },
)

describe('a server of both eras', () => {
  it('T26-34: lets a client of 2025-11-25 look after its tasks, while newer ones have theirs', async () => {
    const { url } = await serve()
    const [older, newer] = [await open(url, '2025-11-25'), await open(url, '2026-07-28')]
    const [first, second] = [await older.startTool('gated'), await newer.startTool('gated')]
    expect([first.generation, second.generation]).toEqual(['core', 'extension'])
    expect((await first.status()).status).toBe('working')
    await first.cancel()
    expect((await first.status()).status).toBe('cancelled')
    expect((await second.status()).status).toBe('working')
    await second.cancel()
  })

  it('T26-06 T26-36: refuses who declares no tasks with -32021, and says what is missing', async () => {
    const { url } = await serve()
    const client = await connect(url, { versions: '2026-07-28', tasks: 'never' })
    closers.push(() => client.close())
    const refused = await client.callTool('gated').catch((error) => error)
    expect(refused.rpcCode).toBe(MISSING_CLIENT_CAPABILITY)
    expect(isObject(refused.data.requiredCapabilities.extensions)).toBe(true)
  })
})

it('T25-27: who waits for a task later is asked what one before it was asked, which may be gone', async () => {
  const { url } = await serve()
  const asked: string[] = []
  const connectAs = async (name: string, answers: boolean) => {
    const form = async (_question: unknown, { signal }: { readonly signal: AbortSignal }) => {
      asked.push(name)
      if (!answers) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      return { action: 'accept' as const, content: { name } }
    }
    const client = await connect(url, { versions: '2025-11-25', elicitation: { form } })
    closers.push(() => client.close())
    return client
  }
  const silent = await connectAs('Silent', false)
  const run = await silent.startTool('asks')
  const first = run.result()
  await expect.poll(() => asked).toEqual(['Silent'])
  const again = await (await connectAs('Eve', true)).resumeTask((run.task as TaskView).taskId)
  expect(textOf(await again.result())).toBe('hello Eve')
  expect(asked).toEqual(['Silent', 'Eve'])
  expect(textOf(await first)).toBe('hello Eve')
})
