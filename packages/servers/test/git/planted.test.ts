/**
 * Repositories that would start programs when git touches them. Each trap has a canary of its own and is shown to work with
 * plain git, so that a canary which stays away means something.
 */

import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { chmod, cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, done, git, makeRepository, Opened, tryGit } from './fixture.ts'

const opened = new Opened()
let folder: string

beforeAll(async () => {
  folder = await opened.folder()
  await mkdir(join(folder, 'plain'))
  await makeRepository(join(folder, 'plain'))
  const repo = join(folder, 'plain')
  for (const branch of ['other', 'main']) {
    git(repo, 'switch', '--quiet', branch)
    for (const kind of KINDS) await writeFile(join(repo, `file.${kind}`), `${branch}\n`)
    await writeFile(join(repo, 'file.mrg'), branch === 'main' ? '1\n2\n3\n4\n5\nmain\n' : 'other\n1\n2\n3\n4\n5\n')
    git(repo, 'add', '.')
    git(repo, 'commit', '--quiet', '-m', 'Kinds')
  }
  // Both sides change one file in different places, so that a merge needs the file's driver.
  git(repo, 'branch', 'mergeable')
  for (const [branch, text] of [
    ['mergeable', '1\n2\n3\n4\n5\nmain\ntheirs\n'],
    ['main', 'ours\n1\n2\n3\n4\n5\nmain\n'],
  ] as const) {
    git(repo, 'switch', '--quiet', branch)
    await writeFile(join(repo, 'file.mrg'), text)
    git(repo, 'commit', '--quiet', '-am', 'Sides')
  }
})

afterAll(() => opened.close())

/** A kind of file for each way that attributes lead to a program. */
const KINDS = ['cln', 'smg', 'prc', 'tcv', 'cmd', 'ext', 'mrg'] as const

const ATTRIBUTES = `*.cln filter=cln\n*.smg filter=a=b\n*.prc filter=prc\n*.tcv diff=tcv\n*.cmd diff=cmd\n*.mrg merge=mrg\n`

interface Trap {
  readonly name: string
  /** Lays the trap; `program` is a script that leaves the canary. */
  lay(repo: string, program: string): Promise<void> | void
  spring(repo: string): void
}

const set = (key: string) => (repo: string, program: string) => void git(repo, 'config', key, program)

const hook = (name: string) => async (repo: string, program: string) => {
  await mkdir(join(repo, '.git', 'hooks'), { recursive: true })
  await cp(program, join(repo, '.git', 'hooks', name))
}

/** With the hooks of the repository's own folder, and no signing in the way. */
const hooked = ['-c', 'core.hooksPath=.git/hooks', '-c', 'commit.gpgSign=false', '-c', 'core.fsmonitor=false']
const unfiltered = ['cln', 'prc', 'a=b'].flatMap((name) =>
  ['clean', 'smudge', 'process'].flatMap((part) => ['-c', `filter.${name}.${part}=`]),
)

