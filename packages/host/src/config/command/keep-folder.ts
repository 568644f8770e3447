/** Relative words of a command keep their meaning: the folder in which they were written goes into the entry with them. */

import { existsSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import type { ServerTarget } from '../server-config.ts'

/**
 * Gives a command the folder in which somebody typed it, where one of its words means a file or a folder there: started
 * from another folder, it would be another program or none. A command that names its folder itself stays as it is.
 *
 * @example
 * ```ts
 * import { keepFolder } from '@portico/host/config'
 *
 * keepFolder({ kind: 'stdio', command: 'node', args: ['./server.js'], env: {} }, '/home/ada/weather')
 * // { kind: 'stdio', command: 'node', args: ['./server.js'], env: {}, cwd: '/home/ada/weather' }
 * ```
 */
export function keepFolder(target: ServerTarget, folder: string): ServerTarget {
  if (target.kind !== 'stdio' || target.cwd !== undefined) return target
  const isLocal = [target.command, ...target.args].some((word) => isHere(word, folder))
  return isLocal ? { ...target, cwd: folder } : target
}

/** A script by its name, which may not be written yet: `server.mjs`, `src/server.py`, and neither a package nor an address. */
const SCRIPT = /^(?!@)(?:[\w. -]+[\\/])*[\w. -]*\w\.(?:[cm]?[jt]sx?|py|rb|sh|php|jar)$/

/** Whether a word means something in this folder, and would mean nothing or something else in another. */
function isHere(word: string, folder: string): boolean {
  if (word === '' || isAbsolute(word)) return false
  return /^\.{1,2}(?:[\\/]|$)/.test(word) || SCRIPT.test(word) || existsSync(resolve(folder, word))
}
