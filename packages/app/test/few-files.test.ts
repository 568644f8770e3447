/** The command where the system lets it open too few files to load itself. */

import { spawnSync } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-few-'))
  await mkdir(join(folder, 'dist', 'cli'), { recursive: true })
  await copyFile(fileURLToPath(new URL('../bin.mjs', import.meta.url)), join(folder, 'bin.mjs'))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function run(main: string) {
  await writeFile(join(folder, 'dist', 'cli', 'main.js'), main)
  return spawnSync(process.execPath, [join(folder, 'bin.mjs')], { encoding: 'utf8' })
}

test.each([
  ['at once', `throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE', syscall: 'open' })`],
  ['below another', `throw new Error('x', { cause: Object.assign(new Error('y'), { code: 'EMFILE' }) })`],
])('says in plain words that too few files may be open: %s', async (_where, main) => {
  const { status, stderr } = await run(main)
  expect([status, stderr.trim().split('\n').length]).toEqual([1, 1])
  expect(stderr).toContain('ulimit -n 1024')
})

test('leaves every other failure as it is', async () => {
  const { status, stderr } = await run(`throw new Error('something else')`)
  expect([status, stderr.includes('something else'), stderr.includes('ulimit')]).toEqual([1, true, false])
})
