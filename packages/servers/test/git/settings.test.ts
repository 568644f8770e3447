/**
 * Every setting of git that names a program, laid in every file that git would read it from, under names that are not UTF-8
 * as well, while every tool, resource and prompt of the server is used. Each setting has a canary of its own.
 */

import { existsSync, readdirSync } from 'node:fs'
import { appendFile, chmod, mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { few } from '../../../../tests/support/short.ts'
import { createGitServer } from '../../src/git/server.ts'
import { call, done, git, makeRepository, Opened, refusal, tryGit } from './fixture.ts'

const opened = new Opened()
let folder: string
let repo: string
let canaries: string

beforeEach(async () => {
  folder = await opened.folder()
  repo = join(folder, 'planted')
  canaries = join(folder, 'canaries')
  await mkdir(repo)
  await mkdir(canaries)
  await makeRepository(repo)
  git(repo, 'switch', '--quiet', '-c', 'conflicting', 'other')
  await writeFile(join(repo, 'a.txt'), 'theirs\n')
  git(repo, 'commit', '--quiet', '-am', 'Otherwise')
  git(repo, 'switch', '--quiet', 'main')
})

afterAll(() => opened.close())

/** `*` stands for a name that the repository makes up. */
const KEYS = [
  'alias.status',
  'alias.log',
  'browser.*.cmd',
  'clean.requireForce',
  'core.alternateRefsCommand',
  'core.askPass',
  'core.attributesFile',
  'core.editor',
  'core.fsmonitor',
  'core.gitProxy',
  'core.hooksPath',
  'core.pager',
  'core.sshCommand',
  'credential.helper',
  'credential.*.helper',
  'diff.external',
  'diff.*.command',
  'diff.*.textconv',
  'difftool.*.cmd',
  'filter.*.clean',
  'filter.*.process',
  'filter.*.smudge',
  'gpg.program',
  'gpg.ssh.program',
  'gpg.ssh.defaultKeyCommand',
  'gpg.x509.program',
  'guitool.*.cmd',
  'hook.*.command',
  'interactive.diffFilter',
  'merge.*.driver',
  'mergetool.*.cmd',
  'pager.diff',
  'pager.log',
  'pager.status',
  'receive.procReceiveRefs',
  'remote.*.receivepack',
  'remote.*.uploadpack',
  'remote.*.vcs',
  'sendemail.sendmailCmd',
  'sequence.editor',
  'submodule.*.update',
  'tar.*.command',
  'trailer.*.cmd',
  'trailer.*.command',
  'uploadpack.packObjectsHook',
  'web.browser',
] as const

const SWITCHED_ON = `[commit]\n\tgpgSign = true\n[tag]\n\tgpgSign = true\n[log]\n\tshowSignature = true\n[submodule]\n\trecurse = true\n`

/** A program for each key, and the configuration that names them all. */
async function layAll(group: Buffer): Promise<Buffer> {
  const parts = [Buffer.from(SWITCHED_ON)]
  for (const [index, key] of KEYS.entries()) {
    const program = join(folder, `program-${index}`)
    await writeFile(program, `#!/bin/sh\ntouch '${join(canaries, key.replace('*', '_'))}'\ncat\n`)
    await chmod(program, 0o755)
    const value = key === 'submodule.*.update' ? `!${program}` : program
    const [section, ...rest] = key.split('.')
    const name = rest.pop()
    const between =
      rest.length === 0
        ? Buffer.alloc(0)
        : Buffer.concat([Buffer.from(' "'), rest[0] === '*' ? group : Buffer.from(rest[0] ?? ''), Buffer.from('"')])
    parts.push(Buffer.from(`[${section}`), between, Buffer.from(`]\n\t${name} = "${value}"\n`))
  }
  return Buffer.concat(parts)
}

const config = (): string => join(repo, '.git', 'config')

const FILES: { readonly [where: string]: (settings: Buffer) => Promise<void> } = {
  'its configuration': (settings) => appendFile(config(), settings),
  'an included file': async (settings) => {
    await writeFile(join(folder, 'included'), settings)
    await appendFile(config(), `[include]\n\tpath = ${join(folder, 'included')}\n`)
  },
  'a file included on a condition': async (settings) => {
    await writeFile(join(folder, 'included'), settings)
    await appendFile(config(), `[includeIf "gitdir:/**"]\n\tpath = ${join(folder, 'included')}\n`)
  },
  'config.worktree': async (settings) => {
    await appendFile(config(), '[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tworktreeConfig = true\n')
    await writeFile(join(repo, '.git', 'config.worktree'), settings)
  },
}

const NAMES: { readonly [kind: string]: Buffer } = {
  plain: Buffer.from('trap'),
  'not UTF-8': Buffer.from([0xff, 0xfe]),
  'with dots, quotes and "="': Buffer.from('a.b=c \\"d'),
}

/** Every file, and every kind of name in one of them at least: where a setting stands does not change how its name is read. */
const PAIRS = Object.keys(FILES).map((where, at) => {
  const kinds = Object.keys(NAMES)
  return [where, kinds[at % kinds.length] ?? ''] as const
})

async function layAttributes(group: Buffer): Promise<void> {
  const name = group.includes(0x20) ? Buffer.from('trap') : group
  const line = Buffer.concat(
    ['*.txt filter=', name, ' diff=', name, ' merge=', name, '\n'].map((one) => Buffer.from(one)),
  )
  await writeFile(join(repo, '.gitattributes'), line)
  await mkdir(join(repo, '.git', 'info'), { recursive: true })
  await writeFile(join(repo, '.git', 'info', 'attributes'), line)
}

async function useEverything(): Promise<void> {
  const ready = await createGitServer({ repositories: [repo], write: true, allowUnasked: true, structured: true })
  const { tools, resources } = ready.server.catalogue()
  await ready.close()
  const client = await opened.client({
    repositories: [repo],
    write: true,
    allowUnasked: true,
    author: 'T <t@x.example>',
  })
  const name = basename(repo)
  await writeFile(join(repo, 'plain.md'), 'new\n')
  const calls: readonly (readonly [tool: string, args?: object])[] = [
    ['status'],
    ['log', { path: 'a.txt', text: 'x' }],
    ['show', { revision: 'HEAD' }],
    ['show', { revision: 'HEAD', path: 'a.txt' }],
    ['diff'],
    ['diff', { staged: true }],
    ['diff', { from: 'HEAD', to: 'other' }],
    ['blame', { path: 'a.txt' }],
    ['branches', { remotes: true, tags: true }],
    ['stashes'],
    ['worktrees'],
    ['create_tag', { name: 'v1', message: 'One' }],
    ['restore', { paths: ['a.txt'], revision: 'other' }],
    ['commit', { message: 'Nothing' }],
    ['stage', { paths: ['a.txt'] }],
    ['stage', { paths: ['plain.md'] }],
    ['unstage', { paths: ['plain.md'] }],
    ['stage', { paths: ['plain.md'] }],
    ['commit', { message: 'Something' }],
    ['stash_save', { untracked: true }],
    ['stash_pop'],
    ['create_branch', { name: 'fresh' }],
    ['switch_branch', { name: 'other' }],
    ['stash_save'],
    ['switch_branch', { name: 'other' }],
    ['preview_conflicts', { revision: 'main' }],
    ['merge', { revision: 'main' }],
    ['merge', { revision: 'conflicting', onConflict: 'keep' }],
    ['conflicts'],
    ['conflicts', { path: 'a.txt' }],
    ['preview_resolution', { path: 'a.txt', take: 'theirs' }],
    ['resolve_conflict', { path: 'a.txt', take: 'content', content: 'settled\n' }],
    ['continue_merge'],
    ['abort_merge'],
    ['switch_branch', { name: 'main' }],
    ['stash_pop'],
  ]
  expect(new Set(calls.map(([tool]) => tool))).toEqual(new Set(tools.map((tool) => tool.name)))
  for (const [tool, args] of calls) await call(client, tool, args)
  const templates = [`git://${name}/branch/other`, `git://${name}/commit/HEAD`, `git://${name}/blame/a.txt`]
  for (const uri of [...(resources ?? []).map((one) => one.uri), ...templates]) {
    await client.readResource(uri).catch(() => {})
  }
  for (const prompt of ['commit_message', 'review_changes']) await client.getPrompt(prompt, {}).catch(() => {})
}

const touched = (): string[] => readdirSync(canaries)

describe.skipIf(process.platform === 'win32')(
  'sec-232: git reads no setting of a repository that can name a program (servers 1)',
  // Every tool runs git several times.
  { timeout: 120_000 },
  () => {
    it.each(few(PAIRS, 2))('whatever the tool: from %s, under a name that is %s', async (where, kind) => {
      const group = NAMES[kind]!
      await FILES[where]!(await layAll(group))
      await layAttributes(group)
      await writeFile(join(repo, 'a.txt'), 'one\n2\nthrei\n')
      await utimes(join(repo, 'a.txt'), 1, 1)
      // Plain git does start some of them, or the trap would prove nothing.
      for (const args of [['status'], ['diff'], ['commit', '--allow-empty', '-m', 'x']]) tryGit(repo, ...args)
      expect(touched().length).toBeGreaterThan(0)
      await rm(canaries, { recursive: true })
      await mkdir(canaries)

      await useEverything()
      expect(touched()).toEqual([])
    })

    it.each(few(Object.keys(NAMES), 1))('nor one of a submodule, whose name is %s', async (kind) => {
      const inner = join(repo, 'inner')
      await mkdir(inner)
      await makeRepository(inner)
      const canary = join(canaries, 'inner')
      git(inner, 'config', 'filter.x.clean', `touch '${canary}'; cat`)
      git(inner, 'config', 'core.fsmonitor', `touch '${canary}'; false`)
      const entry = Buffer.concat([
        Buffer.from('[submodule "'),
        NAMES[kind]!,
        Buffer.from('"]\n\tpath = inner\n\turl = ./inner\n\tignore = none\n'),
      ])
      await writeFile(join(repo, '.gitmodules'), entry)
      git(repo, 'add', 'inner', '.gitmodules')
      git(repo, 'commit', '--quiet', '-m', 'Submodule')
      await writeFile(join(inner, '.gitattributes'), '*.txt filter=x\n')
      const soil = async (): Promise<void> => {
        await writeFile(join(inner, 'a.txt'), 'one\n3\nthree\n')
        await utimes(join(inner, 'a.txt'), 1, 1)
        await rm(canary, { force: true })
      }
      await soil()
      tryGit(repo, 'add', 'inner')
      expect(existsSync(canary)).toBe(true)

      await soil()
      await writeFile(join(repo, 'a.txt'), 'changed\n')
      await useEverything()
      const client = await opened.client({ repositories: [repo], write: true, allowUnasked: true })
      expect(await refusal(client, 'stage', { paths: ['inner'] })).toContain('submodule')
      expect(await refusal(client, 'stash_save')).toContain('submodule')
      await done(client, 'stage', { paths: ['.'] })
      expect(touched()).toEqual([])
    })

    it.each(few(['continue_merge', 'abort_merge'], 1))(
      'nor one of a submodule while a merge that somebody began by hand is settled by %s (founding 8)',
      async (last) => {
        const inner = join(repo, 'inner')
        await mkdir(inner)
        await makeRepository(inner)
        await writeFile(
          join(repo, '.gitmodules'),
          '[submodule "x"]\n\tpath = inner\n\turl = ./inner\n\tignore = none\n',
        )
        git(repo, 'add', 'inner', '.gitmodules')
        git(repo, 'commit', '--quiet', '-m', 'Submodule')
        const client = await opened.client({ repositories: [repo], write: true, allowUnasked: true })
        const canary = join(canaries, 'inner')
        git(inner, 'config', 'filter.x.clean', `touch '${canary}'; cat`)
        git(inner, 'config', 'core.fsmonitor', `touch '${canary}'; false`)
        await writeFile(join(inner, '.gitattributes'), '*.txt filter=x\n')
        const soil = async (): Promise<void> => {
          await writeFile(join(inner, 'a.txt'), 'one\n3\nthree\n')
          await utimes(join(inner, 'a.txt'), 1, 1)
          await rm(canary, { force: true })
        }
        await soil()
        expect(await refusal(client, 'merge', { revision: 'conflicting' })).toContain('submodules')
        expect(touched()).toEqual([])
        tryGit(repo, 'merge', 'conflicting')
        expect(existsSync(canary)).toBe(true)
        await soil()
        await done(client, 'conflicts', { path: 'a.txt' })
        await done(client, 'resolve_conflict', { path: 'a.txt', take: 'theirs' })
        await done(client, last)
        expect(touched()).toEqual([])
      },
    )
  },
)

describe('what the view of a repository keeps', () => {
  it('sec-232: looking at a repository writes nothing into it (servers 1)', async () => {
    const listing = async (): Promise<string[]> => {
      const names = readdirSync(join(repo, '.git'), { recursive: true }) as string[]
      return Promise.all(
        names.sort().map(async (name) => `${name} ${(await stat(join(repo, '.git', name), { bigint: true })).mtimeNs}`),
      )
    }
    await utimes(join(repo, 'a.txt'), 1, 1)
    const before = await listing()
    const client = await opened.client({ repositories: [repo] })
    for (const tool of ['status', 'log', 'diff', 'branches']) await done(client, tool)
    expect(await listing()).toEqual(before)
  })

  it('carries what decides how files are stored, who commits and which branch follows which', async () => {
    git(repo, 'update-ref', 'refs/remotes/origin/main', 'HEAD~1')
    for (const [key, value] of [
      ['branch.main.remote', 'origin'],
      ['branch.main.merge', 'refs/heads/main'],
      ['remote.origin.url', 'https://user:password@example.com/x'],
      ['remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*'],
      ['core.autocrlf', 'true'],
    ] as const) {
      git(repo, 'config', key, value)
    }
    await writeFile(join(repo, 'crlf.txt'), 'a\r\nb\r\n')
    const client = await opened.client({ repositories: [repo], write: true })
    expect(await done(client, 'status')).toMatchObject({ upstream: 'origin/main', ahead: 1, behind: 0 })
    await done(client, 'stage', { paths: ['crlf.txt'] })
    expect(git(repo, 'cat-file', 'blob', ':crlf.txt')).toBe('a\nb\n')
    await done(client, 'commit', { message: 'As the repository says' })
    expect(git(repo, 'log', '-1', '--format=%an %ae').trim()).toBe('Ada ada@example.com')
    expect(await readFile(join(repo, '.git', 'logs', 'refs', 'heads', 'main'), 'utf8')).toContain(
      'As the repository says',
    )
  })

  it('works with packed references, a linked working tree and SHA-256, and refuses what it does not know', async () => {
    git(repo, 'pack-refs', '--all')
    const linked = join(repo, 'linked')
    git(repo, 'worktree', 'add', '--quiet', linked, 'other')
    const client = await opened.client({ repositories: [linked, repo], write: true })
    const place = { repository: 'linked' }
    await writeFile(join(linked, 'c.txt'), 'c\n')
    await done(client, 'stage', { ...place, paths: ['c.txt'] })
    await done(client, 'commit', { ...place, message: 'In the linked tree' })
    expect(git(repo, 'log', '-1', '--format=%s', 'other').trim()).toBe('In the linked tree')
    expect(await refusal(client, 'switch_branch', { ...place, name: 'main' })).toMatch(/checked out|used by worktree/)

    await writeFile(join(repo, 'a.txt'), 'stash me\n')
    const own = { repository: 'planted' }
    await done(client, 'stash_save', own)
    git(repo, 'pack-refs', '--all')
    const popping = await opened.client({ repositories: [repo], write: true, allowUnasked: true })
    await done(popping, 'stash_pop')
    expect(git(repo, 'stash', 'list')).toBe('')

    const long = join(folder, 'long')
    await mkdir(long)
    git(long, 'init', '--quiet', '--object-format=sha256')
    const hashes = await opened.client({ repositories: [long], write: true, author: 'T <t@x.example>' })
    await writeFile(join(long, 'x'), 'x\n')
    await done(hashes, 'stage', { paths: ['x'] })
    expect((await done<{ hash: string }>(hashes, 'commit', { message: 'Long' })).hash).toHaveLength(64)

    git(repo, 'config', 'core.repositoryFormatVersion', '1')
    git(repo, 'config', 'extensions.newThing', 'true')
    expect(await refusal(popping, 'status')).toContain('newthing')
  })
})
