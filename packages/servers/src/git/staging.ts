/**
 * What goes into the next commit. `git add`, `git stash` and a `git commit` of nothing look whether submodules are changed, and
 * for that run git inside of them, under settings that are theirs. So files are listed and put into the index one by one, and
 * the other two are only run where git has no reason to look.
 */

import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { ToolError } from '@portico/sdk/server'
import { readStatus } from './reports.ts'
import type { Repository } from './repository.ts'
import { requireWayTo } from './unsaved/in-the-way.ts'

/** Lists of names are for ourselves, not for an answer. */
const MAX_LIST_BYTES = 64 * 1024 * 1024
const SUBMODULE = '160000 '

/** Puts what changed at some paths into the index. */
export async function stagePaths(repository: Repository, paths: readonly string[]): Promise<void> {
  const known = ['--cached', '--others', '--exclude-standard']
  const found = await repository.run(['ls-files', '-z', '--error-unmatch', ...known, '--', ...paths], {
    codes: [0, 1],
    maxBytes: MAX_LIST_BYTES,
  })
  if (found.code === 1)
    throw new ToolError('One of the paths is nothing that git knows or would take: it may be ignored')
  const submodules = new Set(await submodulesAt(repository, paths))
  const changed = ['--modified', '--deleted', '--others', '--exclude-standard']
  const files = (await listed(repository, [...changed, '--', ...paths])).filter(
    // A folder is a repository that git does not know.
    (path) => !submodules.has(path) && !path.endsWith('/'),
  )
  const named = paths.find((path) => submodules.has(path.replace(/\/$/, '')))
  if (named !== undefined) {
    throw new ToolError(`${named} is a submodule: git would have to run inside of it. Stage it by hand`)
  }
  const unreadable = files.find((path) => path.includes('\ufffd'))
  if (unreadable !== undefined) throw new ToolError(`The name ${unreadable} is not UTF-8. Stage it by hand`)
  if (files.length === 0) return
  const input = `${[...new Set(files)].join('\0')}\0`
  await refuseFiltered(repository, input)
  await repository.run(['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], { input })
}

/** A commit needs something to say; the end of a merge is that, too. */
export async function requireStaged(repository: Repository): Promise<void> {
  const { staged } = await readStatus(repository, 1)
  if (staged.length > 0 || (await isMerging(repository))) return
  throw new ToolError('Nothing is staged: there is nothing to commit. The tool "stage" puts files in')
}

export function isMerging({ gitDirectory }: Repository): Promise<boolean> {
  return lstat(join(gitDirectory, 'MERGE_HEAD')).then(
    () => true,
    () => false,
  )
}

/** A stash would have git run inside of every submodule. */
export async function refuseSubmodules(repository: Repository): Promise<void> {
  const [first] = await submodulesAt(repository, [])
  if (first === undefined) return
  throw new ToolError(
    `There are submodules (${first}), and to stash git would have to run inside of them. Do it by hand`,
  )
}

interface MergeWish {
  readonly hash: string
  readonly message: string
  /** Who commits. */
  readonly env: { readonly [name: string]: string }
}

/**
 * A commit that HEAD can be moved on to in place of a merge, or undefined where git may merge by itself. To merge, git compares the
 * index with the working tree, and for that runs git inside of submodules; to move on it does not. So with submodules on either
 * side the merge is made beside the working tree, and left to the person where it has conflicts.
 */
export async function mergedBeside(
  repository: Repository,
  { hash, message, env }: MergeWish,
): Promise<string | undefined> {
  const head = await repository.commitOf('HEAD')
  const trees = await Promise.all([head, hash].map((one) => hasSubmodules(repository, one)))
  if (!trees.includes(true)) return undefined
  const isWithin = async (one: string, other: string): Promise<boolean> =>
    (await repository.run(['merge-base', '--is-ancestor', one, other], { codes: [0, 1] })).code === 0
  if (await isWithin(hash, head)) return head
  if (await isWithin(head, hash)) return hash
  // Versions of git that do not know this fail, and are taken to say that there are conflicts.
  const { code, text } = await repository.run(['merge-tree', '--write-tree', '--no-messages', head, hash], {
    codes: [0, 1, 128, 129],
  })
  if (code !== 0) {
    throw new ToolError(
      'There would be conflicts, and since there are submodules git would have to run inside of them. Merge by hand',
    )
  }
  const args = ['commit-tree', '--no-gpg-sign', '-p', head, '-p', hash, '-F', '-', text.trim()]
  return (await repository.run(args, { env, input: message })).text.trim()
}

/** Moves HEAD and the working tree on to a commit that follows it; false where it does not. */
export async function moveOn(repository: Repository, hash: string): Promise<boolean> {
  await requireWayTo(repository, hash)
  const quiet = ['--quiet', '--ff-only', '--no-stat', '--no-verify-signatures']
  const args = ['merge', ...quiet, '--no-overwrite-ignore', hash]
  return (await repository.run(args, { codes: [0, 1, 128] })).code === 0
}

async function hasSubmodules(repository: Repository, commit: string): Promise<boolean> {
  const { text, truncated } = await repository.run(['ls-tree', '-r', '-z', commit], { maxBytes: MAX_LIST_BYTES })
  return truncated || text.startsWith(SUBMODULE) || text.includes(`\0${SUBMODULE}`)
}

async function submodulesAt(repository: Repository, paths: readonly string[]): Promise<string[]> {
  const entries = await listed(repository, ['--cached', '--stage', '--', ...paths])
  return entries.filter((entry) => entry.startsWith(SUBMODULE)).map((entry) => entry.slice(entry.indexOf('\t') + 1))
}

async function listed(repository: Repository, args: readonly string[]): Promise<string[]> {
  const { text, truncated } = await repository.run(['ls-files', '-z', ...args], { maxBytes: MAX_LIST_BYTES })
  if (truncated) throw new ToolError('There are too many files for one call: name fewer paths')
  return text.split('\0').filter(Boolean)
}

/** A stash stores what is in the working tree, and so do staged files that it finds there. */
export async function refuseFilteredChanges(repository: Repository, untracked: boolean): Promise<void> {
  const others = untracked ? ['--others', '--exclude-standard'] : []
  const changed = await listed(repository, ['--modified', '--deleted', ...others])
  // Without a commit there is nothing to compare with, and git refuses the stash itself.
  const staged = await repository.run(['diff-index', '--cached', '--name-only', '-z', 'HEAD', '--'], {
    codes: [0, 128],
    maxBytes: MAX_LIST_BYTES,
  })
  if (staged.truncated) throw new ToolError('There are too many changes for one stash')
  const paths = new Set([...changed, ...(staged.code === 0 ? staged.text.split('\0') : [])].filter(Boolean))
  if (paths.size > 0) await refuseFiltered(repository, `${[...paths].join('\0')}\0`)
}

/** A filter (Git LFS is one) would have to run to stage such a file rightly, and filters are programs. */
export async function refuseFiltered(repository: Repository, input: string): Promise<void> {
  const { text } = await repository.run(['check-attr', '-z', '--stdin', 'filter'], { input, maxBytes: MAX_LIST_BYTES })
  const fields = text.split('\0')
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path, , filter] = fields.slice(at, at + 3)
    if (filter === 'unspecified' || filter === 'unset') continue
    throw new ToolError(
      `${path} goes through the filter "${filter}", a program that this server does not run. Do it by hand`,
    )
  }
}
