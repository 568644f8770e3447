import { describe, expect, test } from 'vitest'
import { withTree } from '../fixture.mjs'
import { checkDoors } from './check-doors.mjs'

const target = (name) => ({
  'portico-source': `./src/doors/${name}.ts`,
  types: `./dist/doors/${name}.d.ts`,
  default: `./dist/doors/${name}.js`,
})
const good =
  "/** Places the door. */\nexport { a, b as c } from '../server/a.ts'\nexport type { T } from '../server/t.ts';\n"
const check = (exports, files) => {
  return withTree({ 'packages/sdk/package.json': JSON.stringify({ exports }), ...files }, checkDoors)
}
const source = (name) => `packages/sdk/src/doors/${name}.ts`

test('map and files that agree are in order', () => {
  const exports = { './server': target('server'), './deep/one': target('deep/one'), './package.json': './package.json' }
  const files = { [source('server')]: good, [source('deep/one')]: good, [source('server.test')]: 'test()' }
  expect(check(exports, files)).toEqual([])
})

describe('map and files that differ', () => {
  test.each([
    ['an entry without its file', { './server': target('server') }, {}, 'has no ./src/doors/server.ts'],
    ['a file without its entry', {}, { [source('server')]: good }, 'has no entry'],
    [
      'an entry outside of doors',
      { './x': { ...target('x'), 'portico-source': './src/x.ts' } },
      {},
      'no portico-source',
    ],
    ['an entry given as a path', { './x': './dist/x.js' }, {}, 'no portico-source'],
    [
      'a compiled file of another name',
      { './server': { ...target('server'), default: './dist/server.js' } },
      { [source('server')]: good },
      'lacks "default"',
    ],
    [
      'conditions out of order',
      { './server': Object.fromEntries(Object.entries(target('server')).reverse()) },
      { [source('server')]: good },
      'must begin with',
    ],
  ])('%s', (_, exports, files, message) => {
    const problems = check(exports, files)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(message)
  })
})

describe('a door holds named re-exports alone', () => {
  test.each([
    ["export * from '../server/a.ts'"],
    ["export * as a from '../server/a.ts'"],
    ["export type * from '../server/a.ts'"],
    ["import { a } from '../server/a.ts'"],
    ['export { a }'],
    ['export const a = 1'],
    ["export type T = 'a'"],
    ['console.log(1)'],
  ])('%s', (statement) => {
    const files = { [source('server')]: `${good}${statement}\n` }
    expect(check({ './server': target('server') }, files)).toEqual([
      `${source('server')}:4 is not a named re-export (export { … } from '…')`,
    ])
  })
})
