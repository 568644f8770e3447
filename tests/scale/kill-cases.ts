/** A process is ended at every point of a task's life, and another takes over: nothing is lost, and nothing done twice unannounced. */

import { equal, ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openState, type StateSetting } from '@portico/host/state'
import { connect } from '@portico/sdk/client'
import type { Store } from '@portico/sdk/state'
import { build } from 'esbuild'
import type { Report } from '../support/report.ts'
import type { Trial } from '../support/suite.ts'
import { until } from '../support/wait.ts'
import { nameOf, POINTS, type Point, SHORT_POINTS } from './kill-points.ts'
import { ANSWERS, createKillServer, Ledger, RESULT, SERVER_NAME } from './kill-server.ts'
import { type Kind, missingFor, places } from './places.ts'

/** Processes mostly wait, so more than one per core can be on their way. */
const AT_ONCE = 6
const LIMIT_MS = 60_000

/** Every point of the long form comes `runs` times, in an order that `seed` says. */
export function createKillTrials(runs: number, seed: number): readonly Trial[] {
  const many = Array.from({ length: runs }, () => POINTS).flat()
  return [
    { name: 'sqlite kills', run: (report) => runKills('sqlite', report, shuffle(SHORT_POINTS, seed)) },
    ...(['sqlite', 'postgres', 'valkey'] as const).map((kind) => ({
      name: `${kind} many kills`,
      long: true,
      missing: () => missingFor(kind),
      run: (report: Report) => runKills(kind, report, shuffle(many, seed)),
    })),
  ]
}

/** The same order for the same seed: which processes are on their way at once differs from one seed to another. */
function shuffle<T>(items: readonly T[], seed: number): T[] {
  let state = seed >>> 0
  const keyed = items.map((item) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return { item, key: state }
  })
  return keyed.sort((one, other) => one.key - other.key).map(({ item }) => item)
}

async function runKills(kind: Kind, report: Report, points: readonly Point[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-kills-'))
  const [place, program] = [await places.get(kind), await bundleWorker()]
  const queue = [...points.entries()]
  const runNext = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [at, point] = next
      const trial = { setting: place.fresh(), path: join(folder, `${at}`), program, point }
      await report.checkIn('kills', `a process that ends ${nameOf(point)}`, () => runKill(trial), { limitMs: LIMIT_MS })
    }
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, runNext))
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

interface Kill {
  readonly setting: StateSetting
  readonly path: string
  readonly program: string
  readonly point: Point
}

async function runKill({ setting, path, program, point }: Kill): Promise<void> {
  const child = spawn(process.execPath, [program, JSON.stringify(setting), path, JSON.stringify(point)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
  if (process.platform !== 'win32') equal(signal, 'SIGKILL', 'it ends at its point')
  const { store, bus, close } = await openState(setting)
  const ledger = new Ledger(path)
  const { server, tasks } = createKillServer(store, bus, ledger)
  const client = await connect(server, ANSWERS)
  try {
    const kept = await keptTasks(store)
    const lines = ledger.read()
    for (const { acknowledged } of lines)
      ok(acknowledged === undefined || kept.includes(acknowledged), 'it is not lost')
    for (const taskId of kept) {
      const run = await client.resumeTask(taskId)
      const cancelled = point.cancels && lines.some((line) => line.cancelled === taskId)
      const text = await run.result().then(
        ({ content: [block] }) => (block?.type === 'text' ? block.text : ''),
        () => 'no result',
      )
      const { status } = await run.status()
      if (cancelled) equal(status, 'cancelled', 'what was told stays so')
      if (status === 'completed') equal(text, RESULT)
      else ok(point.cancels && status === 'cancelled', `it ends well, not ${status}`)
    }
    await until(() => isQuiet(store), 'nothing is left for workers')
    requireOnce(ledger)
  } finally {
    await client.close()
    tasks.close()
    await close()
  }
}

/** A step that has its effect again was told that it may have had it. */
function requireOnce(ledger: Ledger): void {
  const steps = ledger.read().filter(({ step }) => step !== undefined)
  const seen = new Set<string>()
  for (const { task, step, interrupted } of steps) {
    const mark = `${task} ${step}`
    equal(interrupted, interrupted === true || seen.has(mark), `${step} is done again without a word`)
    seen.add(mark)
  }
}

async function keptTasks(store: Store): Promise<string[]> {
  const prefix = `task/${SERVER_NAME}/`
  return (await store.list(prefix, { limit: 100 })).map(({ key }) => key.slice(prefix.length))
}

/** No task is due, none sleeps, and nobody holds one. */
async function isQuiet(store: Store): Promise<boolean> {
  const left = await Promise.all(['task-due/', 'task-wake/'].map((prefix) => store.list(prefix, { limit: 1 })))
  const held = await Promise.all((await keptTasks(store)).map((id) => store.holder(`task/${id}`)))
  return left.flat().length === 0 && held.every((holder) => holder === undefined)
}

/** One file, since many processes are started from it. */
async function bundleWorker(): Promise<string> {
  // Below the suite's own packages, so that libraries of databases are found from there.
  const folder = fileURLToPath(new URL('node_modules/.portico', import.meta.url))
  mkdirSync(folder, { recursive: true })
  const outfile = join(folder, 'kill-worker.mjs')
  const entry = fileURLToPath(new URL('kill-worker.ts', import.meta.url))
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['portico-source'],
    external: ['redis', 'pg', 'better-sqlite3'],
    logLevel: 'error',
  })
  return outfile
}
