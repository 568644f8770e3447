/** A worker, a server or a gateway is ended at every point of a task's life, and another takes over: see `kill-points.ts`. */

import { deepEqual } from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Report } from '../support/report.ts'
import type { Trial } from '../support/suite.ts'
import { nameOf, POINTS, type Role, SHORT_KILLS } from './kill-points.ts'
import { addTo, type KillTally, noHarm } from './kill-tally.ts'
import { type Kill, runKill, WIRES } from './kill-trial.ts'
import { type Kind, missingFor, places } from './places.ts'
import { bundleProgram } from './programs.ts'

/** Long enough for a machine that does much else: what never ends is no matter of seconds. */
const LIMIT_MS = 300_000

interface KillOptions {
  /** How often a process is ended at each point of the long form. */
  readonly runs: number
  /** The order of the points. */
  readonly seed: number
  /** How many kills are on their way at a time. */
  readonly atOnce: number
  readonly tally: KillTally
}

type Planned = Pick<Kill, 'role' | 'point' | 'wires'>

export function createKillTrials({ runs, seed, atOnce, tally }: KillOptions): readonly Trial[] {
  const short = SHORT_KILLS.map(({ role, point }) => ({ role, point, wires: WIRES[0] }))
  const run = (kind: Kind, name: string, planned: readonly Planned[]) => (report: Report) =>
    runKills({ kind, name, planned: shuffle(planned, seed), atOnce, tally }, report)
  const long = (['sqlite', 'postgres', 'valkey'] as const).flatMap((kind) =>
    (['worker', 'server', 'gateway'] as const).map((role) => {
      const name = `${kind} ${role} kills`
      return { name, long: true, missing: () => missingFor(kind), run: run(kind, name, planOf(role, runs)) }
    }),
  )
  return [{ name: 'sqlite kills', run: run('sqlite', 'sqlite kills', short) }, ...long]
}

/** Each point so many times, over the generations of tasks in turn. */
function planOf(role: Role, runs: number): Planned[] {
  return Array.from({ length: runs }, (_none, turn) => turn).flatMap((turn) =>
    POINTS[role].map((point, at) => ({ role, point, wires: WIRES[(turn + at) % WIRES.length] ?? WIRES[0] })),
  )
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

interface KillRun {
  readonly kind: Kind
  readonly name: string
  readonly planned: readonly Planned[]
  readonly atOnce: number
  readonly tally: KillTally
}

async function runKills({ kind, name, planned, atOnce, tally }: KillRun, report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-kills-'))
  const [place, program] = [await places.get(kind), await bundleProgram('kill-process.ts')]
  const row = tally.row(name, new Set(planned.map(({ role, point }) => `${role} ${nameOf(point)}`)).size)
  const queue = [...planned.entries()]
  const runNext = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [at, plan] = next
      const kill: Kill = { ...plan, setting: place.fresh(), path: join(folder, `${at}`), program }
      const title = `a ${plan.role} that ends ${nameOf(plan.point)} (${plan.wires.join(' to ')})`
      const action = async (): Promise<void> => {
        const { harm, unknown } = await runKill(kill)
        addTo(row, harm, unknown)
        deepEqual(harm, noHarm())
      }
      await report.checkIn('kills', title, action, { limitMs: LIMIT_MS })
    }
  }
  try {
    await Promise.all(Array.from({ length: atOnce }, runNext))
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
