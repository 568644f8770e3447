import { expect, test } from 'vitest'
import { repositoryRoot } from '../report.mjs'
import { stalePages } from './make.mjs'
import {
  collectTaskCitations,
  makeTaskRequirements,
  readTaskRequirements,
  toTasksPage,
} from './make-task-requirements.mjs'

test('the page of task rules is what the tests make it (if not: node scripts/generate/make-docs.mjs)', () => {
  expect(stalePages(makeTaskRequirements(repositoryRoot))).toEqual([])
})

test('every rule of tasks has a test, and every test cites a rule that there is', () => {
  const ids = readTaskRequirements(repositoryRoot).map(({ id }) => id)
  const cited = new Set(collectTaskCitations(repositoryRoot).map(({ id }) => id))
  expect(ids.filter((id) => !cited.has(id))).toEqual([])
  expect([...cited].filter((id) => !ids.includes(id))).toEqual([])
  const count = (kind) => ids.filter((id) => id.startsWith(kind)).length
  expect(['T25-', 'T26-', 'TM-', 'TT-'].map(count)).toEqual([43, 36, 6, 9])
})

test('a rule without a test shows as a gap', () => {
  const rules = ['T25-01', 'T25-02'].map((id) => ({ id, section: 'One', text: `Rule a | b ${id}`, level: 'MUST' }))
  const page = toTasksPage(rules, [{ id: 'T25-02', file: 'x.test.ts', name: 'T25-02 sec-3: does' }])
  expect(page).toContain('1 of 2 rules are cited')
  expect(page).toContain('| T25-01 | Rule a \\| b T25-01 | MUST | – |')
  expect(page).toContain('| T25-02 | Rule a \\| b T25-02 | MUST | [x.test.ts](../../x.test.ts): does |')
})
