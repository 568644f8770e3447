import { describe, expect, test } from 'vitest'
import { withTree } from '../fixture.mjs'
import { checkLicenses, isAllowed } from './check-licenses.mjs'

const allowed = new Set(['MIT', 'ISC'])

test.each([
  ['MIT', true],
  ['GPL-3.0', false],
  ['GPL-3.0 OR MIT', true],
  ['(MIT OR GPL-3.0)', true],
  ['MIT AND ISC', true],
  ['MIT AND GPL-3.0', false],
  ['MIT OR GPL-3.0 AND AGPL-3.0', true],
  ['(MIT OR GPL-3.0) AND AGPL-3.0', false],
  ['(GPL-3.0 OR (ISC AND MIT))', true],
  ['(MIT', false],
  ['MIT WITH some-exception', false],
  ['SEE LICENSE IN LICENSE.md', false],
  ['', false],
  [undefined, false],
])('the expression %s is allowed: %s', (expression, verdict) => {
  expect(isAllowed(expression, allowed)).toBe(verdict)
})

describe('the lockfile and what is installed', () => {
  const check = (packages, manifests = {}) => {
    const files = { 'package-lock.json': JSON.stringify({ packages }, null, 2) }
    for (const [path, manifest] of Object.entries(manifests)) files[`${path}/package.json`] = JSON.stringify(manifest)
    return withTree(files, checkLicenses)
  }
  const a = 'node_modules/a'

  test.each([
    ['the root, workspaces and links are not judged', { '': {}, 'packages/sdk': {}, [a]: { link: true } }, {}],
    ['a package that is not installed counts by the lockfile', { [a]: { license: 'MIT' } }, {}],
    ['the old object form', { [a]: {} }, { [a]: { license: { type: 'MIT' } } }],
    ['the old list form', { [a]: {} }, { [a]: { licenses: [{ type: 'GPL-3.0' }, { type: 'MIT' }] } }],
    ['MPL-2.0 for development', { [a]: { dev: true } }, { [a]: { license: 'MPL-2.0' } }],
  ])('in order: %s', (_, packages, manifests) => {
    expect(check(packages, manifests)).toEqual([])
  })

  test.each([
    [
      'MPL-2.0 in what users install',
      { [a]: { version: '1.0.0' } },
      { [a]: { license: 'MPL-2.0' } },
      `${a} 1.0.0: MPL-2.0`,
    ],
    ['no licence', { [a]: { version: '1.0.0' } }, { [a]: {} }, `${a} 1.0.0: no licence given`],
    [
      'an installed licence that the lockfile hides, in a nested package',
      { 'packages/x/node_modules/b': { version: '1.0.0', dev: true, license: 'MIT' } },
      { 'packages/x/node_modules/b': { license: 'GPL-3.0' } },
      'packages/x/node_modules/b 1.0.0: GPL-3.0 (development)',
    ],
    [
      'a download address',
      { [a]: { resolved: 'https://example.com/a.tgz', license: 'MIT' } },
      {},
      'package-lock.json:4 names a download address',
    ],
  ])('refused: %s', (_, packages, manifests, problem) => {
    expect(check(packages, manifests)).toEqual([problem])
  })

  test.each([
    [
      'a second lockfile below tests',
      'tests/auth',
      {},
      'tests/auth/package-lock.json: the suites share tests/package-lock.json',
    ],
    [
      'a download address in the lockfile of the suites',
      'tests',
      { resolved: 'https://example.com/a.tgz' },
      'tests/package-lock.json:4 names a download address',
    ],
    [
      'a download address in the lockfile of the benchmarks',
      'bench',
      { resolved: 'https://example.com/a.tgz' },
      'bench/package-lock.json:4 names a download address',
    ],
  ])('house 5: %s', (_, folder, entry, problem) => {
    const files = {
      'package-lock.json': '{}',
      [`${folder}/package-lock.json`]: JSON.stringify({ packages: { [a]: entry } }, null, 2),
    }
    expect(withTree(files, checkLicenses)).toEqual([problem])
  })
})
