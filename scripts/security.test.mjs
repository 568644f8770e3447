import { expect, test } from 'vitest'
import { runNode, toolPath } from './child.mjs'
import { collectCitations, readRequirements } from './generate/make-security.mjs'
import { repositoryRoot } from './report.mjs'
import { judge, readResults, toLines } from './security.mjs'

const requirement = (id) => ({ id, text: `Rule ${id}` })
const cite = (id, name, extra = {}) => ({ id, file: 'a.test.ts', name, lab: false, ...extra })
const result = (name, status, file = 'a.test.ts') => ({ file, name, status })

test.each([
  ['no test at all', [], [], 'untested'],
  ['a test that passed', [cite(1, 'does (sec-1)')], [result('does (sec-1)', 'passed')], 'passed'],
  ['a test that failed', [cite(1, 'does (sec-1)')], [result('does (sec-1)', 'failed')], 'failed'],
  ['one of two that failed', [cite(1, 'x')], [result('sec-1 a', 'passed'), result('sec-1 b', 'failed')], 'failed'],
  ['a failure of another number', [cite(1, 'x')], [result('sec-1 a', 'passed'), result('sec-11', 'failed')], 'passed'],
  ['a failure of another file', [cite(1, 'x')], [result('x', 'passed'), result('sec-1', 'failed', 'b')], 'passed'],
  ['tests that are left out', [cite(1, 'x')], [result('sec-1', 'pending')], 'skipped'],
  ['a file that did not run', [cite(1, 'x')], [], 'skipped'],
  ['a title with a row in it', [cite(1, 'is %s')], [result('is blue', 'failed'), result('other', 'passed')], 'failed'],
  ['a citation for the whole file', [cite(1, '')], [result('anything', 'failed')], 'failed'],
  ['a case of a lab', [cite(1, 'x', { lab: true })], [], 'lab'],
])('%s: %#', (_, citations, results, verdict) => {
  expect(judge([requirement(1)], citations, results).map((row) => row.verdict)).toEqual([verdict])
})

test('without results a citation is enough', () => {
  const rows = judge([requirement(1), requirement(2)], [cite(1, 'x')])
  expect(rows.map(({ verdict }) => verdict)).toEqual(['cited', 'untested'])
  expect(toLines(rows).join('\n')).toContain('Rule 2')
})

test('a file that could not be loaded is a failure', () => {
  const report = { testResults: [{ name: `${repositoryRoot}x.test.ts`, status: 'failed', assertionResults: [] }] }
  expect(readResults(repositoryRoot, report)).toEqual([{ file: 'x.test.ts', name: '', status: 'failed' }])
})

test('every requirement has a test', () => {
  const rows = judge(readRequirements(repositoryRoot), collectCitations(repositoryRoot))
  expect(rows.filter(({ verdict }) => verdict === 'untested').map(({ id }) => id)).toEqual([])
})

test('--list says so without running any', async () => {
  expect(await runNode([toolPath('security.mjs'), '--list'], { stdio: 'ignore' })).toBe(0)
})
