/** What is asked for now and then: stashes and working trees listed, a tag, a file as it was. */

import { ToolError, tool } from '@portico/sdk/server'
import { spellHidden } from '../../text/plain-text.ts'
import { ask, authorEnvironment, change, RISKY, requireSame, SAFE } from '../change.ts'
import type { GitHost } from '../host.ts'
import { redact } from '../redact.ts'
import { checkBranch, checkRepositoryPath } from '../refs.ts'
import type { Repository } from '../repository.ts'
import { PATHS, REPOSITORY, REVISION, STATUS } from '../shapes.ts'
import { refuseFiltered } from '../staging.ts'
import { requirePlaces } from '../unsaved/in-the-way.ts'
import { lostText } from '../unsaved/lost.ts'

const READS = { readOnly: true, idempotent: true, openWorld: false } as const
const ONLY = { type: 'object', properties: { repository: REPOSITORY }, additionalProperties: false } as const

export function createExtraReadTools(host: GitHost) {
  return { stashes: createStashes(host), worktrees: createWorktrees(host) }
}

export function createExtraWriteTools(host: GitHost) {
  return { restore: createRestore(host), create_tag: createTag(host) }
}

function createStashes(host: GitHost) {
  return tool(
    {
      title: 'List stashes',
      description: 'Lists what was put aside; show takes "stash@{0}".',
      input: ONLY,
      output: {
        type: 'object',
        properties: {
          stashes: {
            type: 'array',
            description: 'Newest first',
            items: {
              type: 'object',
              properties: {
                name: { type: 'string', description: 'As show and stash_pop count it' },
                hash: { type: 'string', description: 'Its commit' },
                date: { type: 'string', description: 'When' },
                message: { type: 'string', description: 'What it is' },
              },
              required: ['name', 'hash', 'date', 'message'],
              additionalProperties: false,
            },
          },
        },
        required: ['stashes'],
        additionalProperties: false,
      },
      ...READS,
    },
    async ({ repository }, ctx) => {
      const chosen = host.repository(repository)
      const fixed = ['log', '-z', '--walk-reflogs', '--format=%gd%n%H%n%cI%n%gs', '--no-show-signature']
      const args = [...fixed, `--max-count=${host.settings.maxResults}`, 'refs/stash', '--']
      // Without any, there is no such reference.
      const { text, code } = await chosen.run(args, { codes: [0, 128], signal: ctx.signal })
      const rows = code === 0 ? text.split('\0').filter(Boolean) : []
      const stashes = rows.map((row, index) => {
        const [, hash = '', date = '', message = ''] = row.split('\n')
        return { name: `stash@{${index}}`, hash, date, message: spellHidden(redact(message)) }
      })
      return { stashes }
    },
  )
}

function createWorktrees(host: GitHost) {
  return tool(
    {
      title: 'List working trees',
      description: 'Lists the working trees of a repository, and what each has checked out.',
      input: ONLY,
      output: {
        type: 'object',
        properties: {
          worktrees: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                path: { type: 'string', description: 'Where it is' },
                hash: { type: 'string', description: 'The commit' },
                branch: { type: 'string', description: 'Absent where there is none' },
                locked: { type: 'boolean' },
              },
              required: ['path'],
              additionalProperties: false,
            },
          },
        },
        required: ['worktrees'],
        additionalProperties: false,
      },
      ...READS,
    },
    async ({ repository }, ctx) => {
      const chosen = host.repository(repository)
      const { text } = await chosen.run(['worktree', 'list', '--porcelain'], { signal: ctx.signal })
      const worktrees = text
        .split('\n\n')
        .filter((entry) => entry.trim() !== '')
        .slice(0, host.settings.maxResults)
        .map((entry, index) => toWorktree(entry, index === 0 ? chosen.mainTree : undefined))
      return { worktrees }
    },
  )
}

