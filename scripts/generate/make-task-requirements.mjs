/**
 * Writes `docs/reference/task-requirements.md`: each rule of both generations of tasks, of what a handler becomes on each, and of
 * what trips implementations, with the tests that cite it (`T25-24`, `T26-12`, `TM-01`, `TT-01`), so that a gap shows.
 * `node scripts/generate/make-task-requirements.mjs`. The rules are `task-requirements.json`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeIfMain } from './make.mjs'
import { cell, collectCitations, toTests } from './make-security.mjs'

const CITED = /\b(T(?:25|26|M|T)-\d\d)\b/g

/**
 * @param {string} root
 * @returns {Map<string, string>}
 */
export function makeTaskRequirements(root) {
  const page = toTasksPage(readTaskRequirements(root), collectTaskCitations(root))
  return new Map([['docs/reference/task-requirements.md', page]])
}

/**
 * @param {string} root
 * @returns {{ id: string, section: string, text: string, level: string }[]}
 */
export function readTaskRequirements(root) {
  return JSON.parse(readFileSync(join(root, 'scripts', 'generate', 'task-requirements.json'), 'utf8'))
}

/** @param {string} root */
export function collectTaskCitations(root) {
  return collectCitations(root, CITED, String)
}

/**
 * @param {{ id: string, section: string, text: string, level: string }[]} requirements
 * @param {{ id: string, file: string, name: string }[]} citations
 */
export function toTasksPage(requirements, citations) {
  const sections = [...new Set(requirements.map(({ section }) => section))].map((section) => {
    const rows = requirements
      .filter((one) => one.section === section)
      .map(({ id, text, level }) => {
        const own = citations.filter((one) => one.id === id)
        return `| ${id} | ${cell(text)} | ${cell(level)} | ${toTests(own, withoutIds)} |`
      })
    return `## ${section}\n\n| | rule | level | tests |\n|---|---|---|---|\n${rows.join('\n')}`
  })
  const held = requirements.filter(({ id }) => citations.some((one) => one.id === id)).length
  return `# Rules of tasks and their tests

<!-- Made by scripts/generate/make-task-requirements.mjs from the tests, which cite rules as T25-24. -->

What the two generations of tasks demand, in our own words: ${held} of ${requirements.length} rules are cited by a test.
\`npm run security -- --tasks\` runs these tests. How to use tasks: [long-running tools](../guide/long-running-tools.md).

${sections.join('\n\n')}
`
}

/** A title without the rules that it cites. */
function withoutIds(name) {
  return name.replace(/\b(?:T(?:25|26|M|T)-\d\d|sec-\d+)\b,?\s*/g, '').replace(/^:\s*/, '')
}

writeIfMain(import.meta.url, makeTaskRequirements)
