/**
 * Opens files at paths that somebody else chose. A pipe has no end and to open one waits for a writer, which holds a thread of this
 * process for ever: what is no regular file is refused, and never waited for.
 */

import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** Absent on Windows. */
const NONBLOCK = constants.O_NONBLOCK ?? 0
const NOFOLLOW = constants.O_NOFOLLOW ?? 0

class NotAFile extends Error {}

interface Regular {
  readonly file: FileHandle
  /** Bytes, when it was opened. */
  readonly size: number
}

/** `isLast`: the path has been followed to its end, and a link in its place is somebody else's. */
export async function withRegularFile<T>(
  path: string,
  work: (regular: Regular) => Promise<T>,
  { isLast = false }: { readonly isLast?: boolean } = {},
): Promise<T> {
  const file = await open(path, constants.O_RDONLY | NONBLOCK | (isLast ? NOFOLLOW : 0))
  try {
    const stat = await file.stat()
    if (!stat.isFile()) throw new NotAFile('That is no regular file: it is not read')
    return await work({ file, size: stat.size })
  } finally {
    await file.close()
  }
}

/** The whole of it as text. */
export function readRegularText(path: string): Promise<string> {
  return withRegularFile(path, ({ file }) => file.readFile('utf8'))
}
