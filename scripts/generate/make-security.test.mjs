import { expect, test } from 'vitest'
import { repositoryRoot } from '../report.mjs'
import { stalePages } from './make.mjs'
import { makeSecurity, readCitations, toSecurityPage } from './make-security.mjs'

test('the security page is what the tests make it (if not: node scripts/generate/make-docs.mjs)', () => {
  expect(stalePages(makeSecurity(repositoryRoot))).toEqual([])
})

test.each([
  ["test('refuses it (sec-7)', () => {})", [[7, 'refuses it (sec-7)']]],
  [
    "test.each(rows)('case %s (sec-7, sec-8)', () => {})",
    [
      [7, 'case %s (sec-7, sec-8)'],
      [8, 'case %s (sec-7, sec-8)'],
    ],
  ],
  ["describe('all', () => {\n  // sec-9\n", [[9, 'all']]],
  ['/** Of sec-3. */\n', [[3, '']]],
  ["  ['a row, sec-4', 1],", [[4, 'a row, sec-4']]],
  ['no citation: section-4, sec-x', []],
])('%j is read', (source, expected) => {
  expect(readCitations('a.test.ts', source).map(({ id, name }) => [Number(id), name])).toEqual(expected)
})

test('a requirement without a test shows as a gap', () => {
  const requirements = [1, 2].map((id) => ({ id, section: 'One', text: `Rule a | b ${id}`, level: 'M', side: 'S' }))
  const page = toSecurityPage(requirements, [{ id: 2, file: 'x.test.ts', name: 'does (sec-2)' }])
  expect(page).toContain('1 of 2 are cited')
  expect(page).toContain('| sec-1 | Rule a \\| b 1 | M | S | – |')
  expect(page).toContain('| sec-2 | Rule a \\| b 2 | M | S | [x.test.ts](../../x.test.ts): does |')
})
