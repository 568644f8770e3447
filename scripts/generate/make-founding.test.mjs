import { expect, test } from 'vitest'
import { repositoryRoot } from '../report.mjs'
import { stalePages } from './make.mjs'
import { findProblems, makeFounding, readerOf, readStatements, toFoundingPage } from './make-founding.mjs'

test('the founding page is what the statements make it (if not: node scripts/generate/make-docs.mjs)', () => {
  expect(stalePages(makeFounding(repositoryRoot))).toEqual([])
})

test('every statement has a test that is there, or a reason', () => {
  expect(findProblems(readStatements(repositoryRoot), readerOf(repositoryRoot))).toEqual([])
})

const files = new Map([
  ['src', ''],
  ['a.test.ts', "test('does it', () => {})"],
])
const row = { document: 'draft', section: 'One', statement: 'a | b' }
test.each([
  [{ ...row }, 'it has no test and no reason'],
  [{ ...row, test: 'a.test.ts' }, 'it has a test, but not where it is built'],
  [{ ...row, built: 'gone', reason: 'later' }, 'gone is not there'],
  [{ ...row, built: 'src', test: 'gone.test.ts' }, 'gone.test.ts is not there'],
  [{ ...row, built: 'src', test: 'a.test.ts#does that' }, 'a.test.ts has no test "does that"'],
  [{ ...row, document: 'other', reason: 'later' }, '"other" is no document'],
])('%j is refused', (statement, problem) => {
  expect(findProblems([statement], (path) => files.get(path))).toEqual([
    `${statement.document}, One, "a | b": ${problem}`,
  ])
})

test('a row that is in order passes, and shows its test', () => {
  const statement = { ...row, built: 'src', test: 'a.test.ts#does it' }
  expect(findProblems([statement], (path) => files.get(path))).toEqual([])
  expect(toFoundingPage([statement])).toContain(
    '| One | a \\| b | [src](../../src) | [a.test.ts](../../a.test.ts): does it |',
  )
})
