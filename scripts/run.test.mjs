import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { toolPath } from './child.mjs'
import { withTree } from './fixture.mjs'

const files = {
  'package.json': JSON.stringify({ type: 'module' }),
  'main.ts': `import { place } from '@fixture/lib/door'
const args: string[] = process.argv.slice(2)
process.stdin.on('data', (data: Buffer) => {
  console.log(JSON.stringify({ place, args, input: String(data) }))
  process.exit(7)
})`,
  'node_modules/@fixture/lib/package.json': JSON.stringify({
    type: 'module',
    exports: { './door': { 'portico-source': './door.ts', default: './missing.js' } },
  }),
  'node_modules/@fixture/lib/door.ts': "export const place: string = 'source'",
}

test('a file runs from source with its arguments, input and exit code, from any folder', () => {
  const ran = withTree(files, (root) => {
    const args = [toolPath('run.mjs'), 'main.ts', 'one', 'two words']
    return spawnSync(process.execPath, args, { cwd: root, input: 'hello', encoding: 'utf8' })
  })
  expect(ran.stderr).toBe('')
  expect(JSON.parse(ran.stdout)).toEqual({ place: 'source', args: ['one', 'two words'], input: 'hello' })
  expect(ran.status).toBe(7)
})

test.each([
  [['--help'], 0, /suites, in order/],
  [['--only', 'nothing'], 2, /no suite is named "nothing"/],
  [['--only', 'lint', '--skip', 'lint'], 2, /no suite is left to run/],
  [['--unknown'], 2, /--unknown/],
])('the test runner answers %s with exit code %s', (args, status, words) => {
  const ran = spawnSync(process.execPath, [toolPath('test.mjs'), ...args], { encoding: 'utf8' })
  expect(ran.status).toBe(status)
  expect(ran.stdout + ran.stderr).toMatch(words)
})
