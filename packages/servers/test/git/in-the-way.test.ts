/** What git does not keep is in the way of what would be written: it is named, and stays (sec-860, sec-861). */

import { lstatSync } from 'node:fs'
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { TestClient } from '@portico/sdk/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { call, done, git, makeRepository, Opened, refusal } from './fixture.ts'

let opened: Opened
let repo: string
let asked: string[]

beforeEach(async () => {
  opened = new Opened()
  asked = []
  repo = await opened.folder()
  await makeRepository(repo)
})

afterEach(() => opened.close())

function open(): Promise<TestClient> {
  const elicit = ({ message }: { message: string }) => {
    asked.push(message)
    return { action: 'accept', content: { confirm: true } }
  }
  return opened.client(
    { repositories: [repo], write: true, author: 'T <t@x.example>' },
    { answers: { elicit } as never },
  )
}

const read = (path: string): Promise<string> => readFile(join(repo, path), 'utf8')

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(repo, path)), { recursive: true })
  await writeFile(join(repo, path), text)
}

async function commit(message: string, files: { readonly [path: string]: string }): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await write(path, text)
    git(repo, 'add', '--force', path)
  }
  git(repo, 'commit', '-qm', message)
}

describe('sec-860: restore', () => {
  beforeEach(async () => {
    await commit('with d/f', { 'd/f': 'x\n' })
    git(repo, 'rm', '-rq', 'd')
    git(repo, 'commit', '-qm', 'gone')
  })

  const inTheWay = {
    'a file for a folder': { path: 'd', make: () => write('d', 'MY WORK\n') },
    'a link for a folder': { path: 'd', make: () => symlink('a.txt', join(repo, 'd')) },
    'a folder for a file': { path: 'd/f', make: () => write('d/f/deep/precious', 'MY WORK\n') },
    'a file for a file': { path: 'd/f', make: () => write('d/f', 'MY WORK\n') },
  }

  it.each(Object.entries(inTheWay))(
    'refuses over %s that git does not know, and names it',
    async (_, { path, make }) => {
      await make()
      const before = lstatSync(join(repo, path))
      const client = await open()
      expect(await refusal(client, 'restore', { paths: ['d/f'], revision: 'HEAD~1' })).toContain(
        `${path} is in the way`,
      )
      expect(asked).toEqual([])
      expect(lstatSync(join(repo, path)).ino).toBe(before.ino)
    },
  )

  it('refuses over what is ignored, and over a known file of another kind', async () => {
    await commit('ignores', { '.gitignore': 'local.cfg\nd\n', 'local.cfg': 'THEIRS\n' })
    git(repo, 'rm', '-q', '--cached', 'local.cfg')
    git(repo, 'commit', '-qm', 'not ours')
    await write('local.cfg', 'MY SETTINGS\n')
    await write('d', 'MY WORK\n')
    const client = await open()
    const back = { paths: ['local.cfg'], revision: 'HEAD~1' }
    expect(await refusal(client, 'restore', back)).toContain('local.cfg is in the way')
    expect(await refusal(client, 'restore', { paths: ['d/f'], revision: 'HEAD~3' })).toContain('d is in the way')
    git(repo, 'add', '--force', 'd')
    expect(await refusal(client, 'restore', { paths: ['d/f'], revision: 'HEAD~3' })).toContain('d is in the way')
    expect([await read('local.cfg'), await read('d'), asked]).toEqual(['MY SETTINGS\n', 'MY WORK\n', []])
  })

  it('shows what is only on disk, and says so where nothing is', async () => {
    const client = await open()
    await done(client, 'restore', { paths: ['d/f'], revision: 'HEAD~1' })
    expect(asked.at(-1)).toMatch(/Nothing is thrown away\.$/)
    await done(client, 'restore', { paths: ['a.txt'], revision: 'HEAD~3' })
    expect(await read('a.txt')).toBe('one\ntwo\nthree\n')
    expect(asked.at(-1)).toMatch(/Nothing is thrown away\.$/)
    await write('a.txt', 'precious\n')
    await done(client, 'restore', { paths: ['a.txt'], revision: 'HEAD~3' })
    expect(asked.at(-1)).toContain('+precious')
    expect(asked.at(-1)).not.toContain('+2')
  })

  it.each(['--assume-unchanged', '--skip-worktree'])('shows what is marked as not worth a look (%s)', async (mark) => {
    git(repo, 'update-index', mark, 'a.txt')
    await write('a.txt', 'precious\n')
    await done(await open(), 'restore', { paths: ['a.txt'] })
    expect(asked.at(-1)).toContain('+precious')
  })

  it('puts nothing back where the files changed while the person was asked', async () => {
    const elicit = async () => {
      await write('a.txt', 'changed meanwhile\n')
      return { action: 'accept', content: { confirm: true } }
    }
    await write('a.txt', 'precious\n')
    // The older revision asks in the middle of the call.
    const client = await opened.client(
      { repositories: [repo], write: true },
      { version: '2025-06-18', answers: { elicit } as never },
    )
    expect(await refusal(client, 'restore', { paths: ['a.txt'] })).toContain('changed meanwhile')
    expect(await read('a.txt')).toBe('changed meanwhile\n')
  })
})

