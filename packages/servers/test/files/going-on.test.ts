/** What a model is told where an answer is not all there is: never that it is, and how to have the rest. */

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestClient } from '@portico/sdk/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { base, begin, call, cleanUp, done, inside, outside, prepare } from './fixture.ts'

beforeEach(prepare)
afterEach(cleanUp)

async function words(client: TestClient, name: string, args: object): Promise<string[]> {
  return (await call(client, name, args)).content.map((block) => (block.type === 'text' ? block.text : ''))
}

interface Page {
  readonly matches: readonly { readonly path: string }[]
  readonly complete: boolean
  readonly nextCursor?: string
}

async function allPages(client: TestClient, name: string, args: object): Promise<string[]> {
  const paths: string[] = []
  let cursor: string | undefined
  do {
    const page: Page = await done(client, name, { ...args, ...(cursor !== undefined && { cursor }) })
    expect(page.complete, JSON.stringify(page)).toBe(page.nextCursor === undefined)
    paths.push(...page.matches.map(({ path }) => path.slice(base.length + 1)))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return paths
}

describe('a search', () => {
  it.each([true, false])('is not complete while there is a next page (ripgrep: %j)', async (ripgrep) => {
    const client = await begin({ maxResults: 1, ripgrep })
    expect(await allPages(client, 'search_text', { pattern: 'needle' })).toHaveLength(2)
    expect(await allPages(client, 'search_files', { pattern: '*.{md,ts}' })).toHaveLength(2)
  })

  it('that limits ended early says which, and what to do', async () => {
    const client = await begin({ maxDepth: 1 })
    const found = await done<{ notice: string }>(client, 'search_files', { pattern: '*.ts' })
    expect(found).toMatchObject({ complete: false, notice: expect.stringContaining('maxDepth') })
  })

  it.each([true, false])('looks into all directories, in pages of any size (ripgrep: %j)', async (ripgrep) => {
    await writeFile(join(outside, 'needle.md'), 'needle\nneedle\n')
    const nested = join(inside, 'sub')
    for (const maxResults of [1, 2, 3, 10]) {
      const client = await begin({ directories: [inside, outside, nested], maxResults, ripgrep })
      expect(await allPages(client, 'search_text', { pattern: 'needle' })).toEqual([
        ...['inside/sub/deep/x.ts', 'inside/sub/note.md', 'outside/needle.md', 'outside/needle.md'],
      ])
      expect(await allPages(client, 'search_files', { pattern: '*.md' })).toEqual([
        ...['inside/sub/note.md', 'outside/needle.md'],
      ])
    }
  })
})

describe('a listing', () => {
  it('without a path names the directories where there are several', async () => {
    const client = await begin({ directories: [inside, outside] })
    const entries = [inside, outside].map((name) => ({ name, kind: 'directory' }))
    expect(await done(client, 'list_directory', {})).toEqual({ entries, total: 2 })
  })

  it('names what the client’s roots leave of the directories', async () => {
    const options = { directories: [inside, outside] }
    const roots = (...paths: string[]) => ({ roots: paths.map((path) => ({ uri: `file://${path}` })) })
    const one = await begin(options, { answers: roots(join(inside, 'sub')) })
    expect(await done(one, 'list_directory', {})).toMatchObject({ path: join(inside, 'sub') })
    const two = await begin(options, { answers: roots(join(inside, 'sub'), outside) })
    const { entries } = await done<{ entries: { name: string }[] }>(two, 'list_directory', {})
    expect(entries.map(({ name }) => name)).toEqual([join(inside, 'sub'), outside])
  })
})

describe('a line that is longer than one read', () => {
  it('is read on by its bytes, and no line after the last is proposed', async () => {
    const line = `a${'ä'.repeat(20)}`
    await writeFile(join(inside, 'long.txt'), line)
    const client = await begin({ maxReadBytes: 10, structured: false })
    const [text, note] = await words(client, 'read_file', { path: 'long.txt' })
    expect(note).toBe(
      'Line 1 is longer than the option "maxReadBytes" (10) allows: this is its beginning. The line after it, if any, is firstLine 2. There is more: go on with offset 9.',
    )
    let read = text
    for (let offset = 9; offset < 60; ) {
      const [part, rest] = await words(client, 'read_file', { path: 'long.txt', offset })
      read += part ?? ''
      offset = Number(/offset (\d+)/.exec(rest ?? '')?.[1] ?? 60)
    }
    expect(read).toBe(line)
    expect(await words(client, 'read_file', { path: 'long.txt', firstLine: 2 })).toEqual([
      ...['', 'There is no line 2: the file has 1 line.'],
    ])
  })

  it('keeps the number of its line where another begins after it', async () => {
    await writeFile(join(inside, 'two.txt'), `one\n${'b'.repeat(30)}\nthree\n`)
    const client = await begin({ maxReadBytes: 10, structured: false })
    expect(await words(client, 'read_file', { path: 'two.txt', firstLine: 2 })).toEqual([
      'b'.repeat(10),
      'Line 2 is longer than the option "maxReadBytes" (10) allows: this is its beginning. The line after it, if any, is firstLine 3. There is more: go on with offset 14.',
    ])
    expect(await words(client, 'read_file', { path: 'two.txt', firstLine: 3 })).toEqual([
      'three\n',
      'Lines 3 to 3 of 3.',
    ])
  })
})

describe('a tree', () => {
  it('marks the folders that it did not open, and says how to', async () => {
    await mkdir(join(inside, 'empty'))
    const client = await begin()
    const shown = await done<{ tree: string; notice: string }>(client, 'directory_tree', { depth: 1 })
    expect(shown.tree).toBe('empty/ …\nhello.txt\nsub/ …')
    expect(shown.notice).toBe('Directories with … were not opened: give a greater depth, or one of them as path.')
    const all = await done<{ tree: string }>(client, 'directory_tree', { depth: 4 })
    expect(all).toMatchObject({ complete: true, tree: 'empty/\nhello.txt\nsub/\n  deep/\n    x.ts\n  note.md' })
    expect(all).not.toHaveProperty('notice')
  })

  it('says where it stopped', async () => {
    const client = await begin({ maxEntries: 2 })
    const shown = await done<{ tree: string; notice: string }>(client, 'directory_tree', { depth: 4 })
    expect(shown.tree).toBe('hello.txt\nsub/ …')
    expect(shown.notice).toContain(`It stopped after 2 entries, in ${join(inside, 'sub')}: look at the rest by path`)
  })

  it('is drawn of every directory where there are several', async () => {
    const client = await begin({ directories: [inside, outside] })
    expect(await done(client, 'directory_tree', { depth: 1 })).toMatchObject({
      tree: `${inside}/\n  hello.txt\n  sub/ …\n${outside}/\n  secret.txt`,
    })
  })
})

it('several files come as plain text under their paths, with what is missing', async () => {
  await writeFile(join(inside, 'long.txt'), 'one\ntwo\nthree\nfour')
  const client = await begin({ maxReadBytes: 15, structured: false })
  expect(await words(client, 'read_many', { paths: ['hello.txt', 'gone.txt', 'long.txt'] })).toEqual([
    ...[`${join(inside, 'hello.txt')}:\none\ntwo\nthree\n`],
    'Not read (path, reason):\n' +
      'gone.txt\tThere is no gone.txt. list_directory and search_files show what there is\n' +
      'long.txt\tThe files before it used up the option "maxReadBytes": read it by itself',
  ])
  const [part] = await words(client, 'read_many', { paths: ['long.txt'] })
  expect(part).toBe(
    `${join(inside, 'long.txt')} (Lines 1 to 3. There is more: go on with firstLine 4.):\none\ntwo\nthree\n`,
  )
})
