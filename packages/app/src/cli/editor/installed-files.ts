/**
 * The list of what was installed into a folder, kept in that folder: a file that is not as it was then is somebody's own work, and
 * so is one that was not there.
 */

import { createHash } from 'node:crypto'
import { lstat, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { isObject } from '@portico/sdk/internal'

const LIST = '.portico-installed.json'
/** Neovim makes it out of the pages of help, in any folder of a plugin. */
const MADE_BY_EDITOR = 'doc/tags'

interface Installed {
  readonly version: string
  readonly files: { readonly [path: string]: unknown }
}

export async function writeList(folder: string, version: string): Promise<void> {
  const files = Object.fromEntries(await filesIn(folder))
  await writeFile(join(folder, LIST), `${JSON.stringify({ version, files }, null, 2)}\n`)
}

/** Undefined where nothing was installed. */
export async function readList(folder: string): Promise<Installed | undefined> {
  try {
    const path = join(folder, LIST)
    if (!(await lstat(path)).isFile()) return undefined
    const { version, files }: Partial<Installed> = JSON.parse(await readFile(path, 'utf8'))
    return typeof version === 'string' && isObject(files) ? { version, files } : undefined
  } catch {
    return undefined
  }
}

/** What was changed, added or taken away since. */
export async function changesIn(folder: string, { files }: Installed): Promise<string[]> {
  const now = await filesIn(folder)
  const known = new Map(Object.entries(files))
  return [...new Set([...now.keys(), ...known.keys()])].filter((path) => now.get(path) !== known.get(path)).sort()
}

/** Each file with a digest of its text; anything else than files and folders by its name alone. */
async function filesIn(folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name)
    const name = relative(folder, path).split(sep).join('/')
    if (entry.isDirectory() || name === LIST || name === MADE_BY_EDITOR) continue
    found.set(name, entry.isFile() ? await digestOf(path) : 'no file')
  }
  return found
}

async function digestOf(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex')
}
