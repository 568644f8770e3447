/** A server with tools of every kind of task, and how a test waits for one. */

import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { vi } from 'vitest'
import { RpcError } from '../src/jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../src/jsonrpc/message.ts'
import { TASKS_EXTENSION } from '../src/protocol/tasks.ts'
import { ToolError } from '../src/server/features/tool-result.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer, type Server } from '../src/server/server.ts'
import { createTasks, type TasksOptions } from '../src/server/tasks/tasks.ts'
import type { Outcome, Wire } from './wire.ts'

export const DECLARED = { elicitation: {}, sampling: {}, extensions: { [TASKS_EXTENSION]: {} } }
const NAME = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const

/** Lets a handler wait until the test says so. */
export interface Gate {
  open(): void
  readonly opened: Promise<void>
}

export function createGate(): Gate {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open: () => open(), opened }
}

/** A gate that is shut again for whoever comes after it was opened. */
export function createTurnstile(): Gate {
  let gate = createGate()
  return {
    open() {
      gate.open()
      gate = createGate()
    },
    get opened() {
      return gate.opened
    },
  }
}

export interface Effects {
  readonly gate: Gate
  readonly done: string[]
}

export function createTaskServer(
  options: TasksOptions = {},
  effects: Effects = { gate: createGate(), done: [] },
): { server: Server; effects: Effects } {
  const { gate, done } = effects
  const server: Server = createServer({
    name: 'tasks',
    version: '1',
    tasks: createTasks(options),
    slow: false,
    onError: () => {},
    tools: {
      plain: tool({}, () => 'at once'),
      quick: tool({ task: 'auto' }, () => 'quick'),
      gated: tool({ task: { mode: 'required', pollIntervalMs: 100 } }, async (_args, ctx) => {
        ctx.progress(1, 2, 'half way')
        await Promise.race([gate.opened, aborted(ctx.signal)])
        return 'through the gate'
      }),
      gatedProgress: tool({ task: 'required' }, async (_args, ctx) => {
        await gate.opened
        ctx.progress(1, 2, 'late')
        return 'told'
      }),
      leaves: tool({ task: { mode: 'auto', after: 1 } }, async (_args, ctx) => {
        done.push('begun')
        ctx.progress(1, 2, 'on its way')
        await gate.opened
        return 'left the request'
      }),
      broken: tool({ task: 'required' }, () => {
        throw new ToolError('the tool failed')
      }),
      refused: tool({ task: 'required' }, () => {
        throw new RpcError(-32000, 'the request failed')
      }),
      asks: tool({ task: 'required' }, async (_args, ctx) => {
        await ctx.step('before', () => void done.push('before'))
        const { content } = await ctx.elicit('name', { message: 'Name?', form: NAME })
        await ctx.step('after', () => void done.push('after'))
        return `hello ${content?.name}`
      }),
      asksTwo: tool({ task: 'required' }, async (_args, ctx) => {
        const answers = await Promise.all(
          ['one', 'two'].map((key) => ctx.elicit(key, { message: `${key}?`, form: NAME })),
        )
        return answers.map(({ content }) => content?.name).join(' and ')
      }),
      asksFirst: tool({ task: { mode: 'required', after: 60_000 } }, async (_args, ctx) => {
        const { content } = await ctx.elicit('name', { message: 'Name?', form: NAME })
        await ctx.sleep(1)
        return `hello ${content?.name}`
      }),
      opens: tool({}, () => {
        gate.open()
        return 'open'
      }),
    },
  })
  return { server, effects }
}

/** What a call that became a task was answered with, in either generation. */
export function taskOf(result: JsonObject): { taskId: string; status: string; [member: string]: unknown } {
  const task = isObject(result.task) ? result.task : result
  if (typeof task.taskId !== 'string' || typeof task.status !== 'string') {
    throw new Error(`no task: ${JSON.stringify(result)}`)
  }
  return { ...task, taskId: task.taskId, status: task.status }
}

/** Looks until a task is in one of these states. */
export async function until(wire: Wire, taskId: string, ...states: string[]): Promise<JsonObject> {
  const { result, error } = await untilSo(wire, taskId, (outcome) => {
    return outcome.error !== undefined || states.includes(String(outcome.result.status))
  })
  if (error !== undefined) throw new Error(error.message)
  return result
}

/** Looks until what is answered is so; time passes in between. */
export async function untilSo(wire: Wire, taskId: string, isSo: (outcome: Outcome) => boolean): Promise<Outcome> {
  for (;;) {
    const outcome = await wire.request('tasks/get', { taskId })
    if (isSo(outcome)) return outcome
    await new Promise<void>((resolve) => setTimeout(resolve, 1))
  }
}

export function textOf(result: unknown): unknown {
  const [block] = isObject(result) && Array.isArray(result.content) ? result.content : []
  return isObject(block) ? block.text : undefined
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
}

/**
 * Makes digests in the thread of the test: those of Web Cryptography come from another thread, and while time is moved by hand a
 * busy machine would have minutes go by before they are there.
 */
export function digestAtOnce(): void {
  vi.spyOn(crypto.subtle, 'digest').mockImplementation(async (_algorithm, data) => {
    const bytes = createHash('sha256')
      .update(new Uint8Array(data as ArrayBuffer))
      .digest()
    return new Uint8Array(bytes).buffer
  })
}

/**
 * Counts the seals that Web Cryptography has under way in other threads. Gives how to wait until there are none: time that is moved
 * by hand has to stand still meanwhile, since a busy machine would have minutes go by before one is made.
 */
export function countSeals(): () => Promise<void> {
  let open = 0
  for (const name of ['importKey', 'encrypt', 'decrypt'] as const) {
    // Each has its own parameters; they are passed on as they come.
    const original = SubtleCrypto.prototype[name] as (...args: unknown[]) => Promise<unknown>
    const counted = (...args: unknown[]): Promise<unknown> => {
      open++
      return original.apply(crypto.subtle, args).finally(() => open--)
    }
    vi.spyOn(crypto.subtle, name).mockImplementation(counted as never)
  }
  return async () => {
    do await pause(1)
    while (open > 0)
  }
}
