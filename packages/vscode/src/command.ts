/** What is really started: on Windows, what npm puts into the path is a script for a shell, and no shell is involved here. */

import { existsSync } from 'node:fs'
import { win32 } from 'node:path'

interface Machine {
  readonly platform: string
  readonly path: string
  exists(file: string): boolean
}

export const THIS_MACHINE: Machine = { platform: process.platform, path: process.env.PATH ?? '', exists: existsSync }

export function toProgram(
  command: readonly string[],
  { platform, path, exists }: Machine,
): readonly [string, ...string[]] {
  const [program = 'portico', ...words] = command
  if (platform !== 'win32' || !/^[\w-]+$/.test(program)) return [program, ...words]
  for (const folder of path.split(';').filter((one) => one !== '')) {
    const entry = win32.join(folder, 'node_modules', program, 'bin.mjs')
    if (exists(win32.join(folder, `${program}.cmd`)) && exists(entry)) return ['node', entry, ...words]
  }
  return [program, ...words]
}
