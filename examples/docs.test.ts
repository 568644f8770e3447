/**
 * Holds the README, the guide and the decisions to the code: blocks marked as a file are that file, every other
 * TypeScript block compiles, what it needs beside it is named, and every relative link leads somewhere.
 */

import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const references = ['docs/reference', 'docs/reference/host', 'docs/reference/servers']
const pages = ['README.md', 'docs/README.md', ...['docs/guide', 'docs/decisions', ...references].flatMap(markdownIn)]

interface Block {
  readonly page: string
  readonly line: number
  /** The file that the block claims to be. */
  readonly file: string | undefined
  readonly code: string
}

const blocks = pages.flatMap(blocksOf)
const shown = blocks.filter((block) => block.file !== undefined)
const loose = blocks.filter((block) => block.file === undefined)

test.each(shown)('$page:$line is $file', ({ file = '', code }) => {
  expect(code).toBe(readFileSync(join(root, file), 'utf8'))
})

test.each([...pages, 'examples/README.md'])('%s gives commands that its reader has (newcomer 15)', (page) => {
  const paragraphs = readFileSync(join(root, page), 'utf8').split(/\n\s*\n/)
  const ours = paragraphs.filter((text) => text.includes('scripts/run.mjs'))
  // Scripts of this repository are in no package.
  for (const text of ours) expect(text).toMatch(/checkout/)
})

test('every other TypeScript block compiles', async () => {
  expect(loose.length).toBeGreaterThan(10)
  const cache = join(root, 'examples', '.cache')
  mkdirSync(cache, { recursive: true })
  // Inside the repository, so that packages are found as the examples find them.
  const folder = mkdtempSync(join(cache, 'docs-'))
  try {
    for (const [index, { code }] of loose.entries()) writeFileSync(join(folder, `${index}.ts`), `${code}\nexport {}\n`)
    writeFileSync(join(folder, 'globals.d.ts'), GLOBALS)
    for (const name of ['server.ts', 'notes.ts']) writeFileSync(join(folder, name), SERVER)
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(CONFIG))
    const problems = await compile(folder)
    // A snippet's errors are reported where it stands; errors of the packages are their own checks' business.
    const found = problems.flatMap((line) => {
      const [, index, row, rest] = /(\d+)\.ts\((\d+),\d+\): (.*)/.exec(line) ?? []
      const block = loose[Number(index)]
      return block !== undefined && line.includes('docs-') ? [`${block.page}:${block.line + Number(row)} ${rest}`] : []
    })
    expect(found).toEqual([])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test.each(pages)('every relative link of %s leads somewhere', (page) => {
  const text = readFileSync(join(root, page), 'utf8')
  const targets = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, target = '']) => target)
  const broken = targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => !existsSync(resolve(root, dirname(page), target)))
  expect(broken).toEqual([])
})

test.each(pages.filter((page) => page.startsWith('docs/guide/')))('%s needs no file of the repository', (page) => {
  // Who has the packages has no folder `examples`.
  expect(readFileSync(join(root, page), 'utf8').match(/\]\(\.\.\/\.\.\/[^)]*\)/g)).toBeNull()
})

test('a block names the files that it needs beside it', () => {
  const unsaid = blocks.flatMap(({ page, line, file = '', code }) => {
    const prose = readFileSync(join(root, page), 'utf8').replace(/^```[\s\S]*?^```$/gm, '')
    return [...code.matchAll(/(?:from '\.\/|new URL\(')([\w-]+\.ts)'/g)]
      .filter(
        ([, name = '']) => !file.endsWith(`/${name}`) && !prose.includes(`\`${name}\``) && !prose.includes(`[${name}]`),
      )
      .map(([, name]) => `${page}:${line} ${name}`)
  })
  expect(unsaid).toEqual([])
})

/** What snippets may use without declaring it. */
const GLOBALS = `declare const server: import('@portico/sdk/server').Server
`

/** In place of the files that a page shows and its other blocks import. */
const SERVER = `import { createServer } from '@portico/sdk/server'
export const server = createServer({ name: 'clock', version: '1.0.0' })
export default server
`

const CONFIG = {
  extends: '../../tsconfig.json',
  compilerOptions: { rootDir: '../../..', incremental: false, tsBuildInfoFile: null },
  include: ['*.ts'],
}

async function compile(folder: string): Promise<string[]> {
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json')
  const tsc = join(dirname(manifest), 'bin', 'tsc')
  const run = promisify(execFile)(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { cwd: root })
  const { stdout } = await run.catch((error: { stdout: string; stderr: string }) => error)
  return stdout.split('\n')
}

function markdownIn(folder: string): string[] {
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.md'))
  return names.sort().map((name) => `${folder}/${name}`)
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8')
  const fence = /(?:<!-- file: (\S+) -->\n+)?```ts\n([\s\S]*?)```/g
  return [...text.matchAll(fence)].map((match) => {
    const [whole, file, code = ''] = match
    const before = text.slice(0, match.index + whole.indexOf('```ts'))
    return { page, line: before.split('\n').length, file, code }
  })
}
