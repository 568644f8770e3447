/** The official conformance suite, all its server legs, before one replica and before three: the same checks with the same ends. */

import { deepEqual, equal } from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installSuite } from '../../conformance/runner/install.ts'
import { LEGS, type Leg } from '../../conformance/runner/legs.ts'
import { type LegOutcome, repeatLeg, type Stage } from '../../conformance/runner/run-leg.ts'
import type { Report } from '../../support/report.ts'
import type { Trial } from '../../support/suite.ts'
import { type Kind, missingFor, places } from '../places.ts'
import { bundleProgram } from '../programs.ts'
import { ReplicaProcesses } from './processes.ts'
import type { SameRow, SameTally } from './same-tally.ts'

const COUNTS = [1, 3] as const
const LEG_MS = 10 * 60_000
const FOLDER = fileURLToPath(new URL('../../conformance/', import.meta.url))

/** A trial for each database and leg. */
export function createConformanceTrials(tally: SameTally): readonly Trial[] {
  const legs = LEGS.filter(({ side }) => side === 'server')
  return (['sqlite', 'postgres', 'valkey', 'redis'] as const).flatMap((kind) =>
    legs.map((leg) => {
      const name = `${kind} conformance ${leg.name}`
      return {
        name,
        long: true,
        missing: () => missingFor(kind),
        run: (report) => runConformance(kind, leg, report, tally.row(name)),
      }
    }),
  )
}

async function runConformance(kind: Kind, leg: Leg, report: Report, row: SameRow): Promise<void> {
  const suite = installSuite(FOLDER)
  const out = mkdtempSync(join(tmpdir(), 'portico-conformance-'))
  const baseline = join(out, 'nothing-excused.yaml')
  writeFileSync(baseline, 'server: []\nclient: []\n')
  const found: string[][] = []
  try {
    for (const count of COUNTS) {
      const replicas = await startReplicas(kind, count)
      const subject = { server: ['--url', replicas.url], client: [] }
      const stage = { suite, out: join(out, `${count}`), baseline, subject }
      const run = async () => void found.push(await runLeg(stage, leg, row))
      await report.checkIn('same', `${leg.name} before ${count}`, run, { limitMs: LEG_MS })
      await replicas.close()
    }
    await report.checkIn('same', `${leg.name}: the same checks with the same ends`, () => {
      equal(found.length, COUNTS.length)
      deepEqual(found[1], found[0])
      row.same = true
    })
  } finally {
    rmSync(out, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function startReplicas(kind: Kind, count: number): Promise<ReplicaProcesses> {
  const setting = (await places.get(kind)).fresh()
  const program = await bundleProgram('../conformance/replica.ts')
  const replicas = new ReplicaProcesses({ words: [program], env: { STATE: JSON.stringify(setting) } })
  await replicas.start(count)
  return replicas
}

/** Every check of a leg with its end. */
async function runLeg(stage: Stage, leg: Leg, row: SameRow): Promise<string[]> {
  const outcome = await repeatLeg(stage, leg, undefined, 1)
  if (outcome === undefined) throw new Error(`the suite has no leg ${leg.name}`)
  const ends = endsOf(outcome)
  const passed = ends.filter((end) => end.endsWith(' SUCCESS')).length
  const bad = ends.filter((end) => / (FAILURE|WARNING)$/.test(end)).length
  const clean = outcome.counted.filter(({ problems }) => problems.length === 0).length
  row.cells.push(`${clean}/${outcome.counted.length} scenarios, ${passed} passed, ${bad} not`)
  deepEqual([...outcome.problems, ...outcome.counted.flatMap(({ problems }) => problems)], [])
  return ends
}

function endsOf({ counted, empty }: LegOutcome): string[] {
  return [...counted, ...empty]
    .flatMap(({ scenario, checks }) => checks.map(({ id, status }) => `${scenario} ${id} ${status}`))
    .sort()
}
