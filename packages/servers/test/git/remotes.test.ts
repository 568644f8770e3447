/** The network of the git server: closed unless the operator names hosts, and open to no others. */

import { existsSync } from 'node:fs'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { GitOptions } from '../../src/git/options.ts'
import { call, done, git, makeRepository, Opened, refusal } from './fixture.ts'
import { type GitHttp, startGitHttp } from './git-http.ts'

const TOKEN = 'ghp-not-for-strangers'
let opened: Opened
let folder: string
let repo: string
let remote: GitHttp
const servers: GitHttp[] = []

async function serve(password?: string): Promise<GitHttp> {
  const one = await startGitHttp(folder, password)
  servers.push(one)
  return one
}

beforeEach(async () => {
  opened = new Opened()
  folder = await opened.folder()
  repo = join(folder, 'work')
  await mkdir(repo)
  await makeRepository(repo)
  git(folder, 'clone', '--quiet', '--bare', repo, 'far.git')
  git(join(folder, 'far.git'), 'config', 'http.receivepack', 'true')
  remote = await serve(TOKEN)
  git(repo, 'remote', 'add', 'origin', `${remote.origin}/far.git`)
  process.env.GIT_TEST_TOKEN = TOKEN
})

afterEach(async () => {
  delete process.env.GIT_TEST_TOKEN
  await opened.close()
  for (const one of servers.splice(0)) await one.close()
})

function open(options: Partial<GitOptions> = {}) {
  const remotes = [remote.origin]
  return opened.client({
    repositories: [repo],
    write: true,
    allowUnasked: true,
    remotes,
    tokenEnv: 'GIT_TEST_TOKEN',
    ...options,
  })
}

/** A commit at the remote that the working tree does not have. */
async function commitFarAway(): Promise<string> {
  const other = join(folder, 'other')
  git(folder, 'clone', '--quiet', 'far.git', 'other')
  await writeFile(join(other, 'far.txt'), 'far\n')
  git(other, 'add', '.')
  git(other, '-c', 'user.name=B', '-c', 'user.email=b@x.example', 'commit', '--quiet', '-m', 'Far')
  git(other, 'push', '--quiet', 'origin', 'main')
  return git(other, 'rev-parse', 'HEAD').trim()
}

const head = (where: string, name = 'HEAD'): string => git(where, 'rev-parse', name).trim()

describe('fetch, pull and push', () => {
  it('say truly how many commits are pushed, and of which range', async () => {
    for (let one = 0; one < 52; one++) git(repo, 'commit', '--quiet', '--allow-empty', '-m', `Empty ${one}`)
    const asked: string[] = []
    const elicit = ({ message }: { readonly message: string }) => {
      asked.push(message)
      return { action: 'decline' as const }
    }
    const options = { repositories: [repo], write: true, remotes: [remote.origin], tokenEnv: 'GIT_TEST_TOKEN' }
    const client = await opened.client(options, { answers: { elicit } })
    await done(client, 'fetch')
    expect(await refusal(client, 'push')).toContain('did not agree')
    expect(asked[0]).toContain('(52 commit(s))')
    expect(asked[0]).toContain(`and 2 older: all that ${head(repo).slice(0, 12)} has and no known branch of origin has`)
  })

  it('are not there unless the operator names hosts', async () => {
    const client = await opened.client({ repositories: [repo], write: true })
    const names = (await client.listTools()).map(({ name }) => name)
    for (const tool of ['fetch', 'pull', 'push']) expect(names).not.toContain(tool)
  })

  it('bring what is far, move the branch on, and send what is here', async () => {
    const far = await commitFarAway()
    const client = await open()
    const before = head(repo)
    await done(client, 'fetch')
    expect([head(repo), head(repo, 'refs/remotes/origin/main')]).toEqual([before, far])
    await done(client, 'pull')
    expect(head(repo)).toBe(far)
    await writeFile(join(repo, 'near.txt'), 'near\n')
    await done(client, 'stage', { paths: ['near.txt'] })
    await done(client, 'commit', { message: 'Near' })
    await done(client, 'push')
    expect(head(join(folder, 'far.git'), 'refs/heads/main')).toBe(head(repo))
  })

  it('refuse to move or send where both sides have something new', async () => {
    await commitFarAway()
    const client = await open()
    await writeFile(join(repo, 'near.txt'), 'near\n')
    await done(client, 'stage', { paths: ['near.txt'] })
    await done(client, 'commit', { message: 'Near' })
    const [mine, theirs] = [head(repo), head(join(folder, 'far.git'), 'refs/heads/main')]
    expect(await refusal(client, 'pull')).toContain('merge origin/main')
    expect(await refusal(client, 'push')).toMatch(/rejected|fetch first|non-fast-forward/)
    expect([head(repo), head(join(folder, 'far.git'), 'refs/heads/main')]).toEqual([mine, theirs])
  })

  it('ask before they change anything, and send what was agreed to', async () => {
    const asked: string[] = []
    const client = await opened.client(
      { repositories: [repo], write: true, remotes: [remote.origin], tokenEnv: 'GIT_TEST_TOKEN' },
      {
        answers: {
          elicit: ({ message }: { message: string }) => {
            asked.push(message)
            return { action: 'decline' }
          },
        } as never,
      },
    )
    await commitFarAway()
    expect((await call(client, 'push')).isError).toBe(true)
    expect((await call(client, 'pull')).isError).toBe(true)
    expect(asked).toEqual([
      expect.stringContaining(`to ${remote.origin}/far.git?`),
      expect.stringContaining('Move main of work on by 1 commit(s) to origin/main'),
    ])
  })
})

