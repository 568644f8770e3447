/**
 * The one way to run a suite: `run.ts` of each calls `runSuite`, which reads the command line, chooses the trials, runs them one
 * after another, says what was skipped and why, and sets the exit code: 0 if something passed and nothing failed, 1 otherwise, 2
 * for a command line that it does not understand.
 */

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { describe, Report, seconds } from './report.ts'
import { toTable } from './table.ts'
import { withLimit } from './wait.ts'

export interface Trial {
  readonly name: string
  /** Left out with `--short`. */
  readonly long?: boolean
  /** What the others need; run whatever is asked for. */
  readonly always?: boolean
  /** Why it cannot be tried on this machine; undefined if it can. */
  missing?(): string | undefined | Promise<string | undefined>
  run(report: Report): unknown
}

/** What a suite has to run, once its packages are there. */
export interface Plan {
  readonly trials: readonly Trial[]
  /** The groups of checks that have a column in the table. */
  readonly columns?: readonly string[]
  /** How long one trial may take. */
  readonly limitMs?: number
  /** Before the first trial that is run, and after the last, whatever became of them. */
  before?(): Promise<void> | void
  after?(): Promise<void> | void
  /** Said at the end. */
  summary?(): string
}

type Flags = { readonly [name: string]: NonNullable<ParseArgsConfig['options']>[string] & { readonly about: string } }
type Values<F extends Flags> = ReturnType<typeof parseArgs<{ options: F & typeof COMMON }>>['values']

export interface Suite<F extends Flags> {
  /** Its own flags. */
  readonly flags?: F
  /** What happens once all is over: the process has to come to its end by itself, or it is ended. By itself unless given. */
  readonly end?: 'nothing left open' | 'now'
  /** Whether every check is told, as with `--verbose`. */
  readonly verbose?: boolean
  open(values: Values<F>): Plan | Promise<Plan>
}

const COMMON = {
  only: { type: 'string', multiple: true, about: 'the same as a word; may be given several times' },
  short: { type: 'boolean', default: false, about: 'without what takes long or nearly repeats something else' },
  list: { type: 'boolean', default: false, about: 'print the names and run nothing' },
  verbose: { type: 'boolean', default: false, about: 'tell every check, not only those that fail' },
  help: { type: 'boolean', short: 'h', default: false, about: 'print this' },
} as const satisfies Flags

/** How long a process that has nothing left to do may take to end. */
const END_MS = 10_000

/** Runs the suite whose program is at `url`; `words` is its command line. */
export async function runSuite<F extends Flags>(
  url: string,
  suite: Suite<F>,
  words: readonly string[] = process.argv.slice(2),
): Promise<void> {
  // Leaving in the ordinary way takes the programs under test along.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
  process.exitCode = await run(url, suite, words)
  if (suite.end === 'now') process.exit()
  if (suite.end === 'nothing left open') expectTheEnd()
}

