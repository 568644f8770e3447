/** Which of the known files are there, on this machine unless said otherwise. */

import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import type { ConfigForm } from './formats/form.ts'
import { type ConfigFile, configFiles, type PlaceQuery } from './places.ts'

/** Where `findConfigFiles` looks: this machine and user unless given, and the files of which programs. */
export interface FindOptions extends Partial<PlaceQuery> {
  /** Only these programs' files. All unless given. */
  readonly forms?: readonly ConfigForm[]
}

/**
 * Finds the configuration files of Portico and of other programs (Claude, Cursor, VS Code, Windsurf, Zed) that exist
 * for this user and project, in the order in which they are read: later ones win.
 *
 * @example
 * ```ts
 * import { findConfigFiles } from '@portico/host/config'
 *
 * const files = await findConfigFiles({ project: process.cwd() })
 * ```
 */
export async function findConfigFiles(options: FindOptions = {}): Promise<readonly ConfigFile[]> {
  const { platform = process.platform, env = process.env, home = homedir(), project, forms } = options
  const known = configFiles({ platform, env, home, project })
  const wanted = forms === undefined ? known : known.filter(({ form }) => forms.includes(form))
  const there = await Promise.all(wanted.map(({ path }) => isFile(path)))
  return wanted.filter((_, at) => there[at])
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false
}
