/**
 * Writes `docs/reference/founding.md`: each statement of the documents that MCP was founded on, where it is built and
 * the test that shows it, or why not. `node scripts/generate/make-founding.mjs`. The statements are `founding-statements.json`;
 * `check-founding.mjs` holds them to the repository.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeIfMain } from './make.mjs'

/** By the short names that the statements use. */
const DOCUMENTS = new Map([
  ['draft', 'The early draft of the specification'],
  ['condensed', 'The condensed specification of 2024-11-05'],
  ['architecture', 'The description of the architecture'],
  ['reference', 'The protocol reference'],
  ['overview', 'The overview of the protocol and its versions'],
])

/**
 * @typedef {{ document: string, section: string, statement: string, built?: string, test?: string, reason?: string }} Statement
 */

/**
 * @param {string} root
 * @returns {Map<string, string>}
 */
export function makeFounding(root) {
  return new Map([['docs/reference/founding.md', toFoundingPage(readStatements(root))]])
}

/**
 * @param {string} root
 * @returns {Statement[]}
 */
export function readStatements(root) {
  return JSON.parse(readFileSync(join(root, 'scripts', 'generate', 'founding-statements.json'), 'utf8'))
}

/**
 * What is wrong with the statements: no test and no reason, or one that is not there.
 * @param {Statement[]} statements
 * @param {(path: string) => string | undefined} read the text of a file, empty for a folder
 * @returns {string[]}
 */
export function findProblems(statements, read) {
  return statements.flatMap(({ document, section, statement, built, test, reason }) => {
    const problems = []
    if (!DOCUMENTS.has(document)) problems.push(`"${document}" is no document`)
    if (test === undefined && reason === undefined) problems.push('it has no test and no reason')
    if (test !== undefined && built === undefined) problems.push('it has a test, but not where it is built')
    if (built !== undefined && read(built) === undefined) problems.push(`${built} is not there`)
    const [file, title] = split(test)
    const text = file === undefined ? '' : read(file)
    if (text === undefined) problems.push(`${file} is not there`)
    else if (title !== undefined && !text.includes(title)) problems.push(`${file} has no test "${title}"`)
    return problems.map((problem) => `${document}, ${section}, "${statement}": ${problem}`)
  })
}

/**
 * @param {string} root
 * @returns {(path: string) => string | undefined}
 */
export function readerOf(root) {
  return (path) => {
    const file = join(root, path)
    if (!existsSync(file)) return undefined
    return /\.[a-z]+$/.test(path) ? readFileSync(file, 'utf8') : ''
  }
}

/** @param {Statement[]} statements */
export function toFoundingPage(statements) {
  const parts = [...DOCUMENTS].map(([document, title]) => {
    const own = statements.filter((one) => one.document === document)
    return `## ${title}\n\n| section | statement | built in | shown by |\n|---|---|---|---|\n${own.map(toRow).join('\n')}`
  })
  const shown = statements.filter(({ test }) => test !== undefined).length
  return `# What the founding documents say

<!-- Made by scripts/generate/make-founding.mjs from scripts/generate/founding-statements.json. -->

Five documents stand at the beginning of MCP. This is what they say, in our words, with the test that shows it or the
reason why there is none: ${statements.length} rows, ${shown} of them shown by a test. A row may stand for several statements
of one document that say the same; what two documents say stands under both where it differs.

${parts.join('\n\n')}
`
}

/** @param {Statement} statement */
function toRow({ section, statement, built, test, reason }) {
  const [file, title] = split(test)
  const shown = file === undefined ? (reason ?? '–') : `${link(file)}${title === undefined ? '' : `: ${title}`}`
  return `| ${[section, statement, built === undefined ? '–' : link(built), shown].map(cell).join(' | ')} |`
}

/** @param {string | undefined} test a file, or a file, \`#\` and a part of a title */
function split(test) {
  if (test === undefined) return []
  const at = test.indexOf('#')
  return at < 0 ? [test] : [test.slice(0, at), test.slice(at + 1)]
}

function link(path) {
  return `[${path}](../../${path})`
}

function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}

writeIfMain(import.meta.url, makeFounding)
