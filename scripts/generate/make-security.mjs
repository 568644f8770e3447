/**
 * Writes `docs/reference/security.md`: each security requirement with the tests that cite it as `sec-34`, so that a gap shows.
 * `node scripts/generate/make-security.mjs`. The requirements are `security-requirements.json`; the test beside this file fails
 * while the page is out of date.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isTestFile, listCode } from '../tree.mjs'
import { writeIfMain } from './make.mjs'

const FOLDERS = ['packages', 'examples', 'scripts']
/** Suites of their own: a file there is no test of vitest, and has cases that cite requirements all the same. */
const LABS = ['tests']
const SECURITY = /\bsec-(\d+)\b/g
/** These speak of requirements without testing any. */
const SPEAKS = /^scripts\/(?:generate\/make-)?(?:security|task-requirements)\b/

/**
 * @param {string} root
 * @returns {Map<string, string>}
 */
export function makeSecurity(root) {
  const requirements = readRequirements(root)
  const citations = collectCitations(root)
  return new Map([['docs/reference/security.md', toSecurityPage(requirements, citations)]])
}

/**
 * @param {string} root
 * @returns {{ id: number, section: string, text: string, level: string, side: string }[]}
 */
export function readRequirements(root) {
  return JSON.parse(readFileSync(join(root, 'scripts', 'generate', 'security-requirements.json'), 'utf8'))
}

/**
 * Every citation in the repository; `lab` where it is no test of vitest.
 * @template {number | string} [Id=number]
 * @param {string} root
 * @param {RegExp} [pattern] how requirements are cited, with the id as its group
 * @param {(id: string) => Id} [toId]
 * @returns {{ id: Id, file: string, name: string, lab: boolean }[]}
 */
export function collectCitations(root, pattern = SECURITY, toId = /** @type {any} */ (Number)) {
  const tests = FOLDERS.flatMap((folder) => listCode(root, folder)).filter(isTestFile)
  const labs = LABS.flatMap((folder) => listCode(root, folder))
  return [...tests, ...labs]
    .filter((file) => !SPEAKS.test(file))
    .flatMap((file) => readCitations(file, readFileSync(join(root, file), 'utf8'), pattern))
    .map((one) => ({ ...one, id: toId(one.id), lab: labs.includes(one.file) }))
}

/**
 * Where a test cites requirements, and under which name.
 * @param {string} file
 * @param {string} source
 * @param {RegExp} [pattern]
 * @returns {{ id: string, file: string, name: string }[]}
 */
export function readCitations(file, source, pattern = SECURITY) {
  const found = new Map()
  let title = ''
  for (const line of source.split('\n')) {
    const started =
      /\b(?:test|it|describe)(?:\.\w+)?(?:\([^'"`]*\))?\(\s*(['"`])(.*?)\1\s*,/.exec(line) ??
      /\)\((['"`])(.*?)\1\s*,/.exec(line)
    if (started !== null) title = started[2] ?? ''
    for (const [cited, id] of line.matchAll(pattern)) {
      const quoted = [...line.matchAll(/(['"`])(.*?)\1/g)]
        .map((match) => match[2] ?? '')
        .find((text) => text.includes(cited))
      const name = quoted ?? title
      found.set(`${id} ${name}`, { id, file, name })
    }
  }
  return [...found.values()]
}

/**
 * @param {{ id: number, section: string, text: string, level: string, side: string }[]} requirements
 * @param {{ id: number, file: string, name: string }[]} citations
 */
export function toSecurityPage(requirements, citations) {
  const sections = [...new Set(requirements.map(({ section }) => section))].map((section) => {
    const rows = requirements
      .filter((one) => one.section === section)
      .map((one) =>
        toRow(
          one,
          citations.filter(({ id }) => id === one.id),
        ),
      )
    return `## ${section}\n\n| | requirement | level | side | tests |\n|---|---|---|---|---|\n${rows.join('\n')}`
  })
  const held = requirements.filter(({ id }) => citations.some((one) => one.id === id)).length
  return `# Security requirements and their tests

<!-- Made by scripts/generate/make-security.mjs from the tests, which cite requirements as sec-34. -->

What the specification and its best-practice page demand, with the tests that hold it: ${held} of ${requirements.length} are cited by a test.
Side: S server, C client, H host, AS authorization server, P proxy, B both. Level: M must, s should.

${sections.join('\n\n')}
`
}

function toRow({ id, text, level, side }, citations) {
  return `| sec-${id} | ${cell(text)} | ${cell(level)} | ${cell(side)} | ${toTests(citations, withoutNumbers)} |`
}

/**
 * The tests of a requirement, as a cell of a table.
 * @param {{ file: string, name: string }[]} citations
 * @param {(name: string) => string} bare the title without what the row says already
 */
export function toTests(citations, bare) {
  const tests = [...groupByFile(citations)].map(([file, own]) => {
    const names = [...new Set(own.map(({ name }) => name))].filter((name) => name !== '').map(bare)
    return `[${file}](../../${file})${names.length === 0 ? '' : `: ${names.join('; ')}`}`
  })
  return tests.length === 0 ? '–' : cell(tests.join('<br>'))
}

/** The row says which requirement it is. */
function withoutNumbers(name) {
  const bare = name.replace(/[,;:]?\s*\bsec-\d+/g, '').replace(/\(\s*[,;]?\s*/g, '(')
  return bare.replace(/\s*\(\)/g, '').trim()
}

function groupByFile(citations) {
  const groups = new Map()
  for (const one of citations) groups.set(one.file, [...(groups.get(one.file) ?? []), one])
  return groups
}

/** @param {string} text */
export function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}

writeIfMain(import.meta.url, makeSecurity)
