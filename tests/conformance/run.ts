/**
 * `npm run conformance`: the official MCP conformance suite against this repository's server and client. Every scenario
 * has to be clean, what an implementation merely should do included; the exit code is 1 if one is not.
 */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { keepBusy } from './runner/busy.ts'
import { installSuite } from './runner/install.ts'
import { LEGS, type Leg } from './runner/legs.ts'
import { reportLater, reportProblems, reportTable } from './runner/report.ts'
import { isClean, type LegOutcome, repeatLeg, type Stage } from './runner/run-leg.ts'
import { buildClient, hasClient, type Program, startServer } from './runner/subjects.ts'

const usage = `usage: npm run conformance -- [--only server|client] [--leg <name>]... [--scenario <name>]... [--gateway]

  --only server|client   one side only
  --leg <name>           this leg; may be given several times
  --scenario <name>      this scenario, on every wire that has it; may be given several times
  --repeat <n>           so many times, one after the other; a problem in one of them is a problem
  --busy <n>             with so many processes beside that take all the time they can get
  --gateway              the server suites with our gateway in front of the server; the extensions stay behind it
  --upstream <version>   with --gateway: the revision between gateway and server; the newest of the leg's era unless given
  --short                what "npm test" runs; the same as without it, since the whole is quick
  --help                 this text

legs:
${LEGS.map(({ name }) => `  ${name}`).join('\n')}`

const folder = fileURLToPath(new URL('.', import.meta.url))

// Leaving in the ordinary way takes the server along.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

try {
  process.exitCode = await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      leg: { type: 'string', multiple: true },
      scenario: { type: 'string', multiple: true },
      repeat: { type: 'string', default: '1' },
      busy: { type: 'string', default: '0' },
      gateway: { type: 'boolean', default: false },
      upstream: { type: 'string' },
      short: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) {
    console.log(usage)
    return 0
  }
  const [repeat, busy] = [Number(values.repeat), Number(values.busy)]
  if (!Number.isInteger(repeat) || repeat < 1 || !Number.isInteger(busy) || busy < 0) throw new Error(usage)
  const { gateway, upstream, scenario: scenarios } = values
  const chosen = selectLegs(gateway ? 'server' : values.only, values.leg, scenarios)
  keepBusy(busy)
  if (!gateway) return report(await runLegs(chosen, { scenarios, repeat }, { file: 'server.ts' })) ? 0 : 1
  const outcomes: LegOutcome[] = []
  for (const era of ['2025-11-25', '2026-07-28']) {
    const isEra = ({ version }: Leg) => version === era || (era === '2025-11-25' && version < era)
    const legs = chosen.filter((leg) => isEra(leg) && leg.selection !== 'skills')
    const program = { file: 'gateway.ts', env: { UPSTREAM: upstream ?? era } }
    if (legs.length > 0) outcomes.push(...(await runLegs(legs, { scenarios, repeat }, program)))
  }
  return report(outcomes) ? 0 : 1
}

function selectLegs(
  only: string | undefined,
  names: readonly string[] | undefined,
  scenarios: readonly string[] | undefined,
): Leg[] {
  const unknown = names?.find((name) => !LEGS.some((leg) => leg.name === name))
  if (unknown !== undefined) throw new Error(`no leg is named "${unknown}"\n\n${usage}`)
  if (only !== undefined && only !== 'server' && only !== 'client') throw new Error(usage)
  const legs = LEGS.filter((leg) => {
    if (leg.side === 'client' && !hasClient(folder)) return false
    // The frozen sets hold nothing that the whole suite at their revision does not.
    if (scenarios !== undefined && leg.selection === 'required') return false
    return (only === undefined || leg.side === only) && (names?.includes(leg.name) ?? true)
  })
  if (legs.length === 0) throw new Error('no leg is left to run')
  return legs
}

interface Selection {
  /** All of a leg unless given. */
  readonly scenarios: readonly string[] | undefined
  readonly repeat: number
}

async function runLegs(legs: readonly Leg[], selection: Selection, program: Program): Promise<LegOutcome[]> {
  const { scenarios, repeat } = selection
  const suite = installSuite(folder)
  const out = join(folder, 'out')
  mkdirSync(out, { recursive: true })
  const baseline = join(out, 'nothing-excused.yaml')
  writeFileSync(baseline, 'server: []\nclient: []\n')
  const server = legs.some(({ side }) => side === 'server') ? await startServer(folder, program) : undefined
  try {
    const command = legs.some(({ side }) => side === 'client') ? await buildClient(folder) : ''
    const stage: Stage = {
      suite,
      out,
      baseline,
      subject: { server: ['--url', server?.url ?? ''], client: ['--command', command] },
    }
    const outcomes: LegOutcome[] = []
    for (const scenario of scenarios ?? [undefined]) {
      for (const leg of legs) {
        const outcome = await repeatLeg(stage, leg, scenario, repeat)
        if (outcome !== undefined) outcomes.push(outcome)
      }
    }
    return outcomes
  } finally {
    await server?.stop()
  }
}

function report(outcomes: readonly LegOutcome[]): boolean {
  if (outcomes.length === 0) {
    console.error('no scenario of that name ran')
    return false
  }
  console.log(`\n${reportTable(outcomes)}`)
  const later = reportLater(outcomes)
  if (later.length > 0) console.log(`\nlater, not counted (with the number of problems):\n${indent(later)}`)
  const problems = reportProblems(outcomes)
  if (problems.length > 0) console.error(`\nto fix:\n${indent(problems)}`)
  return outcomes.every(isClean)
}

function indent(lines: readonly string[]): string {
  return lines.map((line) => `  ${line.replaceAll('\n', '\n    ')}`).join('\n')
}
