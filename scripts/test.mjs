/**
 * `npm test`: every suite, stopping at the first that fails. A suite is a child process whose exit code is its verdict; the
 * last line counts the suites. Checks and build come one after the other; then all the rest runs three at a time, because
 * most of it waits for processes of its own: the unit tests as they go, each other suite told as a whole when it is over.
 * They are told by `PORTICO_BUILT` that the packages have just been built, so that none of them does it again.
 */
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { runNode, toolPath } from './child.mjs'
import { repositoryRoot } from './report.mjs'
import { skippedIn } from './skipped.mjs'

const suites = [
  { name: 'lint', about: 'format, lint, layers, licences, doors, sizes', args: npmRun('lint') },
  { name: 'build', about: 'compile every package, check the types of suites and benchmarks', args: npmRun('build') },
  {
    name: 'vitest',
    about: 'unit and integration tests, the short form',
    env: { PORTICO_SHORT: '1' },
    args: [fromRoot('node_modules/vitest/vitest.mjs'), 'run'],
    beside: true,
  },
  // The longest first, so that the lanes end at about the same time.
  sourceSuite('conformance', 'the official conformance suite, the short selection'),
  sourceSuite('workbench', 'the workbench in a real browser'),
  sourceSuite('cli', 'the packed command line in a real terminal'),
  sourceSuite('hosts', 'the host in Neovim, in a real terminal, in the extension for VS Code, and in a team chat'),
  sourceSuite('first-hour', 'the shell blocks of the guide, as printed, on a machine with nothing of ours'),
  sourceSuite('gateway', 'any client to any server through the gateway, the short selection'),
  sourceSuite('servers', 'the ready-made servers before real databases, browsers and screens'),
  sourceSuite('scale', 'several processes on shared state: SQLite, PostgreSQL, Valkey'),
  sourceSuite('faults', 'processes, connections and databases that break under calls, the short selection'),
  sourceSuite('auth', 'a real authorization server: signing in, refreshing, stepping up'),
  sourceSuite('soak', 'a fault a second for half a minute, after which nothing is left behind'),
  sourceSuite('interop', 'other implementations on the far side, the short selection'),
  sourceSuite('runtimes', 'every runtime and framework, a browser, the short selection'),
]

/** More than there are cores: they wait for most of their time. */
const LANES = 3

const usage = `usage: npm test -- [--only <suite>]... [--skip <suite>]...

suites, in order:
${suites.map(({ name, about }) => `  ${name.padEnd(12)} ${about}`).join('\n')}`

try {
  process.exitCode = await main()
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`)
  process.exitCode = 2
}

async function main() {
  const options = { only: { type: 'string', multiple: true }, skip: { type: 'string', multiple: true } }
  const { values } = parseArgs({ options: { ...options, help: { type: 'boolean', short: 'h' } } })
  if (values.help) {
    console.log(usage)
    return 0
  }
  const counts = await runSuites(selectSuites(values.only, values.skip ?? []))
  tellSkipped(counts.skipped)
  console.log(`\n${counts.passed} passed, ${counts.failed} failed`)
  // Suites that are not there yet do not count; a run in which nothing passed is no success.
  return counts.failed === 0 && counts.passed > 0 ? 0 : 1
}

function selectSuites(only, skip) {
  const names = suites.map(({ name }) => name)
  const unknown = [...(only ?? []), ...skip].find((name) => !names.includes(name))
  if (unknown !== undefined) throw new Error(`no suite is named "${unknown}"`)
  const selected = suites.filter(({ name }) => (only?.includes(name) ?? true) && !skip.includes(name))
  // Nothing to run must not read as everything passed.
  if (selected.length === 0) throw new Error('no suite is left to run')
  return selected
}

async function runSuites(selected) {
  const counts = { passed: 0, failed: 0, skipped: [] }
  const present = selected.filter(isPresent)
  for (const suite of present.filter(({ beside }) => beside !== true)) {
    if (counts.failed > 0) break
    await runSuite(suite, counts)
    if (suite.name === 'build' && counts.failed === 0) process.env.PORTICO_BUILT = '1'
  }
  const queue = present.filter(({ beside }) => beside === true)
  const runLane = async () => {
    for (let suite = queue.shift(); suite !== undefined && counts.failed === 0; suite = queue.shift()) {
      await runSuite(suite, counts)
    }
  }
  const lanes = Math.min(LANES, Math.max(1, queue.length))
  await Promise.all(Array.from({ length: lanes }, runLane))
  return counts
}

function isPresent({ name, needs }) {
  if (needs === undefined || existsSync(fromRoot(needs))) return true
  console.log(`-- ${name}: not run, there is no ${needs}`)
  return false
}

async function runSuite({ name, about, args, quiet, env }, counts) {
  const started = performance.now()
  const title = `\n== ${name}: ${about}`
  if (!quiet) console.log(title)
  const { code, output } = await runQuietly(args, quiet === true, env)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  if (quiet) process.stdout.write(`${title}\n${output}`)
  console.log(`-- ${name}: ${code === 0 ? 'passed' : `failed with exit code ${code}`} in ${seconds} s`)
  counts.skipped.push(...skippedIn(output).map((line) => `${name}: ${line}`))
  counts[code === 0 ? 'passed' : 'failed'] += 1
}

/** Once more at the end: what was not tried on this machine, and in brackets the line that would bring what it lacks. */
function tellSkipped(lines) {
  if (lines.length > 0) console.log(`\nNot tried on this machine:\n${lines.map((line) => `  ${line}`).join('\n')}`)
}

/**
 * Runs Node, with what it writes kept until it has ended where `quiet`. One that is shown as it goes says in the file
 * `PORTICO_SKIPPED` what it skips.
 */
async function runQuietly(args, quiet, env) {
  const folder = mkdtempSync(join(tmpdir(), 'portico-test-'))
  const file = join(folder, 'output')
  const kept = openSync(file, 'w')
  const shown = { cwd: repositoryRoot, env: { ...process.env, ...env, PORTICO_SKIPPED: file } }
  try {
    const code = await runNode(args, quiet ? { cwd: repositoryRoot, stdio: ['ignore', kept, kept] } : shown)
    return { code, output: readFileSync(file, 'utf8') }
  } finally {
    closeSync(kept)
    rmSync(folder, { recursive: true, force: true })
  }
}

function sourceSuite(name, about) {
  const script = `tests/${name}/run.ts`
  return { name, about, needs: script, args: [toolPath('run.mjs'), script, '--short'], beside: true, quiet: true }
}

/** npm is itself a Node script; run as one it needs no shell on Windows. */
function npmRun(script) {
  const home = dirname(process.execPath)
  const places = [
    process.env.npm_execpath,
    join(home, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(home, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ]
  const npm = places.find((place) => place !== undefined && /\.[cm]?js$/.test(place) && existsSync(place))
  if (npm === undefined) throw new Error('npm was not found; run this as "npm test"')
  return [npm, 'run', '--silent', script]
}

function fromRoot(path) {
  return join(repositoryRoot, path)
}
