/** Tasks from the client's side, against the real server: both generations over memory, HTTP and the pipes of a process. */

import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../src/client/client.ts'
import type { ToolRun } from '../src/client/tasks/run.ts'
import { connect } from '../src/connect/connect.ts'
import type { ConnectOptions, Target } from '../src/connect/options.ts'
import { PorticoError, RpcError } from '../src/jsonrpc/errors.ts'
import type { TaskView } from '../src/protocol/tasks.ts'
import { serveHttp } from '../src/serve/adapters/http.ts'
import { createTaskServer, createTurnstile, textOf } from './tasks-fixture.ts'

const GENERATIONS = [
  { version: '2025-11-25', generation: 'core' },
  { version: '2026-07-28', generation: 'extension' },
] as const
const TRANSPORTS = ['memory', 'http', 'stdio'] as const

const closers: (() => Promise<unknown>)[] = []
afterAll(() => Promise.all(closers.map((close) => close())))

async function targetOf(transport: (typeof TRANSPORTS)[number]): Promise<Target> {
  if (transport === 'stdio') {
    const program = fileURLToPath(new URL('./tasks-stdio-fixture.ts', import.meta.url))
    return { command: process.execPath, args: ['--import', import.meta.resolve('tsx'), program] }
  }
  const { server } = createTaskServer({}, { gate: createTurnstile(), done: [] })
  if (transport === 'memory') return server
  const http = await serveHttp(server, { port: 0 })
  closers.push(() => http.close())
  return http.url
}

async function open(target: Target, version: (typeof GENERATIONS)[number]['version'], options: ConnectOptions = {}) {
  const client = await connect(target, { versions: version, ...options })
  closers.push(() => client.close())
  return client
}

/** A form that is filled in with one name after the other. */
function answering(...names: string[]): { asked: string[]; options: ConnectOptions } {
  const asked: string[] = []
  const form = ({ message }: { message: string }) => {
    asked.push(message)
    return { action: 'accept' as const, content: { name: names[asked.length - 1] ?? 'nobody' } }
  }
  return { asked, options: { elicitation: { form } } }
}

/** Calls a tool, and tells of the task that the call became. */
function call(client: Client, name: string, options: Parameters<Client['callTool']>[2] = {}) {
  let became: (run: ToolRun) => void = () => {}
  const task = new Promise<ToolRun>((resolve) => {
    became = resolve
  })
  return { result: client.callTool(name, {}, { ...options, onTask: became }), task }
}

const CELLS = TRANSPORTS.flatMap((transport) => GENERATIONS.map((generation) => ({ transport, ...generation })))

describe.each(CELLS)('a client of $version over $transport', ({ transport, version, generation }) => {
  const { asked, options } = answering('Ada', 'Ada', 'Grace')
  let client: Client
  beforeAll(async () => {
    client = await open(await targetOf(transport), version, options)
  })

  it('T25-07 T25-22 T26-04 T26-16 T26-35: follows a call that became a task to its result', async () => {
    const { result, task } = call(client, 'gated')
    const run = await task
    expect(run).toMatchObject({ generation, task: { status: 'working' } })
    expect(textOf(await client.callTool('opens'))).toBe('open')
    expect(textOf(await result)).toBe('through the gate')
    expect(run.task?.status).toBe('completed')
    expect(textOf(await run.result())).toBe('through the gate')
  })

  it('T25-25 T25-39 T26-13 T26-14: gives the failure of the tool, and throws that of the request', async () => {
    const failed = await client.callTool('broken')
    expect([failed.isError, textOf(failed)]).toEqual([true, 'the tool failed'])
    const refused = await client.callTool('refused').catch((error) => error)
    expect(refused).toBeInstanceOf(RpcError)
    expect(refused).toMatchObject({ rpcCode: -32000, message: 'the request failed' })
    await expect(client.tools.broken?.()).rejects.toMatchObject({ code: 'tool-error' })
  })

  it('T25-27 T26-18 T26-21 sec-160: has questions answered by its own handlers', async () => {
    expect(textOf(await client.callTool('asks'))).toBe('hello Ada')
    expect(asked).toEqual(['Name?'])
    expect(textOf(await client.callTool('asksTwo'))).toMatch(/^(Ada and Grace|Grace and Ada)$/)
    expect(asked.sort()).toEqual(['Name?', 'one?', 'two?'])
  })

  it('T25-32 T26-23: ends the task when its caller gives up, and says so at once', async () => {
    const giveUp = new AbortController()
    const { result, task } = call(client, 'gated', { signal: giveUp.signal })
    const { taskId } = (await task).task as TaskView
    giveUp.abort('enough')
    await expect(result).rejects.toMatchObject({ code: 'aborted' })
    const seen = await client.resumeTask(taskId)
    for await (const { status } of seen.updates()) if (status === 'cancelled') break
    await expect(seen.result()).rejects.toMatchObject({ code: 'aborted', data: { taskId } })
  })

  it('T25-23 T26-15: starts a call, tells of its changes, and takes it up again by its id', async () => {
    const run = await client.startTool('gated')
    const { taskId } = run.task as TaskView
    expect((await run.status()).status).toBe('working')
    const again = await client.resumeTask(taskId)
    const seen: string[] = []
    const watching = (async () => {
      for await (const { status } of again.updates()) seen.push(status)
    })()
    await client.callTool('opens')
    expect(textOf(await run.result())).toBe('through the gate')
    await watching
    expect([seen[0], seen.at(-1)]).toEqual(['working', 'completed'])
    expect(textOf(await again.result())).toBe('through the gate')
    await run.cancel()
  })

  it('T25-06 T26-04: a tool that answers at once has no task', async () => {
    const run = await client.startTool('plain')
    expect(run.task).toBeUndefined()
    expect(textOf(await run.result())).toBe('at once')
    for await (const view of run.updates()) expect(view).toBeUndefined()
    await run.cancel()
    await expect(run.status()).rejects.toMatchObject({ code: 'not-found' })
    await expect(client.resumeTask('nobody')).rejects.toMatchObject({ code: 'not-found' })
  })
})

it('T26-16: another process goes on with a task, and answers what it asks', async () => {
  const target = await targetOf('http')
  for (const { version } of GENERATIONS) {
    const first = await open(target, version, answering('nobody').options)
    const { taskId } = (await first.startTool('asks')).task as TaskView
    await first.close()
    const { asked, options } = answering('Grace')
    const second = await open(target, version, options)
    expect(textOf(await (await second.resumeTask(taskId)).result())).toBe('hello Grace')
    expect(asked).toEqual(['Name?'])
  }
})

it('an error of this client is one of the family', async () => {
  const client = await open(await targetOf('memory'), '2026-07-28')
  const error = await client.listTasks().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(PorticoError)
  expect(error).toMatchObject({ code: 'capability-missing', data: { capability: 'tasks.list' } })
})
