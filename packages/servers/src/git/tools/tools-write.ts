/**
 * The tools that change a repository. None runs hooks, signs, reaches a network or deletes; those that touch files which
 * the user may be working on ask first. What is asked is settled before the change is made, one change at a time.
 */

import { ToolError, tool } from '@portico/sdk/server'
import { ask, authorEnvironment, change, isSettled, RISKY, requireSame, SAFE } from '../change.ts'
import type { GitHost } from '../host.ts'
import { checkBranch, checkRepositoryPath } from '../refs.ts'
import { readStatus, type Status } from '../reports.ts'
import type { Repository } from '../repository.ts'
import { PATHS, REPOSITORY, REVISION, STATUS } from '../shapes.ts'
import { refuseFilteredChanges, refuseSubmodules, requireStaged, stagePaths } from '../staging.ts'
import { requireWayTo, requireWayToStash } from '../unsaved/in-the-way.ts'

export function createWriteTools(host: GitHost) {
  return {
    stage: createStage(host),
    unstage: createUnstage(host),
    commit: createCommit(host),
    create_branch: createCreateBranch(host),
    switch_branch: createSwitchBranch(host),
    stash_save: createStashSave(host),
    stash_pop: createStashPop(host),
  }
}

const WITH_PATHS = {
  type: 'object',
  properties: { repository: REPOSITORY, paths: PATHS },
  required: ['paths'],
  additionalProperties: false,
} as const

function createStage(host: GitHost) {
  return tool(
    {
      title: 'Stage changes',
      description: 'Puts changed, new or deleted files into the next commit. Answers with the status.',
      input: WITH_PATHS,
      output: STATUS,
      idempotent: true,
      ...SAFE,
    },
    async ({ repository, paths }, ctx) => {
      const chosen = host.repository(repository)
      const checked = paths.map(checkRepositoryPath)
      return change(host, chosen, ctx, () => stagePaths(chosen, checked))
    },
  )
}

function createUnstage(host: GitHost) {
  return tool(
    {
      title: 'Unstage changes',
      description: 'Takes files out of the next commit; what is on disk stays. Answers with the status.',
      input: WITH_PATHS,
      output: STATUS,
      idempotent: true,
      ...SAFE,
    },
    async ({ repository, paths }, ctx) => {
      const chosen = host.repository(repository)
      const input = toInput(paths)
      return change(host, chosen, ctx, () =>
        chosen.run(['reset', '--quiet', '--pathspec-from-file=-', '--pathspec-file-nul'], { input }),
      )
    },
  )
}

function createCommit(host: GitHost) {
  return tool(
    {
      title: 'Commit',
      description: 'Commits what is staged. Hooks do not run and nothing is signed.',
      input: {
        type: 'object',
        properties: {
          repository: REPOSITORY,
          message: {
            type: 'string',
            minLength: 1,
            maxLength: 20_000,
            description: 'A short first line, then the reason',
          },
        },
        required: ['message'],
        additionalProperties: false,
      },
      output: {
        type: 'object',
        properties: {
          hash: { type: 'string', description: 'The new commit' },
          branch: { type: 'string', description: 'The branch it is on' },
        },
        required: ['hash'],
        additionalProperties: false,
      },
      idempotent: false,
      ...SAFE,
    },
    async ({ repository, message }) => {
      const chosen = host.repository(repository)
      if (message.includes('\0') || message.trim() === '') throw new ToolError('Give a message that has words in it')
      return chosen.inTurn(async () => {
        const env = await authorEnvironment(host, chosen)
        await requireStaged(chosen)
        // With nothing staged git would look at the status, which leads it into submodules.
        const quiet = ['--quiet', '--allow-empty', '--no-verify', '--no-gpg-sign']
        const args = ['commit', ...quiet, '--cleanup=whitespace', '--file=-']
        await chosen.run(args, { input: message, env })
        host.changed(chosen)
        const { branch } = await readStatus(chosen, 1)
        return { hash: await chosen.commitOf('HEAD'), ...(branch !== undefined && { branch }) }
      })
    },
  )
}

const BRANCH = { type: 'string', minLength: 1, maxLength: 250, description: 'The name of the branch' } as const

function createCreateBranch(host: GitHost) {
  return tool(
    {
      title: 'Create a branch',
      description: 'Makes a branch at a commit without switching to it.',
      input: {
        type: 'object',
        properties: {
          repository: REPOSITORY,
          name: BRANCH,
          from: { ...REVISION, description: 'Where it begins; HEAD unless given' },
        },
        required: ['name'],
        additionalProperties: false,
      },
      output: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'The branch' },
          hash: { type: 'string', description: 'The commit it points to' },
        },
        required: ['name', 'hash'],
        additionalProperties: false,
      },
      idempotent: false,
      ...SAFE,
    },
    async ({ repository, name, from }, ctx) => {
      const chosen = host.repository(repository)
      const checked = checkBranch(name)
      const hash = await chosen.commitOf(from ?? 'HEAD', ctx.signal)
      await chosen.inTurn(() => chosen.run(['branch', '--no-track', '--', checked, hash]))
      host.changed(chosen)
      return { name: checked, hash }
    },
  )
}

