/** Which of the known files are there, on this machine unless said otherwise. */

import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import type { ConfigForm } from './formats/form.ts'
import { type ConfigFile, configFiles, type PlaceQuery } from './places.ts'

export interface FindOptions extends Partial<PlaceQuery> {
  /** Only these programs' files. All unless given. */
  readonly forms?: readonly ConfigForm[]
}

/** In the order in which they are read: later ones win. */
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
