/** Legs as trials: the suite installed and the subjects started when the first of them runs, all outcomes told in one table. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Report } from '../../support/report.ts'
import type { Plan } from '../../support/suite.ts'
import { installSuite } from './install.ts'
import type { Leg } from './legs.ts'
import { reportEmpty, reportProblems, reportTable } from './report.ts'
import { isClean, type LegOutcome, repeatLeg, type Stage } from './run-leg.ts'
import { buildClient, type Program, type RunningServer, startServer } from './subjects.ts'

/** Legs that look at the same program. */
export interface Round {
  readonly legs: readonly Leg[]
  readonly program: Program
}

export interface Selection {
  /** All of a leg unless given. */
  readonly scenarios: readonly string[] | undefined
  readonly times: number
}

export function planLegs(folder: string, rounds: readonly Round[], { scenarios, times }: Selection): Plan {
  const outcomes: LegOutcome[] = []
  const stages = new Stages(folder)
  const trials = rounds.flatMap(({ legs, program }) =>
    (scenarios ?? [undefined]).flatMap((scenario) =>
      legs.map((leg) => ({
        name: scenario === undefined ? leg.name : `${leg.name} ${scenario}`,
        run: async (report: Report) => {
          const outcome = await repeatLeg(await stages.of(leg, program), leg, scenario, times)
          if (outcome === undefined) {
            report.untried = 'the leg does not have this scenario'
            return
          }
          outcomes.push(outcome)
          if (!isClean(outcome)) throw new Error(reportProblems([outcome]).join('\n'))
        },
      })),
    ),
  )
  return { trials, after: () => stages.close(), summary: () => summarize(outcomes) }
}

/** Where legs are run: one program at a time is started, and the client is built once. */
class Stages {
  readonly #folder: string
  #program: Program | undefined
  #server: RunningServer | undefined
  #client: string | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  async of(leg: Leg, program: Program): Promise<Stage> {
    const suite = installSuite(this.#folder)
    const out = join(this.#folder, 'out')
    mkdirSync(out, { recursive: true })
    const baseline = join(out, 'nothing-excused.yaml')
    writeFileSync(baseline, 'server: []\nclient: []\n')
    if (leg.side === 'client') this.#client ??= await buildClient(this.#folder)
    else await this.#start(program)
    const subject = { server: ['--url', this.#server?.url ?? ''], client: ['--command', this.#client ?? ''] }
    return { suite, out, baseline, subject }
  }

  async #start(program: Program): Promise<void> {
    if (this.#program === program) return
    await this.close()
    this.#server = await startServer(this.#folder, program)
    this.#program = program
  }

  async close(): Promise<void> {
    await this.#server?.stop()
    this.#server = undefined
    this.#program = undefined
  }
}

function summarize(outcomes: readonly LegOutcome[]): string {
  if (outcomes.length === 0) return ''
  const empty = reportEmpty(outcomes)
  return [
    reportTable(outcomes),
    ...(empty.length > 0 ? [`\nnothing is checked by the suite in:\n${indent(empty)}`] : []),
  ].join('\n')
}

function indent(lines: readonly string[]): string {
  return lines.map((line) => `  ${line.replaceAll('\n', '\n    ')}`).join('\n')
}
