/**
 * A repository as git is shown it. Settings can name programs (hooks, filters, drivers, helpers, editors), under names that
 * nobody can list, in files included from anywhere. So git never reads the repository's configuration: what several working
 * trees would share is a folder of our own, with a configuration of our own, in which links lead to the references and logs of
 * the real one. HEAD, index and objects are the real ones by their own paths. Locks and renames happen where git always makes
 * them, since it follows links before it locks.
 */

import { constants, copyFile, lstat, mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PorticoError } from '@portico/sdk/server'
import { makeTemporaryFolder, removeTemporaryFolder } from '../machine/temporary-folder.ts'
import { isOn, parseSettings, toConfiguration } from './carried-settings.ts'
import type { Setting } from './environment.ts'
import type { Place } from './place.ts'

const FOLDERS = ['refs', 'reftable', 'logs', 'info', 'worktrees']
const FILES = ['HEAD', 'packed-refs', 'shallow']

/** Lists the settings of one file and nothing that it includes. */
type ListSettings = (file: string) => Promise<Buffer>

export class RepositoryView {
  /** What git takes for the shared part of the repository. */
  readonly folder: string
  readonly #place: Place
  /** Where this user may make no links to files, they are copied before each run. */
  readonly #copied: readonly string[]
  #known: string | undefined
  #indexes = 0
  #refreshing: Promise<unknown> = Promise.resolve()

  private constructor(place: Place, folder: string, copied: readonly string[]) {
    this.#place = place
    this.folder = folder
    this.#copied = copied
  }

  /** `write` says that changes will be made through it. */
  static async open(place: Place, write: boolean): Promise<RepositoryView> {
    const folder = await makeTemporaryFolder('git')
    // A link to no folder cannot be made one by git; for a reader it is as good as none.
    if (write) await mkdir(join(place.shared, 'logs'), { recursive: true })
    for (const name of FOLDERS) await symlink(join(place.shared, name), join(folder, name), 'junction')
    const copied: string[] = []
    for (const name of FILES) {
      await symlink(join(place.shared, name), join(folder, name), 'file').catch((cause: unknown) => {
        if (!write) return copied.push(name)
        const message = `git: to change a repository, this user must be allowed to make symbolic links (${folder})`
        throw new PorticoError('invalid-definition', message, { cause })
      })
    }
    return new RepositoryView(place, folder, copied)
  }

  /** Writes our configuration anew whenever a file that settings come from has changed. */
  refresh(list: ListSettings): Promise<void> {
    const done = this.#refreshing.then(() => this.#refresh(list))
    this.#refreshing = done.catch(() => {})
    return done
  }

  /** Lends a copy of the index, for commands that would freshen it by the way. */
  async withIndex<T>(work: (env: { readonly [name: string]: string }) => Promise<T>): Promise<T> {
    const copy = join(this.folder, `index-${++this.#indexes}`)
    const index = join(this.#place.gitDirectory, 'index')
    try {
      const { mtimeMs } = await lstat(index)
      await copyFile(index, copy, constants.COPYFILE_FICLONE)
      // Git reads a file that changed in the second in which the index was written, and tells by the index's own time.
      const second = Math.floor(mtimeMs / 1000)
      await utimes(copy, second, second)
    } catch {
      // Nothing was ever staged.
    }
    try {
      return await work({ GIT_INDEX_FILE: copy })
    } finally {
      await rm(copy, { force: true })
    }
  }

  /** Lends an empty folder for objects. */
  async withObjects<T>(work: (folder: string) => Promise<T>): Promise<T> {
    const folder = await mkdtemp(join(this.folder, 'objects-'))
    try {
      return await work(folder)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  close(): Promise<void> {
    return removeTemporaryFolder(this.folder)
  }

  async #refresh(list: ListSettings): Promise<void> {
    for (const name of this.#copied) {
      const copy = join(this.folder, name)
      await copyFile(join(this.#place.shared, name), copy).catch(() => rm(copy, { force: true }))
    }
    const { shared, gitDirectory } = this.#place
    const files = [join(shared, 'config'), join(gitDirectory, 'config.worktree')] as const
    const stamp = (await Promise.all(files.map(stampOf))).join(', ')
    if (this.#known === stamp) return
    const read = async (file: string): Promise<Setting[]> =>
      (await stampOf(file)) === '-' ? [] : parseSettings(await list(file))
    const settings = await read(files[0])
    if (isOn(settings, 'extensions.worktreeconfig')) settings.push(...(await read(files[1])))
    const fresh = join(this.folder, 'config.new')
    await writeFile(fresh, toConfiguration(settings))
    await rename(fresh, join(this.folder, 'config'))
    this.#known = stamp
  }
}

async function stampOf(path: string): Promise<string> {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined)
  return stats === undefined ? '-' : `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`
}
