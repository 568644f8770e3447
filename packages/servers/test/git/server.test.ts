import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lintServer } from '@portico/sdk/lint'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { entry } from '../../src/git/entry.ts'
import type { Commit, Status } from '../../src/git/reports.ts'
import { createGitServer } from '../../src/git/server.ts'
import { call, done, ERAS, git, makeFolder, makeRepository, Opened, refusal } from './fixture.ts'

const opened = new Opened()
let folder: string
let repo: string

beforeEach(async () => {
  folder = await opened.folder()
  repo = join(folder, 'repo')
  await cp(await template, repo, { recursive: true })
})

afterEach(() => opened.close())
afterAll(async () => rm(await template, { recursive: true }))

/** Made once and copied, since git takes its time. */
const template = makeFolder().then(async (place) => {
  await makeRepository(place)
  return place
})

const yes = { elicit: () => ({ action: 'accept' as const, content: { confirm: true } }) }

describe('starting', () => {
  it('needs at least one repository, and says so', async () => {
    await expect(entry.create({})).rejects.toThrow('repositories')
    await expect(createGitServer({ repositories: [folder] })).rejects.toThrow('no .git')
    await expect(createGitServer({ repositories: [repo], author: 'nobody' })).rejects.toThrow('author')
    await expect(createGitServer({ repositories: [repo], maxBytes: -1 })).rejects.toThrow('"maxBytes"')
  })

  it('has a clean bill from the linter, and nothing that writes unless told', async () => {
    const writing = await createGitServer({ repositories: [repo], write: true })
    expect(lintServer(writing.server).filter(({ severity }) => severity !== 'info')).toEqual([])
    const reading = await createGitServer({ repositories: [repo] })
    for (const tool of reading.server.catalogue().tools) expect(tool.annotations?.readOnlyHint, tool.name).toBe(true)
  })

  it('sec-131: a repository that is made of another one is refused, unless that one is named as well', async () => {
    const other = join(folder, 'private')
    await mkdir(other)
    await makeRepository(other)
    const traps: { [name: string]: (place: string) => Promise<unknown> } = {
      'a gitdir file': (place) => writeFile(join(place, '.git'), `gitdir: ${join(other, '.git')}\n`),
      'a link': (place) => symlink(join(other, '.git'), join(place, '.git')),
      'linked objects': async (place) => {
        git(place, 'init', '--quiet')
        await rm(join(place, '.git', 'objects'), { recursive: true })
        await symlink(join(other, '.git', 'objects'), join(place, '.git', 'objects'))
      },
      commondir: async (place) => {
        git(place, 'init', '--quiet')
        await writeFile(join(place, '.git', 'commondir'), `${join(other, '.git')}\n`)
      },
      alternates: async (place) => {
        git(place, 'init', '--quiet')
        await writeFile(join(place, '.git', 'objects', 'info', 'alternates'), `${join(other, '.git', 'objects')}\n`)
      },
    }
    for (const [name, plant] of Object.entries(traps)) {
      const place = join(folder, name.replaceAll(' ', '-'))
      await mkdir(place)
      await plant(place)
      await expect(createGitServer({ repositories: [place] }), name).rejects.toThrow('"repositories"')
      await (await createGitServer({ repositories: [place, other] })).close()
    }
  })

  it('core.worktree cannot make the server look elsewhere', async () => {
    const elsewhere = join(folder, 'elsewhere')
    await mkdir(elsewhere)
    await writeFile(join(elsewhere, 'a.txt'), 'secret\n')
    git(repo, 'config', 'core.worktree', elsewhere)
    const client = await opened.client({ repositories: [repo] })
    expect(JSON.stringify(await call(client, 'diff'))).not.toContain('secret')
  })
})

