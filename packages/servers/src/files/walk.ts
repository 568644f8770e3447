/**
 * Goes through a folder and everything below it, in the order of names: never through a link, no deeper and no longer
 * than allowed, around what ignore files name. Searches and trees are built on it.
 */

import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isInside } from '../machine/path-text.ts'
import { toPathError, withDirectory } from './anchor.ts'
import type { Directory } from './confine.ts'
import { type IgnoreRules, isIgnored, readIgnoreFiles } from './ignore-files.ts'

type EntryKind = 'file' | 'directory' | 'link' | 'other'

interface WalkEntry {
  readonly name: string
  readonly path: string
  /** From where the walk began, with `/` between names. */
  readonly relative: string
  readonly kind: EntryKind
  /** 1 for what is directly in the folder. */
  readonly depth: number
}

export interface WalkOptions {
  readonly maxDepth: number
  readonly maxEntries: number
  readonly ignore: boolean
  readonly signal?: AbortSignal
}

/** The folder that trashed files go to; walks leave it out. */
export const TRASH = '.trash'

export class Walk {
  /** How many entries were looked at so far. */
  visited = 0
  /** False once something was left out for `maxDepth` or `maxEntries`. */
  complete = true
  /** The folder, from where the walk began, in which `maxEntries` ended it. */
  stoppedIn: string | undefined
  readonly #directory: Directory
  readonly #start: string
  readonly #options: WalkOptions

  constructor(directory: Directory, start: string, options: WalkOptions) {
    this.#directory = directory
    this.#start = start
    this.#options = options
  }

  async *entries(): AsyncGenerator<WalkEntry> {
    const chain = this.#options.ignore ? await rulesAbove(this.#directory, this.#start) : []
    yield* this.#folder(this.#start, '', 1, chain)
  }

  async *#folder(
    folder: string,
    prefix: string,
    depth: number,
    above: readonly IgnoreRules[],
  ): AsyncGenerator<WalkEntry> {
    const { ignore, maxDepth, maxEntries, signal } = this.#options
    const found = await this.#list(folder, depth)
    const rules = ignore ? await readIgnoreFiles(folder, new Set(found.map(({ name }) => name))) : undefined
    const chain = rules === undefined ? above : [...above, rules]
    for (const { name, kind } of found) {
      signal?.throwIfAborted()
      if (this.visited >= maxEntries) {
        this.complete = false
        this.stoppedIn ??= prefix.slice(0, -1)
        return
      }
      const path = join(folder, name)
      if (name === TRASH && folder === this.#directory.real) continue
      if (ignore && (name === '.git' || isIgnored(chain, path, kind === 'directory'))) continue
      this.visited++
      const relative = prefix + name
      yield { name, path, relative, kind, depth }
      if (kind !== 'directory') continue
      if (depth < maxDepth) yield* this.#folder(path, `${relative}/`, depth + 1, chain)
      else this.complete = false
    }
  }

  /** A folder below the first that cannot be read, or was replaced by a link meanwhile, is passed by. */
  async #list(folder: string, depth: number): Promise<Listed[]> {
    try {
      return await listNames(folder)
    } catch (error) {
      if (depth === 1) throw error
      return []
    }
  }
}

export interface Listed {
  readonly name: string
  readonly kind: EntryKind
}

/** What is in a folder, sorted by name in the same way everywhere. */
export function listNames(folder: string): Promise<Listed[]> {
  return withDirectory(folder, (base) => readNames(base, folder))
}

/** The same for a folder that is held open already; `folder` is what it is called. */
export async function readNames(base: string, folder: string): Promise<Listed[]> {
  const entries = await readdir(base, { withFileTypes: true }).catch((error: unknown) => {
    throw toPathError(error, folder)
  })
  return entries
    .map((entry): Listed => ({ name: entry.name, kind: kindOf(entry) }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

export function kindOf(entry: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): EntryKind {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'directory'
  return entry.isSymbolicLink() ? 'link' : 'other'
}

/** The rules of the folders between the configured directory and where a search begins. */
export async function rulesAbove(directory: Directory, start: string): Promise<IgnoreRules[]> {
  const folders: string[] = []
  for (let at = dirname(start); start !== directory.real && isInside(at, directory.real); at = dirname(at)) {
    folders.unshift(at)
    if (at === directory.real) break
  }
  const rules = await Promise.all(folders.map((folder) => readIgnoreFiles(folder, new Set(['.gitignore', '.ignore']))))
  return rules.filter((one) => one !== undefined)
}
