/**
 * The files of one folder and nothing else: links are not followed, and what is read is checked after it was opened, so that
 * a folder that turns into a link in between does not lead out. Judges and reads; what is done with the bytes is elsewhere.
 */

import { constants } from 'node:fs'
import { open, readdir, realpath, stat } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { PorticoError } from '@portico/sdk/server'
import { MAX_DEPTH } from './limits.ts'

interface Found {
  /** With forward slashes, from the folder on. */
  readonly path: string
  /** Why it is not taken; undefined if it is. */
  readonly refused?: string
}

interface FileBytes {
  readonly bytes: Uint8Array
  /** Equal as long as the file has not changed. */
  readonly stamp: string
}

const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['node_modules', '__pycache__'])
/** What is opened must be the file itself, and a pipe must not keep us waiting. Windows knows neither. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

export class Folder {
  /** The folder's real place. */
  readonly root: string
  readonly #extensions: ReadonlySet<string>

  private constructor(root: string, extensions: readonly string[]) {
    this.root = root
    this.#extensions = new Set(extensions.map((one) => one.replace(/^\./, '').toLowerCase()))
  }

  static async open(directory: string, extensions: readonly string[]): Promise<Folder> {
    const root = await realpath(directory).catch(() => undefined)
    if (root === undefined || !(await stat(root)).isDirectory()) {
      throw new PorticoError('invalid-arguments', `There is no folder at ${directory}`)
    }
    return new Folder(root, extensions)
  }

  /** Whether a file is one of the folder's documents by its name; hidden files and folders are not. */
  wants(path: string): boolean {
    return !this.skips(path) && this.#extensions.has(extname(path).slice(1).toLowerCase())
  }

  /** Whether nothing at or below this place is looked at. */
  skips(path: string): boolean {
    return path.split('/').some((part) => part.startsWith('.') || SKIPPED_FOLDERS.has(part))
  }

  toPath(absolute: string): string {
    return relative(this.root, absolute).split(sep).join('/')
  }

  /** Every document, in the order of names. */
  async *walk(under = '', depth = 0): AsyncGenerator<Found> {
    if (depth > MAX_DEPTH) return
    const entries = await readdir(join(this.root, under), { withFileTypes: true }).catch(() => [])
    entries.sort((a, b) => (a.name < b.name ? -1 : 1))
    for (const entry of entries) {
      const path = under === '' ? entry.name : `${under}/${entry.name}`
      if (entry.isDirectory()) {
        if (!this.skips(entry.name)) yield* this.walk(path, depth + 1)
      } else if (this.wants(path)) {
        if (entry.isFile()) yield { path }
        else yield { path, refused: entry.isSymbolicLink() ? 'a link, and links are not followed' : 'not a plain file' }
      }
    }
  }

  async stampOf(path: string): Promise<string | undefined> {
    const found = await stat(join(this.root, path), { bigint: true }).catch(() => undefined)
    return found?.isFile() ? `${found.ino}:${found.size}:${found.mtimeNs}` : undefined
  }

  /** Throws why not. */
  async read(path: string, maxBytes: number): Promise<FileBytes> {
    const absolute = join(this.root, path)
    const handle = await open(absolute, OPEN_FLAGS)
    try {
      const opened = await handle.stat({ bigint: true })
      if (!opened.isFile()) throw refused('not a plain file')
      if (
        (await realpath(absolute)) !== absolute ||
        !absolute.startsWith(this.root.endsWith(sep) ? this.root : this.root + sep)
      ) {
        throw refused('it leads out of the folder')
      }
      const there = await stat(absolute, { bigint: true })
      if (there.ino !== opened.ino || there.dev !== opened.dev) throw refused('it changed while it was opened')
      if (opened.size > BigInt(maxBytes)) {
        throw refused(`it has ${opened.size} bytes, more than ${maxBytes} (option "maxFileBytes")`)
      }
      const bytes = new Uint8Array(Number(opened.size))
      let length = 0
      while (length < bytes.length) {
        const { bytesRead } = await handle.read(bytes, length, bytes.length - length)
        if (bytesRead === 0) break
        length += bytesRead
      }
      return { bytes: bytes.subarray(0, length), stamp: `${opened.ino}:${opened.size}:${opened.mtimeNs}` }
    } finally {
      await handle.close()
    }
  }
}

function refused(reason: string): PorticoError {
  return new PorticoError('limit-exceeded', reason)
}