describe('looking', () => {
  it('says how things stand', async () => {
    await writeFile(join(repo, 'a.txt'), 'changed\n')
    await writeFile(join(repo, 'new name.txt'), 'x\n')
    await writeFile(join(repo, 'staged.txt'), 'x\n')
    git(repo, 'add', 'staged.txt')
    const client = await opened.client({ repositories: [repo] })
    expect(await done(client, 'status')).toMatchObject({
      repository: 'repo',
      branch: 'main',
      clean: false,
      staged: [{ path: 'staged.txt', change: 'added' }],
      unstaged: [{ path: 'a.txt', change: 'modified' }],
      untracked: ['new name.txt'],
    })
  })

  it('works where nothing was committed yet', async () => {
    const fresh = join(folder, 'fresh')
    await mkdir(fresh)
    git(fresh, 'init', '--quiet', '--initial-branch=main')
    const client = await opened.client({ repositories: [fresh] })
    expect(await done(client, 'status')).toMatchObject({ branch: 'main', clean: true })
    expect(await refusal(client, 'log')).toContain('no commit')
    expect((await client.readResource('git://fresh/log')).contents[0]).toMatchObject({ text: '{"commits":[]}' })
  })

  it('pages through history (sec-136), unmoved by later commits', async () => {
    const client = await opened.client({ repositories: [repo] })
    type Page = { commits: Commit[]; nextCursor?: string }
    const first = await done<Page>(client, 'log', { count: 1 })
    expect(first.commits[0]).toMatchObject({ subject: 'Second', author: 'Ada', email: 'ada@example.com' })
    git(repo, 'commit', '--quiet', '--allow-empty', '-m', 'Third')
    const second = await done<Page>(client, 'log', { count: 1, cursor: first.nextCursor })
    expect(second.commits[0]).toMatchObject({ subject: 'First', body: 'The reason' })
    expect(second.nextCursor).toBeUndefined()
    for (const other of [{ author: 'ada' }, { path: 'a.txt' }, { revision: 'main' }, { text: 'First' }]) {
      const refused = await refusal(client, 'log', { ...other, cursor: first.nextCursor })
      expect(refused, 'sec-702').toContain('another question')
    }
    expect((await done<Page>(client, 'log', { text: 'FIRST', author: 'ada' })).commits).toHaveLength(1)
    expect((await done<Page>(client, 'log', { text: '.*' })).commits).toHaveLength(0)
    expect(await refusal(client, 'log', { cursor: 'LS1oZWxw' })).toContain('cursor')
  })

  it('shows commits, files as they were, differences, blame and branches', async () => {
    const client = await opened.client({ repositories: [repo] })
    expect(await done(client, 'show', { revision: 'HEAD' })).toMatchObject({
      commit: { subject: 'Second' },
      files: [{ path: 'a.txt', added: 1, removed: 1 }],
      text: expect.stringContaining('-two\n+2'),
    })
    expect(await done(client, 'show', { revision: 'HEAD~1', path: 'a.txt' })).toMatchObject({
      text: 'one\ntwo\nthree\n',
    })
    expect(await done(client, 'diff', { from: 'main', to: 'other' })).toMatchObject({
      files: [{ path: 'a.txt' }, { path: 'b.txt' }],
    })
    const { lines } = await done<{ lines: { text: string; hash: string }[] }>(client, 'blame', { path: 'a.txt' })
    expect(lines.map(({ text }) => text)).toEqual(['one', '2', 'three'])
    expect(lines[0]?.hash).not.toBe(lines[1]?.hash)
    const { branches } = await done<{ branches: { name: string; current: boolean }[] }>(client, 'branches')
    expect(branches.map(({ name, current }) => [name, current])).toEqual([
      ['main', true],
      ['other', false],
    ])
  })

  it('sec-122: nothing that is given becomes an option', async () => {
    const client = await opened.client({
      repositories: [repo],
      write: true,
      allowUnasked: true,
      author: 'T <t@example.com>',
    })
    const target = join(folder, 'written')
    const options = [`--output=${target}`, '-p', '--upload-pack=x', '--no-index']
    for (const option of options) {
      for (const name of ['log', 'show', 'merge']) await refusal(client, name, { revision: option })
      await refusal(client, 'diff', { from: option })
      await refusal(client, 'blame', { path: 'a.txt', revision: option })
      await refusal(client, 'create_branch', { name: option })
      await refusal(client, 'create_branch', { name: 'fine', from: option })
      await refusal(client, 'switch_branch', { name: option })
      for (const name of ['blame', 'stage'])
        await refusal(client, name, name === 'stage' ? { paths: [option] } : { path: option })
      expect(await done<{ commits: Commit[] }>(client, 'log', { path: option, author: option, text: option })).toEqual({
        commits: [],
      })
      expect(await done(client, 'diff', { path: option })).toMatchObject({ text: '' })
    }
    expect(existsSync(target)).toBe(false)
  })

  it('takes patterns and magic for plain names', async () => {
    await writeFile(join(repo, '*'), 'star\n')
    await writeFile(join(repo, 'z.txt'), 'z\n')
    const client = await opened.client({ repositories: [repo], write: true })
    const status = await done<Status>(client, 'stage', { paths: ['*'] })
    expect(status.staged).toEqual([{ path: '*', change: 'added' }])
    await refusal(client, 'stage', { paths: [':(glob)**'] })
  })

  it('cuts long output and names the option; ends what takes too long', async () => {
    await writeFile(join(repo, 'a.txt'), 'x\n'.repeat(5000))
    const client = await opened.client({ repositories: [repo], maxBytes: 1000 })
    const { text, truncated } = await done<{ text: string; truncated: boolean }>(client, 'diff')
    expect(truncated).toBe(true)
    expect(text.length).toBeLessThanOrEqual(1000)
    const hasty = await opened.client({ repositories: [repo], timeoutMs: 1 })
    expect(await refusal(hasty, 'status')).toContain('"timeoutMs"')
  })

  it('sec-867: names, authors and subjects of others show what cannot be seen in them', async () => {
    const author = 'Eve\u202e \u001b[2K <e@x.example>'
    git(repo, 'switch', '--quiet', '-c', 'br\u202eanch')
    git(repo, 'commit', '--quiet', '--allow-empty', `--author=${author}`, '-m', 'Sub\u202eject')
    await writeFile(join(repo, 'na\u202eme'), 'x')
    const client = await opened.client({ repositories: [repo] })
    const [said] = (await done<{ commits: { author: string; subject: string }[] }>(client, 'log')).commits
    expect(said).toMatchObject({
      author: expect.stringContaining('Eve\\u{202E} \\u{1B}[2K'),
      subject: 'Sub\\u{202E}ject',
    })
    expect(await done(client, 'status')).toMatchObject({ untracked: ['na\\u{202E}me'] })
    expect(JSON.stringify(await done(client, 'branches'))).not.toContain('\u202e')
  })

  it('takes secrets out of what it shows', async () => {
    const token = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
    await writeFile(join(repo, 'config.txt'), `url = https://me:${token}@example.com\n`)
    git(repo, 'add', '.')
    git(repo, 'commit', '--quiet', '-m', `Use ${token}`)
    const client = await opened.client({ repositories: [repo] })
    for (const [name, args] of [
      ['log', {}],
      ['show', { revision: 'HEAD' }],
      ['show', { revision: 'HEAD', path: 'config.txt' }],
      ['blame', { path: 'config.txt' }],
      ['branches', {}],
    ] as const) {
      expect(JSON.stringify(await call(client, name, args)), name).not.toContain(token)
    }
  })
})

