import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { whyBuild } from './start.mjs'

let folder
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Files by path, with the second they were changed in. */
function makePage(files) {
  folder = mkdtempSync(join(tmpdir(), 'portico-page-'))
  const page = join(folder, 'ui')
  for (const [path, second] of Object.entries(files)) {
    const file = join(page, path)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, '')
    utimesSync(file, second, second)
  }
  return page
}

it.each([
  ['is missing', { 'src/main.tsx': 1 }, /not built/],
  ['is older than its source', { 'dist/index.html': 5, 'src/app/shell.tsx': 6 }, /changed/],
  ['is older than how it is built', { 'dist/index.html': 5, 'vite.config.ts': 6 }, /changed/],
  ['is older than what it takes', { 'dist/index.html': 5, '../sdk/src/text/a.ts': 6 }, /changed/],
  ['is newer than everything', { 'dist/index.html': 5, 'src/main.tsx': 4, 'index.html': 4 }, undefined],
  ['is only older than a test', { 'dist/index.html': 5, 'src/a.test.ts': 6, 'src/main.tsx': 4 }, undefined],
])('the page that %s', (_name, files, why) => {
  const found = whyBuild(makePage(files))
  if (why === undefined) expect(found).toBeUndefined()
  else expect(found).toMatch(why)
})
