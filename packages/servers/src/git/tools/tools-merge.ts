/** Merging, and what a merge would do. */

import { ToolError, tool } from '@portico/sdk/server'
import { spellLine } from '../../text/plain-text.ts'
import { ask, authorEnvironment, change, isSettled, RISKY, requireSame } from '../change.ts'
import type { GitHost } from '../host.ts'
import { readStatus, type Status } from '../reports.ts'
import type { Repository } from '../repository.ts'
import { REPOSITORY, REVISION, STATUS, TRUNCATED } from '../shapes.ts'
import { mergedBeside, moveOn } from '../staging.ts'
import { requireWayToMerge } from '../unsaved/in-the-way.ts'

export function createMerge(host: GitHost) {
  return tool(
    {
      title: 'Merge',
      description:
        'Merges a branch or commit into the current branch, after asking. A merge with conflicts is undone, or kept to be resolved.',
      input: {
        type: 'object',
        properties: {
          repository: REPOSITORY,
          revision: { ...REVISION, description: 'What to merge: a branch, tag or hash' },
          message: { type: 'string', maxLength: 20_000, description: 'The message of the merge commit' },
          onConflict: {
            enum: ['undo', 'keep'],
            description: 'Undo a merge with conflicts, or keep it for resolve_conflict; undo unless given',
          },
        },
        required: ['revision'],
        additionalProperties: false,
      },
      output: STATUS,
      ...RISKY,
    },
    async ({ repository, revision, message, onConflict }, ctx) => {
      const chosen = host.repository(repository)
      if (message?.includes('\0')) throw new ToolError('Give a message without NUL characters')
      const hash = await chosen.commitOf(revision, ctx.signal)
      const requireSettled = async (): Promise<Status> => {
        const status = await readStatus(chosen, host.settings.maxResults, ctx.signal)
        if (isSettled(status)) return status
        throw new ToolError(
          'There are changes that are not committed. Commit or stash them first, so that a failed merge can be undone',
        )
      }
      const { branch, head } = await requireSettled()
      const at = `${branch ?? 'HEAD'} (${head?.slice(0, 12) ?? 'no commit yet'})`
      await ask(host, ctx, `Merge ${revision} (${hash.slice(0, 12)}) into ${at} of ${chosen.name}?`)
      return change(host, chosen, ctx, async () => {
        const now = await requireSettled()
        requireSame('What is checked out', [branch, head], [now.branch, now.head])
        await mergeOrUndo(host, chosen, { hash, message: message ?? `Merge ${revision}`, keep: onConflict === 'keep' })
      })
    },
  )
}

async function mergeOrUndo(
  host: GitHost,
  repository: Repository,
  { hash, message, keep }: { readonly hash: string; readonly message: string; readonly keep: boolean },
): Promise<void> {
  const env = await authorEnvironment(host, repository)
  await requireWayToMerge(repository, hash)
  const beside = await mergedBeside(repository, { hash, message, env })
  if (beside !== undefined) {
    if (await moveOn(repository, beside)) return
    throw new ToolError('The merge did not work, and nothing was changed: files that git does not know are in the way')
  }
  const args = ['merge', '--quiet', '--no-edit', '--no-stat', '--no-verify', '--no-gpg-sign', '--no-verify-signatures']
  const merged = await repository.run([...args, '-m', message, hash], { env, codes: [0, 1, 128] })
  if (merged.code === 0) return
  const { conflicted } = await readStatus(repository, host.settings.maxResults)
  if (keep && conflicted.length > 0) return
  await repository.run(['merge', '--abort'], { codes: [0, 128] })
  const where = conflicted.length === 0 ? merged.text.trim().slice(0, 500) : `conflicts in ${conflicted.join(', ')}`
  throw new ToolError(`The merge did not work and was undone: ${where || 'git gave no reason'}`)
}

export function createPreviewConflicts(host: GitHost) {
  return tool(
    {
      title: 'Preview the conflicts of a merge',
      description:
        'Says whether a merge into what is checked out would have conflicts, and in which files. Changes nothing.',
      input: {
        type: 'object',
        properties: { repository: REPOSITORY, revision: { ...REVISION, description: 'A branch, tag or hash' } },
        required: ['revision'],
        additionalProperties: false,
      },
      output: {
        type: 'object',
        properties: {
          clean: { type: 'boolean', description: 'Whether it would merge without conflicts' },
          conflicted: { type: 'array', items: { type: 'string' }, description: 'The files that would be in conflict' },
          truncated: TRUNCATED,
        },
        required: ['clean', 'conflicted', 'truncated'],
        additionalProperties: false,
      },
      readOnly: true,
      idempotent: true,
      openWorld: false,
    },
    async ({ repository, revision }, ctx) => {
      const chosen = host.repository(repository)
      const hashes = await Promise.all(['HEAD', revision].map((one) => chosen.commitOf(one, ctx.signal)))
      const { text, code, truncated } = await chosen.tryOut(
        ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ...hashes],
        { signal: ctx.signal, codes: [0, 1] },
      )
      const [, ...names] = text.split('\0').filter(Boolean)
      const { maxResults } = host.settings
      return {
        clean: code === 0,
        conflicted: [...new Set(names)].slice(0, maxResults).map(spellLine),
        truncated: truncated || names.length > maxResults,
      }
    },
  )
}
