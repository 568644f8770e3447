/**
 * Looks after the repositories that somebody subscribed to: at once when HEAD or the index changes, and now and then for
 * changes in the working tree, which would take a watcher for every file to notice.
 */

import { createHash } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { type FileWatch, watchFiles } from '../machine/file-watch.ts'
import type { SubscriptionWatcher } from '../subscribers.ts'
import { parseStatus, statusText } from './reports.ts'
import type { Repository } from './repository.ts'

interface Watched {
  readonly uris: Map<string, number>
  readonly watcher: FileWatch
  readonly timer: ReturnType<typeof setInterval>
  seen: string | undefined
  looking: boolean
  again: boolean
}

export class RepositoryWatches implements SubscriptionWatcher {
  readonly #repositoryOf: (uri: string) => Repository | undefined
  readonly #changed: (uri: string) => void
  readonly #pollMs: number
  readonly #watched = new Map<Repository, Watched>()
  #queue: Promise<unknown> = Promise.resolve()
  #closed = false

  constructor(repositoryOf: (uri: string) => Repository | undefined, changed: (uri: string) => void, pollMs: number) {
    this.#repositoryOf = repositoryOf
    this.#changed = changed
    this.#pollMs = pollMs
  }

  /** How many repositories are being watched. */
  get size(): number {
    return this.#watched.size
  }

  hold(uri: string): Promise<void> {
    return this.#inTurn(async () => {
      const repository = this.#repositoryOf(uri)
      if (repository === undefined || this.#closed) return
      const watched = this.#watched.get(repository) ?? (await this.#start(repository))
      watched.uris.set(uri, (watched.uris.get(uri) ?? 0) + 1)
    })
  }

  release(uri: string): void {
    void this.#inTurn(async () => {
      const repository = this.#repositoryOf(uri)
      const watched = repository && this.#watched.get(repository)
      if (repository === undefined || watched === undefined) return
      const left = (watched.uris.get(uri) ?? 0) - 1
      if (left > 0) watched.uris.set(uri, left)
      else watched.uris.delete(uri)
      if (watched.uris.size === 0) await this.#stop(repository, watched)
    })
  }

  /** Looks at a repository that a tool has just changed. */
  announce(repository: Repository): void {
    const watched = this.#watched.get(repository)
    if (watched !== undefined) void this.#look(repository, watched)
  }

  close(): Promise<void> {
    this.#closed = true
    return this.#inTurn(async () => {
      for (const [repository, watched] of [...this.#watched]) await this.#stop(repository, watched)
    })
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work)
    this.#queue = done.catch(() => {})
    return done
  }

  async #start(repository: Repository): Promise<Watched> {
    const folder = repository.gitDirectory
    const files = new Set(['HEAD', 'index', 'packed-refs'].map((name) => join(folder, name)))
    const look = (): void => void this.#look(repository, watched)
    const ignored = (path: string): boolean => path !== folder && !files.has(path)
    const watcher = watchFiles(folder, { followSymlinks: false, depth: 0, ignored }, look)
    const timer = setInterval(look, this.#pollMs)
    timer.unref()
    const watched: Watched = { uris: new Map(), watcher, timer, seen: undefined, looking: false, again: false }
    // A watcher that fails leaves the looking now and then.
    await watcher.ready
    watched.seen = await stampOf(repository)
    this.#watched.set(repository, watched)
    return watched
  }

  async #stop(repository: Repository, watched: Watched): Promise<void> {
    this.#watched.delete(repository)
    clearInterval(watched.timer)
    await watched.watcher.close()
  }

  async #look(repository: Repository, watched: Watched): Promise<void> {
    watched.again = true
    if (watched.looking) return
    watched.looking = true
    while (watched.again && this.#watched.get(repository) === watched) {
      watched.again = false
      const now = await stampOf(repository)
      if (now === watched.seen || now === undefined) continue
      watched.seen = now
      for (const uri of watched.uris.keys()) this.#changed(uri)
    }
    watched.looking = false
  }
}

const MAX_FILES = 500

/** Differs when the status, a branch, or a file that is listed as changed does; undefined while git is busy. */
async function stampOf(repository: Repository): Promise<string | undefined> {
  try {
    const text = await statusText(repository)
    const refs = await repository.run(['for-each-ref', '--format=%(objectname) %(refname)'])
    const status = parseStatus({ text, code: 0, truncated: false }, MAX_FILES)
    const files = [...status.unstaged.map(({ path }) => path), ...status.untracked]
    const stats = await Promise.all(
      files.map((path) => lstat(join(repository.workTree, path), { bigint: true }).catch(() => undefined)),
    )
    const hash = createHash('sha256').update(text).update(refs.text)
    for (const one of stats) hash.update(`${one?.size} ${one?.mtimeNs}\n`)
    return hash.digest('hex')
  } catch {
    return undefined
  }
}
