/**
 * What the folder that a program is started in, and the search path, decide about what runs: `node server.mjs` and
 * `npx tool` are other programs in other projects, however alike the words are. The folder counts whatever the command is:
 * interpreters and package runners read modules and settings from it (`argparse.py`, `.npmrc`, `node_modules`), and no list
 * of those that do would ever be complete.
 */

import { access } from 'node:fs/promises'
import { delimiter, resolve } from 'node:path'
import { installedPackageOf } from './installed-package.ts'
import type { ConcreteTarget } from './resolve-target.ts'

export interface LocalParts {
  /** Where the program is that the name means. */
  readonly program?: string
  /** The working folder of a program. */
  readonly folder?: string
  /** A package that is taken from a project instead of being fetched. */
  readonly package?: string
}

export async function localPartsOf(
  target: ConcreteTarget,
  platform: NodeJS.Platform = process.platform,
): Promise<LocalParts> {
  if (target.kind !== 'stdio') return {}
  const folder = resolve(target.cwd ?? '.')
  const program = await findProgram(target, folder, platform)
  const found = installedPackageOf(target, folder)
  return {
    folder,
    ...(program !== undefined && { program }),
    ...(found !== undefined && { package: found }),
  }
}

type Program = Extract<ConcreteTarget, { kind: 'stdio' }>

/** As the system looks it up. Windows looks into the folder itself first, and knows programs without their endings. */
async function findProgram(
  { command, env }: Program,
  folder: string,
  platform: NodeJS.Platform,
): Promise<string | undefined> {
  const isWindows = platform === 'win32'
  const path = (Object.hasOwn(env, 'PATH') ? env.PATH : process.env.PATH) ?? ''
  const isPath = command.includes('/') || (isWindows && command.includes('\\'))
  const folders = isPath ? ['.'] : [...(isWindows ? ['.'] : []), ...path.split(delimiter)]
  const endings = isWindows ? ['', ...(process.env.PATHEXT ?? '.COM;.EXE;.BAT;.CMD').split(';')] : ['']
  for (const place of folders) {
    for (const ending of endings) {
      const file = resolve(folder, place, `${command}${ending}`)
      if (command !== '' && (await isThere(file))) return file
    }
  }
  return undefined
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch {
    return false
  }
}
