/** Tasks in the workbench: in the list while they run, told of as they change, and back in their chat when they are over. */

import { startScriptedProvider } from '@portico/host/model'
import { createServer, tool } from '@portico/sdk/server'
import { createTasks } from '@portico/sdk/tasks'
import { afterEach, describe, expect, it } from 'vitest'
import { cleanUp, onCleanup, startBench, until } from './open-workbench.ts'
import { withServers } from './servers.ts'

afterEach(cleanUp)

/** A server whose reports are done when the test says so. */
function reports() {
  const waiting: (() => void)[] = []
  const task = { mode: 'required', pollIntervalMs: 100 } as const
  const report = tool({ description: 'Slow', input: { type: 'object' }, task }, async (_args, ctx) => {
    ctx.progress(1, 2, 'half')
    await new Promise<void>((resolve) => waiting.push(resolve))
    return 'forty-two'
  })
  const server = createServer({ name: 'reports', version: '1', tasks: createTasks(), tools: { report } })
  return { server, waiting }
}

async function start(attendMs: number, replies: readonly object[] = []) {
  const { server, waiting } = reports()
  const provider = await startScriptedProvider({ replies } as never)
  onCleanup(() => provider.close())
  const bench = await startBench({ ...withServers({ reports: () => server }), hostOptions: { tasks: { attendMs } } })
  await bench.call('chat.addModel', { id: 'local', url: provider.url, model: 'm' })
  await bench.call('items.list', {})
  return { bench, waiting }
}

describe('tasks.* (host 31)', () => {
  it('lists a run by hand that became a task, tells of its changes, and cancels it', async () => {
    const { bench, waiting } = await start(0)
    const running = bench.call('tools.call', { name: 'reports_report', arguments: {}, run: 'r' })
    const ended = expect(running).rejects.toMatchObject({ status: 499 })
    await until(() => waiting.length > 0)
    const told = await bench.next((event) => event.type === 'task' && event.task.message === 'half')
    const { tasks } = await bench.call('tasks.list', {})
    expect(tasks).toMatchObject([{ tool: 'report', status: 'working', generation: 'extension', session: 'workbench' }])
    expect(JSON.stringify([tasks, told])).not.toContain('taskId')
    const label = tasks[0]?.label ?? ''
    await bench.call('tasks.cancel', { label })
    await ended
    await bench.next((event) => event.type === 'task' && event.task.status === 'cancelled')
    await bench.call('tasks.forget', { label })
    expect((await bench.call('tasks.list', {})).tasks).toEqual([])
    await expect(bench.call('tasks.cancel', { label })).rejects.toMatchObject({ status: 404 })
  })

  it('brings the result back to the chat, whose model goes on with it by itself', async () => {
    const call = { calls: [{ name: 'reports_report', arguments: {} }] }
    const { bench, waiting } = await start(0, [call, { text: 'It runs.' }, { text: 'It was 42.' }])
    const { id } = await bench.call('chat.create', { model: 'local' })
    await bench.call('chat.send', { id, text: 'Go' })
    const asked = await bench.next((event) => event.type === 'question')
    if (asked.type === 'question')
      await bench.call('inbox.answer', { id: asked.question.id, answer: { action: 'allow' } })
    await until(async () => !(await bench.call('chat.open', { id })).busy)
    const { tasks } = await bench.call('tasks.list', {})
    expect(tasks).toMatchObject([{ chat: id, status: 'working', followed: true }])
    const { parts } = await bench.call('chat.open', { id })
    expect(parts.find(({ kind }) => kind === 'tool')).toMatchObject({ status: 'task', task: tasks[0]?.label })
    for (const done of waiting) done()
    await until(async () => JSON.stringify((await bench.call('chat.open', { id })).parts).includes('It was 42.'))
    const { result } = await bench.call('tasks.result', { label: tasks[0]?.label ?? '' })
    expect(result.content).toEqual([{ type: 'text', text: 'forty-two' }])
  })
})
