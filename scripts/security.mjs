/**
 * `npm run security`: every security requirement, the tests that cite it and how they went. Fails on a requirement that no
 * test cites and on one whose tests do not pass. `--list` tells which tests there are without running them; `--tasks` does all
 * of this for the rules of tasks.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { parseArgs } from 'node:util'
import { runNode } from './child.mjs'
import { collectCitations, readRequirements } from './generate/make-security.mjs'
import { collectTaskCitations, readTaskRequirements } from './generate/make-task-requirements.mjs'
import { isMain, repositoryRoot } from './report.mjs'

const BAD = new Set(['untested', 'failed', 'skipped'])

/**
 * @typedef {{ id: number | string, file: string, name: string, lab: boolean }} Citation
 * @typedef {{ file: string, name: string, status: string }} Result one test as it went
 * @typedef {{ id: number | string, text: string, verdict: string, files: string[], tests: Result[] }} Row
 */

/**
 * What is known of each requirement. Without results, whether it is cited.
 * @param {{ id: number | string, text: string }[]} requirements
 * @param {Citation[]} citations
 * @param {Result[]} [results]
 * @returns {Row[]}
 */
export function judge(requirements, citations, results) {
  return requirements.map(({ id, text }) => {
    const own = citations.filter((one) => one.id === id)
    const tests = results === undefined ? [] : [...new Set(own.flatMap((one) => resultsOf(one, results)))]
    const files = [...new Set(own.map(({ file }) => file))]
    return { id, text, files, tests, verdict: verdictOf(own, results === undefined ? undefined : tests) }
  })
}

function verdictOf(citations, tests) {
  if (citations.length === 0) return 'untested'
  if (tests === undefined) return 'cited'
  if (citations.every(({ lab }) => lab)) return 'lab'
  if (tests.some(({ status }) => status === 'failed')) return 'failed'
  return tests.some(({ status }) => status === 'passed') ? 'passed' : 'skipped'
}

/** Rules of tasks are cited by their ids as they are. */
function labelOf(id) {
  return typeof id === 'number' ? `sec-${id}` : id
}

/** The tests that a citation means: those of its number, else those of its name, else all of its file. */
function resultsOf({ id, file, name }, results) {
  const inFile = results.filter((one) => one.file === file)
  const numbered = inFile.filter((one) => new RegExp(`\\b${labelOf(id)}\\b`).test(one.name))
  if (numbered.length > 0) return numbered
  // Up to where a row of a table is filled in.
  const fixed = name.split(/[%$]/, 1)[0].trim()
  const named = fixed === '' ? [] : inFile.filter((one) => one.name.includes(fixed))
  return named.length > 0 ? named : inFile
}

/**
 * From the report that vitest writes. A file that could not be run counts as one test that failed.
 * @param {string} root
 * @param {{ testResults: { name: string, status: string, assertionResults: { fullName: string, status: string }[] }[] }} report
 * @returns {Result[]}
 */
export function readResults(root, report) {
  return report.testResults.flatMap(({ name, status, assertionResults }) => {
    const file = relative(root, name).split(sep).join('/')
    const tests = assertionResults.map((one) => ({ file, name: one.fullName, status: one.status }))
    return status === 'failed' && tests.every((one) => one.status !== 'failed')
      ? [...tests, { file, name: '', status: 'failed' }]
      : tests
  })
}

/**
 * @param {Row[]} rows
 * @returns {string[]}
 */
export function toLines(rows) {
  return rows.flatMap(({ id, text, verdict, files, tests }) => {
    const failed = tests.filter(({ status }) => status === 'failed')
    const said = `${tests.length === 0 ? '' : `${tests.length} tests, `}${files.join(' ')}`
    const line = labelOf(id).padEnd(8) + verdict.padEnd(9) + (files.length === 0 ? text : said)
    return [line, ...failed.map((one) => `        failed: ${one.file}: ${one.name}`)]
  })
}

async function runTests(root, files) {
  const folder = mkdtempSync(join(tmpdir(), 'portico-security-'))
  const outputFile = join(folder, 'report.json')
  try {
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
    await runNode([vitest, 'run', '--reporter=json', `--outputFile=${outputFile}`, ...files], { cwd: root })
    return readResults(root, JSON.parse(readFileSync(outputFile, 'utf8')))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function main() {
  const { values } = parseArgs({ options: { list: { type: 'boolean' }, tasks: { type: 'boolean' } } })
  const citations = (values.tasks ? collectTaskCitations : collectCitations)(repositoryRoot)
  const requirements = (values.tasks ? readTaskRequirements : readRequirements)(repositoryRoot)
  const known = new Set(requirements.map(({ id }) => id))
  const files = [...new Set(citations.filter(({ id, lab }) => known.has(id) && !lab).map(({ file }) => file))]
  const results = values.list ? undefined : await runTests(repositoryRoot, files)
  const rows = judge(requirements, citations, results)
  for (const line of toLines(rows)) console.log(line)
  const unknown = [...new Set(citations.map(({ id }) => id))].filter((id) => !known.has(id))
  if (unknown.length > 0) console.log(`cited, but no requirement: ${unknown.map(labelOf).join(' ')}`)
  const bad = rows.filter(({ verdict }) => BAD.has(verdict))
  console.log(`${rows.length} requirements, ${bad.length === 0 ? 'in order' : `${bad.length} to fix`}`)
  return bad.length === 0 ? 0 : 1
}

if (isMain(import.meta.url)) process.exitCode = await main()
