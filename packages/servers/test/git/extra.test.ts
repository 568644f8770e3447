/** Stashes and working trees listed, ranges, tags, and files put back. */

import { readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findPlace } from '../../src/git/place.ts'
import { RepositoryView } from '../../src/git/view.ts'
import { call, done, git, makeRepository, Opened, refusal } from './fixture.ts'

let opened: Opened
let repo: string

beforeEach(async () => {
  opened = new Opened()
  repo = await opened.folder()
  await makeRepository(repo)
})

afterEach(() => opened.close())

const open = () => opened.client({ repositories: [repo], write: true, allowUnasked: true, author: 'T <t@x.example>' })

it('lists stashes, and shows one', async () => {
  const client = await open()
  expect(await done(client, 'stashes')).toEqual({ stashes: [] })
  for (const word of ['first', 'second']) {
    await writeFile(join(repo, 'a.txt'), `${word}\n`)
    await done(client, 'stash_save', { message: word })
  }
  const { stashes } = await done<{ stashes: { name: string; message: string }[] }>(client, 'stashes')
  expect(stashes.map(({ name }) => name)).toEqual(['stash@{0}', 'stash@{1}'])
  expect(stashes.map(({ message }) => message)).toEqual(['On main: second', 'On main: first'])
  expect((await done<{ text: string }>(client, 'show', { revision: 'stash@{1}' })).text).toContain('+first')
})

it('lists working trees with what they have checked out', async () => {
  const linked = join(repo, 'linked')
  git(repo, 'worktree', 'add', '--quiet', linked, 'other')
  const client = await open()
  const { worktrees } = await done<{ worktrees: object[] }>(client, 'worktrees')
  expect(worktrees).toMatchObject([
    { path: repo, branch: 'main' },
    { path: linked, branch: 'other' },
  ])
})

it('shows what one branch has and another lacks, in pages, and what changed since they parted', async () => {
  const client = await open()
  const log = await done<{ commits: { subject: string }[] }>(client, 'log', { revision: 'other', without: 'main' })
  expect(log.commits.map(({ subject }) => subject)).toEqual(['Elsewhere'])
  git(repo, 'commit', '--quiet', '--allow-empty', '-m', 'Third')
  const page = { revision: 'main', without: 'other', count: 1 }
  const first = await done<{ commits: { subject: string }[]; nextCursor: string }>(client, 'log', page)
  const second = await done<typeof first>(client, 'log', { ...page, cursor: first.nextCursor })
  expect([first, second].map(({ commits }) => commits[0]?.subject)).toEqual(['Third', 'Second'])
  expect(second.nextCursor).toBeUndefined()
  const sides = { from: 'main', to: 'other' }
  expect((await done<{ text: string }>(client, 'diff', sides)).text).toContain('a.txt')
  const forked = await done<{ text: string }>(client, 'diff', { ...sides, sinceFork: true })
  expect(forked.text).toContain('b.txt')
  expect(forked.text).not.toContain('a.txt')
})

it('makes tags with and without words, once, and no options of them', async () => {
  const client = await open()
  await done(client, 'create_tag', { name: 'v1' })
  await done(client, 'create_tag', { name: 'v2', revision: 'HEAD~1', message: 'The second' })
  expect(git(repo, 'tag', '--list', '-n1', 'v2')).toContain('The second')
  expect(git(repo, 'rev-parse', 'v2^{commit}')).toBe(git(repo, 'rev-parse', 'HEAD~1'))
  expect(await refusal(client, 'create_tag', { name: 'v1' })).toContain('already exists')
  for (const name of ['-d', '--delete', 'a..b', 'HEAD'])
    expect((await call(client, 'create_tag', { name })).isError).toBe(true)
})

