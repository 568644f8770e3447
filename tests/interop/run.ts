/**
 * `npm run interop`: our server and client against programs that nobody here wrote. Installs them on first use, runs
 * the suites one after another, prints a table, and fails when a check fails or something is left running.
 */

import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { installPackages } from '../support/install.ts'
import { Report, toTable } from './report.ts'
import type { Suite } from './suites/suite.ts'

const HELP = `usage: npm run interop -- [options]

  --short          leave out the suites that nearly repeat another one
  --only <text>    run the suites whose name has this text (may be repeated)
  --list           print the names of the suites
  --verbose        print every check, not only those that fail
  --help           print this

Needs the network once, to install the official packages into tests/node_modules.`

const { values: flags } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    list: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (flags.help) console.log(HELP)
else await main()

async function main(): Promise<void> {
  installPackages(fileURLToPath(new URL('.', import.meta.url)))
  const suites = await chooseSuites()
  if (flags.list) {
    for (const suite of suites) console.log(suite.name)
    return
  }
  const reports: Report[] = []
  for (const suite of suites) {
    const report = new Report(suite.name, flags.verbose)
    const began = performance.now()
    await report.check('runs to its end', () => suite.run(report), 240_000)
    reports.push(report)
    const took = ((performance.now() - began) / 1000).toFixed(1)
    console.log(
      `  ${report.failures.length === 0 ? 'ok  ' : 'FAIL'}  ${suite.name} (${report.passed} checks, ${took} s)`,
    )
  }
  console.log(`\n${toTable(reports)}`)
  const failed = reports.some((report) => report.failures.length > 0)
  if (failed || reports.length === 0) process.exitCode = 1
  if (reports.length === 0) console.log('No suite has that name; see --list.')
  expectTheEnd()
}

/** Suites load the packages that were just installed, so they are imported only now. */
async function chooseSuites(): Promise<Suite[]> {
  const { suites } = await import('./suites/index.ts')
  const named = (suite: Suite) => flags.only.length === 0 || flags.only.some((text) => suite.name.includes(text))
  return suites.filter((suite) => named(suite) && !(flags.short && suite.longOnly))
}

/** The process ends by itself once nothing is open. If something is, it is named and the run has failed. */
function expectTheEnd(): void {
  setTimeout(() => {
    console.log(`\nleft open: ${process.getActiveResourcesInfo().join(', ')}`)
    process.exit(1)
  }, 10_000).unref()
}
