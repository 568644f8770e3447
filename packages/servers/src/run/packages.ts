/**
 * Packages that code may use: those of the operator's list, from a folder that the operator filled. They are looked up once, at the
 * start; nothing is ever fetched. JavaScript is read from `node_modules` in it, Python from `python`.
 */

import { readdir, readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { PorticoError } from '@portico/sdk/server'

export interface Packages {
  /** Folders of those written in JavaScript, by name. */
  readonly javascript: { readonly [name: string]: string }
  /** Those written in Python. */
  readonly python: readonly string[]
  /** All that Python programs read for them. */
  readonly pythonPaths: readonly string[]
  readonly pythonFolder: string
}

export async function findPackages(names: readonly string[], cache: string | undefined): Promise<Packages> {
  if (names.length === 0 || cache === undefined) {
    return { javascript: {}, python: [], pythonPaths: [], pythonFolder: '' }
  }
  const javascript: { [name: string]: string } = {}
  const python: string[] = []
  const pythonPaths = new Set<string>()
  const pythonFolder = join(cache, 'python')
  for (const name of names) {
    const folder = await realpath(join(cache, 'node_modules', name)).catch(() => undefined)
    const paths = await pythonPathsOf(pythonFolder, name)
    if (folder !== undefined) javascript[name] = folder
    if (paths.length > 0) python.push(name)
    for (const path of paths) pythonPaths.add(path)
    if (folder === undefined && paths.length === 0) throw missing(name, cache)
  }
  return { javascript, python, pythonPaths: [...pythonPaths], pythonFolder }
}

/** What an installed distribution says that it consists of, as entries of the folder. */
async function pythonPathsOf(folder: string, name: string): Promise<string[]> {
  const entries = await readdir(folder).catch(() => [])
  const info = entries.find((entry) => normalized(/^(.+?)-[^-]+\.dist-info$/.exec(entry)?.[1]) === normalized(name))
  if (info === undefined) return []
  const record = await readFile(join(folder, info, 'RECORD'), 'utf8')
  const tops = record.split(/\r?\n/).map((line) => line.replace(/^"|[",].*$/gs, '').split('/')[0] ?? '')
  const here = new Set(entries)
  return [...new Set(tops)].filter((top) => here.has(top) && top !== 'bin').map((top) => join(folder, top))
}

/** Names of Python distributions are the same in every spelling of their separators. */
function normalized(name: string | undefined): string | undefined {
  return name?.toLowerCase().replace(/[-_.]+/g, '-')
}

function missing(name: string, cache: string): PorticoError {
  return new PorticoError(
    'invalid-definition',
    `run: the package "${name}" is not in the folder of packages. Put it there first: npm install --prefix ${cache} ${name}, or pip install --target ${join(cache, 'python')} ${name}`,
  )
}
