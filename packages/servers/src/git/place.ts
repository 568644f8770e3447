/** Where a repository lies, and that all of it lies in folders that the operator named. */

import { lstat, realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { PorticoError } from '@portico/sdk/server'
import { isInside } from '../machine/path-text.ts'
import { readRegularText } from '../machine/regular-file.ts'

export interface Place {
  readonly workTree: string
  readonly gitDirectory: string
  /** What several working trees have in common; the same unless there are several. */
  readonly shared: string
}

export async function findPlace(given: string): Promise<Place> {
  const path = resolve(given)
  try {
    const workTree = await realpath(path)
    const marker = join(workTree, '.git')
    if ((await lstat(marker)).isFile()) {
      const [, target] = /^gitdir: (.+)$/.exec((await readRegularText(marker)).trimEnd()) ?? []
      if (target === undefined) throw new Error('no gitdir')
      return await withShared(workTree, await realpath(resolve(workTree, target)))
    }
    return await withShared(workTree, await realpath(marker))
  } catch (cause) {
    throw new PorticoError('invalid-definition', `git: ${path} is not the top of a working tree (it has no .git)`, {
      cause,
    })
  }
}

/** What of a repository may be elsewhere by a link or a file that says so. */
const PARTS = [
  'HEAD',
  'config',
  'config.worktree',
  'index',
  'objects',
  'refs',
  'reftable',
  'packed-refs',
  'shallow',
  'logs',
  'info',
  'worktrees',
  'modules',
]

/**
 * A repository that was handed over may be made to show another one: by a link, by `commondir` or by borrowed objects.
 * All of it has to lie in the configured repositories.
 */
export async function requireOwn({ workTree, gitDirectory, shared }: Place, trees: readonly string[]): Promise<void> {
  const isOwn = (path: string): boolean => trees.some((tree) => isInside(path, tree))
  const objects = join(shared, 'objects')
  const borrowed = (await readPaths(join(objects, 'info', 'alternates'))).map((line) => resolve(objects, line))
  const parts = [gitDirectory, shared].flatMap((folder) => [folder, ...PARTS.map((part) => join(folder, part))])
  for (const path of [...parts, ...borrowed]) {
    const real = await realpath(path).catch(() => undefined)
    if (real === undefined || isOwn(real)) continue
    throw new PorticoError(
      'invalid-definition',
      `git: ${workTree} keeps part of itself in ${dirname(real)}. Add that repository to "repositories" to allow this`,
    )
  }
}

async function withShared(workTree: string, gitDirectory: string): Promise<Place> {
  const [common] = await readPaths(join(gitDirectory, 'commondir'))
  return { workTree, gitDirectory, shared: common === undefined ? gitDirectory : resolve(gitDirectory, common) }
}

async function readPaths(file: string): Promise<string[]> {
  const text = await readRegularText(file).catch(() => '')
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}
