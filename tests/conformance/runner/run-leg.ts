/** Runs one leg: the suite as a child process, then the reading of what it wrote. */

import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readOutcomes, type ScenarioOutcome } from './checks.ts'
import { runCommand } from './command.ts'
import type { Suite } from './install.ts'
import { isEmpty, isExtension, isTimed, type Leg, type Side, SKILLS, suiteArguments } from './legs.ts'

export interface Stage {
  readonly suite: Suite
  /** Where the suite writes; each leg has a folder there, emptied before it runs. */
  readonly out: string
  /** A file that excuses nothing: with it, what a server merely should do counts too. */
  readonly baseline: string
  /** How the suite reaches the subject: `--url …` or `--command …`. */
  readonly subject: { readonly [S in Side]: readonly string[] }
}

export interface LegOutcome {
  readonly leg: Leg
  readonly counted: readonly ScenarioOutcome[]
  readonly empty: readonly ScenarioOutcome[]
  /** What is wrong with the leg as a whole. */
  readonly problems: readonly string[]
}

interface SuiteRun {
  readonly outcomes: ScenarioOutcome[]
  readonly code: number | null
  readonly output: string
}

export function isClean({ counted, problems }: LegOutcome): boolean {
  return problems.length === 0 && counted.every((outcome) => outcome.problems.length === 0)
}

const CLIENT_TIMEOUT_MS = '60000'

/** Runs a leg, or one scenario of it, several times. Undefined for a leg that does not have the scenario. */
export async function repeatLeg(
  stage: Stage,
  leg: Leg,
  scenario: string | undefined,
  times: number,
): Promise<LegOutcome | undefined> {
  const rounds: LegOutcome[] = []
  for (let round = 0; round < times; round++) {
    const outcome = await runLeg(stage, leg, scenario)
    if (scenario !== undefined && outcome.counted.length + outcome.empty.length === 0) {
      if (round === 0) return undefined
      throw new Error(`${scenario} ran ${round} times and then not at all; does another run use the same folder?`)
    }
    rounds.push(outcome)
    if (times > 1)
      console.log(`${leg.name} ${scenario ?? ''} ${round + 1}/${times}: ${isClean(outcome) ? 'clean' : 'NOT CLEAN'}`)
  }
  return {
    leg,
    counted: rounds.flatMap(({ counted }) => counted),
    empty: rounds.flatMap(({ empty }) => empty),
    problems: rounds.flatMap(({ problems }) => problems),
  }
}

/** Runs a leg, or one scenario of it; then a leg without that scenario has no outcomes and no problems. */
async function runLeg(stage: Stage, leg: Leg, scenario?: string): Promise<LegOutcome> {
  if (leg.selection === 'skills') return runByName(stage, leg, scenario)
  const { outcomes, code, output } = await runSuite(stage, leg, leg.name, scenario)
  const empty = outcomes.filter((outcome) => isEmpty(outcome.scenario))
  const counted = outcomes.filter((outcome) => !isEmpty(outcome.scenario))
  const problems: string[] = []
  if (scenario === undefined && outcomes.length !== leg.scenarios) {
    problems.push(`${outcomes.length} scenarios ran, ${leg.scenarios} were expected`)
  }
  const excused = empty.length > 0 || counted.some(({ problems }) => problems.length > 0)
  if (code !== 0 && !excused) problems.push(`the suite ended with exit code ${code}:\n${lastLines(output)}`)
  if (leg.side === 'server' || scenario !== undefined) return { leg, counted, empty, problems }
  return { leg, counted: await countAlone(stage, leg, counted), empty, problems }
}

/** Runs scenarios that the suite has in no selection, one after the other. */
async function runByName(stage: Stage, leg: Leg, only: string | undefined): Promise<LegOutcome> {
  const counted: ScenarioOutcome[] = []
  const problems: string[] = []
  for (const scenario of SKILLS[leg.side]) {
    if (only !== undefined && scenario !== only) continue
    const { outcomes, code, output } = await runSuite(stage, leg, join(leg.name, scenario), scenario)
    if (outcomes.length !== 1) problems.push(`${scenario} did not run:\n${lastLines(output)}`)
    else if (code !== 0) problems.push(`${scenario}: the suite ended with exit code ${code}:\n${lastLines(output)}`)
    counted.push(...outcomes)
  }
  return { leg, counted, empty: [], problems }
}

/**
 * The whole client suite starts everything at once and looks past how a client ends. So each scenario is run by itself
 * too, where its exit code counts; those that depend on the clock are judged by that run only.
 */
async function countAlone(stage: Stage, leg: Leg, together: readonly ScenarioOutcome[]): Promise<ScenarioOutcome[]> {
  const counted: ScenarioOutcome[] = []
  for (const outcome of together) {
    const { scenario } = outcome
    if (leg.selection !== 'all' && !isTimed(scenario) && !isExtension(scenario)) {
      counted.push(outcome)
      continue
    }
    const { outcomes, code, output } = await runSuite(stage, leg, join(`${leg.name}-alone`, scenario), scenario)
    const alone = outcomes[0]?.problems.map((problem) => `${problem} (run alone)`) ?? ['did not run alone']
    if (code !== 0 && alone.length === 0)
      alone.push(`the suite ended with exit code ${code} (run alone):\n${lastLines(output)}`)
    counted.push({ ...outcome, problems: isTimed(scenario) ? alone : [...outcome.problems, ...alone] })
  }
  return counted
}

async function runSuite(stage: Stage, leg: Leg, folder: string, scenario?: string): Promise<SuiteRun> {
  const out = join(stage.out, folder)
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  const { suite, subject, baseline } = stage
  const { side } = leg
  const timeout = side === 'client' ? ['--timeout', CLIENT_TIMEOUT_MS] : []
  // With a baseline the suite no longer looks at how a client ended, which is what running one scenario is for.
  const excuses = scenario === undefined ? ['--expected-failures', baseline] : []
  const args = [...subject[side], ...suiteArguments(leg, scenario), ...excuses, ...timeout, '-o', out]
  const { code, output } = await runCommand(suite.node, [suite.script, side, ...args])
  return { outcomes: readOutcomes(out, side), code, output }
}

function lastLines(output: string): string {
  return output.trimEnd().split('\n').slice(-10).join('\n')
}
