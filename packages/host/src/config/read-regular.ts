/** Reads a file that somebody else may have put there: nothing that has no end, and nothing that waits. */

import { constants } from 'node:fs'
import { open, stat } from 'node:fs/promises'

/** The bytes of a regular file; rejects for a pipe, a device, a folder, and for more than `maxBytes`. */
export async function readRegular(file: string, maxBytes: number): Promise<Buffer> {
  const refuse = () => new Error(`${file} is no file of at most ${maxBytes} bytes`)
  // Looked at before it is opened: opening a device may do something.
  if (!(await stat(file)).isFile()) throw refuse()
  // Another may be in its place by now: opening a pipe must not wait for somebody to write. Windows has no such flag.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const found = await handle.stat()
    if (!found.isFile() || found.size > maxBytes) throw refuse()
    const chunks: Buffer[] = []
    let size = 0
    for (;;) {
      // One byte more than is there, to see that it has not grown.
      const { bytesRead, buffer } = await handle.read({ buffer: Buffer.alloc(Math.max(found.size - size, 0) + 1) })
      if (bytesRead === 0) return Buffer.concat(chunks)
      size += bytesRead
      if (size > maxBytes) throw refuse()
      chunks.push(buffer.subarray(0, bytesRead))
    }
  } finally {
    await handle.close()
  }
}
