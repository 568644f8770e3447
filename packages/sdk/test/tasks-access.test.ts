/** Tasks of a tool that their caller may not use any more, and what a session keeps of tasks that are over. */

import { expect, it, vi } from 'vitest'
import { createPrincipal } from '../src/auth/principal.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { createTasks } from '../src/server/tasks/tasks.ts'
import { LegacySession } from '../src/session/legacy-session.ts'
import { createTaskServer, DECLARED, taskOf, until } from './tasks-fixture.ts'
import { open } from './wire.ts'

const FULL = createPrincipal('ana', ['reports'])
const LESS = createPrincipal('ana', ['mail'])

const NAME = { type: 'object', properties: { name: { type: 'string' } } } as const

function asks(options: { readonly challenge?: 'step-up' }) {
  return tool({ task: 'required', scopes: ['reports'], ...options }, async (_args, ctx) => {
    const { content } = await ctx.elicit('name', { message: 'Name?', form: NAME })
    return `for ${content?.name}`
  })
}

function makeServer() {
  const tools = { hidden: asks({}), shown: asks({ challenge: 'step-up' }) }
  return createServer({ name: 'reports', version: '1', slow: false, tasks: createTasks(), tools })
}

it.each([
  ['2025-11-25', 'hidden', -32602],
  ['2025-11-25', 'shown', -32600],
  ['2026-07-28', 'hidden', -32602],
  ['2026-07-28', 'shown', -32600],
] as const)(
  'sec-691: on %s, a task of a tool that is %s without the scope is refused like the tool',
  async (version, name, code) => {
    const target = { transport: 'memory', server: makeServer() } as const
    const full = await open(target, version, { capabilities: DECLARED, principal: FULL })
    const less = await open(target, version, { capabilities: DECLARED, principal: LESS })
    const { taskId } = taskOf((await full.request('tools/call', { name, ...(!full.modern && { task: {} }) })).result)
    await until(full, taskId, 'input_required')
    const inputResponses = { name: { action: 'accept', content: { name: 'Eve' } } }
    expect((await less.request('tasks/get', { taskId })).error?.code).toBe(code)
    if (less.modern) expect((await less.request('tasks/update', { taskId, inputResponses })).error?.code).toBe(code)
    else {
      expect((await less.request('tasks/result', { taskId })).error?.code).toBe(code)
      expect((await less.request('tasks/list', {})).result.tasks).toEqual([])
      expect((await full.request('tasks/list', {})).result.tasks).toHaveLength(1)
    }
    await until(full, taskId, 'input_required')
    expect((await less.request('tasks/cancel', { taskId })).error).toBeUndefined()
    await until(full, taskId, 'cancelled')
  },
)

it('sec-692: a session keeps nothing of tasks that are over', async () => {
  const closing: (() => void)[] = []
  const forgotten = vi.fn()
  const onClose = LegacySession.prototype.onClose
  vi.spyOn(LegacySession.prototype, 'onClose').mockImplementation(function (this: LegacySession, action) {
    const forget = onClose.call(this, action)
    closing.push(forget)
    return () => {
      forgotten()
      forget()
    }
  })
  const made = createTaskServer()
  const wire = await open({ transport: 'memory', server: made.server }, '2025-11-25', { capabilities: DECLARED })
  const before = closing.length
  for (let turn = 0; turn < 3; turn++) {
    const { result } = await wire.request(
      'tools/call',
      { name: 'gated', task: {} },
      { meta: { progressToken: `p${turn}` } },
    )
    await wire.request('tasks/cancel', { taskId: taskOf(result).taskId })
  }
  expect(closing.length - before).toBe(3)
  await vi.waitFor(() => expect(forgotten).toHaveBeenCalledTimes(3), 30_000)
})
