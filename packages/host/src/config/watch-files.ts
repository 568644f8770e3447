/**
 * Notices when files get another content, whatever the way: written in place, renamed over by an editor, made after the
 * watching began, in folders that did not exist. The system's notices make it quick; a slow look at size and time makes
 * it certain, because notices get lost.
 */

import { type FSWatcher, watch } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { digestOfText } from './trust/fingerprint.ts'

/** How quickly changes to files are noticed, in milliseconds. */
export interface WatchFilesOptions {
  /** How long nothing may happen before the files are read: editors write in several steps. 100 ms unless given. */
  readonly settleMs?: number
  /** How often sizes and times are looked at. 2 seconds unless given. */
  readonly pollMs?: number
}

interface FileWatch {
  /** Resolves once changes are noticed. */
  readonly ready: Promise<void>
  /** Watches these from now on. */
  follow(files: readonly string[]): Promise<void>
  close(): void
}

/** Calls back after the content of any of the files has changed; not again before that call is done. */
export function watchFiles(
  files: readonly string[],
  onChange: () => void | Promise<void>,
  options: WatchFilesOptions = {},
): FileWatch {
  return new Watch(files, onChange, options)
}

class Watch implements FileWatch {
  readonly ready: Promise<void>
  readonly #onChange: () => void | Promise<void>
  readonly #settleMs: number
  readonly #poll: NodeJS.Timeout
  readonly #folders = new Map<string, FSWatcher>()
  #seen = new Map<string, { stamp: string; digest: string }>()
  #files: readonly string[]
  #timer: NodeJS.Timeout | undefined
  #busy = false
  #again = false
  #closed = false

  constructor(files: readonly string[], onChange: () => void | Promise<void>, options: WatchFilesOptions) {
    this.#files = files
    this.#onChange = onChange
    this.#settleMs = options.settleMs ?? 100
    this.#poll = setInterval(() => void this.#glance(), options.pollMs ?? 2000)
    this.#poll.unref()
    this.ready = this.follow(files)
  }

  async follow(files: readonly string[]): Promise<void> {
    this.#files = files
    this.#openFolders()
    this.#seen = await this.#look()
  }

  close(): void {
    this.#closed = true
    clearInterval(this.#poll)
    clearTimeout(this.#timer)
    for (const watcher of this.#folders.values()) watcher.close()
    this.#folders.clear()
  }

  /** Folders are watched rather than files: an editor that renames takes the watched file away. */
  #openFolders(): void {
    if (this.#closed) return
    const wanted = new Set(this.#files.map(dirname))
    for (const [folder, watcher] of this.#folders) {
      if (wanted.has(folder)) continue
      watcher.close()
      this.#folders.delete(folder)
    }
    for (const folder of wanted) {
      if (this.#folders.has(folder)) continue
      try {
        const watcher = watch(folder, { persistent: false }, (_event, name) => this.#noticed(name))
        const forget = () => {
          watcher.close()
          if (this.#folders.get(folder) === watcher) this.#folders.delete(folder)
        }
        watcher.on('error', forget)
        this.#folders.set(folder, watcher)
      } catch {
        // Not there yet, or no more watches to be had: the slow look finds what changes.
      }
    }
  }

  /** What is written beside the files is no news: a log that grows all the time would put off every look. */
  #noticed(name: string | null): void {
    if (name === null || this.#files.some((file) => isNamed(file, name))) this.#stir()
  }

  #stir(): void {
    if (this.#closed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#check(), this.#settleMs)
  }

  async #glance(): Promise<void> {
    this.#openFolders()
    const stamps = await Promise.all(this.#files.map(stampOf))
    if (this.#files.some((file, at) => this.#seen.get(file)?.stamp !== stamps[at])) this.#stir()
  }

  async #check(): Promise<void> {
    if (this.#busy) {
      this.#again = true
      return
    }
    this.#busy = true
    try {
      const now = await this.#look()
      const isChanged = this.#files.some((file) => now.get(file)?.digest !== this.#seen.get(file)?.digest)
      this.#seen = now
      if (isChanged && !this.#closed) await this.#onChange()
    } finally {
      this.#busy = false
      if (this.#again) this.#stir()
      this.#again = false
    }
  }

  async #look(): Promise<Map<string, { stamp: string; digest: string }>> {
    const looks = this.#files.map(async (file) => {
      const stamp = await stampOf(file)
      const text = stamp === '' ? undefined : await readFile(file, 'utf8').catch(() => undefined)
      return [file, { stamp, digest: text === undefined ? '' : digestOfText(text) }] as const
    })
    return new Map(await Promise.all(looks))
  }
}

/** Whether the system, which may spell it otherwise, means this file. */
function isNamed(file: string, name: string): boolean {
  return basename(file).toLowerCase() === name.toLowerCase()
}

/** Empty for what is not there, is no file, or is too large to be configuration. */
async function stampOf(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined)
  if (found === undefined || !found.isFile() || found.size > MAX_BYTES) return ''
  return `${found.size} ${found.mtimeMs} ${found.ino}`
}

const MAX_BYTES = 32 * 1_048_576
