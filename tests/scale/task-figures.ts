/**
 * What tasks cost: from the call to the result of a task that does nothing, beside a plain call, in memory, in SQLite and by BullMQ on
 * both of its databases; a change that a thousand listeners are told; ten thousand tasks that wait in SQLite. Lines that begin with
 * "figure" are what the bench reads.
 */

import { ok } from 'node:assert/strict'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openBullQueue } from '@portico/host/bullmq'
import { type OpenedState, openState } from '@portico/host/state'
import { type Client, connect } from '@portico/sdk/client'
import { serveHttp } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'
import { createTasks, type TasksOptions } from '@portico/sdk/tasks'
import type { Report } from '../support/report.ts'
import type { Trial } from '../support/suite.ts'
import { toTable } from '../support/table.ts'
import { until } from '../support/wait.ts'
import { type Kind, missingFor, places, redisLibrary } from './places.ts'

const VERSION = '2026-07-28'
const PLAIN = 'plain call'
const ROUNDS = 5
const CALLS = 40
const LISTENERS = 1000
const WAITING = 10_000
/** What FastMCP's documentation says that its worker takes to pick a task up. */
const FASTMCP_MS = 250
const MAX_WAITING_BYTES = 1024
const LIMIT_MS = 1_200_000
const SLEEPS = { type: 'object', properties: { sleeps: { type: 'boolean' } } } as const
const MANY = { maxAnonymousTasks: 2 * WAITING, maxRunning: 100 }

type End = () => Promise<void> | void

/** What was measured, for the table that the suite prints. */
export class Figures {
  readonly #rows: string[][] = []

  tell(about: string, who: string, value: number, unit: string, atMost?: number): void {
    const bound = atMost === undefined ? '' : `${atMost} ${unit}`
    this.#rows.push([about, who, `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ${unit}`, bound])
    console.log(`figure  ${about} | ${who}: ${value.toFixed(3)} ${unit}`)
    if (atMost !== undefined) ok(value <= atMost, `${who}: ${value} ${unit}`)
  }

  /** The table; empty where nothing was measured. */
  toString(): string {
    return this.#rows.length === 0 ? '' : toTable([['tasks', 'of', 'figure', 'at most'], ...this.#rows])
  }
}

export function createFigureTrials(figures: Figures): readonly Trial[] {
  const measures: { readonly [name: string]: () => Promise<void> } = {
    async nothing() {
      for (const [name, ms] of await timeNothing())
        figures.tell('create to result', name, ms, 'ms', name === PLAIN ? undefined : FASTMCP_MS)
    },
    async listeners() {
      const { first, last, cpu } = await timeListeners()
      figures.tell(`${LISTENERS} listeners`, 'the first is told', first, 'ms')
      figures.tell(`${LISTENERS} listeners`, 'the last is told', last, 'ms')
      figures.tell(`${LISTENERS} listeners`, 'CPU for each, both sides', cpu, 'ms')
    },
    async waiting() {
      figures.tell(`${WAITING} tasks that wait`, 'each, in SQLite', await weighWaiting(), 'bytes', MAX_WAITING_BYTES)
    },
  }
  return Object.entries(measures).map(([name, measure]) => ({
    name: `task figures: ${name}`,
    long: true,
    missing: () => (name === 'nothing' ? missingFor('redis') : undefined),
    run: (report: Report) => report.checkIn('figures', name, measure, { limitMs: LIMIT_MS }),
  }))
}

/** The median time of each way, taken in turns. */
async function timeNothing(): Promise<Map<string, number>> {
  const ends: End[] = []
  const times = new Map<string, number[]>()
  try {
    const memory = await openOffice({}, ends)
    const ways: [string, () => Promise<unknown>][] = [
      [PLAIN, () => memory.callTool('plain', {})],
      ['task in memory', () => memory.callTool('nothing', {})],
    ]
    for (const [name, kind] of [
      ['task in SQLite', 'sqlite'],
      ['task by BullMQ on Redis', 'redis'],
      ['task by BullMQ on PostgreSQL', 'postgres'],
    ] as const) {
      const client = await openShared(kind, ends)
      ways.push([name, () => client.callTool('nothing', {})])
    }
    // The first round warms up.
    for (let round = 0; round <= ROUNDS; round++)
      for (const [name, call] of ways)
        for (let nth = 0; nth < CALLS; nth++) {
          const began = performance.now()
          await call()
          if (round > 0) times.set(name, [...(times.get(name) ?? []), performance.now() - began])
        }
  } finally {
    for (const end of ends.reverse()) await end()
  }
  return new Map([...times].map(([name, all]) => [name, medianOf(all)]))
}

async function openOffice(options: TasksOptions, ends: End[]): Promise<Client> {
  const tasks = createTasks({ ...options, limits: MANY })
  const plain = tool({ description: 'Does nothing' }, () => 'done')
  const nothing = tool({ description: 'Does nothing, as a task', task: 'required' }, () => 'done')
  const client = await connect(
    createServer({ name: 'office', version: '1.0.0', tasks, onError: () => {}, tools: { plain, nothing } }),
    {
      versions: VERSION,
    },
  )
  ends.push(
    () => tasks.close(),
    () => client.close(),
  )
  return client
}

