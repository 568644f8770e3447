import { expect, test } from 'vitest'
import { findUntaken } from './exported.mjs'
import { withTree } from './fixture.mjs'

const files = {
  'packages/sdk/package.json': JSON.stringify({
    name: '@portico/sdk',
    exports: { './server': { 'portico-source': './src/doors/server.ts' } },
  }),
  'packages/sdk/src/doors/server.ts': "export { taken } from '../server/a.ts'",
  'packages/sdk/src/server/a.ts':
    "export const taken = 1\nexport interface Lonely {}\nexport { passed } from './b.ts'\nexport default 1",
  'packages/sdk/src/server/b.ts': 'export const passed = 1\nexport const lonely = 2',
  'packages/sdk/src/server/whole.ts': 'export const one = 1\nexport const two = 2',
  'packages/sdk/src/server/loaded.ts': 'export const one = 1',
  'tests/cli/a.ts':
    "import * as whole from '../../packages/sdk/src/server/whole.ts'\nawait import('../../packages/sdk/src/server/loaded.ts')",
}

test('house 9.1: a name that no other module imports is found, however it is exported; what a door or a test takes is not', () => {
  const found = withTree(files, findUntaken)
  expect(found.map(({ file, line, name }) => `${file}:${line} ${name}`)).toEqual([
    'packages/sdk/src/server/a.ts:2 Lonely',
    'packages/sdk/src/server/a.ts:3 passed',
    'packages/sdk/src/server/a.ts:4 default',
    'packages/sdk/src/server/b.ts:2 lonely',
  ])
})
