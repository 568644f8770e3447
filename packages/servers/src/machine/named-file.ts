/** A text file that the operator named, read whole; why it cannot be had is said in plain words. */

import { readFile, stat } from 'node:fs/promises'
import { PorticoError } from '@portico/sdk/server'

interface NamedFile {
  /** What it is, as in "The description". */
  readonly what: string
  readonly maxBytes: number
  /** The option that says how many bytes it may have. */
  readonly option: string
}

export async function readNamedFile(path: string, { what, maxBytes, option }: NamedFile): Promise<string> {
  try {
    const { size } = await stat(path)
    if (size > maxBytes)
      throw new PorticoError('invalid-definition', `${path} has more than ${maxBytes} bytes (option ${option}).`)
    return await readFile(path, 'utf8')
  } catch (cause) {
    if (cause instanceof PorticoError) throw cause
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    const words = Object.hasOwn(FAULTS, code) ? FAULTS[code] : `it cannot be read${code === '' ? '' : ` (${code})`}`
    throw new PorticoError('invalid-definition', `${what} ${path} is not to be had: ${words}.`, { cause })
  }
}

const FAULTS: { readonly [code: string]: string } = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'it may not be read',
  EPERM: 'it may not be read',
}
