/**
 * A private copy of an SQLite file to read from. The embedded SQLite does not know the locks of other programs, so reading
 * their file in place could see half of a change; the copy is taken when nothing changed meanwhile, and taken again after
 * the file has. What a statement could do to it, it does to the copy.
 */

import { constants } from 'node:fs'
import { copyFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ToolError } from '@portico/sdk/server'

/** What SQLite keeps beside a file and needs to make sense of it. */
const COMPANIONS = ['', '-wal', '-journal'] as const
const ATTEMPTS = 20
const PAUSE_MS = 25

export interface DatabaseCopy {
  readonly path: string
  /** Equal as long as the original has not changed. */
  readonly stamp: string
}

export async function copyDatabase(
  original: string,
  folder: string,
  name: string,
  maxBytes: number,
): Promise<DatabaseCopy> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const stamp = await stampDatabase(original, maxBytes)
    const path = join(folder, name)
    for (const suffix of COMPANIONS) {
      // The clone flag makes this cheap where the file system can share blocks.
      await copyFile(original + suffix, path + suffix, constants.COPYFILE_FICLONE).catch(ignoreMissing)
    }
    if ((await stampDatabase(original, maxBytes)) === stamp) return { path, stamp }
    await removeCopy(path)
    await pause(PAUSE_MS)
  }
  throw new ToolError('The database file is being written to without a pause. Try again in a moment.')
}

/** Throws when the file is missing or too large. */
export async function stampDatabase(original: string, maxBytes: number): Promise<string> {
  const parts: string[] = []
  let bytes = 0n
  for (const suffix of COMPANIONS) {
    const found = await stat(original + suffix, { bigint: true }).catch(ignoreMissing)
    if (found === undefined && suffix === '') throw new ToolError('The database file is not there any more.')
    if (found !== undefined && !found.isFile()) throw new ToolError('The database is not a file.')
    bytes += found?.size ?? 0n
    parts.push(found === undefined ? '' : `${found.ino}:${found.size}:${found.mtimeNs}`)
  }
  if (bytes > BigInt(maxBytes)) {
    throw new ToolError(`The database has ${bytes} bytes, more than ${maxBytes} (option "maxDatabaseBytes").`)
  }
  return parts.join(' ')
}

export async function removeCopy(path: string): Promise<void> {
  for (const suffix of COMPANIONS) await rm(path + suffix, { force: true })
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}