const TRAPS: readonly Trap[] = [
  { name: 'core.fsmonitor', lay: set('core.fsmonitor'), spring: (repo) => tryGit(repo, 'status') },
  {
    name: 'core.hooksPath',
    lay: async (repo, program) => {
      await mkdir(join(folder, 'hooks'), { recursive: true })
      await cp(program, join(folder, 'hooks', 'reference-transaction'))
      git(repo, 'config', 'core.hooksPath', join(folder, 'hooks'))
    },
    spring: (repo) => tryGit(repo, 'branch', 'trap'),
  },
  ...['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit'].map((name) => ({
    name: `the hook ${name}`,
    lay: hook(name),
    spring: (repo: string) => tryGit(repo, ...hooked, 'commit', '--allow-empty', '-m', 'x'),
  })),
  {
    name: 'the hook post-index-change',
    lay: hook('post-index-change'),
    spring: (repo) => tryGit(repo, ...hooked, 'add', 'a.txt'),
  },
  {
    name: 'the hook reference-transaction',
    lay: hook('reference-transaction'),
    spring: (repo) => tryGit(repo, ...hooked, 'branch', 'trap'),
  },
  {
    name: 'the hook post-checkout',
    lay: hook('post-checkout'),
    spring: (repo) => tryGit(repo, ...hooked, 'checkout', '--force', 'other'),
  },
  { name: 'the hook pre-merge-commit', lay: hook('pre-merge-commit'), spring: (repo) => merge(repo) },
  { name: 'the hook post-merge', lay: hook('post-merge'), spring: (repo) => merge(repo) },
  { name: 'a clean filter', lay: set('filter.cln.clean'), spring: (repo) => tryGit(repo, 'add', 'file.cln') },
  {
    name: 'a smudge filter with "=" in its name',
    lay: set('filter.a=b.smudge'),
    spring: (repo) => tryGit(repo, ...hooked, 'checkout', '--force', 'other'),
  },
  {
    name: 'a required filter process',
    lay: (repo, program) => {
      git(repo, 'config', 'filter.prc.process', program)
      git(repo, 'config', 'filter.prc.required', 'true')
    },
    spring: (repo) => tryGit(repo, 'add', 'file.prc'),
  },
  {
    name: 'textconv in diff',
    lay: set('diff.tcv.textconv'),
    spring: (repo) => tryGit(repo, 'diff', '--no-ext-diff', 'file.tcv'),
  },
  { name: 'textconv in blame', lay: set('diff.tcv.textconv'), spring: (repo) => tryGit(repo, 'blame', 'file.tcv') },
  { name: 'a diff driver', lay: set('diff.cmd.command'), spring: (repo) => tryGit(repo, 'diff', 'file.cmd') },
  { name: 'diff.external', lay: set('diff.external'), spring: (repo) => tryGit(repo, 'diff', 'file.ext') },
  { name: 'a merge driver', lay: set('merge.mrg.driver'), spring: (repo) => merge(repo) },
  {
    name: 'commit.gpgSign',
    lay: (repo, program) => {
      git(repo, 'config', 'gpg.program', program)
      git(repo, 'config', 'commit.gpgSign', 'true')
    },
    spring: (repo) =>
      tryGit(
        repo,
        '-c',
        'core.fsmonitor=false',
        '-c',
        'core.hooksPath=/dev/null',
        'commit',
        '--allow-empty',
        '-m',
        'x',
      ),
  },
  {
    name: 'log.showSignature',
    lay: async (repo, program) => {
      git(repo, 'config', 'gpg.program', program)
      git(repo, 'config', 'log.showSignature', 'true')
      const [tree, parent] = ['HEAD^{tree}', 'HEAD'].map((name) => git(repo, 'rev-parse', name).trim())
      const who = 'A <a@example.com> 1 +0000'
      const signature = '-----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----'
      const text = `tree ${tree}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\ngpgsig ${signature}\n\nSigned\n`
      await writeFile(join(folder, 'signed'), text)
      git(
        repo,
        'update-ref',
        'refs/heads/main',
        git(repo, 'hash-object', '-t', 'commit', '-w', join(folder, 'signed')).trim(),
      )
    },
    spring: (repo) => tryGit(repo, 'log', '-1'),
  },
  {
    name: 'core.editor',
    lay: set('core.editor'),
    spring: (repo) => tryGit(repo, ...hooked, 'commit', '--allow-empty'),
  },
  {
    name: 'an included file',
    lay: async (repo, program) => {
      await writeFile(
        join(repo, 'shared.config'),
        `[core]\n\tfsmonitor = ${program}\n[filter "cln"]\n\tclean = ${program}\n`,
      )
      git(repo, 'config', 'include.path', '../shared.config')
    },
    spring: (repo) => tryGit(repo, 'status'),
  },
  {
    name: 'a submodule that has settings of its own',
    lay: async (repo, program) => {
      const inner = join(repo, 'inner')
      await mkdir(inner)
      await makeRepository(inner)
      const entry = '[submodule "in.ner"]\n\tpath = inner\n\turl = ./inner\n\tignore = none\n'
      await writeFile(join(repo, '.gitmodules'), entry)
      git(repo, 'add', 'inner', '.gitmodules')
      git(repo, 'commit', '--quiet', '-m', 'Submodule')
      git(repo, 'config', 'submodule.recurse', 'true')
      git(repo, 'config', 'submodule.in.ner.active', 'true')
      git(repo, 'config', 'submodule.in.ner.update', `!${program}`)
      git(inner, 'config', 'core.fsmonitor', program)
      await writeFile(join(inner, 'a.txt'), 'changed\n')
    },
    spring: (repo) => tryGit(repo, 'status'),
  },
  {
    name: 'a promisor remote by ext',
    lay: (repo, program) => promise(repo, { 'remote.origin.url': `ext::${program}`, 'protocol.ext.allow': 'always' }),
    spring: (repo) => tryGit(repo, 'cat-file', '-p', ABSENT),
  },
  {
    name: 'a promisor remote by ssh',
    lay: (repo, program) => promise(repo, { 'remote.origin.url': 'ssh://localhost/x', 'core.sshCommand': program }),
    spring: (repo) => tryGit(repo, 'cat-file', '-p', ABSENT),
  },
  {
    name: 'a promisor remote with its own program',
    lay: (repo, program) => promise(repo, { 'remote.origin.url': repo, 'remote.origin.uploadpack': program }),
    spring: (repo) => tryGit(repo, 'cat-file', '-p', ABSENT),
  },
]

