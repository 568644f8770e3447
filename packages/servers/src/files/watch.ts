/**
 * Watches what somebody subscribed to, and only that: for a file the file alone, for a directory what is directly in it.
 * The first subscription to a path starts a watcher, the last one to end closes it.
 */

import { lstat, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { RpcError } from '@portico/sdk/server'
import { type FileWatch, watchFiles } from '../machine/file-watch.ts'
import type { SubscriptionWatcher } from '../subscribers.ts'
import { listNames } from './walk.ts'

interface Watched {
  readonly watcher: FileWatch
  readonly files: number
  /** How many subscriptions there are, by the URI as each client wrote it. */
  readonly uris: Map<string, number>
}

export class Watches implements SubscriptionWatcher {
  readonly #resolve: (uri: string) => Promise<string | undefined>
  readonly #changed: (uri: string) => void
  readonly #maxWatched: number
  readonly #watched = new Map<string, Watched>()
  readonly #paths = new Map<string, string>()
  /** One thing after the other: two subscriptions to one path must not start two watchers. */
  #queue: Promise<unknown> = Promise.resolve()
  #files = 0
  #closed = false

  /** `resolve` gives the real path of a URI that may be watched. */
  constructor(
    resolve: (uri: string) => Promise<string | undefined>,
    changed: (uri: string) => void,
    maxWatched: number,
  ) {
    this.#resolve = resolve
    this.#changed = changed
    this.#maxWatched = maxWatched
  }

  /** How many paths are being watched. */
  get size(): number {
    return this.#watched.size
  }

  hold(uri: string): Promise<void> {
    return this.#inTurn(() => this.#hold(uri))
  }

  release(uri: string): void {
    void this.#inTurn(() => this.#release(uri))
  }

  /** Tells subscribers of a path, and of the directory that it is in, at once. */
  announce(path: string): void {
    for (const one of [path, dirname(path)])
      for (const uri of this.#watched.get(one)?.uris.keys() ?? []) this.#changed(uri)
  }

  close(): Promise<void> {
    this.#closed = true
    return this.#inTurn(async () => {
      await Promise.all([...this.#watched.values()].map(({ watcher }) => watcher.close()))
      this.#watched.clear()
      this.#paths.clear()
    })
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work)
    this.#queue = done.catch(() => {})
    return done
  }

  async #hold(uri: string): Promise<void> {
    const path = this.#paths.get(uri) ?? (await this.#resolve(uri))
    if (path === undefined || this.#closed) return
    const watched = this.#watched.get(path) ?? (await this.#start(path))
    watched.uris.set(uri, (watched.uris.get(uri) ?? 0) + 1)
    this.#paths.set(uri, path)
  }

  async #release(uri: string): Promise<void> {
    const path = this.#paths.get(uri)
    const watched = path === undefined ? undefined : this.#watched.get(path)
    if (path === undefined || watched === undefined) return
    const left = (watched.uris.get(uri) ?? 0) - 1
    if (left > 0) {
      watched.uris.set(uri, left)
      return
    }
    watched.uris.delete(uri)
    this.#paths.delete(uri)
    if (watched.uris.size > 0) return
    this.#watched.delete(path)
    this.#files -= watched.files
    await watched.watcher.close()
  }

  async #start(path: string): Promise<Watched> {
    const isDirectory = (await stat(path).catch(() => undefined))?.isDirectory() ?? false
    const files = isDirectory ? (await listNames(path)).length + 1 : 1
    if (this.#files + files > this.#maxWatched) {
      const reason = `would watch ${this.#files + files} files; the option "maxWatched" allows ${this.#maxWatched}`
      throw new RpcError(-32602, `Invalid params: uri ${reason}`, { parameter: 'uri', reason })
    }
    const uris = new Map<string, number>()
    const look = createLook(path, () => {
      for (const uri of uris.keys()) this.#changed(uri)
      return uris.size > 0
    })
    const watcher = isDirectory ? watchFolder(path, look) : watchFile(path, look)
    await watcher.ready
    const watched = { watcher, files, uris }
    this.#files += files
    this.#watched.set(path, watched)
    return watched
  }
}

/** Changes closer together than this are told together. */
const LOOK_AGAIN_MS = 100

/**
 * Tells of a change, then looks once more: the watcher drops what follows an event within a few milliseconds, and whoever
 * read in between would never learn of it. `tell` says whether anybody still listens.
 */
function createLook(path: string, tell: () => boolean): () => Promise<void> {
  let isLooking = false
  let again = false
  return async () => {
    again = true
    if (isLooking) return
    isLooking = true
    let seen: string | undefined
    while (again || (await stampOf(path)) !== seen) {
      again = false
      // Before telling: what changes after this is seen the next time.
      seen = await stampOf(path)
      if (!tell()) break
      await pause(LOOK_AGAIN_MS, undefined, { ref: false })
    }
    isLooking = false
  }
}

/** Differs when the file, or anything in the listing of the directory, does. */
async function stampOf(path: string): Promise<string> {
  const own = await lstat(path, { bigint: true }).catch(() => undefined)
  const stamp = own === undefined ? 'gone' : `${own.ino} ${own.size} ${own.mtimeNs}`
  if (!own?.isDirectory()) return stamp
  const names = await listNames(path).catch(() => [])
  const stamps = await Promise.all(
    names.map(async ({ name }) => {
      const entry = await lstat(join(path, name), { bigint: true }).catch(() => undefined)
      return `${name} ${entry?.ino} ${entry?.size} ${entry?.mtimeNs}`
    }),
  )
  return [stamp, ...stamps].join('\n')
}

const NARROWLY = { followSymlinks: false, depth: 0 } as const

function watchFolder(path: string, onChange: () => void): FileWatch {
  return watchFiles(path, NARROWLY, onChange)
}

/** By way of its folder, so that a file replaced by another of the same name is still the one that is watched. */
function watchFile(path: string, onChange: () => void): FileWatch {
  const folder = dirname(path)
  return watchFiles(folder, { ...NARROWLY, ignored: (one) => one !== folder && one !== path }, onChange)
}