/** A client of a process that leaves the work to another where there is a queue, and does it itself otherwise. */
async function openShared(kind: Exclude<Kind, 'valkey'>, ends: End[]): Promise<Client> {
  const setting = (await places.get(kind)).fresh()
  const open = async (work: boolean): Promise<Client> => {
    const state = await openState(setting)
    ends.push(() => state.close())
    if (kind === 'sqlite') return openOffice({ store: state.store, bus: state.bus }, ends)
    const [name, bullmq] = [`figures-${process.pid}`, () => import('bullmq')]
    const queue = await ('redis' in setting
      ? openBullQueue({ redis: setting.redis, name, bullmq, library: redisLibrary })
      : openBullQueue({ ...(setting as { postgres: string }), name, bullmq, library: () => import('pg') }))
    ends.push(() => queue.close())
    return openOffice({ store: state.store, bus: state.bus, queue, work }, ends)
  }
  if (kind !== 'sqlite') await open(true)
  return open(kind === 'sqlite')
}

/** From a change to the first and the last of those who listen for it, each a client of its own over HTTP. */
async function timeListeners(): Promise<{ first: number; last: number; cpu: number }> {
  const state = await openState((await places.get('sqlite')).fresh())
  let changedAt = 0
  let change = (): void => {}
  const moment = new Promise<void>((resolve) => {
    change = resolve
  })
  // Whoever is told need not ask.
  const task = { mode: 'required', pollIntervalMs: 60_000 } as const
  const slow = tool({ description: 'Waits for its moment', task }, async (_args, ctx) => {
    await moment
    changedAt = performance.now()
    ctx.progress(1, 2, 'half')
    await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve(), { once: true }))
    return 'done'
  })
  const tasks = createTasks({ store: state.store, bus: state.bus, limits: MANY })
  const http = await serveHttp(
    createServer({ name: 'office', version: '1.0.0', tasks, onError: () => {}, tools: { slow } }),
    { port: 0 },
  )
  const open = () => connect(http.url, { versions: VERSION })
  const clients: Client[] = []
  try {
    const caller = await open()
    clients.push(caller)
    const { task: begun } = await caller.startTool('slow', {})
    const heard: number[] = []
    let listening = 0
    for (let nth = 0; nth < LISTENERS; nth++) {
      const client = await open()
      clients.push(client)
      const run = await client.resumeTask(begun?.taskId ?? '')
      void (async () => {
        for await (const { statusMessage } of run.updates()) {
          if (statusMessage === undefined) listening++
          else return void heard.push(performance.now() - changedAt)
        }
      })().catch(() => {})
    }
    await until(() => listening === LISTENERS, 'all listen', 60_000)
    const before = process.cpuUsage()
    change()
    await until(() => heard.length === LISTENERS, 'all were told', 60_000)
    const { user, system } = process.cpuUsage(before)
    return { first: Math.min(...heard), last: Math.max(...heard), cpu: (user + system) / 1000 / LISTENERS }
  } finally {
    await Promise.all(clients.map((client) => client.close()))
    tasks.close()
    await http.close()
    await state.close()
  }
}

/** Bytes that each waiting task costs the process that keeps it, once nobody talks about it any more. */
async function weighWaiting(): Promise<number> {
  let nth = 0
  const state = await openState((await places.get('sqlite')).fresh())
  const waits = tool({ description: 'Waits', task: 'required', input: SLEEPS }, async ({ sleeps }, ctx) => {
    // Every other one asks, the others sleep.
    if (sleeps) await ctx.sleep(3_000_000)
    else
      await ctx.elicit('go', { message: 'Go on?', form: { type: 'object', properties: { go: { type: 'boolean' } } } })
    return 'done'
  })
  const tasks = createTasks({ store: state.store, bus: state.bus, limits: MANY })
  const client = await connect(
    createServer({ name: 'office', version: '1.0.0', tasks, onError: () => {}, tools: { waits } }),
    {
      versions: VERSION,
      elicitation: { form: () => ({ action: 'cancel' }) },
    },
  )
  try {
    const start = async (count: number): Promise<void> => {
      for (let left = count; left > 0; left -= 50)
        await Promise.all(Array.from({ length: 50 }, () => client.startTool('waits', { sleeps: nth++ % 2 === 0 })))
      await until(async () => (await dueIn(state)) === 0, 'all wait', LIMIT_MS)
    }
    await start(1000)
    const before = heldBytes()
    await start(WAITING)
    return (heldBytes() - before) / WAITING
  } finally {
    tasks.close()
    await client.close()
    await state.close()
  }
}

async function dueIn({ store }: OpenedState): Promise<number> {
  return (await store.list('task-due/', { limit: 1 })).length
}

function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let round = 0; round < 3; round++) collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function medianOf(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? Number.NaN
}
