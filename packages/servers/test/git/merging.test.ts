/** A merge that stops at conflicts: shown, previewed, resolved, finished or given up (founding 8). */

import { existsSync } from 'node:fs'
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { call, done, ERAS, git, makeRepository, Opened, refusal } from './fixture.ts'

let opened: Opened
let repo: string

beforeEach(async () => {
  opened = new Opened()
  repo = await opened.folder()
  await makeRepository(repo)
  git(repo, 'branch', 'theirs')
  for (const branch of ['theirs', 'main']) {
    git(repo, 'switch', '--quiet', branch)
    await writeFile(join(repo, 'a.txt'), `${branch}\n`)
    await writeFile(join(repo, 'new.txt'), `${branch}\n`)
    git(repo, 'add', '.')
    git(repo, 'commit', '--quiet', '-m', branch)
  }
  git(repo, 'switch', '--quiet', 'theirs')
  git(repo, 'rm', '--quiet', 'new.txt')
  git(repo, 'commit', '--quiet', '-m', 'without')
  await writeFile(join(repo, 'new.txt'), 'theirs\n')
  git(repo, 'add', '.')
  git(repo, 'commit', '--quiet', '-m', 'with')
  git(repo, 'switch', '--quiet', 'main')
})
afterEach(() => opened.close())

const yes = { elicit: Array.from({ length: 8 }, () => ({ confirm: true })) }
const start = (version: (typeof ERAS)[number], answers: object = yes) =>
  opened.client({ repositories: [repo], write: true }, { version, answers })

/** The text that several questions show together. */
function questions(asked: readonly { readonly params?: unknown }[]): string {
  const messages = asked.map(({ params }) => (params as { message: string }).message)
  return messages.map((message) => message.slice(message.indexOf('\n\n') + 2)).join('')
}

