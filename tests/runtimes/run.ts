/**
 * `npm run runtimes`: our server on every runtime and framework, a real browser and an official client before it.
 * Installs what it needs on first use, runs the targets one after another, prints a table, and fails when a check fails.
 */

import { parseArgs } from 'node:util'
import { installPackages } from '../support/install.ts'
import { folder } from './bundle.ts'
import { Report, toTable } from './report.ts'
import type { Suite } from './suites/suite.ts'

const HELP = `usage: npm run runtimes -- [options]

  --short          leave out the targets that nearly repeat another one
  --only <text>    run the targets whose name has this text (may be repeated)
  --list           print the names of the targets
  --verbose        print every check, not only those that fail
  --help           print this

Needs the network once, to install into tests/node_modules (about 1.3 GB), and Chromium for the browser's part.`

const { values: flags } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    list: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

// Leaving in the ordinary way takes the programs under test along.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

if (flags.help) console.log(HELP)
else await main()

async function main(): Promise<void> {
  installPackages(folder, { about: 'about 1.3 GB' })
  const suites = await chooseSuites()
  if (flags.list) {
    for (const suite of suites) console.log(suite.name)
    return
  }
  const reports: Report[] = []
  for (const suite of suites) reports.push(await runSuite(suite))
  console.log(`\n${toTable(reports)}`)
  for (const { target, skipped } of reports) if (skipped !== undefined) console.log(`skipped: ${target}: ${skipped}`)
  if (reports.length === 0) console.log('No target has that name; see --list.')
  // A run in which nothing passed is no success.
  const isGood = reports.every(({ failures }) => failures.length === 0) && reports.some(({ passed }) => passed > 0)
  process.exit(isGood ? 0 : 1)
}

async function runSuite(suite: Suite): Promise<Report> {
  const report = new Report(suite.name, flags.verbose)
  report.skipped = suite.missing?.()
  if (report.skipped !== undefined) return report
  const began = performance.now()
  try {
    await suite.run(report)
  } catch (error) {
    report.fail('runs to its end', error)
  }
  const took = ((performance.now() - began) / 1000).toFixed(1)
  console.log(`  ${report.failures.length === 0 ? 'ok  ' : 'FAIL'}  ${suite.name} (${report.passed} checks, ${took} s)`)
  return report
}

/** Suites load the packages that were just installed, so they are imported only now. */
async function chooseSuites(): Promise<Suite[]> {
  const { suites } = await import('./suites/index.ts')
  const named = (suite: Suite) => flags.only.length === 0 || flags.only.some((text) => suite.name.includes(text))
  return suites.filter((suite) => named(suite) && !(flags.short && suite.longOnly))
}
