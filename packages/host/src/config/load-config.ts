/**
 * Files into one configuration. They are read in the order given and later ones win by name, with a warning; a project's
 * own file gives nothing but the names of its servers until somebody trusts it. Knows files; the reading itself is
 * `read-config.ts`, the watching `watch-config.ts`.
 */

import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { ConfigInput } from './command/inputs.ts'
import { CONFIG_LIMITS } from './formats/config-text.ts'
import type { ConfigForm } from './formats/form.ts'
import type { ConfigFile } from './places.ts'
import { type ConfigExtras, defaultMaxBytes, type ReadConfig, readConfigText } from './read-config.ts'
import type { ConfigProblem, ServerConfig } from './server-config.ts'
import { isAbsent, readBounded } from './state-file.ts'
import { digestOfText } from './trust/fingerprint.ts'
import type { TrustStore } from './trust/trust-store.ts'

/** Options of `loadConfig`: which files are read, and who has vouched for those that came with a project. */
export interface LoadConfigOptions {
  /** In the order in which they count: later ones win. `findConfigFiles` has it right. */
  readonly files: readonly (Pick<ConfigFile, 'path' | 'scope'> & { readonly form?: ConfigForm })[]
  /** Without one, no project's file is trusted. */
  readonly trust?: TrustStore
  /** The project folder, for Claude Code's entries of it. */
  readonly project?: string
  readonly home?: string
}

/**
 * A project's configuration file that is not used because nobody has trusted it yet, with what there is to decide
 * about.
 */
export interface UntrustedFile {
  /** The path to trust it by. */
  readonly file: string
  /** Trust exactly this: what was read, not what is there by then. */
  readonly content: string
  readonly digest: string
  /** Names only: nothing else of it is used. */
  readonly servers: readonly string[]
}

/** The configuration as all files together say it, and what is wrong with them. */
export interface LoadedConfig {
  readonly servers: readonly ServerConfig[]
  readonly inputs: readonly ConfigInput[]
  /** Sections for other layers, by file. What a project's file says must not loosen what the user's says. */
  readonly extras: readonly (ConfigExtras & { readonly file: string; readonly scope: ConfigFile['scope'] })[]
  readonly untrusted: readonly UntrustedFile[]
  readonly problems: readonly ConfigProblem[]
  /** Every file that was read or looked for. */
  readonly files: readonly string[]
  /** Reads everything again. */
  reload(): Promise<LoadedConfig>
}

/**
 * Reads configuration files and puts their servers together; where two files name the same server, the later file wins.
 * What cannot be used becomes a problem in the result. A project's files count only once they are trusted.
 *
 * @example
 * ```ts
 * import { findConfigFiles, loadConfig } from '@portico/host/config'
 *
 * const { servers, problems } = await loadConfig({ files: await findConfigFiles() })
 * ```
 */
export function loadConfig(options: LoadConfigOptions): Promise<LoadedConfig> {
  return load(options, new Map())
}

/** What a file said when it could last be read: it counts while somebody is in the middle of changing it. */
interface Reading {
  readonly content: string
  readonly read: ReadConfig
  /** By which it is trusted: a file that is gone cannot be asked for it. */
  readonly whole: string
}

async function load(options: LoadConfigOptions, last: ReadonlyMap<string, Reading>): Promise<LoadedConfig> {
  const loader = new Loader(options, last)
  for (const file of options.files) await loader.add(resolve(file.path), file.scope, file.form, 0)
  return { ...loader.result(), reload: () => load(options, loader.readings) }
}

const MAX_INCLUDED = 50
const MAX_INCLUDE_DEPTH = 4

class Loader {
  readonly readings = new Map<string, Reading>()
  readonly #last: ReadonlyMap<string, Reading>
  readonly #options: LoadConfigOptions
  readonly #servers = new Map<string, ServerConfig>()
  readonly #inputs: ConfigInput[] = []
  readonly #extras: LoadedConfig['extras'][number][] = []
  readonly #untrusted: UntrustedFile[] = []
  readonly #problems: ConfigProblem[] = []
  readonly #files = new Set<string>()
  #included = 0

  constructor(options: LoadConfigOptions, last: ReadonlyMap<string, Reading>) {
    this.#options = options
    this.#last = last
  }

