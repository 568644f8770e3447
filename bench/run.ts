/**
 * `npm run bench`: measures every axis, prints the tables, writes them down, and with `--check` fails when a floor is
 * not held. What is measured is in `axes.ts`, how in `programs/driver.ts`, against what in `floors.ts`.
 */

import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { AXES, BUNDLED, type Pace } from './axes.ts'
import { toChart } from './chart.ts'
import { Stores } from './databases.ts'
import { drive } from './drive.ts'
import { type Fault, type Figure, toFigures } from './figures.ts'
import { peerVersions, prepare, rootFolder, workFolder } from './prepare.ts'
import { profile } from './profile.ts'
import { judge, type Run, toMarkdown, toResultText, toTables, toText } from './report.ts'
import { STATIC_AXES } from './static-axes.ts'

const ALL = [...AXES, ...STATIC_AXES]

const USAGE = `usage: npm run bench -- [options]

  --check           fail when a floor of bench/floors.ts is not held
  --axis <name>     only this axis; may be given several times
  --rounds <n>      interleaved rounds (5)
  --short           quick and rough: fewer rounds, shorter ones
  --profile <axis>  profile Portico on an axis ("http", "stdio", …) and name the top costs
  --json <file>     where to write the figures (bench/.cache/result.json)
  --write           write docs/benchmarks.md and its chart even if the run is short or partial

axes:
${ALL.map(({ name, title }) => `  ${name.padEnd(16)}  ${title}`).join('\n')}`

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    axis: { type: 'string', multiple: true },
    rounds: { type: 'string' },
    short: { type: 'boolean', default: false },
    profile: { type: 'string' },
    json: { type: 'string' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

const pace: Pace = {
  rounds: Number(values.rounds ?? (values.short ? 3 : 5)),
  ms: values.short ? 300 : 1000,
  warmMs: values.short ? 600 : 2000,
}

if (values.help) console.log(USAGE)
else process.exitCode = await main()

async function main(): Promise<number> {
  const unknown = values.axis?.find((name) => !ALL.some((axis) => axis.name === name))
  if (unknown !== undefined || !(Number.isInteger(pace.rounds) && pace.rounds > 0)) {
    console.error(
      `${unknown === undefined ? '--rounds is a whole number' : `no axis is named "${unknown}"`}\n\n${USAGE}`,
    )
    return 2
  }
  await prepare(BUNDLED)
  if (values.profile !== undefined) {
    await profile(values.profile, pace)
    return 0
  }
  const run = await measure(values.axis ?? ALL.map(({ name }) => name))
  console.log(`\n${run.results.map(toResultText).join('\n')}`)
  for (const { axis, case: name, contestant, reason } of run.faults) {
    console.log(`not measured: ${axis}, ${name}, ${contestant}: ${reason}`)
  }
  write(run)
  const failed = run.results.filter(({ held }) => !held).length
  const missed = run.results.filter(({ reached, held }) => held && !reached).length
  console.log(
    `\n${run.results.length - failed - missed} floors held, ${missed} missed within their guard, ${failed} not`,
  )
  // A contestant of ours that could not be measured has held nothing.
  const missing = run.faults.some(({ contestant }) => contestant.startsWith('portico'))
  return values.check && (failed > 0 || missing || run.results.length === 0) ? 1 : 0
}

async function measure(names: readonly string[]): Promise<Run> {
  const figures: Figure[] = []
  const faults: Fault[] = []
  const stores = new Stores()
  for (const axis of AXES.filter(({ name }) => names.includes(name))) {
    for (const { name, plan } of axis.cases(pace)) {
      const report = await drive(await stores.tell(plan))
      const scaled = report.samples.map((sample) => ({ ...sample, value: sample.value / (axis.scale ?? 1) }))
      const own = toFigures(axis.name, name, axis.unit, { ...report, samples: scaled })
      figures.push(...own)
      faults.push(...report.faults.map((fault) => ({ axis: axis.name, case: name, ...fault })))
      for (const table of toTables([axis], own)) console.log(toText(table))
    }
  }
  await stores.stop()
  for (const axis of STATIC_AXES.filter(({ name }) => names.includes(name))) {
    try {
      const own = axis.measure(pace.rounds)
      figures.push(...own)
      for (const table of toTables([axis], own)) console.log(toText(table))
    } catch (error) {
      faults.push({ axis: axis.name, case: '', contestant: 'portico', reason: String(error) })
    }
  }
  return { ...circumstances(), figures, faults, results: judge(figures) }
}

function circumstances(): Omit<Run, 'figures' | 'faults' | 'results'> {
  const model = cpus()[0]?.model ?? 'unknown'
  const memory = Math.round(totalmem() / 1024 ** 3)
  const node = `Node ${process.versions.node} on ${process.platform} ${process.arch}`
  return {
    machine: `${availableParallelism()} cores (${model}), ${memory} GB, ${node}`,
    date: new Date().toISOString().slice(0, 10),
    commit: commit(),
    versions: peerVersions(),
    pace: `${pace.rounds} interleaved rounds of ${pace.ms} ms each after ${pace.warmMs} ms of warm-up; medians, with the lowest and highest round as spread`,
  }
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: rootFolder, encoding: 'utf8' }).trim()
  } catch {
    return 'unknown'
  }
}

/** The page in the docs is from whole runs only, unless somebody insists. */
function write(run: Run): void {
  const json = resolve(values.json ?? join(workFolder, 'result.json'))
  mkdirSync(dirname(json), { recursive: true })
  writeFileSync(json, `${JSON.stringify(run, undefined, 2)}\n`)
  if (!values.write && (values.short || values.axis !== undefined)) return
  const docs = join(rootFolder, 'docs')
  const page = join(docs, 'benchmarks.md')
  writeFileSync(page, toMarkdown(run, toTables(ALL, run.figures)))
  writeFileSync(join(docs, 'benchmarks.svg'), toChart(run.figures))
  console.log('\nwritten: docs/benchmarks.md, docs/benchmarks.svg')
}
