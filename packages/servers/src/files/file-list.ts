/**
 * The files themselves as a list of resources, for clients that show what there is to pick from: so many at most, in the
 * order of their paths. From the first time that somebody asks, the folders of the list are watched, and a file that comes
 * or goes changes it.
 */

import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
import { spellHidden } from '../text/plain-text.ts'
import { type FilesHost, toFileUri } from './host.ts'
import { mimeTypeOf } from './read.ts'
import { Walk } from './walk.ts'

interface ListedFile {
  readonly uri: string
  readonly name: string
  readonly mimeType: string
}

/** Changes closer together than this are told together. */
const SETTLE_MS = 100
/** How often the list is made again because folders appeared while it was made. */
const MAX_ROUNDS = 5

export class FileList {
  readonly #host: FilesHost
  readonly #changed: () => void
  readonly #watched = new Map<string, FSWatcher>()
  #resources: Promise<readonly ListedFile[]> | undefined
  #timer: NodeJS.Timeout | undefined
  #isPartial = false
  #closed = false

  constructor(host: FilesHost, changed: () => void) {
    this.#host = host
    this.#changed = changed
  }

  /** What there is now. Where not every folder could be watched, it is looked at each time. */
  list(): Promise<readonly ListedFile[]> {
    if (this.#resources === undefined || this.#isPartial) this.#resources = this.#make()
    return this.#resources
  }

  /** Something may have come or gone: the list is made again, and a change told, soon. */
  look(): void {
    if (this.#resources === undefined || this.#closed) return
    this.#timer ??= setTimeout(() => void this.#lookNow(), SETTLE_MS).unref()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    for (const watcher of this.#watched.values()) watcher.close()
    this.#watched.clear()
  }

  async #lookNow(): Promise<void> {
    this.#timer = undefined
    const before = await this.#resources?.catch(() => undefined)
    const fresh = this.#make()
    this.#resources = fresh
    const now = await fresh.catch(() => undefined)
    if (!this.#closed && toText(before) !== toText(now)) this.#changed()
  }

  async #make(): Promise<readonly ListedFile[]> {
    for (let round = 1; ; round++) {
      const { resources, folders } = await this.#walk()
      // What came into a new folder before it was watched is only found by looking again.
      if (!this.#watch(folders) || round === MAX_ROUNDS) return resources
    }
  }

  async #walk(): Promise<{ readonly resources: ListedFile[]; readonly folders: Set<string> }> {
    const { confinement, settings } = this.#host
    const resources: ListedFile[] = []
    const folders = new Set<string>()
    const until = performance.now() + settings.timeoutMs
    for (const directory of confinement.directories) {
      folders.add(directory.real)
      for await (const { path, relative, kind } of new Walk(directory, directory.real, settings).entries()) {
        if (resources.length >= settings.maxListed || performance.now() > until) return { resources, folders }
        if (confinement.isDenied(directory, path)) continue
        if (kind === 'directory') folders.add(path)
        if (kind !== 'file') continue
        folders.add(dirname(path))
        const name = spellHidden(relative)
        resources.push({ uri: toFileUri(path), name, mimeType: mimeTypeOf(path, true) })
      }
    }
    return { resources, folders }
  }

  /** Whether any folder is watched that was not. */
  #watch(folders: ReadonlySet<string>): boolean {
    for (const [folder, watcher] of this.#watched) {
      if (folders.has(folder)) continue
      watcher.close()
      this.#watched.delete(folder)
    }
    let isMore = false
    this.#isPartial = false
    for (const folder of folders) {
      if (this.#watched.has(folder) || this.#closed) continue
      if (this.#watched.size >= this.#host.settings.maxWatched || !this.#watchFolder(folder)) this.#isPartial = true
      else isMore = true
    }
    return isMore
  }

  #watchFolder(folder: string): boolean {
    try {
      const watcher = watch(folder, { persistent: false }, (event) => event === 'rename' && this.look())
      watcher.on('error', () => {
        watcher.close()
        this.#watched.delete(folder)
        this.look()
      })
      this.#watched.set(folder, watcher)
      return true
    } catch {
      // Gone meanwhile, or the system watches no more of them.
      return false
    }
  }
}

function toText(resources: readonly ListedFile[] | undefined): string {
  return (resources ?? []).map(({ uri }) => uri).join('\n')
}
