/**
 * The packages that JavaScript code may import: read from the folders of the operator's choice and from nowhere else. The engine
 * knows a file as `name/path/in/it`, never by its place on the machine.
 */

import { readFileSync, realpathSync, statSync } from 'node:fs'
import { join, posix, sep } from 'node:path'
import { isObject } from '@portico/sdk/internal'

export type PackageFolders = { readonly [name: string]: string }

/** A file as `require` in the engine takes it. */
interface FoundFile {
  readonly id: string
  readonly kind: 'json' | 'commonjs' | 'module'
  readonly source: string
}

/** How one file of a package is asked for by its own name, whatever the package gives out. */
const WITHIN = 'package:'
const REFUSED = 'refused:'
const MAX_BYTES = 8_388_608
const ENDINGS = ['', '.js', '.mjs', '.cjs', '.json', '/index.js'] as const

export class Modules {
  readonly #folders: PackageFolders

  constructor(folders: PackageFolders) {
    this.#folders = folders
  }

  get isEmpty(): boolean {
    return Object.keys(this.#folders).length === 0
  }

  /** The name under which the engine keeps what `base` asks for. */
  resolve(base: string, request: string): string {
    if (request.startsWith(WITHIN)) return this.#complete(request.slice(WITHIN.length))
    if (request.startsWith('.')) {
      const { name } = split(base)
      const target = posix.join(posix.dirname(base), request)
      if (!Object.hasOwn(this.#folders, name) || split(target).name !== name) throw unknown(request, this.#folders)
      return this.#complete(target)
    }
    const { name, path } = split(request)
    if (!Object.hasOwn(this.#folders, name)) throw unknown(request, this.#folders)
    return this.#complete(posix.join(name, this.#exported(name, path)))
  }

  /** The same for the engine, which loses the words of what is thrown here: they come when it loads. */
  name(base: string, request: string): string {
    try {
      return this.resolve(base, request)
    } catch (error) {
      return `${REFUSED}${error instanceof Error ? error.message : error}`
    }
  }

  /** As a module: what is none becomes the default export of one. */
  load(id: string): string {
    if (id.startsWith(REFUSED)) throw new Error(id.slice(REFUSED.length))
    const { kind, source } = this.find(id)
    if (kind === 'module') return source
    return kind === 'json' ? `export default ${source}` : `export default require(${JSON.stringify(`${WITHIN}${id}`)})`
  }

  find(id: string): FoundFile {
    const file = this.#fileOf(id)
    if (file === undefined) throw new Error(`There is no file ${id}`)
    const source = readFileSync(file, 'utf8')
    if (id.endsWith('.json')) return { id, kind: 'json', source }
    const isModule =
      !id.endsWith('.cjs') &&
      (id.endsWith('.mjs') || /^[^\S\r\n\u2028\u2029]*(?:import|export)\b(?!\s*\()/m.test(source))
    return { id, kind: isModule ? 'module' : 'commonjs', source }
  }

  #complete(id: string): string {
    for (const ending of ENDINGS) if (this.#fileOf(`${id}${ending}`) !== undefined) return `${id}${ending}`
    throw new Error(`There is no file ${id}`)
  }

  /** Undefined unless it is a plain file within its package, links followed. */
  #fileOf(id: string): string | undefined {
    const { name, path } = split(id)
    const folder = Object.hasOwn(this.#folders, name) ? this.#folders[name] : undefined
    if (folder === undefined || path === '') return undefined
    try {
      const file = realpathSync(join(folder, path))
      const seen = statSync(file)
      return file.startsWith(folder + sep) && seen.isFile() && seen.size <= MAX_BYTES ? file : undefined
    } catch {
      return undefined
    }
  }

  /** What the package gives out under this path. */
  #exported(name: string, path: string): string {
    const about: unknown = JSON.parse(readFileSync(join(this.#folders[name] ?? '', 'package.json'), 'utf8'))
    const { exports, module, main } = isObject(about) ? about : {}
    const key = path === '' ? '.' : `./${path}`
    if (exports !== undefined) {
      const entry =
        isObject(exports) && Object.keys(exports).some((one) => one.startsWith('.')) ? exports[key] : exports
      const chosen = choose(entry)
      if (chosen === undefined) throw new Error(`The package ${name} does not give out ${JSON.stringify(key)}`)
      return chosen
    }
    if (path !== '') return path
    return typeof module === 'string' ? module : typeof main === 'string' ? main : 'index.js'
  }
}

/** The first of the conditions that hold here. */
function choose(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry
  if (Array.isArray(entry)) return entry.map(choose).find((one) => one !== undefined)
  if (!isObject(entry)) return undefined
  for (const [condition, value] of Object.entries(entry)) {
    if (!['import', 'module', 'default', 'require', 'browser'].includes(condition)) continue
    const chosen = choose(value)
    if (chosen !== undefined) return chosen
  }
  return undefined
}

function split(id: string): { readonly name: string; readonly path: string } {
  const parts = id.split('/')
  const words = id.startsWith('@') ? 2 : 1
  return { name: parts.slice(0, words).join('/'), path: parts.slice(words).join('/') }
}

function unknown(request: string, folders: PackageFolders): Error {
  const names = Object.keys(folders)
  const there = names.length === 0 ? 'There are no packages here.' : `There are: ${names.join(', ')}.`
  return new Error(`${JSON.stringify(request.slice(0, 200))} cannot be imported. ${there}`)
}
