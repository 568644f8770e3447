/**
 * Which file a path means, and whether it may be reached: inside a configured directory, inside the client's roots, not
 * on the deny list. Links are resolved first, so what is judged is the real place. `anchor.ts` then opens that place and
 * makes sure that it is still the same.
 */

import { lstatSync } from 'node:fs'
import { lstat, realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { PorticoError, ToolError } from '@portico/sdk/server'
import { isInside, refusedPath } from '../machine/path-text.ts'
import { spellHidden } from '../text/plain-text.ts'
import { createDenyList, type DenyList } from './deny.ts'

/** Why a path cannot be had. */
type PathFault = 'malformed' | 'outside' | 'denied' | 'absent'

export class PathError extends ToolError {
  readonly fault: PathFault

  constructor(fault: PathFault, message: string) {
    super(message)
    this.name = 'PathError'
    this.fault = fault
  }
}

export interface Directory {
  /** Absolute, as it was configured. */
  readonly given: string
  /** With every link resolved. */
  readonly real: string
}

export interface Reached {
  /** Absolute and real. */
  readonly path: string
  readonly directory: Directory
  /** From the directory, with `/` between names; empty for the directory itself. */
  readonly relative: string
  readonly exists: boolean
}

/** The real paths of the client's roots; undefined when they do not matter. */
export type Scope = readonly string[] | undefined

export class Confinement {
  readonly directories: readonly Directory[]
  readonly #deny: DenyList

  private constructor(directories: readonly Directory[], deny: DenyList) {
    this.directories = directories
    this.#deny = deny
  }

  static async open(directories: readonly string[], deny: readonly string[]): Promise<Confinement> {
    const opened = await Promise.all(directories.map(openDirectory))
    const unique = opened.filter((one, at) => opened.findIndex((other) => other.real === one.real) === at)
    return new Confinement(unique, createDenyList(deny))
  }

  /** The real place of a path; what does not exist yet is placed by its deepest folder that does. */
  async reach(text: string, scope: Scope): Promise<Reached> {
    const path = this.#toAbsolute(text)
    const { real, exists } = await resolveReal(path, () => this.#outside(text))
    return this.#judge(text, real, exists, scope)
  }

  /** The same for the entry itself: a link stands for the link, not for what it leads to. */
  async reachEntry(text: string, scope: Scope): Promise<Reached> {
    const path = this.#toAbsolute(text)
    const parent = await resolveReal(dirname(path), () => this.#outside(text))
    const real = join(parent.real, basename(path))
    const exists = parent.exists && (await lstat(real).catch(() => undefined)) !== undefined
    const reached = this.#judge(text, real, exists, scope)
    if (reached.relative === '' || this.directories.some(({ real: one }) => isInside(one, real))) {
      throw new PathError('denied', `${spellHidden(text)} is a configured directory (option "directories") and stays`)
    }
    return reached
  }

  /** A path found while walking, which is real already. */
  isDenied(directory: Directory, path: string): boolean {
    return this.#deny.refuses(toRelative(directory, path))
  }

  #toAbsolute(text: string): string {
    const refused = refusedPath(text, process.platform === 'win32' ? 'win32' : 'posix')
    if (refused !== undefined)
      throw new PathError('malformed', `The path ${spellHidden(text.slice(0, 200))} ${refused}`)
    const only = this.directories.length === 1 ? this.directories[0] : undefined
    if (!isAbsolute(text) && only === undefined) {
      throw new PathError('malformed', `Give an absolute path: there are several directories (${this.#names()})`)
    }
    const path = only === undefined ? resolve(text) : resolve(only.real, text)
    // Before the disk is asked anything: paths elsewhere get one answer, whether they exist or not.
    const near = this.directories.some(({ given, real }) => isInsideLoosely(path, given) || isInsideLoosely(path, real))
    if (!near) throw this.#outside(text)
    return path
  }

  #judge(text: string, real: string, exists: boolean, scope: Scope): Reached {
    const inside = this.directories.filter((one) => isInside(real, one.real))
    // The innermost directory, where one lies within another.
    const directory = inside.sort((a, b) => b.real.length - a.real.length)[0]
    if (directory === undefined) throw this.#outside(text)
    if (scope !== undefined && !scope.some((root) => isInside(real, root))) {
      const roots = scope.length === 0 ? 'it offers none that can be used' : `they are ${scope.join(', ')}`
      throw new PathError(
        'outside',
        `${spellHidden(text)} is outside of the client’s roots: ${roots}. The option "followRoots" switches this off`,
      )
    }
    const path = toRelative(directory, real)
    if (this.#deny.refuses(path)) {
      throw new PathError('denied', `${spellHidden(text)} is refused: its name is on the list of the option "deny"`)
    }
    return { path: real, directory, relative: path, exists }
  }

  #outside(text: string): PathError {
    const shown = spellHidden(text.slice(0, 200))
    return new PathError('outside', `${shown} is outside of the directories of this server: ${this.#names()}`)
  }

  #names(): string {
    return this.directories.map(({ given }) => given).join(', ')
  }
}

/** Fails when there is nothing at the place. */
export function requireExisting(reached: Reached, text: string): Reached {
  if (reached.exists) return reached
  throw new PathError('absent', `There is no ${spellHidden(text)}. list_directory and search_files show what there is`)
}

function toRelative(directory: Directory, path: string): string {
  return relative(directory.real, path).replaceAll(sep, '/')
}

/** Disks that ignore letter case may be asked in any; the real path decides in the end. */
function isInsideLoosely(path: string, directory: string): boolean {
  if (isInside(path, directory)) return true
  if (process.platform !== 'win32' && process.platform !== 'darwin') return false
  return isInside(path.toLowerCase(), directory.toLowerCase())
}

async function openDirectory(given: string): Promise<Directory> {
  const path = resolve(given)
  try {
    const real = await realpath(path)
    if ((await stat(real)).isDirectory()) return { given: path, real }
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    const message = isMissing ? `there is no directory ${path}` : `cannot use the directory ${path}: ${String(cause)}`
    throw new PorticoError('invalid-definition', message, { cause })
  }
  throw new PorticoError('invalid-definition', `${path} is not a directory`)
}

async function resolveReal(path: string, outside: () => PathError): Promise<{ real: string; exists: boolean }> {
  const missing: string[] = []
  for (let at = path; ; at = dirname(at)) {
    try {
      return { real: join(await realpath(at), ...missing), exists: missing.length === 0 }
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === 'ELOOP') throw outside()
      if (code !== 'ENOENT' && code !== 'ENOTDIR') throw new PathError('absent', `${path} cannot be read (${code})`)
      // A link that leads nowhere must not be taken for a free name: whoever writes there would write where it leads.
      if (isLink(at)) throw outside()
      if (dirname(at) === at) throw outside()
      missing.unshift(basename(at))
    }
  }
}

/** Asked right after the system looked for it, so it is at hand. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}