describe.each(ERAS)('changing at %s', (version) => {
  it('stages, unstages and commits, without asking', async () => {
    const client = await opened.client(
      { repositories: [repo], write: true, author: 'Grace <grace@example.com>' },
      { version },
    )
    await writeFile(join(repo, 'a.txt'), 'new\n')
    await rm(join(repo, 'a.txt'))
    await writeFile(join(repo, 'c.txt'), 'c\n')
    expect((await done<Status>(client, 'stage', { paths: ['a.txt', 'c.txt'] })).staged).toHaveLength(2)
    expect((await done<Status>(client, 'unstage', { paths: ['a.txt'] })).staged).toHaveLength(1)
    const { hash } = await done<{ hash: string }>(client, 'commit', {
      message: '-m is no option here\n\n# nor a comment',
    })
    expect(git(repo, 'log', '-1', '--format=%H %an %cn %B').trim()).toBe(
      `${hash} Grace Grace -m is no option here\n\n# nor a comment`,
    )
    expect(await refusal(client, 'commit', { message: 'Empty' })).toContain('Nothing is staged')
  })

  it('asks before it switches with changes, and not without', async () => {
    const client = await opened.client(
      { repositories: [repo], write: true },
      { version, answers: { elicit: ['decline', { confirm: true }] } },
    )
    expect(await done(client, 'switch_branch', { name: 'other' })).toMatchObject({ branch: 'other' })
    await writeFile(join(repo, 'b.txt'), 'changed\n')
    expect(await refusal(client, 'switch_branch', { name: 'main' })).toContain('did not agree')
    // Agreed, but the change would be lost: git itself refuses, and nothing is forced.
    expect(await refusal(client, 'switch_branch', { name: 'main' })).toContain('failed')
    expect(await readFile(join(repo, 'b.txt'), 'utf8')).toBe('changed\n')
    expect(await refusal(client, 'switch_branch', { name: 'absent' })).toContain('no commit')
    client.verifyScript()
  })

  it('merges after asking, and undoes a merge with conflicts', async () => {
    const client = await opened.client({ repositories: [repo], write: true }, { version, answers: yes })
    expect(await done(client, 'merge', { revision: 'other' })).toMatchObject({ clean: true })
    expect(existsSync(join(repo, 'b.txt'))).toBe(true)
    git(repo, 'branch', 'conflicting', 'HEAD')
    for (const [branch, text] of [
      ['conflicting', 'theirs\n'],
      ['main', 'ours\n'],
    ] as const) {
      git(repo, 'switch', '--quiet', branch)
      await writeFile(join(repo, 'a.txt'), text)
      git(repo, 'commit', '--quiet', '-am', branch)
    }
    expect(await refusal(client, 'merge', { revision: 'conflicting' })).toContain('conflicts in a.txt')
    expect(await done(client, 'status')).toMatchObject({ clean: true, branch: 'main' })
    await writeFile(join(repo, 'a.txt'), 'dirty\n')
    expect(await refusal(client, 'merge', { revision: 'other' })).toContain('stash')
  })

  it('stashes, and brings back after asking', async () => {
    const client = await opened.client(
      { repositories: [repo], write: true },
      { version, answers: { elicit: [{ confirm: true }] } },
    )
    await writeFile(join(repo, 'a.txt'), 'work\n')
    await writeFile(join(repo, 'u.txt'), 'untracked\n')
    expect(await done(client, 'stash_save', { message: '--help', untracked: true })).toMatchObject({ clean: true })
    expect(await done(client, 'stash_pop')).toMatchObject({ untracked: ['u.txt'] })
    expect(await readFile(join(repo, 'a.txt'), 'utf8')).toBe('work\n')
    expect(await refusal(client, 'stash_pop', { index: 3 })).toContain('no stash@{3}')
    client.verifyScript()
  })

  it('refuses where nobody can be asked, unless the option says otherwise', async () => {
    const client = await opened.client({ repositories: [repo], write: true }, { version })
    expect(await refusal(client, 'merge', { revision: 'other' })).toContain('"allowUnasked"')
    const free = await opened.client({ repositories: [repo], write: true, allowUnasked: true }, { version })
    await done(free, 'merge', { revision: 'other' })
  })

  it('tells subscribers of its own changes and of others’', async () => {
    const client = await opened.client({ repositories: [repo], write: true, pollMs: 50 }, { version })
    let heard = (): void => {}
    const next = () =>
      new Promise<void>((resolve) => {
        heard = resolve
      })
    let change = next()
    const subscription = await client.subscribe({ resourceSubscriptions: ['git://repo/status'] }, () => heard())
    await writeFile(join(repo, 'a.txt'), 'in the working tree\n')
    await change
    change = next()
    await done(client, 'stage', { paths: ['a.txt'] })
    await change
    change = next()
    git(repo, 'commit', '--quiet', '-m', 'By somebody else')
    await change
    await subscription.close()
  })
})

