/** The pages that are read, in the order in which a newcomer would. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Page, readPage } from './blocks.ts'
import { ROOT } from './packages.ts'

const FIRST = ['README.md', 'docs/guide/tutorial.md', 'docs/guide/getting-started.md', 'docs/guide/workbench.md']

export function readPages(): Page[] {
  const packages = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}/README.md`)
  const all = [...FIRST, ...markdownIn('docs'), ...markdownIn('docs/guide'), ...packages.filter(isFile)]
  return [...new Set(all)].map((name) => readPage(name, readFileSync(join(ROOT, name), 'utf8')))
}

function markdownIn(folder: string): string[] {
  const names = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith('.md'))
  return names.sort().map((name) => `${folder}/${name}`)
}

function isFile(name: string): boolean {
  const [, , file = ''] = name.split('/')
  return readdirSync(join(ROOT, name, '..')).includes(file)
}
