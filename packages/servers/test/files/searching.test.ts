import { spawnSync } from 'node:child_process'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { begin, cleanUp, done, inside, outside, prepare, refusal } from './fixture.ts'

beforeEach(prepare)
afterEach(cleanUp)

const ENGINES = spawnSync('rg', ['--version']).status === 0 ? [true, false] : [false]

describe.each(ENGINES)('searching (ripgrep: %j)', (ripgrep) => {
  it('finds text, by pages, around what is ignored and denied', async () => {
    await writeFile(join(inside, '.gitignore'), 'build/\n*.log\n!keep.log\n')
    await writeFile(join(inside, '.env'), 'needle=secret\n')
    await mkdir(join(inside, 'build'))
    for (const name of ['build/a.txt', 'x.log', 'keep.log']) await writeFile(join(inside, name), 'needle\n')
    await symlink(outside, join(inside, 'way-out'))
    await writeFile(join(outside, 'also.txt'), 'needle\n')
    const client = await begin({ ripgrep, maxResults: 2 })
    type Found = { engine: string; matches: { path: string; line: number }[]; nextCursor?: string }
    const first = await done<Found>(client, 'search_text', { pattern: 'needle' })
    expect(first.engine).toBe(ripgrep ? 'ripgrep' : 'plain')
    const second = await done<Found>(client, 'search_text', { pattern: 'needle', cursor: first.nextCursor })
    const paths = [...first.matches, ...second.matches].map(
      ({ path, line }) => `${path.slice(inside.length + 1)}:${line}`,
    )
    expect(paths).toEqual(['keep.log:1', 'sub/deep/x.ts:1', 'sub/note.md:2'])
    const all = await begin({ ripgrep, ignore: false })
    expect((await done<Found>(all, 'search_text', { pattern: 'NEEDLE', ignoreCase: true })).matches).toHaveLength(5)
    const typed = await done<Found>(client, 'search_text', { pattern: 'needle', glob: '*.ts', path: 'sub' })
    expect(typed.matches).toHaveLength(1)
  })

  it('never takes a pattern for an option, nor a wildcard for an expression', async () => {
    await writeFile(join(inside, 'options.txt'), '--files a.*b\n--pre=touch\n')
    const client = await begin({ ripgrep })
    for (const pattern of ['--files', '--pre=touch', 'a.*b', '-e', '(', '--']) {
      const found = await done<{ matches: unknown[] }>(client, 'search_text', { pattern })
      expect(found.matches.length, pattern).toBe({ '-e': 0, '(': 0, '--': 2 }[pattern] ?? 1)
    }
  })

  it('says which files it did not look through', async () => {
    const plain = await begin({ ripgrep })
    await writeFile(join(inside, 'picture.bin'), Buffer.from([0, 0xe9, 10]))
    expect(await done(plain, 'search_text', { pattern: 'haystack' })).toMatchObject({ complete: true })
    await writeFile(join(inside, 'latin1.txt'), Buffer.from('haystack caf\xe9\n', 'latin1'))
    const found = await done(plain, 'search_text', { pattern: 'haystack' })
    expect(found).toMatchObject({ matches: [], complete: false, passedBy: 'Files: 1 not in UTF-8' })
    await rm(join(inside, 'latin1.txt'))
    await writeFile(join(inside, 'large.txt'), `haystack ${'x'.repeat(2_000)}\n`)
    const small = await begin({ ripgrep, maxWriteBytes: 1_000 })
    const partly = await done(small, 'search_text', { pattern: 'haystack' })
    // Ripgrep looks through larger files, and is not held to what may be written.
    if (ripgrep) expect(partly).toMatchObject({ matches: [{ line: 1 }], complete: true })
    else expect(partly).toMatchObject({ complete: false, passedBy: 'Files: 1 larger than 1000 bytes' })
  })

  it('takes expressions only where they take linear time', async () => {
    await writeFile(join(inside, 'aaa.txt'), `${'a'.repeat(5000)}\n`)
    const client = await begin({ ripgrep })
    const evil = { pattern: '(a+)+$|(a*)*b', regex: true }
    if (ripgrep) expect(await done(client, 'search_text', evil)).toMatchObject({ complete: true })
    else expect(await refusal(client, 'search_text', evil)).toContain('ripgrep')
    if (ripgrep) expect(await refusal(client, 'search_text', { pattern: '(', regex: true })).toContain('failed')
  })
})

it('finds files by name, within limits that it names', async () => {
  const client = await begin({ maxDepth: 1 })
  expect(await done(client, 'search_files', { pattern: '*.ts' })).toMatchObject({ matches: [], complete: false })
  const deep = await begin()
  const found = await done<{ matches: { path: string }[] }>(deep, 'search_files', { pattern: 'sub/**/*.{ts,md}' })
  expect(found.matches.map(({ path }) => path.slice(inside.length + 1))).toEqual(['sub/deep/x.ts', 'sub/note.md'])
})

it('an ignore file cannot freeze the search', async () => {
  await writeFile(join(inside, '.gitignore'), `${'*a'.repeat(12)}b\n`)
  await writeFile(join(inside, 'a'.repeat(200)), '')
  const began = performance.now()
  await done(await begin(), 'search_files', { pattern: 'zzz' })
  expect(performance.now() - began).toBeLessThan(5000)
})