describe('resources and prompts', () => {
  it('reads what the templates promise, and nothing else', async () => {
    const client = await opened.client({ repositories: [repo] })
    const hash = git(repo, 'rev-parse', 'HEAD').trim()
    const listed = (await client.listResources()).map(({ uri }) => uri)
    expect(listed).toEqual(['status', 'log', 'diff', 'staged'].map((kind) => `git://repo/${kind}`))
    for (const uri of [...listed, 'git://repo/branch/main', `git://repo/commit/${hash}`, 'git://repo/blame/a.txt']) {
      expect((await client.readResource(uri)).contents, uri).toHaveLength(1)
    }
    for (const uri of [
      'git://repo/commit/--help',
      'git://repo/commit/main..other',
      'git://repo/blame/..%2F..%2Fetc%2Fpasswd',
      'git://repo/blame/.git/config',
      'git://repo/branch/-x',
      'git://elsewhere/branch/main',
      'git://elsewhere/status',
    ]) {
      await expect(client.readResource(uri), uri).rejects.toThrow()
    }
  })

  it('completes branches, commits and paths', async () => {
    const client = await opened.client({ repositories: [repo] })
    const complete = async (uri: string, name: string, value: string) =>
      (await client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value } })).completion.values
    expect(await complete('git://{repository}/branch/{+name}', 'repository', 're')).toEqual(['repo'])
    expect(await complete('git://{repository}/branch/{+name}', 'name', 'o')).toEqual(['other'])
    expect(await complete('git://{repository}/commit/{sha}', 'sha', '')).toHaveLength(2)
    expect(await complete('git://{repository}/blame/{+path}', 'path', 'a')).toEqual(['a.txt'])
    expect(await complete('git://{repository}/blame/{+path}', 'path', '../')).toEqual([])
  })

  it('offers prompts with the change in them', async () => {
    const client = await opened.client({ repositories: [repo] })
    await expect(client.getPrompt('commit_message', {})).rejects.toThrow('Nothing is staged')
    await writeFile(join(repo, 'a.txt'), 'for the prompt\n')
    git(repo, 'add', '.')
    for (const name of ['commit_message', 'review_changes']) {
      expect(JSON.stringify((await client.getPrompt(name, {})).messages), name).toContain('+for the prompt')
    }
  })

  it('keeps two repositories of one name apart', async () => {
    const second = join(folder, 'more', 'repo')
    await mkdir(second, { recursive: true })
    await makeRepository(second)
    const client = await opened.client({ repositories: [repo, second] })
    expect(await refusal(client, 'status')).toContain('repo, repo-2')
    expect(await done(client, 'status', { repository: 'repo-2' })).toMatchObject({ repository: 'repo-2' })
  })
})
