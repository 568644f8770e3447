/** One process that is ended at one point, and what its successor makes of what it left behind. */

import { equal, ok } from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { openState, type StateSetting } from '@portico/host/state'
import { type Client, connect } from '@portico/sdk/client'
import { type HttpServer, serveHttp } from '@portico/sdk/http'
import type { ProtocolVersion } from '@portico/sdk/server'
import { type Bus, createMemoryBus, createMemoryStore, type Store } from '@portico/sdk/state'
import { until, withLimit } from '../support/wait.ts'
import { callAndFollow } from './kill-caller.ts'
import { createKillGateway } from './kill-gateway.ts'
import type { Point, Role } from './kill-points.ts'
import type { KillOrder } from './kill-process.ts'
import { ANSWERS, createKillServer, Ledger, RESULT, SERVER_NAME, SHORT_LIFE_MS } from './kill-server.ts'
import { type Harm, noHarm } from './kill-tally.ts'

/** The revision of the caller, and of the server behind a gateway. */
export type Wires = readonly [caller: ProtocolVersion, server: ProtocolVersion]

export const WIRES: readonly [Wires, ...Wires[]] = [
  ['2026-07-28', '2026-07-28'],
  ['2025-11-25', '2025-11-25'],
  ['2026-07-28', '2025-11-25'],
  ['2025-11-25', '2026-07-28'],
]

export interface Kill {
  readonly role: Role
  readonly setting: StateSetting
  /** The file of its ledger. */
  readonly path: string
  readonly program: string
  readonly point: Point
  readonly wires: Wires
}

/** How long the successor may take to bring a task to its end. */
const END_MS = 120_000
/** How long a process may take that ended its work and has still to come to its point. */
const LATE_MS = 20_000

export async function runKill(kill: Kill): Promise<{ harm: Harm; unknown: number }> {
  const ledger = new Ledger(kill.path)
  const far = kill.role === 'gateway' ? await openFar(ledger, kill.wires[1]) : undefined
  try {
    await playUntilKilled(kill, ledger, far?.url)
    const state = await openState(kill.setting)
    try {
      return await succeed(kill, state, ledger, far?.url)
    } finally {
      await state.close()
    }
  } finally {
    await far?.close()
  }
}

/** The server behind a gateway, which nobody ends. */
function openFar(ledger: Ledger, version: ProtocolVersion): Promise<HttpServer> {
  const { server } = createKillServer(createMemoryStore(), createMemoryBus(), ledger, { version })
  return serveHttp(server, { port: 0, graceMs: 0 })
}