describe.each(ERAS)('a merge with conflicts, at %s (founding 8)', (version) => {
  it('is foretold without a trace', async () => {
    const client = await opened.client({ repositories: [repo] }, { version })
    const before = await readdir(join(repo, '.git', 'objects'))
    expect(await done(client, 'preview_conflicts', { revision: 'theirs' })).toEqual({
      clean: false,
      conflicted: ['a.txt', 'new.txt'],
      truncated: false,
    })
    expect(await done(client, 'preview_conflicts', { revision: 'main' })).toMatchObject({ clean: true, conflicted: [] })
    expect(await readdir(join(repo, '.git', 'objects'))).toEqual(before)
    expect(await done(client, 'status')).toMatchObject({ clean: true })
  })

  it('is kept on demand, shown side by side, resolved in three ways and finished', async () => {
    const client = await start(version)
    expect(await done(client, 'merge', { revision: 'theirs', onConflict: 'keep' })).toMatchObject({
      conflicted: ['a.txt', 'new.txt'],
    })
    expect(await done(client, 'conflicts')).toMatchObject({
      merging: true,
      files: [
        { path: 'a.txt', ours: 'present', theirs: 'present' },
        { path: 'new.txt', ours: 'present', theirs: 'present' },
      ],
    })
    expect(await done(client, 'conflicts', { path: 'a.txt' })).toMatchObject({
      base: 'one\n2\nthree\n',
      ours: 'main\n',
      theirs: 'theirs\n',
    })
    const resolution = { path: 'a.txt', take: 'content', content: 'both\n' }
    expect(await done(client, 'preview_resolution', resolution)).toMatchObject({
      text: 'both\n',
      diff: expect.stringContaining('-main\n+both'),
    })
    expect(await done(client, 'status')).toMatchObject({ conflicted: ['a.txt', 'new.txt'] })
    expect(await refusal(client, 'continue_merge')).toContain('Still in conflict: a.txt, new.txt')
    await done(client, 'resolve_conflict', resolution)
    expect(await readFile(join(repo, 'a.txt'), 'utf8')).toBe('both\n')
    expect(await done(client, 'resolve_conflict', { path: 'new.txt', take: 'theirs' })).toMatchObject({
      conflicted: [],
    })
    expect(await readFile(join(repo, 'new.txt'), 'utf8')).toBe('theirs\n')
    expect(await done(client, 'continue_merge')).toMatchObject({ clean: true })
    expect(git(repo, 'log', '-1', '--format=%P').trim().split(' ')).toHaveLength(2)
    expect(git(repo, 'log', '-1', '--format=%B')).toContain('Merge theirs')
    expect(git(repo, 'show', 'HEAD:a.txt')).toBe('both\n')
  })

  it('is given up after asking, with everything as it was', async () => {
    const client = await start(version)
    await done(client, 'merge', { revision: 'theirs', onConflict: 'keep' })
    await done(client, 'resolve_conflict', { path: 'a.txt', take: 'theirs' })
    expect(await done(client, 'abort_merge')).toMatchObject({ clean: true, branch: 'main' })
    expect(await readFile(join(repo, 'a.txt'), 'utf8')).toBe('main\n')
    for (const name of ['abort_merge', 'continue_merge']) expect(await refusal(client, name)).toContain('No merge')
  })

  it('takes a side that deleted the file', async () => {
    git(repo, 'switch', '--quiet', 'theirs')
    git(repo, 'rm', '--quiet', 'a.txt')
    git(repo, 'commit', '--quiet', '-m', 'gone')
    git(repo, 'switch', '--quiet', 'main')
    const client = await start(version)
    await done(client, 'merge', { revision: 'theirs', onConflict: 'keep' })
    expect(await done(client, 'conflicts')).toMatchObject({ files: [{ theirs: 'deleted' }, { path: 'new.txt' }] })
    const preview = await done<{ text?: string }>(client, 'preview_resolution', { path: 'a.txt', take: 'theirs' })
    expect(preview.text).toBeUndefined()
    await done(client, 'resolve_conflict', { path: 'a.txt', take: 'theirs' })
    expect(existsSync(join(repo, 'a.txt'))).toBe(false)
  })

  it('is touched by nobody who was not let', async () => {
    const client = await start(version, { elicit: [{ confirm: true }, { confirm: false }, { confirm: false }] })
    await done(client, 'merge', { revision: 'theirs', onConflict: 'keep' })
    expect(await refusal(client, 'resolve_conflict', { path: 'a.txt', take: 'ours' })).toContain('did not agree')
    expect(await refusal(client, 'abort_merge')).toContain('did not agree')
    expect(await done(client, 'status')).toMatchObject({ conflicted: ['a.txt', 'new.txt'] })
    client.verifyScript()
  })

  it('sec-290: the whole of a long resolution is shown before it is taken, and a no to any part ends it', async () => {
    const content = `${Array.from({ length: 900 }, (_, at) => `line ${at} of the resolution`).join('\n')}\nthe end\n`
    const resolution = { path: 'a.txt', take: 'content', content }
    const client = await start(version, {
      elicit: [...Array.from({ length: 3 }, () => ({ confirm: true })), { confirm: false }, ...yes.elicit],
    })
    await done(client, 'merge', { revision: 'theirs', onConflict: 'keep' })
    const { diff } = await done<{ diff: string }>(client, 'preview_resolution', resolution)
    expect(await refusal(client, 'resolve_conflict', resolution)).toContain('did not agree')
    expect(await done(client, 'status')).toMatchObject({ conflicted: ['a.txt', 'new.txt'] })
    const before = client.asked.length
    await done(client, 'resolve_conflict', resolution)
    expect(questions(client.asked.slice(before))).toBe(diff)
    expect(diff).toContain('the end')
  })

  it('refuses what is no resolution', async () => {
    const client = await start(version)
    await done(client, 'merge', { revision: 'theirs', onConflict: 'keep' })
    for (const [args, words] of [
      [{ path: 'b.txt', take: 'ours' }, 'not in conflict'],
      [{ path: '../x', take: 'ours' }, 'relative to the repository'],
      [{ path: '.git/config', take: 'ours' }, 'git’s own'],
      [{ path: 'a.txt', take: 'content' }, 'whole file'],
      [{ path: 'a.txt', take: 'ours', content: 'x' }, 'goes with'],
      [{ path: 'a.txt', take: 'content', content: '<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n' }, 'conflict marks'],
      [{ path: 'a.txt', take: 'content', content: 'a\0b' }, 'NUL'],
    ] as const) {
      for (const name of ['preview_resolution', 'resolve_conflict'])
        expect([name, await refusal(client, name, args)]).toEqual([name, expect.stringContaining(words)])
    }
  })
})

it.skipIf(process.platform === 'win32')('a resolution is never written through a link (founding 8)', async () => {
  const outside = await opened.folder()
  const client = await start('2026-07-28')
  await done(client, 'merge', { revision: 'theirs', onConflict: 'keep' })
  await writeFile(join(outside, 'target'), 'untouched')
  git(repo, 'rm', '--quiet', '--cached', 'b.txt', '--ignore-unmatch')
  const { unlink } = await import('node:fs/promises')
  await unlink(join(repo, 'a.txt'))
  await symlink(join(outside, 'target'), join(repo, 'a.txt'))
  await call(client, 'resolve_conflict', { path: 'a.txt', take: 'content', content: 'written\n' })
  expect(await readFile(join(outside, 'target'), 'utf8')).toBe('untouched')
})

it('marks the tools that only look as such, and those that lose something as destructive (founding 8)', async () => {
  const client = await start('2026-07-28')
  const tools = new Map((await client.listTools()).map(({ name, annotations }) => [name, annotations]))
  for (const name of ['conflicts', 'preview_conflicts', 'preview_resolution'])
    expect(tools.get(name)).toMatchObject({ readOnlyHint: true })
  for (const name of ['merge', 'resolve_conflict', 'abort_merge'])
    expect(tools.get(name)).toMatchObject({ destructiveHint: true })
  const reader = await opened.client({ repositories: [repo] })
  const names = (await reader.listTools()).map(({ name }) => name)
  expect(names.filter((name) => /resolve_conflict|abort|continue|^merge/.test(name))).toEqual([])
})