  result(): Omit<LoadedConfig, 'reload'> {
    return {
      servers: [...this.#servers.values()],
      inputs: this.#inputs,
      extras: this.#extras,
      untrusted: this.#untrusted,
      problems: this.#problems,
      files: [...this.#files],
    }
  }

  /** Files that are included count before the file that includes them. */
  async add(path: string, scope: ConfigFile['scope'], form: ConfigForm | undefined, depth: number): Promise<void> {
    if (this.#files.has(path)) return
    this.#files.add(path)
    const found = await this.#read(path, depth > 0)
    const reading = found === undefined ? this.#last.get(path) : await this.#understand(path, form, found)
    if (reading === undefined) return
    if (reading.read.readable) this.readings.set(path, reading)
    const { content, read, whole } = reading
    if (scope === 'project' && !(await this.#options.trust?.isTrusted(whole, content))) {
      if (hasMeaning(read)) this.#distrust(reading)
      return
    }
    this.#problems.push(...read.problems)
    for (const include of read.include) await this.#include(path, include, scope, depth)
    this.#merge(path, scope, read)
  }

  async #understand(file: string, form: ConfigForm | undefined, content: string): Promise<Reading> {
    const { project } = this.#options
    const read = readConfigText(content, { file, ...(form && { form }), ...(project !== undefined && { project }) })
    const last = this.#last.get(file)
    if (read.readable || last === undefined) return { content, read, whole: await wholePath(file) }
    this.#problems.push(...read.problems)
    this.#stillCounts(file, 'The file cannot be understood now')
    return last
  }

  #stillCounts(file: string, why: string): void {
    const remedy = 'Correct it; { } says that there are no servers'
    this.#report({ file, path: '' }, `${why}; what it said before still counts`, remedy, 'warning')
  }

  async #include(from: string, include: string, scope: ConfigFile['scope'], depth: number): Promise<void> {
    if (++this.#included > MAX_INCLUDED || depth >= MAX_INCLUDE_DEPTH) {
      this.#report(
        { file: from, path: 'include' },
        'Too many files include each other',
        'Put the servers into fewer files',
      )
      return
    }
    const { home = homedir() } = this.#options
    const path = /^~[/\\]/.test(include) ? join(home, include.slice(2)) : include
    const whole = isAbsolute(path) ? path : join(dirname(from), path)
    // It has its own turn, with its own standing: a project cannot make it a part of itself.
    if (this.#options.files.some((file) => resolve(file.path) === whole)) return
    if (this.#files.has(whole)) {
      this.#report(
        { file: whole, path: '' },
        'The file is included although it has been read already',
        'Include it once',
        'warning',
      )
      return
    }
    // What a project includes comes with the project, wherever it is.
    await this.add(whole, scope, undefined, depth + 1)
  }

  #merge(file: string, scope: ConfigFile['scope'], read: ReadConfig): void {
    for (const server of read.servers) {
      const known = this.#servers.get(server.name)
      if (known !== undefined && known.fingerprint !== server.fingerprint) {
        const message = `${JSON.stringify(server.name)} is also in ${file}, which counts`
        const problem = { severity: 'warning', place: known.place, message, remedy: 'Rename one of them' } as const
        this.#problems.push(problem)
      }
      if (known === undefined && this.#servers.size >= CONFIG_LIMITS.maxServers) {
        const message = `There are more than ${CONFIG_LIMITS.maxServers} servers in all; the rest is left out`
        this.#report({ file, path: '' }, message, 'Remove those that are not needed')
        break
      }
      this.#servers.set(server.name, server)
    }
    this.#inputs.push(...read.inputs)
    if (Object.keys(read.extras).length > 0) this.#extras.push({ ...read.extras, file, scope })
  }

  #distrust({ whole: file, content, read }: Reading): void {
    this.#untrusted.push({ file, content, digest: digestOfText(content), servers: read.names })
    const message = 'The file comes with the project and nobody has trusted it, or it has changed since'
    this.#report({ file, path: '' }, message, 'Look at it, then trust it', 'warning')
  }

  async #read(path: string, isWanted: boolean): Promise<string | undefined> {
    try {
      return await readBounded(path, defaultMaxBytes(path))
    } catch (error) {
      // Some editors remove a file before they write it anew; a disk may be away for a moment.
      if (this.#last.has(path))
        this.#stillCounts(path, `The file ${isAbsent(error) ? 'is gone' : 'cannot be read now'}`)
      else if (!isAbsent(error)) {
        const message = `The file cannot be read, or is larger than ${defaultMaxBytes(path)} bytes`
        this.#report({ file: path, path: '' }, message, 'Check its size and permissions')
      } else if (isWanted)
        this.#report({ file: path, path: '' }, 'The included file is not there', 'Make it, or do not include it')
      return undefined
    }
  }

  #report(
    place: ConfigProblem['place'],
    message: string,
    remedy: string,
    severity: ConfigProblem['severity'] = 'error',
  ): void {
    this.#problems.push({ severity, place, message, remedy })
  }
}

/** Editors' files are in projects for other reasons, too. */
function hasMeaning({ names, problems, include, extras }: ReadConfig): boolean {
  return names.length + problems.length + include.length + Object.keys(extras).length > 0
}

/**
 * Returns the absolute path by which a file is trusted: symbolic links are resolved, so that one file has one name.
 *
 * @example
 * ```ts
 * import { createTrustStore, wholePath } from '@portico/host/config'
 *
 * const trust = createTrustStore({ file: '/home/ann/.portico/trust.json' })
 * await trust.revoke(await wholePath('.mcp.json'))
 * ```
 */
export async function wholePath(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path))
}