/** Starts the process, has it do its work, and waits until it is no more. */
async function playUntilKilled(
  { role, setting, path, point, program, wires: [version] }: Kill,
  ledger: Ledger,
  far: string | undefined,
): Promise<void> {
  const order: KillOrder = { role, setting, path, point, version, ...(far !== undefined && { far }) }
  const child = spawn(process.execPath, [program, JSON.stringify(order)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit') as Promise<[code: number | null, signal: string | null]>
  let client: Client | undefined
  try {
    if (role !== 'worker') {
      const [url] = await Promise.race([lineOf(child), exited.then(() => [''])])
      client = await connect(url ?? '', { ...ANSWERS, versions: version })
      const played = callAndFollow(client, role === 'gateway' ? 'far_work' : 'work', point, ledger)
      await Promise.race([exited, played.catch(() => {})])
    }
    if (point.maybe) setTimeout(() => child.kill('SIGKILL'), LATE_MS / 4)
    const [, signal] = await withLimit(exited, role === 'worker' ? END_MS : LATE_MS, 'it ends at its point')
    if (process.platform !== 'win32') equal(signal, 'SIGKILL', 'it ends at its point')
  } finally {
    child.kill('SIGKILL')
    await client?.close()
  }
}

async function lineOf({ stdout }: ChildProcess): Promise<string[]> {
  if (stdout === null) throw new Error('it has no output')
  return (await once(createInterface({ input: stdout }), 'line')) as string[]
}

/** Goes on from what is in the store, as the next process would. */
async function succeed(
  { role, point, wires: [version] }: Kill,
  { store, bus }: { readonly store: Store; readonly bus: Bus },
  ledger: Ledger,
  far: string | undefined,
): Promise<{ harm: Harm; unknown: number }> {
  const harm = noHarm()
  const kept = await keptTasks(store)
  const lines = ledger.read()
  for (const { acknowledged } of lines)
    if (acknowledged !== undefined && !point.expires && !kept.includes(acknowledged)) harm.lost += 1
  const successor = await openSuccessor(role, store, bus, { ledger, far, point })
  const client = await connect(successor.target, { ...ANSWERS, versions: version })
  let unknown = 0
  try {
    for (const taskId of kept) {
      const end = await endOf(client, taskId)
      if (end === undefined) harm.unended += 1
      else if (end === UNKNOWN && (await isUntraceable(store, taskId))) unknown += 1
      else
        requireEnd(
          end,
          point,
          lines.some(({ cancelled }) => cancelled === taskId),
        )
    }
    await until(() => isQuiet(store), 'nothing is left for workers', END_MS).catch(() => (harm.unended += 1))
    harm.doubled += countDoubled(ledger)
  } finally {
    await client.close()
    await successor.close()
  }
  return { harm, unknown }
}

interface SuccessorParts {
  readonly ledger: Ledger
  readonly far: string | undefined
  readonly point: Point
}

async function openSuccessor(role: Role, store: Store, bus: Bus, { ledger, far, point }: SuccessorParts) {
  const life = point.expires ? { ttlMs: SHORT_LIFE_MS } : {}
  if (role === 'gateway') {
    const { gateway, close } = await createKillGateway(store, bus, far ?? '', life.ttlMs)
    return { target: gateway.server, close }
  }
  const { server, tasks } = createKillServer(store, bus, ledger, life)
  return { target: server, close: async () => tasks.close() }
}

const UNKNOWN = 'nobody knows'
const EXPIRED = 'expired'

/** The text of a task that was done, or how else it ended; undefined where it does not. */
async function endOf(client: Client, taskId: string): Promise<string | undefined> {
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(), END_MS)
  try {
    const run = await client.resumeTask(taskId)
    const { content, isError } = await run.result({ signal: over.signal })
    const text = content[0]?.type === 'text' ? content[0].text : ''
    return isError && text.includes('the answer is lost') ? UNKNOWN : text
  } catch (error) {
    if (over.signal.aborted) return undefined
    const { code } = error as { code?: unknown }
    return code === 'aborted' ? 'cancelled' : code === 'not-found' ? EXPIRED : `failed: ${error}`
  } finally {
    clearTimeout(timer)
  }
}

/** What was told stays so, and what nobody cancelled is done. */
function requireEnd(end: string, { cancels, expires }: Point, wasCancelled: boolean): void {
  if (wasCancelled) equal(end, 'cancelled', 'what was told stays so')
  else if (expires) equal(end, EXPIRED)
  else ok(end === RESULT || (cancels === true && end === 'cancelled'), `it ends well, not as "${end}"`)
}

/** Steps that had their effect again and were not told that they may have had it: there is one task. */
function countDoubled(ledger: Ledger): number {
  const seen = new Set<string>()
  return ledger.read().filter(({ step, interrupted }) => {
    const again = step !== undefined && seen.has(step) && interrupted !== true
    if (step !== undefined) seen.add(step)
    return again
  }).length
}

async function keptTasks(store: Store): Promise<string[]> {
  const prefix = `task/${SERVER_NAME}/`
  return (await store.list(prefix, { limit: 100 })).map(({ key }) => key.slice(prefix.length))
}

/**
 * Whether it is noted that a call was sent to the server behind a gateway, and not what that server calls its task: nobody can know
 * then what became of the work, and its caller may be told just that.
 */
async function isUntraceable(store: Store, taskId: string): Promise<boolean> {
  const entries = await store.list(`task-log/${SERVER_NAME}/${taskId}/`, { limit: 100 })
  const ended = entries.flatMap(({ value }) => {
    const { name, outcome } = JSON.parse(value) as { readonly name: string; readonly outcome?: unknown }
    return outcome === undefined ? [] : [name]
  })
  return ended.includes('sent') && !ended.includes('upstream')
}

/** No task is due, none sleeps, and nobody holds one. */
async function isQuiet(store: Store): Promise<boolean> {
  const left = await Promise.all(['task-due/', 'task-wake/'].map((prefix) => store.list(prefix, { limit: 1 })))
  const held = await Promise.all((await keptTasks(store)).map((id) => store.holder(`task/${id}`)))
  return left.flat().length === 0 && held.every((holder) => holder === undefined)
}
