/**
 * The one gate before git writes files: what is in their way on disk and that git does not keep (untracked files, ignored ones,
 * folders of them) would be gone for good, and git overwrites ignored files without a word. So it is looked for first, and named.
 */

import { lstatSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { ToolError } from '@portico/sdk/server'
import type { Repository } from '../repository.ts'

/** Lists of names are for ourselves, not for an answer. */
const MAX_LIST_BYTES = 64 * 1024 * 1024
const SUBMODULE = '160000'

interface Written {
  readonly path: string
  readonly isSubmodule: boolean
}

/** Refuses to go from HEAD to a commit or tree over anything that git does not keep. */
export async function requireWayTo(repository: Repository, target: string): Promise<void> {
  await requireFree(repository, await writtenBetween(repository, target))
}

/** The same for a merge of a commit into HEAD, whose outcome is made beside the working tree to see what it would write. */
export async function requireWayToMerge(repository: Repository, hash: string): Promise<void> {
  // Named as the merge itself names them: files in conflict are called after the two sides.
  const args = ['merge-tree', '--write-tree', '--no-messages', '--name-only', '-z', 'HEAD', hash]
  const { text, code } = await repository.run(args, { codes: [0, 1, 128, 129], maxBytes: MAX_LIST_BYTES })
  const [tree = ''] = text.split('\0')
  // Versions of git that do not know this fail: then all that the other side has counts.
  await requireWayTo(repository, code === 0 || code === 1 ? tree : hash)
}

/** The same for a stash: what it changed, and the files that git did not know then. */
export async function requireWayToStash(repository: Repository, stash: string): Promise<void> {
  const args = ['diff-tree', '-r', '--raw', '-z', '--no-renames', `${stash}^1`, stash, '--']
  const changed = toWritten(await list(repository, args))
  const others = await repository.run(['rev-parse', '--verify', '--quiet', `${stash}^3`], { codes: [0, 1, 128] })
  const untracked = others.code === 0 ? await allOf(repository, others.text.trim()) : []
  await requireFree(repository, [...changed, ...untracked])
}

/** The same for putting everything back as it is in HEAD, where the index now says otherwise. */
export async function requireWayBack(repository: Repository): Promise<void> {
  const args = ['diff-index', '--cached', '--raw', '-R', '-z', '--no-renames', 'HEAD', '--']
  await requireFree(repository, toWritten(await list(repository, args)))
}

/**
 * The same for files that are written over whatever is there, which none does better than this: anything of another kind is in
 * the way, too, even where git knows it.
 */
export async function requirePlaces(repository: Repository, files: readonly string[]): Promise<void> {
  const known = await knownPaths(repository)
  for (const path of files) {
    const found = findAt(repository, path)
    if (found === undefined) continue
    if (found.path !== path || found.isFolder) throw inTheWay(found.path, path)
    if (!known.has(path)) throw inTheWay(path, path)
  }
}

/** The files of that list which are on disk. */
export function presentOf(repository: Repository, files: readonly string[]): string[] {
  return files.filter((path) => findAt(repository, path)?.path === path)
}

async function requireFree(repository: Repository, written: readonly Written[]): Promise<void> {
  if (written.length === 0) return
  const known = await knownPaths(repository)
  for (const { path, isSubmodule } of written) {
    const found = findAt(repository, path)
    if (found === undefined || known.has(found.path)) continue
    if (!found.isFolder) throw inTheWay(found.path, path)
    // A submodule takes the folder as it is.
    if (isSubmodule) continue
    const [inside] = await list(repository, ['ls-files', '-z', '--others', '--', path])
    if (inside !== undefined) throw inTheWay(inside, path)
  }
}

function inTheWay(found: string, path: string): ToolError {
  const what = found === path ? '' : `, where ${path} would be written`
  return new ToolError(
    `${found} is in the way${what}, and git has no copy of what it holds now. Nothing was changed. Move or commit it first`,
  )
}

/** What is at a path, or at the part of it that is no folder; undefined where nothing is. */
function findAt(
  { workTree }: Repository,
  path: string,
): { readonly path: string; readonly isFolder: boolean } | undefined {
  const names = path.split('/')
  for (let count = 1; count <= names.length; count++) {
    const part = names.slice(0, count).join('/')
    const stats = statsOf(join(workTree, part))
    if (stats === undefined) return undefined
    if (count === names.length || !stats.isDirectory()) return { path: part, isFolder: stats.isDirectory() }
  }
  return undefined
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return undefined
    throw error
  }
}

async function knownPaths(repository: Repository): Promise<ReadonlySet<string>> {
  return new Set(await list(repository, ['ls-files', '-z', '--cached']))
}

async function writtenBetween(repository: Repository, target: string): Promise<Written[]> {
  const head = await repository.run(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], { codes: [0, 1, 128] })
  if (head.code === 0) {
    const args = ['diff-tree', '-r', '--raw', '-z', '--no-renames', head.text.trim(), target, '--']
    return toWritten(await list(repository, args))
  }
  // Nothing was ever committed here: all of the other side is new.
  return allOf(repository, target)
}

async function allOf(repository: Repository, tree: string): Promise<Written[]> {
  const entries = await list(repository, ['ls-tree', '-r', '-z', tree])
  return entries.map((entry) => ({
    path: entry.slice(entry.indexOf('\t') + 1),
    isSubmodule: entry.startsWith(SUBMODULE),
  }))
}

/** Reads `--raw -z`; what is deleted is not written. */
function toWritten(fields: readonly string[]): Written[] {
  const written: Written[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode, status] = /^:\d+ (\d+) \w+ \w+ (\w)/.exec(fields[at]!) ?? []
    if (mode !== undefined && status !== 'D') written.push({ path: fields[at + 1]!, isSubmodule: mode === SUBMODULE })
  }
  return written
}

async function list(repository: Repository, args: readonly string[]): Promise<string[]> {
  const { text, truncated } = await repository.run(args, { maxBytes: MAX_LIST_BYTES })
  if (truncated) throw new ToolError('There are too many files to look through before this. Nothing was changed')
  return text.split('\0').filter(Boolean)
}