describe('sec-475: the token and the network of git', () => {
  it('the token reaches the named host alone: not another that the repository names, nor one that is led to', async () => {
    const stranger = await serve()
    const client = await open()
    git(repo, 'remote', 'set-url', 'origin', `${stranger.origin}/far.git`)
    expect(await refusal(client, 'fetch')).toContain('not among the option "remotes"')
    git(repo, 'remote', 'set-url', 'origin', `${remote.origin}/far.git`)
    remote.redirectTo(stranger.origin)
    expect((await call(client, 'fetch')).isError).toBe(true)
    expect(stranger.asked).toEqual([])
  })

  it.each([
    ['a program', (canary: string) => `ext::sh -c touch% ${canary}`],
    ['a path', () => '/etc'],
    ['a file', () => 'file:///etc'],
    ['ssh', () => 'git@127.0.0.1:far.git'],
    ['ssh with an option', (canary: string) => `ssh://-oProxyCommand=touch ${canary}/x`],
    ['an option', (canary: string) => `--upload-pack=touch ${canary}`],
    ['a host that begins alike', () => `${remote.origin}.evil.example/far.git`],
    ['a user that looks like the host', () => `${remote.origin}@evil.example/far.git`],
  ])('an address that is %s is refused by fetch, pull and push, and nothing starts', async (_what, address) => {
    const canary = join(folder, 'canary')
    await appendFile(
      join(repo, '.git', 'config'),
      `[remote "bad"]\n\turl = "${address(canary).replaceAll('"', '\\"')}"\n`,
    )
    const client = await open()
    for (const tool of ['fetch', 'pull', 'push']) {
      expect(await refusal(client, tool, { remote: 'bad' }), tool).toMatch(/only https addresses|not among/)
    }
    expect(existsSync(canary)).toBe(false)
    expect(remote.asked).toEqual([])
  })

  it('settings of the repository have no say: proxies, other addresses, helpers, hooks', async () => {
    const stranger = await serve()
    const canary = join(folder, 'canary')
    const hook = join(repo, '.git', 'hooks', 'pre-push')
    await mkdir(join(repo, '.git', 'hooks'), { recursive: true })
    await writeFile(hook, `#!/bin/sh\ntouch '${canary}'\n`, { mode: 0o755 })
    for (const [key, value] of [
      ['http.proxy', stranger.origin],
      [`url.${stranger.origin}/.insteadOf`, `${remote.origin}/`],
      [`url.${stranger.origin}/.pushInsteadOf`, `${remote.origin}/`],
      ['remote.origin.pushurl', `${stranger.origin}/far.git`],
      ['remote.origin.proxy', stranger.origin],
      ['credential.helper', `!touch '${canary}'`],
      ['core.askPass', `touch '${canary}'`],
      ['http.followRedirects', 'true'],
      [`http.${remote.origin}/.extraHeader`, 'X-Planted: yes'],
    ] as const) {
      git(repo, 'config', key, value)
    }
    const client = await open()
    await done(client, 'fetch')
    git(repo, 'commit', '--quiet', '--allow-empty', '-m', 'More')
    await done(client, 'push')
    expect(stranger.asked).toEqual([])
    expect(existsSync(canary)).toBe(false)
    expect(head(join(folder, 'far.git'), 'refs/heads/main')).toBe(head(repo))
  })

  it('a wrong token is an error that shows neither it nor its place', async () => {
    process.env.GIT_TEST_TOKEN = 'wrong-secret'
    const client = await open()
    const told = await refusal(client, 'fetch')
    expect(told).toMatch(/git fetch failed/)
    expect(told).not.toContain('wrong-secret')
  })

  it.each(['ftp://x.example', 'https://x.example/path', 'a b', 'https://u@x.example'])(
    'the option takes hosts: %s is refused at the start',
    async (host) => {
      await expect(open({ remotes: [host] })).rejects.toThrow('option "remotes"')
    },
  )
})
