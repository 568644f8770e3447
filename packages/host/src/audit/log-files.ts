/**
 * The two files of a log that are held open while it is written, and whether their names still mean them: a system lets
 * anybody write for ever into a file that was removed, and nobody would find those records again.
 */

import { constants, statSync } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { HostError } from '../errors.ts'
import { headPath } from './segments.ts'

interface OpenFile {
  readonly path: string
  readonly handle: FileHandle
  readonly device: bigint
  readonly inode: bigint
}

export class LogFiles {
  readonly #log: OpenFile
  readonly #head: OpenFile

  /** Makes what is not there. */
  static async open(file: string): Promise<LogFiles> {
    const head = await openFile(headPath(file), constants.O_RDWR | constants.O_CREAT)
    try {
      return new LogFiles(await openFile(file, 'a'), head)
    } catch (error) {
      await head.handle.close()
      throw error
    }
  }

  private constructor(log: OpenFile, head: OpenFile) {
    this.#log = log
    this.#head = head
  }

  get log(): FileHandle {
    return this.#log.handle
  }

  get head(): FileHandle {
    return this.#head.handle
  }

  /** Whether both are where they were, and the log is as long as its writer left it. The system answers from its memory. */
  areInPlace(size: number): boolean {
    return sizeOf(this.#log) === BigInt(size) && sizeOf(this.#head) !== undefined
  }

  async close(): Promise<void> {
    await Promise.all([this.#log, this.#head].map(({ handle }) => handle.close().catch(() => {})))
  }
}

/** Rejects where something else than a file has the name: opening a pipe would wait, and a device keeps nothing. */
export async function requireFile(path: string): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
  if (found?.isFile() === false) throw notAFile(path)
}

async function openFile(path: string, flags: string | number): Promise<OpenFile> {
  await requireFile(path)
  const handle = await open(path, flags, 0o600)
  try {
    const found = await handle.stat({ bigint: true })
    if (!found.isFile()) throw notAFile(path)
    return { path, handle, device: found.dev, inode: found.ino }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Undefined where the name means another file, or nothing. */
function sizeOf({ path, device, inode }: OpenFile): bigint | undefined {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    return found?.dev === device && found.ino === inode ? found.size : undefined
  } catch {
    return undefined
  }
}

function notAFile(path: string): HostError {
  const message = `The audit log cannot be written: ${path} is a folder, a device or a pipe, and not a file. Remove it`
  return new HostError('audit-broken', message)
}
