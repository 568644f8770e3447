/** What tests of the gateway's tasks share: servers with long work, and callers of every kind that reach it. */

import type { Client, ProtocolVersion } from '@portico/sdk/client'
import { createServer, type Server, tool } from '@portico/sdk/server'
import { createTasks, type TasksOptions } from '@portico/sdk/tasks'
import { expect } from 'vitest'
import { raw, type Site, textOf } from './gateway-site.ts'

/** Looks until something is so, however busy the machine is. */
export const eventually = <Value>(look: () => Value) => expect.poll(look, { timeout: 60_000, interval: 20 })

export const TASKS = 'io.modelcontextprotocol/tasks'
export const FORM = { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] } as const

/** A door that a test opens. */
export class Gate {
  #open = (): void => {}
  readonly passed = new Promise<void>((resolve) => {
    this.#open = resolve
  })
  open(): void {
    this.#open()
  }
}

/** A server with long work; `gate` lets it end, `seen` says what became of it. */
export class Works {
  readonly gate = new Gate()
  readonly seen: string[] = []
  readonly server: Server

  constructor(version: ProtocolVersion, tasks?: TasksOptions) {
    const task = tasks === undefined ? {} : { task: { mode: 'auto', after: 0, pollIntervalMs: 20 } as const }
    this.server = createServer({
      name: 'works',
      version: '1',
      versions: [version],
      onError: () => {},
      ...(tasks && { tasks: createTasks({ helperTools: false, ...tasks }) }),
      tools: {
        slow: tool({ description: 'Takes long', ...task }, async (_args, ctx) => {
          this.seen.push('begun')
          ctx.signal.addEventListener('abort', () => this.seen.push('cancelled'), { once: true })
          ctx.progress(1, 2, 'half way')
          await Promise.race([this.gate.passed, aborted(ctx.signal)])
          return 'done'
        }),
        sure: tool({ description: 'Asks', ...task }, async (_args, ctx) => {
          const first = await ctx.elicit('first', { message: 'Sure?', form: FORM })
          const second = await ctx.elicit('second', { message: 'Really?', form: FORM })
          return `${first.action} ${second.action}`
        }),
        wrong: tool({ description: 'Fails', ...task }, () => {
          throw new Error('no')
        }),
        plain: tool({ description: 'Quick' }, () => 'at once'),
      },
    })
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** What came of a call: its text, and how it came. */
export interface Outcome {
  readonly text: string
  readonly asTask: boolean
}

/** One kind of caller: how it calls a tool and comes to its result, as its revision has it. */
export interface Caller {
  readonly kind: string
  readonly version: ProtocolVersion
  readonly knowsTasks: boolean
  call(site: Site, tool: string, user?: string): Promise<Outcome>
}

const accept = { action: 'accept', content: { yes: true } } as const
const declaring = (tasks: boolean) => ({
  capabilities: { elicitation: { form: {} }, ...(tasks && { extensions: { [TASKS]: {} } }) },
})

/** What is on the wire, as it was parsed. */
export type Wire = ReturnType<typeof JSON.parse>

/** A request of the newest revision by a caller that knows tasks. */
export async function modern(site: Site, method: string, params: Wire, user = 'ada'): Promise<Wire> {
  return raw(site, method, { ...params }, { user, ...declaring(true) })
}

/** Polls a task until `isDone`, answering what it asks. */
export async function followed(site: Site, taskId: string, user = 'ada', status?: string): Promise<Wire> {
  for (;;) {
    const { result, error } = await modern(site, 'tasks/get', { taskId }, user)
    if (error !== undefined) throw Object.assign(new Error(error.message), error)
    if (result.status === status || ['completed', 'failed', 'cancelled'].includes(result.status)) return result
    if (result.status === 'input_required') {
      const inputResponses = Object.fromEntries(Object.keys(result.inputRequests).map((key) => [key, accept]))
      await modern(site, 'tasks/update', { taskId, inputResponses }, user)
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** A caller of an older revision; its questions are accepted. */
export async function older(site: Site, version: ProtocolVersion, user = 'ada'): Promise<Client> {
  const form = () => ({ ...accept })
  return site.connect(user, { versions: version, elicitation: { form }, ...({ tasks: 'never' } as object) })
}

/** What an older caller gets of a call that it asks for as a task. */
export async function startedBy(client: Client, tool: string): Promise<string> {
  const { task } = (await client.request('tools/call', { name: tool, arguments: {}, task: {} })) as Wire
  return task.taskId
}

export const CALLERS: readonly Caller[] = [
  ...(['2024-11-05', '2025-06-18', '2025-11-25'] as const).map(
    (version): Caller => ({
      kind: `${version} without a task`,
      version,
      knowsTasks: false,
      async call(site, name, user) {
        const client = await older(site, version, user)
        return { text: textOf(await client.callTool(name, {})), asTask: false }
      },
    }),
  ),
  {
    kind: '2025-11-25 with a task',
    version: '2025-11-25',
    knowsTasks: true,
    async call(site, name, user) {
      const client = await older(site, '2025-11-25', user)
      const taskId = await startedBy(client, name)
      const result = (await client.request('tasks/result', { taskId })) as Wire
      return { text: textOf(result as never), asTask: true }
    },
  },
  {
    kind: '2026-07-28 without the extension',
    version: '2026-07-28',
    knowsTasks: false,
    async call(site, name, user = 'ada') {
      const params: { [name: string]: unknown } = { name, arguments: {} }
      for (;;) {
        const { result, error } = await raw(site, 'tools/call', params, { user, ...declaring(false) })
        if (error !== undefined) throw Object.assign(new Error(error.message), error)
        if (result.resultType !== 'input_required') return { text: textOf(result), asTask: false }
        params.requestState = result.requestState
        params.inputResponses = Object.fromEntries(Object.keys(result.inputRequests).map((key) => [key, accept]))
      }
    },
  },
  {
    kind: '2026-07-28 with the extension',
    version: '2026-07-28',
    knowsTasks: true,
    async call(site, name, user) {
      const { result, error } = await modern(site, 'tools/call', { name, arguments: {} }, user)
      if (error !== undefined) throw Object.assign(new Error(error.message), error)
      if (result.resultType !== 'task') return { text: textOf(result), asTask: false }
      const task = await followed(site, result.taskId, user)
      if (task.status !== 'completed') throw Object.assign(new Error(task.status), task.error)
      return { text: textOf(task.result), asTask: true }
    },
  },
]