const ABSENT = '1234567890123456789012345678901234567890'

function promise(repo: string, settings: { readonly [key: string]: string }): void {
  const common = {
    'core.repositoryFormatVersion': '1',
    'extensions.partialClone': 'origin',
    'remote.origin.promisor': 'true',
  }
  for (const [key, value] of Object.entries({ ...common, ...settings })) git(repo, 'config', key, value)
}

function merge(repo: string): void {
  tryGit(repo, ...hooked, ...unfiltered, 'checkout', '--force', 'main')
  tryGit(repo, ...hooked, ...unfiltered, 'merge', '--no-ff', '--strategy-option=ours', '-m', 'x', 'other')
}

async function prepare(name: string, traps: readonly Trap[]): Promise<string> {
  const repo = join(folder, name)
  await cp(join(folder, 'plain'), repo, { recursive: true })
  for (const trap of traps) {
    const program = join(folder, `program-${TRAPS.indexOf(trap)}`)
    await writeFile(program, `#!/bin/sh\ntouch '${canaryOf(trap)}'\nexit 0\n`)
    await chmod(program, 0o755)
    await trap.lay(repo, program)
  }
  await mkdir(join(repo, '.git', 'info'), { recursive: true })
  await writeFile(join(repo, '.git', 'info', 'attributes'), ATTRIBUTES)
  for (const kind of KINDS) await writeFile(join(repo, `file.${kind}`), 'changed\n')
  await writeFile(join(repo, 'a.txt'), 'changed\n')
  for (const trap of traps) await rm(canaryOf(trap), { force: true })
  return repo
}

function canaryOf(trap: Trap): string {
  return join(folder, `canary-${TRAPS.indexOf(trap)}`)
}

/** Everything the server can do; returns what did not work. */
async function doEverything(repo: string): Promise<string[]> {
  const client = await opened.client({
    repositories: [repo],
    write: true,
    allowUnasked: true,
    author: 'T <t@example.com>',
  })
  const failed: string[] = []
  const attempt = async (name: string, args: object = {}): Promise<void> => {
    if ((await call(client, name, args)).isError) failed.push(`${name} ${Object.values(args).flat().join(' ')}`.trim())
  }
  await attempt('status')
  await attempt('log', { path: 'a.txt' })
  await attempt('show', { revision: 'HEAD' })
  await attempt('show', { revision: ABSENT })
  await attempt('show', { revision: 'HEAD', path: 'file.tcv' })
  await attempt('diff')
  await attempt('diff', { from: 'HEAD', to: 'other' })
  await attempt('blame', { path: 'file.tcv' })
  await attempt('branches', { remotes: true, tags: true })
  await client.readResource(`git://${basename(repo)}/blame/file.tcv`)
  await client.getPrompt('review_changes', {})
  await attempt('stage', { paths: ['a.txt', 'file.ext'] })
  await attempt('stage', { paths: ['file.cln'] })
  await attempt('unstage', { paths: ['file.ext'] })
  await attempt('commit', { message: 'Planted' })
  await attempt('stash_save', { message: 'filtered' })
  // What goes through a filter is not stashed: as it was, it is in nobody's way.
  for (const end of ['cln', 'smg', 'prc']) {
    writeFileSync(
      join(repo, `file.${end}`),
      execFileSync('git', ['cat-file', 'blob', `HEAD:file.${end}`], { cwd: repo }),
    )
  }
  await attempt('stash_save', { untracked: true })
  await attempt('stash_pop')
  await attempt('stash_save')
  await attempt('create_branch', { name: 'fresh' })
  await attempt('switch_branch', { name: 'fresh' })
  await attempt('preview_conflicts', { revision: 'mergeable' })
  await attempt('merge', { revision: 'mergeable' })
  await attempt('switch_branch', { name: 'other' })
  return [...failed, ...(await settleConflict(repo))]
}

