/**
 * What is soaked, as a program of its own: a host with three servers, a conversation at a time, and a gateway in front with its
 * tasks in a store. Its argument is a `Setting`; it reports and obeys over IPC.
 */

import { setTimeout as pause } from 'node:timers/promises'
import { writeHeapSnapshot } from 'node:v8'
import { createHost } from '@portico/host'
import { defineServer } from '@portico/host/config'
import { createGateway, serveGateway } from '@portico/host/gateway'
import { createScriptedModel, Models } from '@portico/host/model'
import { openState, type StateSetting } from '@portico/host/state'
import { createPrincipal } from '@portico/sdk/server'
import { countCheaply, countFiles, countObjects } from './count.ts'
import { countRows } from './rows.ts'

export interface Setting {
  readonly stateDir: string
  readonly temporary: string
  readonly state: StateSetting
  /** The program of the server on standard streams. */
  readonly program: string
  /** Where the two servers on HTTP are reached. */
  readonly ports: readonly [newest: number, older: number]
}

export type Order =
  | { readonly id: number; readonly do: 'count'; readonly objects: boolean }
  | { readonly id: number; readonly do: 'snapshot'; readonly file: string }
  | { readonly id: number; readonly do: 'restart'; readonly server: string }
  | { readonly id: number; readonly do: 'converse' | 'act'; readonly text: string }

export interface Reply {
  readonly id: number
  readonly port?: number
  readonly counts?: { readonly [name: string]: number }
  readonly outcome?: string
}

/** Short, so that what a run leaves behind is gone soon after it. */
const IDLE_MS = 1_500
const LIMITS = {
  sessionIdleMs: 2_000,
  replayMs: 1_000,
  stalledMs: 1_000,
  headersTimeoutMs: 1_000,
  requestTimeoutMs: 2_000,
}
const TASKS = { ttlMs: 3_000, pollIntervalMs: 100 }
const MANY = 100_000_000
const WAIT_MS = 100

const setting: Setting = JSON.parse(process.argv[2] ?? '{}')
for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = setting.temporary
const { store, bus } = await openState(await withLibrary(setting.state))
const errors: string[] = []
const host = await createHost(toHostOptions())
const gateway = createGateway(host, {
  unattended: true,
  idleMs: IDLE_MS,
  parking: { parkedMs: IDLE_MS },
  limits: { callsPerMinute: MANY, listsPerMinute: MANY },
  tasks: { ...TASKS, store, bus, limits: { maxTasksPerPrincipal: MANY, maxTtlMs: TASKS.ttlMs } },
  onError: (error) => void errors.push(String(error)),
})
const http = await serveGateway(gateway, {
  port: 0,
  graceMs: 0,
  limits: LIMITS,
  authenticate: (head) => createPrincipal(head.header('authorization') ?? 'nobody'),
})
await host.catalogue.list()
await warmUp()

process.on('unhandledRejection', (error) => {
  console.error('nobody took this error:', error)
  process.exit(1)
})
process.on('message', (order: Order) => void obey(order))
process.on('disconnect', () => process.exit())
tell({ id: 0, port: http.port })

function toHostOptions(): Parameters<typeof createHost>[0] {
  const { program, ports, stateDir } = setting
  const [newest, older] = ports
  const settings = { tasksAfterMs: 20 }
  const web = (name: string, port: number) =>
    defineServer(name, { kind: 'http', url: `http://127.0.0.1:${port}/mcp`, headers: {} }, settings)
  const script = createScriptedModel({
    replies: [{ calls: [{ name: 'pipe_echo', arguments: { text: 'said' } }] }, { text: 'Done.' }],
  })
  const models = new Models({ env: {}, ollama: false })
  models.add({ id: 'm', provider: 'openai-compatible', model: 'm', baseUrl: 'http://model.invalid' }, script.fetch)
  // What the model was asked is the script's own memory, not the host's.
  setInterval(() => script.requests.splice(0), IDLE_MS).unref()
  return {
    stateDir,
    models,
    unattended: true,
    packageLookups: false,
    rules: [{ id: 'all', outcome: 'allow', effect: ['connect', 'call', 'read', 'prompt'] }],
    upstreams: { idleMs: IDLE_MS, breaker: { failures: 1_000, firstWaitMs: 50, longestWaitMs: 500 } },
    servers: [
      defineServer('pipe', { kind: 'stdio', command: process.execPath, args: [program, 'stdio'], env: {} }, settings),
      web('newest', newest),
      web('older', older),
    ],
  }
}

async function obey(order: Order): Promise<void> {
  const { id } = order
  try {
    if (order.do === 'count') return tell({ id, counts: await countAll(order.objects) })
    if (order.do === 'snapshot') writeHeapSnapshot(order.file)
    else if (order.do === 'restart') await host.upstreams.restart(order.server)
    else await (order.do === 'act' ? act(order.text) : converse(order.text))
    tell({ id, outcome: 'done' })
  } catch (error) {
    tell({ id, outcome: error instanceof Error && 'code' in error ? String(error.code) : 'untyped' })
  }
}

/** What is loaded with the first act and the first conversation is there before anything breaks and is counted. */
async function warmUp(): Promise<void> {
  for (let tried = false; !tried; ) {
    try {
      await act('first')
      await converse('first')
      tried = true
    } catch {
      // Its servers are still starting; whoever started this process gives it some time.
      await pause(WAIT_MS)
    }
  }
}

async function act(text: string): Promise<void> {
  try {
    await host.call('newest_echo', { text }, { session: text })
  } finally {
    host.endSession(text)
  }
}

async function converse(text: string): Promise<void> {
  try {
    await host.converse({ session: text, model: 'm' }).send(text, () => {})
  } finally {
    host.endSession(text)
  }
}

async function countAll(objects: boolean): Promise<{ [name: string]: number }> {
  const { parked, connections, tasks, followed, servers } = gateway.metrics()
  const running = Object.values(servers).reduce((sum, tally) => sum + tally.running, 0)
  return {
    ...countCheaply(),
    ...(objects && countObjects()),
    calls: running,
    parked,
    connections,
    tasks: tasks + followed,
    'temporary files': countFiles(setting.temporary),
    // The audit log grows with what happened, as it is meant to.
    'state files': countFiles(setting.stateDir, (name) => !name.startsWith('audit')),
    rows: await countRows(setting.state, store),
  }
}

async function withLibrary(state: StateSetting): Promise<StateSetting> {
  return 'redis' in state ? { ...state, library: () => import('redis') } : state
}

function tell(reply: Reply): void {
  process.send?.(reply, () => {})
}
