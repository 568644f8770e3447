/** A handler that runs again does what it did before, in whatever order its branches come; one that does not is told so. */

import { describe, expect, it } from 'vitest'
import { type AskingContext, tool } from '../src/doors/server.ts'
import { isObject } from '../src/jsonrpc/message.ts'
import { createServer } from '../src/server/server.ts'
import { createTasks } from '../src/server/tasks/tasks.ts'
import { DECLARED, taskOf, textOf, until } from './tasks-fixture.ts'
import { open } from './wire.ts'

const NAME = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const
const EVE = { action: 'accept', content: { name: 'Eve' } }

type Handler = (ctx: AskingContext, run: number) => Promise<unknown>

async function ask(ctx: AskingContext, key = 'name'): Promise<unknown> {
  return (await ctx.elicit(key, { message: 'Name?', form: NAME })).content?.name
}

/** What becomes of a task whose handler asks once, and whose question is answered. */
async function play(handler: Handler) {
  let runs = 0
  const work = tool({ task: 'required' }, async (_args, ctx) => String(await handler(ctx, ++runs)))
  const server = createServer({
    name: 'replay',
    version: '1',
    tasks: createTasks({ leaseMs: 2000 }),
    onError: () => {},
    tools: { work },
  })
  const wire = await open({ transport: 'memory', server }, '2026-07-28', { capabilities: DECLARED })
  const { taskId } = taskOf((await wire.request('tools/call', { name: 'work' })).result)
  const asked = await until(wire, taskId, 'input_required')
  const keys = isObject(asked.inputRequests) ? Object.keys(asked.inputRequests) : []
  const inputResponses = Object.fromEntries(keys.map((key) => [key, EVE]))
  await wire.request('tasks/update', { taskId, inputResponses })
  return until(wire, taskId, 'completed', 'failed', 'input_required')
}

describe('a handler that does something else than before', () => {
  const logged = (ctx: AskingContext) => ctx.step('pay', () => 'paid')
  const cases: [string, string, string, Handler][] = [
    [
      'another step',
      'the step "pay"',
      'the step "refund"',
      async (ctx, run) => {
        if (run === 1) await logged(ctx)
        else await ctx.step('refund', () => 'refunded')
        return ask(ctx)
      },
    ],
    [
      'another question',
      'the step "pay"',
      'the question "other"',
      async (ctx, run) => {
        if (run > 1) return ask(ctx, 'other')
        await logged(ctx)
        return ask(ctx)
      },
    ],
    [
      'no question',
      'the question "name"',
      'the step "next"',
      async (ctx, run) => {
        if (run === 1) await ask(ctx)
        return ctx.step('next', () => 'next')
      },
    ],
    [
      'nothing at all',
      'the step "pay"',
      'its end',
      async (ctx, run) => {
        if (run > 1) return 'done'
        await logged(ctx)
        return ask(ctx)
      },
    ],
    [
      'another step, and catches the error',
      'the step "pay"',
      'the step "refund"',
      async (ctx, run) => {
        if (run === 1) await logged(ctx)
        else await ctx.step('refund', () => 'refunded').catch(() => 'hidden')
        return run === 1 ? ask(ctx) : 'done'
      },
    ],
  ]
  it.each(cases)('T26-14: %s: the task fails, and names %s and %s', async (_title, before, now, handler) => {
    const { status, error } = await play(handler)
    expect(status).toBe('failed')
    const { message } = error as { message: string }
    expect(message).toContain(`its log has ${before}, and it came to ${now}`)
  })
})

describe('a handler that does the same', () => {
  it('may do it in branches that come in another order', async () => {
    const done: string[] = []
    const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
    const { status, result } = await play(async (ctx, run) => {
      const branch = async (name: string, ms: number): Promise<void> => {
        for (const part of [1, 2]) {
          await wait(ms)
          await ctx.step(`${name}${part}`, () => void done.push(`${name}${part}`))
        }
      }
      const [slow, quick] = run === 1 ? [20, 1] : [1, 20]
      await Promise.all([branch('a', slow), branch('b', quick)])
      const name = await ask(ctx)
      await Promise.all([branch('c', slow), branch('d', quick)])
      return name
    })
    expect([status, textOf(result)]).toEqual(['completed', 'Eve'])
    expect(done.toSorted()).toEqual(['a1', 'a2', 'b1', 'b2', 'c1', 'c2', 'd1', 'd2'])
  })

  it('begins something new in one branch only once the other has come as far as before', async () => {
    const done: string[] = []
    const { status } = await play(async (ctx, run) => {
      const early = async (): Promise<void> => {
        if (run > 1) await new Promise<void>((resolve) => setTimeout(resolve, 20))
        await ctx.step('early', () => void done.push('early'))
      }
      const first = early()
      const name = await ask(ctx)
      await ctx.step('new', () => void done.push('new'))
      await first
      return name
    })
    expect([status, done]).toEqual(['completed', ['early', 'new']])
  })
})