it('puts files back as they were, after showing what is thrown away', async () => {
  const asked: string[] = []
  let agrees = false
  const client = await opened.client(
    { repositories: [repo], write: true },
    {
      answers: {
        elicit: ({ message }: { message: string }) => {
          asked.push(message)
          return agrees ? { action: 'accept', content: { confirm: true } } : { action: 'decline' }
        },
      } as never,
    },
  )
  await writeFile(join(repo, 'a.txt'), 'precious\n')
  expect((await call(client, 'restore', { paths: ['a.txt'] })).isError).toBe(true)
  expect(asked[0]).toContain('+precious')
  expect(await readFile(join(repo, 'a.txt'), 'utf8')).toBe('precious\n')
  agrees = true
  await done(client, 'restore', { paths: ['a.txt'] })
  expect(await readFile(join(repo, 'a.txt'), 'utf8')).toBe('one\n2\nthree\n')
  await done(client, 'restore', { paths: ['a.txt'], revision: 'HEAD~1' })
  expect(await readFile(join(repo, 'a.txt'), 'utf8')).toBe('one\ntwo\nthree\n')
  expect(await refusal(client, 'restore', { paths: ['none.txt'] })).toContain('None of these paths')
  for (const path of ['../x', '.git/config', '/etc/passwd']) {
    expect((await call(client, 'restore', { paths: [path] })).isError, path).toBe(true)
  }
})

it('servers: reads with an index of the age of the real one, or a change in the second of its writing would go unseen', async () => {
  const written = new Date('2026-11-01T20:00:00.500Z')
  await utimes(join(repo, '.git', 'index'), written, written)
  const view = await RepositoryView.open(await findPlace(repo), false)
  try {
    const age = await view.withIndex(async (env) => (await stat(env.GIT_INDEX_FILE ?? '')).mtimeMs)
    expect(new Date(age).toISOString()).toBe('2026-11-01T20:00:00.000Z')
  } finally {
    await view.close()
  }
})

it('sec-738: stashes no file that goes through a filter, changed, staged or new', async () => {
  await writeFile(join(repo, '.gitattributes'), '*.sec filter=crypt\n')
  await writeFile(join(repo, 'p.sec'), 'FIRST\n')
  git(repo, 'add', '.')
  git(repo, 'commit', '-qm', 'filtered')
  const client = await open()
  const refused = expect.stringContaining('goes through the filter "crypt"')
  await writeFile(join(repo, 'p.sec'), 'plain secret\n')
  expect(await refusal(client, 'stash_save')).toEqual(refused)
  expect(await readFile(join(repo, 'p.sec'), 'utf8')).toBe('plain secret\n')
  git(repo, 'add', 'p.sec')
  expect(await refusal(client, 'stash_save')).toEqual(refused)
  git(repo, 'commit', '-qm', 'staged')
  await writeFile(join(repo, 'new.sec'), 'plain secret\n')
  expect(await refusal(client, 'stash_save', { untracked: true })).toEqual(refused)
  expect(await done(client, 'stashes')).toEqual({ stashes: [] })
  await writeFile(join(repo, 'a.txt'), 'changed\n')
  await done(client, 'stash_save')
  expect(await readFile(join(repo, 'new.sec'), 'utf8')).toBe('plain secret\n')
})

it('says of a repository without commits that it has none', async () => {
  const fresh = await opened.folder()
  git(fresh, 'init', '--quiet', '--initial-branch=main', '--template=')
  const client = await opened.client({ repositories: [fresh] })
  for (const [name, args] of [
    ['log', {}],
    ['show', { revision: 'HEAD' }],
    ['diff', { from: 'HEAD' }],
    ['diff', { from: 'main' }],
    ['blame', { path: 'a.txt' }],
  ] as const) {
    expect(await refusal(client, name, args), name).toContain('There are no commits yet')
  }
  expect(await done(client, 'status')).toMatchObject({ branch: 'main', clean: true })
  expect(await refusal(await open(), 'show', { revision: 'nowhere' })).toContain('There is no commit "nowhere"')
})