/** Conflicts in files that filters and drivers are named for, shown, resolved, finished and given up. */
async function settleConflict(repo: string): Promise<string[]> {
  const failed: string[] = []
  const client = await opened.client({
    repositories: [repo],
    write: true,
    allowUnasked: true,
    author: 'T <t@example.com>',
  })
  const attempt = async (name: string, args: object = {}): Promise<void> => {
    if ((await call(client, name, args)).isError) failed.push(`${name} ${Object.values(args).flat().join(' ')}`.trim())
  }
  const { conflicted = [] } = await done<{ conflicted?: string[] }>(client, 'merge', {
    revision: 'mergeable',
    onConflict: 'keep',
  }).catch(() => ({ conflicted: [] }))
  await attempt('conflicts')
  for (const path of conflicted) {
    await attempt('conflicts', { path })
    await attempt('preview_resolution', { path, take: 'theirs' })
    await call(client, 'resolve_conflict', { path, take: 'theirs' })
    await call(client, 'resolve_conflict', { path, take: 'content', content: 'settled\n' })
  }
  await call(client, 'continue_merge')
  await call(client, 'abort_merge')
  return failed
}

const EXPECTED = [`show ${ABSENT}`, 'stage file.cln', 'stash_save filtered']
const WITHOUT_STASH = ['stash_save true', 'stash_pop', 'stash_save', 'merge mergeable', 'switch_branch other']

// Every tool runs git several times.
describe.skipIf(process.platform === 'win32')('a planted repository', { timeout: 120_000 }, () => {
  const isPromisor = (trap: Trap): boolean => trap.name.includes('promisor')
  const isNested = (trap: Trap): boolean => /included|submodule/.test(trap.name)
  const touched = (traps: readonly Trap[]): string[] =>
    traps.filter((trap) => existsSync(canaryOf(trap))).map(({ name }) => name)

  it.each([
    ['its own settings', TRAPS.filter((trap) => !isPromisor(trap) && !isNested(trap)), EXPECTED],
    ['included files', TRAPS.filter(({ name }) => name.includes('included')), EXPECTED],
    // What is not put aside stays in the way of the rest.
    ['submodules', TRAPS.filter(({ name }) => name.includes('submodule')), [...EXPECTED, ...WITHOUT_STASH]],
  ])('sec-122: nothing is started by %s', async (name, traps, expected) => {
    expect(await doEverything(await prepare(`by-${name.slice(0, 3)}`, traps))).toEqual(expected)
    expect(touched(traps)).toEqual([])
  })

  it.each(TRAPS.filter(isPromisor).map((trap) => [trap.name, trap] as const))(
    'sec-122: %s is not turned to for what is missing',
    async (_, trap) => {
      const client = await opened.client({ repositories: [await prepare(`lacking-${TRAPS.indexOf(trap)}`, [trap])] })
      expect((await call(client, 'show', { revision: ABSENT })).isError).toBe(true)
      expect((await call(client, 'status')).isError).toBeFalsy()
      expect(touched([trap])).toEqual([])
    },
  )

  it.each(TRAPS.map((trap) => [trap.name, trap] as const))('plain git does walk into %s', async (_, trap) => {
    trap.spring(await prepare(`sprung-${TRAPS.indexOf(trap)}`, [trap]))
    expect(existsSync(canaryOf(trap))).toBe(true)
  })
})
