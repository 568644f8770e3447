import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { repositoryRoot } from './report.mjs'
import { skippedIn } from './skipped.mjs'

it('newcomer: what a suite did not try is told once more at the end', () => {
  const output =
    'ok      a\nskipped real: a shop: there is no Chromium (apt-get install chromium)\nskipped: b\nskipped: b\n'
  expect(skippedIn(output)).toEqual(['real: a shop: there is no Chromium (apt-get install chromium)', 'b'])
})

it('newcomer: no suite and no script runs a package manager of the system', () => {
  const folders = readdirSync(repositoryRoot, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !['node_modules', 'docs'].includes(entry.name) && !entry.name.startsWith('.'),
  )
  const runs = /(?:spawn|exec)\w*\(\s*['"`](?:sudo|apt|apt-get|brew|dnf|yum|apk|pacman|winget|choco)\b/
  const found = folders.flatMap(({ name }) =>
    sourcesIn(join(repositoryRoot, name)).filter((file) => runs.test(readFileSync(file, 'utf8'))),
  )
  expect(found).toEqual([])
})

function sourcesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : sourcesIn(path)
    return /\.[cm]?[jt]sx?$/.test(entry.name) ? [path] : []
  })
}
