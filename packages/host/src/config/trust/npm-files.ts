/** The files that npm reads its settings from: the user's are read, and those of a project are only looked through. */

import { access, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { makeVisible } from '../command/show-command.ts'
import { readRegular } from '../read-regular.ts'
import { isAbsent } from '../state-file.ts'
import { hasSay, type NpmSettings, type ReadVariable, readNpmrc } from './npmrc.ts'

/** The user has not said it; the message says who has, for the person who is asked. */
export class Undecided extends Error {}

export interface Place {
  /** Of the user's own variables. */
  readonly read: ReadVariable
  /** Where the user's programs are. */
  readonly path: string
  /** The one that the program is started in. */
  readonly folder: string
  readonly platform: NodeJS.Platform
}

/** The user's file, which may say where the global one is, and that one. */
export async function readUserFiles(given: readonly NpmSettings[], place: Place): Promise<readonly NpmSettings[]> {
  const user = await readSettings(await userFileOf(given, place), place.read)
  const layers = [...given, user]
  const prefix = pathOf(layers, 'prefix', place) ?? (await globalPrefixOf(place))
  const globalFile = pathOf(layers, 'globalconfig', place) ?? join(prefix, 'etc', 'npmrc')
  return [user, await readSettings(globalFile, place.read)]
}

export async function userFileOf(given: readonly NpmSettings[], place: Place): Promise<string> {
  return toReal(pathOf(given, 'userconfig', place) ?? join(homeOf(place), '.npmrc'))
}

/** Throws where a file of the folder, or of one above it, has a say in where the package is from. */
export async function refuseProjectFiles(
  folder: string,
  userFile: string,
  { scopes, command }: { readonly scopes: readonly string[]; readonly command: NpmSettings },
): Promise<void> {
  const nearest = await toReal(join(resolve(folder), '.npmrc'))
  for (let at = dirname(nearest); ; at = dirname(at)) {
    const file = join(at, '.npmrc')
    if (file !== userFile && (await isDeciding(file))) {
      const shown = makeVisible(file)
      throw new Undecided(`a file of this project, ${shown}, chooses where npm fetches it from`)
    }
    if (dirname(at) === at) return
  }

  async function isDeciding(file: string): Promise<boolean> {
    try {
      return hasSay(await readText(file), scopes, command)
    } catch (error) {
      // What is there and cannot be read may say anything.
      return !isAbsent(error)
    }
  }
}

/** With the folder as the system calls it. The file itself may be a link: its name is what npm looks for. */
async function toReal(file: string): Promise<string> {
  return join(await realpath(dirname(file)).catch(() => dirname(file)), basename(file))
}

function homeOf({ read, platform }: Place): string {
  return read('HOME') || (platform === 'win32' ? read('USERPROFILE') : undefined) || homedir()
}

function pathOf(layers: readonly NpmSettings[], key: string, place: Place): string | undefined {
  const text = layers.find((layer) => layer.has(key))?.get(key)
  if (text === undefined || text === '') return undefined
  if (/^~[/\\]/.test(text)) return resolve(homeOf(place), text.slice(2))
  // In the folder of the project, which is not the user's.
  if (!isAbsolute(text)) throw new Undecided(`npm's setting ${key} depends on the folder that it is started in`)
  return text
}

/** Beside the Node that runs npm. */
async function globalPrefixOf({ read, path, platform }: Place): Promise<string> {
  const given = read('PREFIX')
  if (given !== undefined && given !== '') return given
  const name = platform === 'win32' ? 'node.exe' : 'node'
  let node = process.execPath
  for (const one of path.split(delimiter).filter(isAbsolute)) {
    if (!(await isThere(join(one, name)))) continue
    node = await realpath(join(one, name)).catch(() => node)
    break
  }
  if (platform === 'win32') {
    const data = read('APPDATA')
    return data === undefined ? dirname(node) : join(data, 'npm')
  }
  return join(read('DESTDIR') ?? '', dirname(dirname(node)))
}

async function readSettings(file: string, read: ReadVariable): Promise<NpmSettings> {
  let text: string
  try {
    text = await readText(file)
  } catch (error) {
    // As for npm, a file that is not there, or not to be read, says nothing.
    if (error instanceof Error && 'code' in error && SILENT.has(String(error.code))) return new Map()
    throw new Undecided(`npm's settings in ${makeVisible(file)} cannot be read`)
  }
  return readNpmrc(text, read)
}

const SILENT = new Set(['ENOENT', 'EACCES', 'EPERM', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])

const MAX_BYTES = 65_536

async function readText(file: string): Promise<string> {
  return new TextDecoder('utf-8', { fatal: true }).decode(await readRegular(file, MAX_BYTES))
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