function toWorktree(entry: string, main: string | undefined) {
  const of = (key: string): string | undefined => new RegExp(`^${key} (.*)$`, 'm').exec(entry)?.[1]
  const branch = of('branch')?.replace(/^refs\/heads\//, '')
  return {
    // git knows the first by the view that it is shown.
    path: main ?? of('worktree') ?? '',
    ...(of('HEAD') !== undefined && { hash: of('HEAD') }),
    ...(branch !== undefined && { branch }),
    ...(/^locked\b/m.test(entry) && { locked: true }),
  }
}

function createRestore(host: GitHost) {
  return tool(
    {
      title: 'Restore files',
      description: 'Puts files back as they were in a commit. Asks, and shows what that throws away.',
      input: {
        type: 'object',
        properties: {
          repository: REPOSITORY,
          paths: PATHS,
          revision: { ...REVISION, description: 'As in this commit; HEAD unless given' },
        },
        required: ['paths'],
        additionalProperties: false,
      },
      output: STATUS,
      ...RISKY,
    },
    async ({ repository, paths, revision }, ctx) => {
      const chosen = host.repository(repository)
      const checked = paths.map(checkRepositoryPath)
      const hash = await chosen.commitOf(revision ?? 'HEAD', ctx.signal)
      const files = await filesAt(chosen, hash, checked)
      await refuseFiltered(chosen, `${files.join('\0')}\0`)
      await requirePlaces(chosen, files)
      const wish = { hash, paths: checked, files }
      const lost = await lostText(chosen, wish)
      const what = lost === '' ? 'Nothing is thrown away.' : 'What is only on disk (+) is thrown away:'
      const question = `Put ${files.length} file(s) of ${chosen.name} back as they were in ${hash.slice(0, 12)}? ${what}`
      await ask(host, ctx, question, lost)
      return change(host, chosen, ctx, async () => {
        await requirePlaces(chosen, files)
        requireSame('What would be thrown away', lost, await lostText(chosen, wish))
        await chosen.writeOut(hash, files)
      })
    },
  )
}

/** The files of a commit at some paths; what is a submodule there is none. */
async function filesAt(repository: Repository, hash: string, paths: readonly string[]): Promise<string[]> {
  const { text, truncated } = await repository.run(['ls-tree', '-r', '-z', hash, '--', ...paths])
  const files = text.split('\0').flatMap((entry) => {
    const [, type, name] = /^\d+ (\w+) \w+\t(.*)$/s.exec(entry) ?? []
    return type === 'blob' && name !== undefined ? [name] : []
  })
  if (files.length > 0 && !truncated) return files
  throw new ToolError(`${truncated ? 'Too many' : 'None'} of these paths are files of ${hash.slice(0, 12)}`)
}

function createTag(host: GitHost) {
  return tool(
    {
      title: 'Create a tag',
      description: 'Names a commit for good; with a message the tag says who made it and when.',
      input: {
        type: 'object',
        properties: {
          repository: REPOSITORY,
          name: { type: 'string', minLength: 1, maxLength: 250, description: 'The name of the tag' },
          revision: { ...REVISION, description: 'HEAD unless given' },
          message: { type: 'string', maxLength: 20_000, description: 'Why' },
        },
        required: ['name'],
        additionalProperties: false,
      },
      output: {
        type: 'object',
        properties: { name: { type: 'string' }, hash: { type: 'string', description: 'The commit' } },
        required: ['name', 'hash'],
        additionalProperties: false,
      },
      idempotent: false,
      ...SAFE,
    },
    async ({ repository, name, revision, message }, ctx) => {
      const chosen = host.repository(repository)
      const checked = checkBranch(name)
      if (message?.includes('\0')) throw new ToolError('Give a message without NUL characters')
      const hash = await chosen.commitOf(revision ?? 'HEAD', ctx.signal)
      await chosen.inTurn(async () => {
        if (message === undefined) return chosen.run(['tag', '--no-sign', '--', checked, hash])
        const env = await authorEnvironment(host, chosen)
        const args = ['tag', '--annotate', '--no-sign', '--cleanup=whitespace', '--file=-', '--', checked, hash]
        return chosen.run(args, { env, input: message })
      })
      host.changed(chosen)
      return { name: checked, hash }
    },
  )
}
