/** The one folder whose files pages may be given. Nothing outside it can be named, by whatever path or link. */

import { realpath } from 'node:fs/promises'
import { basename, isAbsolute, join, relative, sep } from 'node:path'
import { PorticoError, ToolError } from '@portico/sdk/server'
import { withRegularFile } from '../machine/regular-file.ts'

const MAX_BYTES = 20 * 1024 * 1024

export class Uploads {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async open(folder: string): Promise<Uploads> {
    try {
      return new Uploads(await realpath(folder))
    } catch (cause) {
      throw new PorticoError('invalid-definition', `browser: there is no folder ${folder} (option "uploads")`, {
        cause,
      })
    }
  }

  async read(path: string): Promise<{ readonly name: string; readonly bytes: Buffer }> {
    const outside = new ToolError(`${path} is not a file of the folder for uploads.`)
    const whole = await realpath(join(this.#folder, path)).catch((cause: unknown) => {
      throw new ToolError(outside.message, { cause })
    })
    const within = relative(this.#folder, whole)
    if (within === '' || isAbsolute(within) || within === '..' || within.startsWith(`..${sep}`)) throw outside
    const read = withRegularFile(
      whole,
      async ({ file, size }) => {
        if (size <= MAX_BYTES) return { name: basename(whole), bytes: await file.readFile() }
        throw new ToolError(`${path} has ${size} bytes; at most ${MAX_BYTES} are given to a page.`)
      },
      { isLast: true },
    )
    return read.catch((cause: unknown) => {
      throw cause instanceof ToolError ? cause : new ToolError(outside.message, { cause })
    })
  }
}