/** The exit code. */
export async function run<F extends Flags>(url: string, suite: Suite<F>, words: readonly string[]): Promise<number> {
  let parsed: { readonly values: Values<F>; readonly positionals: string[] }
  try {
    const options = { ...COMMON, ...suite.flags } as F & typeof COMMON
    parsed = parseArgs({ args: [...words], options, allowPositionals: true })
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${toHelp(url, suite.flags)}`)
    return 2
  }
  const { values, positionals } = parsed
  // These are of the table above, whatever a suite adds to it.
  const { help, list, short, verbose, only = [] } = values as Values<Record<never, never>>
  if (help) {
    console.log(toHelp(url, suite.flags))
    return 0
  }
  let plan: Plan
  try {
    plan = await suite.open(values)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return 2
  }
  const trials = choose(plan.trials, [...positionals, ...only], short)
  if (list) {
    for (const { name } of trials) console.log(name)
    return 0
  }
  if (trials.length === 0) {
    console.log('Nothing has that name; see --list.')
    return 1
  }
  return conclude(plan, await runTrials(plan, trials, verbose || suite.verbose === true), short)
}

function choose(trials: readonly Trial[], words: readonly string[], short: boolean): Trial[] {
  const isWanted = ({ name, long, always }: Trial): boolean =>
    always === true || (!(short && long === true) && (words.length === 0 || words.some((word) => name.includes(word))))
  const wanted = trials.filter(isWanted)
  return wanted.every(({ always }) => always) && words.length > 0 ? [] : wanted
}

async function runTrials(plan: Plan, trials: readonly Trial[], verbose: boolean): Promise<Report[]> {
  const reports: Report[] = []
  let isOpen = false
  try {
    for (const trial of trials) {
      const report = new Report(trial.name, verbose)
      reports.push(report)
      report.untried = await trial.missing?.()
      if (report.untried !== undefined) {
        console.log(`skipped ${trial.name}: ${report.untried}`)
        continue
      }
      if (!isOpen) await plan.before?.()
      isOpen = true
      await runTrial(trial, report, plan.limitMs)
    }
  } finally {
    if (isOpen) await plan.after?.()
  }
  return reports
}

async function runTrial(trial: Trial, report: Report, limitMs: number | undefined): Promise<void> {
  const began = performance.now()
  try {
    const work = Promise.resolve(trial.run(report))
    await (limitMs === undefined ? work : withLimit(work, limitMs, trial.name))
  } catch (error) {
    report.failures.push('runs to its end')
    console.error(describe(error), error)
  }
  if (report.untried !== undefined) {
    console.log(`skipped ${trial.name}: ${report.untried}`)
    return
  }
  const counted = report.checks === 0 ? '' : `${report.checks} checks, `
  const note = report.note === '' ? '' : `: ${report.note}`
  console.log(
    `${report.failures.length === 0 ? 'ok     ' : 'FAILED '} ${trial.name} (${counted}${seconds(began)} s)${note}`,
  )
}

function conclude({ columns = [], summary }: Plan, reports: readonly Report[], short: boolean): number {
  const ran = reports.filter(({ untried }) => untried === undefined)
  const failed = ran.filter(({ failures }) => failures.length > 0).length
  const skipped = reports.length - ran.length + ran.reduce((sum, report) => sum + report.skipped, 0)
  if (ran.some(({ checks }) => checks > 0)) console.log(`\n${toTable(toRows(reports, columns))}`)
  const words = summary?.() ?? ''
  if (words !== '') console.log(`\n${words}`)
  console.log(`\n${ran.length - failed} of ${ran.length} passed${skipped === 0 ? '' : `, ${skipped} skipped`}`)
  // A run in which nothing passed is no success, unless all that is asked for is what this machine can do.
  return failed === 0 && (ran.length > 0 || short) ? 0 : 1
}

function toRows(reports: readonly Report[], columns: readonly string[]): string[][] {
  const head = ['', ...columns, 'passed', 'failed']
  const rows = reports.map((report) => [
    report.name,
    ...columns.map((column) => report.cell(column)),
    ...(report.untried === undefined ? [String(report.passed), String(report.failures.length)] : ['skipped', '']),
  ])
  return [head, ...rows]
}

/** What the program says of itself in its opening comment, and its flags. */
function toHelp(url: string, flags: Flags = {}): string {
  const comment = /^\/\*\*([\s\S]*?)\*\//.exec(readFileSync(fileURLToPath(url), 'utf8'))?.[1] ?? ''
  const about = comment.replace(/^\s*\* ?/gm, '').trim()
  const rows = Object.entries({ ...COMMON, ...flags }).map(([name, { type, about }]) => [
    `  --${name}${type === 'string' ? ' <text>' : ''}`,
    about,
  ])
  const width = Math.max(...rows.map(([name = '']) => name.length))
  const lines = [['  <word>...', 'only what has one of these words in its name'], ...rows]
  return `${about}\n\n${lines.map(([name = '', words = '']) => `${name.padEnd(width)}  ${words}`).join('\n')}`
}

/** The process ends by itself once nothing is open. If something is, it is named and the run has failed. */
function expectTheEnd(): void {
  setTimeout(() => {
    console.log(`\nleft open: ${process.getActiveResourcesInfo().join(', ')}`)
    process.exit(1)
  }, END_MS).unref()
}
