/** Fetch, pull and push, where the operator opened the network to some hosts. */

import { type AskingContext, ToolError, tool } from '@portico/sdk/server'
import { ask, change, isSettled, RISKY, requireSame } from '../change.ts'
import type { GitHost } from '../host.ts'
import { checkBranch } from '../refs.ts'
import { checkAddress, checkRemote, networkEnvironment, type RemoteSettings } from '../remotes.ts'
import { readStatus } from '../reports.ts'
import type { Repository } from '../repository.ts'
import { REPOSITORY, STATUS } from '../shapes.ts'
import { moveOn } from '../staging.ts'

const REMOTE = { type: 'string', maxLength: 100, description: 'origin unless given' } as const
const OPEN = { ...RISKY, openWorld: true } as const

export function createRemoteTools(host: GitHost, settings: RemoteSettings) {
  return { fetch: createFetch(host, settings), pull: createPull(host, settings), push: createPush(host, settings) }
}

function createFetch(host: GitHost, settings: RemoteSettings) {
  return tool(
    {
      title: 'Fetch',
      description: 'Gets the branches of a remote. Nothing that is checked out changes.',
      input: {
        type: 'object',
        properties: { repository: REPOSITORY, remote: REMOTE },
        additionalProperties: false,
      },
      output: STATUS,
      destructive: false,
      idempotent: true,
      openWorld: true,
    },
    async ({ repository, remote = 'origin' }, ctx) => {
      const chosen = host.repository(repository)
      return change(host, chosen, ctx, () => fetchAll(chosen, settings, checkRemote(remote), ctx))
    },
  )
}

async function fetchAll(repository: Repository, settings: RemoteSettings, remote: string, ctx: AskingContext) {
  const url = checkAddress(remote, await repository.addressOf(remote), settings)
  const env = networkEnvironment(url, settings, repository.fixedSettings)
  const quiet = ['--quiet', '--no-recurse-submodules', '--no-auto-maintenance', '--no-write-fetch-head', '--no-tags']
  const refs = `+refs/heads/*:refs/remotes/${remote}/*`
  await repository.run(['fetch', ...quiet, '--', url.href, refs], { env, signal: ctx.signal })
}

function createPull(host: GitHost, settings: RemoteSettings) {
  return tool(
    {
      title: 'Pull',
      description:
        'Fetches, and moves the current branch on to the one it follows, after asking. Where both have new commits nothing is moved: use merge.',
      input: {
        type: 'object',
        properties: { repository: REPOSITORY, remote: REMOTE },
        additionalProperties: false,
      },
      output: STATUS,
      ...OPEN,
    },
    async ({ repository, remote = 'origin' }, ctx) => {
      const chosen = host.repository(repository)
      const name = checkRemote(remote)
      const status = await readStatus(chosen, host.settings.maxResults, ctx.signal)
      if (!isSettled(status))
        throw new ToolError('There are changes that are not committed. Commit or stash them first')
      const { branch } = status
      if (branch === undefined) throw new ToolError('No branch is checked out')
      await chosen.inTurn(() => fetchAll(chosen, settings, name, ctx))
      const theirs = `refs/remotes/${name}/${branch}`
      const hash = await chosen.commitOf(theirs, ctx.signal)
      const head = await chosen.commitOf('HEAD', ctx.signal)
      const count = await countCommits(chosen, [hash, `^${head}`], ctx)
      if (count > 0) {
        await ask(
          host,
          ctx,
          `Move ${branch} of ${chosen.name} on by ${count} commit(s) to ${name}/${branch} (${hash.slice(0, 12)})?`,
        )
      }
      return change(host, chosen, ctx, async () => {
        const now = await readStatus(chosen, host.settings.maxResults)
        requireSame('What is checked out', [branch, head], [now.branch, now.head])
        if (await moveOn(chosen, hash)) return
        throw new ToolError(`${branch} has commits that ${name}/${branch} lacks: merge ${name}/${branch}`)
      })
    },
  )
}

async function countCommits(repository: Repository, range: readonly string[], { signal }: AskingContext) {
  const { text } = await repository.run(['rev-list', '--count', ...range, '--'], { signal })
  return Number(text)
}

/** Commits that are named before a push; the others are counted. */
const MAX_LISTED = 50

function createPush(host: GitHost, settings: RemoteSettings) {
  return tool(
    {
      title: 'Push',
      description: 'Sends a branch to a remote, after asking. Never by force.',
      input: {
        type: 'object',
        properties: {
          repository: REPOSITORY,
          remote: REMOTE,
          branch: { type: 'string', minLength: 1, maxLength: 250, description: 'The current one unless given' },
        },
        additionalProperties: false,
      },
      output: STATUS,
      ...OPEN,
    },
    async ({ repository, remote = 'origin', branch }, ctx) => {
      const chosen = host.repository(repository)
      const name = checkRemote(remote)
      const { branch: current } = await readStatus(chosen, 1, ctx.signal)
      const sent = checkBranch(branch ?? current ?? '')
      const hash = await chosen.commitOf(`refs/heads/${sent}`, ctx.signal)
      const url = checkAddress(name, await chosen.addressOf(name), settings)
      const range = [hash, '--not', `--remotes=${name}`]
      const count = await countCommits(chosen, range, ctx)
      const listed = await host.commits(chosen, [`--max-count=${MAX_LISTED}`, ...range, '--'], ctx.signal)
      const subjects = listed.map(({ hash: one, subject }) => `${one.slice(0, 12)} ${subject}`)
      const more = count - subjects.length
      const rest = `and ${more} older: all that ${hash.slice(0, 12)} has and no known branch of ${name} has`
      const question = `Push ${sent} of ${chosen.name} (${count} commit(s)) to ${url.href}?`
      await ask(host, ctx, question, [...subjects, ...(more > 0 ? [rest] : [])].join('\n'))
      return change(host, chosen, ctx, async () => {
        const env = networkEnvironment(url, settings, chosen.fixedSettings)
        const quiet = ['--quiet', '--no-verify', '--no-follow-tags', '--recurse-submodules=no', '--no-signed']
        // The hash that was agreed to, whatever the branch has become meanwhile.
        await chosen.run(['push', ...quiet, '--', url.href, `${hash}:refs/heads/${sent}`], { env })
        await chosen.run(['update-ref', `refs/remotes/${name}/${sent}`, hash])
      })
    },
  )
}