describe('sec-861: ignored files stay', () => {
  beforeEach(async () => {
    await commit('ignores', { '.gitignore': 'local.cfg\nsub\nfolder\n' })
    git(repo, 'switch', '-q', '-c', 'theirs')
    await commit('theirs', { 'local.cfg': 'THEIRS\n' })
    git(repo, 'switch', '-q', '-c', 'deeper', 'main')
    await commit('deeper', { 'sub/g': 'THEIRS\n' })
    git(repo, 'switch', '-q', '-c', 'flat', 'main')
    await commit('flat', { folder: 'THEIRS\n' })
    git(repo, 'switch', '-q', 'main')
    await write('local.cfg', 'MINE\n')
    await write('sub', 'MINE\n')
    await write('folder/deep/mine', 'MINE\n')
  })

  const stays = async () => {
    expect(await Promise.all(['local.cfg', 'sub', 'folder/deep/mine'].map(read))).toEqual([
      'MINE\n',
      'MINE\n',
      'MINE\n',
    ])
  }
  const branches = [
    ['theirs', 'local.cfg'],
    ['deeper', 'sub'],
    ['flat', 'folder/deep/mine'],
  ] as const

  it.each(branches)('when switching to %s', async (branch, path) => {
    const client = await open()
    expect(await refusal(client, 'switch_branch', { name: branch })).toContain(`${path} is in the way`)
    await stays()
    expect(git(repo, 'branch', '--show-current').trim()).toBe('main')
  })

  it.each(branches)('when moving on to %s', async (branch, path) => {
    const client = await open()
    expect(await refusal(client, 'merge', { revision: branch })).toContain(`${path} is in the way`)
    await stays()
  })

  it.each(branches)('when merging %s', async (branch, path) => {
    await commit('ours', { 'other.txt': 'ours\n' })
    const client = await open()
    expect(await refusal(client, 'merge', { revision: branch })).toContain(`${path} is in the way`)
    await stays()
    expect(git(repo, 'status', '--porcelain')).toBe('')
  })

  it('when a merge is given up', async () => {
    await rm(join(repo, 'local.cfg'))
    await commit('both', { 'local.cfg': 'OURS\n', 'c.txt': 'base\n' })
    git(repo, 'switch', '-q', '-c', 'drops')
    git(repo, 'rm', '-q', 'local.cfg')
    await commit('drops', { 'c.txt': 'drops\n' })
    git(repo, 'switch', '-q', 'main')
    await commit('ours', { 'c.txt': 'ours\n' })
    const client = await open()
    await done(client, 'merge', { revision: 'drops', onConflict: 'keep' })
    await write('local.cfg', 'MINE\n')
    expect(await refusal(client, 'abort_merge')).toContain('local.cfg is in the way')
    await stays()
    await rm(join(repo, 'local.cfg'))
    await done(client, 'abort_merge')
    expect(await read('local.cfg')).toBe('OURS\n')
  })

  it('when a conflict is settled', async () => {
    await commit('base', { 'c.txt': 'base\n' })
    git(repo, 'switch', '-q', '-c', 'one')
    await commit('one', { 'c.txt': 'one\n' })
    git(repo, 'switch', '-q', 'main')
    await commit('ours', { 'c.txt': 'ours\n' })
    const client = await open()
    await done(client, 'merge', { revision: 'one', onConflict: 'keep' })
    await rm(join(repo, 'c.txt'))
    await write('c.txt/mine', 'MINE\n')
    expect(await refusal(client, 'resolve_conflict', { path: 'c.txt', take: 'ours' })).toContain('c.txt is in the way')
    expect(await read('c.txt/mine')).toBe('MINE\n')
  })

  it('when a stash is brought back', async () => {
    await rm(join(repo, 'local.cfg'))
    await rm(join(repo, 'sub'))
    const client = await open()
    await write('local.cfg', 'STASHED\n')
    git(repo, 'add', '--force', 'local.cfg')
    await done(client, 'stash_save')
    await write('local.cfg', 'MINE\n')
    expect(await refusal(client, 'stash_pop')).toContain('local.cfg is in the way')
    await rm(join(repo, 'local.cfg'))
    await done(client, 'stash_pop')
    expect(await read('local.cfg')).toBe('STASHED\n')
    git(repo, 'commit', '-qm', 'kept')
    await write('new/deep', 'STASHED\n')
    await done(client, 'stash_save', { untracked: true })
    await write('new', 'MINE\n')
    expect(await refusal(client, 'stash_pop')).toContain('new is in the way')
    expect(await read('new')).toBe('MINE\n')
    await rm(join(repo, 'new'))
    await done(client, 'stash_pop')
    expect(await read('new/deep')).toBe('STASHED\n')
  })

  it('and what is in nobody’s way keeps nothing from switching and merging', async () => {
    const client = await open()
    expect((await call(client, 'switch_branch', { name: 'other' })).isError).toBeFalsy()
    await done(client, 'switch_branch', { name: 'main' })
    await done(client, 'merge', { revision: 'other' })
    await stays()
  })
})
