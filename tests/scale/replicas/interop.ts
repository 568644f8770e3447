/** Clients that nobody here wrote, raw ones and our own, before one replica and before three: every check passes before both. */

import { deepEqual } from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import type { Listen } from '../../interop/suites/open-ours.ts'
import { installPackages } from '../../support/install.ts'
import { Report } from '../../support/report.ts'
import type { Trial } from '../../support/suite.ts'
import { type Kind, missingFor, places } from '../places.ts'
import { bundleProgram } from '../programs.ts'
import { ReplicaProcesses } from './processes.ts'
import type { SameRow, SameTally } from './same-tally.ts'

const COUNTS = [1, 3] as const
const SUITE_MS = 10 * 60_000
const OFFICIAL = new URL('../../interop/suites/official-clients.ts', import.meta.url).href

/** A trial for each database and suite. */
export async function createInteropTrials(tally: SameTally): Promise<readonly Trial[]> {
  const suites = await suitesOnPorts()
  return (['sqlite', 'postgres', 'valkey', 'redis'] as const).flatMap((kind) =>
    suites.map((suite) => {
      const name = `${kind} interop ${suite.name}`
      return {
        name,
        long: true,
        missing: () => missingFor(kind),
        run: (report) => runInterop(kind, suite, report, tally.row(name)),
      }
    }),
  )
}

async function runInterop(kind: Kind, suite: Trial, report: Report, row: SameRow): Promise<void> {
  const { place } = await import('../../interop/suites/open-ours.ts')
  const here = place.listen
  const program = await bundleProgram('../interop/our-replica.ts')
  const found: Report[] = []
  try {
    for (const count of COUNTS) {
      place.listen = listenBefore(kind, program, count)
      const own = new Report(`${suite.name} before ${count}`, false)
      found.push(own)
      const run = async () => {
        await suite.run(own)
        deepEqual(own.failures, [])
      }
      await report.checkIn('same', own.name, run, { limitMs: SUITE_MS })
      row.cells.push(`${own.passed}/${own.checks} checks`)
    }
    await report.checkIn('same', `${suite.name}: the same before one and three`, () => {
      const [one, three] = found.map(({ passed, failures }) => ({ passed, failures }))
      deepEqual(three, one)
      row.same = true
    })
  } finally {
    place.listen = here
  }
}

function listenBefore(kind: Kind, program: string, count: number): Listen {
  return async (options) => {
    const setting = (await places.get(kind)).fresh()
    const replicas = new ReplicaProcesses({ words: [program, JSON.stringify(setting), JSON.stringify(options)] })
    await replicas.start(count)
    return { url: replicas.url, close: () => replicas.end() }
  }
}

/** Those in which something listens on a port. */
async function suitesOnPorts(): Promise<readonly Trial[]> {
  installPackages(fileURLToPath(new URL('../../interop/', import.meta.url)))
  // By its address, since no compiler here knows the packages that it needs.
  const { officialClientSuites } = (await import(OFFICIAL)) as { readonly officialClientSuites: readonly Trial[] }
  const { rawWireSuites } = await import('../../interop/suites/raw-wire.ts')
  const { ourClientSuites } = await import('../../interop/suites/our-client.ts')
  return [...officialClientSuites, ...rawWireSuites, ...ourClientSuites].filter(({ name }) => !name.includes('· stdio'))
}