function createSwitchBranch(host: GitHost) {
  return tool(
    {
      title: 'Switch branches',
      description: 'Checks out another branch. Asks the user when there are changes; never throws any away.',
      input: {
        type: 'object',
        properties: { repository: REPOSITORY, name: BRANCH },
        required: ['name'],
        additionalProperties: false,
      },
      output: STATUS,
      ...RISKY,
    },
    async ({ repository, name }, ctx) => {
      const chosen = host.repository(repository)
      const branch = checkBranch(name)
      const target = await chosen.commitOf(`refs/heads/${branch}`, ctx.signal)
      const status = await readStatus(chosen, host.settings.maxResults, ctx.signal)
      if (!isSettled(status)) {
        await ask(
          host,
          ctx,
          `Switch ${chosen.name} from ${status.branch ?? 'no branch'} to ${branch} (${target.slice(0, 12)})? ${toSummary(status)}`,
        )
      }
      return change(host, chosen, ctx, async () => {
        const now = await readStatus(chosen, host.settings.maxResults)
        requireSame(branch, target, await chosen.commitOf(`refs/heads/${branch}`))
        requireSame('What is checked out', switchedFrom(status), switchedFrom(now))
        await requireWayTo(chosen, target)
        const quiet = ['--quiet', '--no-guess', '--no-progress', '--no-recurse-submodules']
        await chosen.run(['switch', ...quiet, '--no-overwrite-ignore', branch])
      })
    },
  )
}

function createStashSave(host: GitHost) {
  return tool(
    {
      title: 'Stash changes',
      description: 'Puts changes aside and leaves a clean working tree. stash_pop brings them back.',
      input: {
        type: 'object',
        properties: {
          repository: REPOSITORY,
          message: { type: 'string', maxLength: 500, description: 'What they are' },
          untracked: { type: 'boolean', description: 'Files that git does not know, too; false unless given' },
        },
        additionalProperties: false,
      },
      output: STATUS,
      idempotent: false,
      ...SAFE,
    },
    async ({ repository, message, untracked }, ctx) => {
      const chosen = host.repository(repository)
      if (/[\0\n]/.test(message ?? '')) throw new ToolError('Give the message on one line')
      return change(host, chosen, ctx, async () => {
        await refuseSubmodules(chosen)
        await refuseFilteredChanges(chosen, untracked === true)
        const env = await stashEnvironment(host, chosen)
        const extra = untracked === true ? ['--include-untracked'] : []
        await chosen.run(['stash', 'push', '--quiet', ...extra, `--message=${message ?? 'stashed by portico'}`], {
          env,
        })
      })
    },
  )
}

function createStashPop(host: GitHost) {
  return tool(
    {
      title: 'Bring back stashed changes',
      description: 'Applies a stash to the working tree and drops it, after asking. With conflicts, the stash is kept.',
      input: {
        type: 'object',
        properties: {
          repository: REPOSITORY,
          index: {
            type: 'integer',
            minimum: 0,
            maximum: 100_000,
            description: 'Which stash, the newest being 0; 0 unless given',
          },
        },
        additionalProperties: false,
      },
      output: STATUS,
      ...RISKY,
    },
    async ({ repository, index }, ctx) => {
      const chosen = host.repository(repository)
      const stash = `stash@{${index ?? 0}}`
      const hash = await hashOf(chosen, stash)
      const status = await readStatus(chosen, host.settings.maxResults, ctx.signal)
      await ask(host, ctx, `Bring ${stash} (${hash.slice(0, 12)}) back into ${chosen.name}? ${toSummary(status)}`)
      return change(host, chosen, ctx, async () => {
        // Whoever stashes meanwhile moves what the number means.
        requireSame(stash, hash, await hashOf(chosen, stash))
        const env = await stashEnvironment(host, chosen)
        await requireWayToStash(chosen, `refs/${stash}`)
        await chosen.run(['stash', 'pop', '--quiet', stash], { env })
      })
    },
  )
}

async function hashOf(repository: Repository, stash: string): Promise<string> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `refs/${stash}`]
  const { text, code } = await repository.run(args, { codes: [0, 1, 128] })
  if (code !== 0) throw new ToolError(`There is no ${stash} in ${repository.name}`)
  return text.trim()
}

/** What the question about a switch says of how things stand. */
function switchedFrom(status: Status): unknown {
  return [status.branch, status.head, isSettled(status) || toSummary(status)]
}

/** `git stash` calls other commands with patterns of its own; none of ours are among its arguments. */
async function stashEnvironment(host: GitHost, repository: Repository): Promise<{ [name: string]: string }> {
  return { ...(await authorEnvironment(host, repository)), GIT_LITERAL_PATHSPECS: '0' }
}

function toInput(paths: readonly string[]): string {
  return paths.map(checkRepositoryPath).join('\0')
}

function toSummary({ staged, unstaged, untracked }: Status): string {
  return `There are ${staged.length} staged, ${unstaged.length} unstaged and ${untracked.length} untracked changes.`
}
