/** A server whose one tool does a little of everything that tasks can; what it does stands in a file that outlives processes. */

import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { createServer, type ProtocolVersion, tool } from '@portico/sdk/server'
import type { Bus, Store } from '@portico/sdk/state'
import { createTasks } from '@portico/sdk/tasks'

export const SERVER_NAME = 'kills'
/** Short, so that those who take over need not wait long. */
export const LEASE_MS = 500
export const RESULT = 'first for Eve, second, third'
const SLEEP_MS = 1300
/** Whether it waits, after its second step, until it is over. */
const HANGS = { type: 'object', properties: { hangs: { type: 'boolean' } } } as const
const NAME = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const

/** A line of the file. */
export interface Line {
  /** A task whose caller was told of it. */
  readonly acknowledged?: string
  /** A task whose caller was told that it is cancelled. */
  readonly cancelled?: string
  /** A step that has its effect now, and whether it knew that it may have had it before. */
  readonly step?: string
  readonly task?: string
  readonly interrupted?: boolean
}

/** The file: written at once, so that a line is there however the process ends. */
export class Ledger {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  note(line: Line): void {
    appendFileSync(this.#path, `${JSON.stringify(line)}\n`)
  }

  read(): Line[] {
    if (!existsSync(this.#path)) return []
    return readFileSync(this.#path, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line)
  }
}

/** How long a task is kept whose time runs out in a trial. */
export const SHORT_LIFE_MS = 5000
const LIFE_MS = 600_000

interface KillServerOptions {
  readonly ttlMs?: number
  /** The revision that it speaks; all unless given. */
  readonly version?: ProtocolVersion
}

export function createKillServer(store: Store, bus: Bus, ledger: Ledger, options: KillServerOptions = {}) {
  const { ttlMs = LIFE_MS, version } = options
  const task = { mode: 'required', ttlMs, pollIntervalMs: 200 } as const
  const work = tool({ task, input: HANGS }, async ({ hangs }, ctx) => {
    const act = (step: string) =>
      ctx.step(step, ({ interrupted }) => {
        ledger.note({ step, task: ctx.task?.id ?? '', interrupted })
        return step
      })
    ctx.progress(1, 3, 'begun')
    const first = await act('first')
    const { content } = await ctx.elicit('name', { message: 'Name?', form: NAME })
    const second = await act('second')
    if (hangs) await new Promise((_resolve, reject) => ctx.signal.addEventListener('abort', reject, { once: true }))
    await ctx.sleep(SLEEP_MS)
    return `${first} for ${content?.name}, ${second}, ${await act('third')}`
  })
  const tasks = createTasks({ store, bus, leaseMs: LEASE_MS })
  const server = createServer({
    name: SERVER_NAME,
    version: '1.0.0',
    tasks,
    tools: { work },
    onError: () => {},
    ...(version !== undefined && { versions: [version] }),
  })
  return { server, tasks }
}

/** How every client of this suite answers. */
export const ANSWERS = {
  elicitation: { form: () => ({ action: 'accept' as const, content: { name: 'Eve' } }) },
}
