/** What the run server may be told, with every default said once. `server.ts` builds on the settled form. */

import { isAbsolute } from 'node:path'
import { PorticoError } from '@portico/sdk/server'
import type { AnswerOptions } from '../answers.ts'

/** Options of `createRunServer`: what may be run, when the user is asked, and how much a run may use. */
export interface RunOptions extends AnswerOptions {
  /** Programs that `run_command` may run, by name or absolute path. None unless given, and then there is no such tool. */
  readonly commands?: readonly string[] | undefined
  /** Folders that programs in the sandbox may read besides the system's own. */
  readonly readable?: readonly string[] | undefined
  /** Packages that code may import, by name. None unless given. */
  readonly packages?: readonly string[] | undefined
  /** The folder that they are in: `node_modules` for JavaScript, `python` for Python. Nothing is ever fetched. */
  readonly packageCache?: string | undefined
  /** Folders that one caller may keep between runs, by name: 4 unless given. */
  readonly maxSessions?: number | undefined
  /** Runs Python and commands with the rights of this user where the machine has no sandbox. Off by default. */
  readonly unsandboxed?: boolean | undefined
  /** Asks the user before every run. On by default. */
  readonly ask?: boolean | undefined
  /** Runs for clients that cannot ask their user. Off by default. */
  readonly allowUnasked?: boolean | undefined
  /** How long one run may take: 10,000 unless given. */
  readonly timeMs?: number | undefined
  /** Memory of one run: 256 MiB unless given. */
  readonly memoryBytes?: number | undefined
  /** What one run may print: 262,144 unless given. */
  readonly outputBytes?: number | undefined
  /** What one run may keep in its folder: 16 MiB unless given. */
  readonly fileBytes?: number | undefined
  /** Files that one run may have: 200 unless given. */
  readonly maxFiles?: number | undefined
  /** Processes of one run: 32 unless given. */
  readonly maxProcesses?: number | undefined
  /** Runs at one time: 4 unless given. */
  readonly maxRunning?: number | undefined
}

/**
 * What one run of code may use: milliseconds, memory, printed bytes, bytes and number of files, processes; and
 * `maxRunning`, how many runs there may be at a time, `maxSessions`, how many folders a caller keeps between runs.
 */
export interface RunLimits {
  readonly timeMs: number
  readonly memoryBytes: number
  readonly outputBytes: number
  readonly fileBytes: number
  readonly maxFiles: number
  readonly maxProcesses: number
  readonly maxRunning: number
  readonly maxSessions: number
}

export interface RunSettings {
  readonly commands: readonly string[]
  readonly readable: readonly string[]
  readonly packages: readonly string[]
  readonly packageCache: string | undefined
  readonly unsandboxed: boolean
  readonly ask: boolean
  readonly allowUnasked: boolean
  readonly limits: RunLimits
}

/** The limits of the run server where its options give no others. */
export const RUN_LIMITS: RunLimits = {
  timeMs: 10_000,
  memoryBytes: 268_435_456,
  outputBytes: 262_144,
  fileBytes: 16_777_216,
  maxFiles: 200,
  maxProcesses: 32,
  maxRunning: 4,
  maxSessions: 4,
}

/** An interpreter does not start in less. */
const LEAST_MEMORY = 16_777_216

export function settleRunOptions(options: RunOptions): RunSettings {
  const limits = { ...RUN_LIMITS }
  for (const name of Object.keys(RUN_LIMITS) as (keyof RunLimits)[]) {
    const value = options[name]
    if (value === undefined) continue
    if (!Number.isSafeInteger(value) || value <= 0) throw wrong(name, 'must be a whole number above 0')
    limits[name] = value
  }
  if (limits.memoryBytes < LEAST_MEMORY) throw wrong('memoryBytes', `must be at least ${LEAST_MEMORY}`)
  const { commands = [], readable = [], packages = [], packageCache } = options
  checkPackages(packages, packageCache)
  for (const command of commands) {
    if (!/^[\w.+-]+$/.test(command) && !isAbsolute(command)) {
      throw wrong('commands', `takes names and absolute paths of programs, not "${command}"`)
    }
  }
  for (const folder of readable) {
    if (!isAbsolute(folder) || folder === '/')
      throw wrong('readable', `takes absolute paths of folders, not "${folder}"`)
  }
  return {
    commands,
    readable,
    packages,
    packageCache,
    unsandboxed: options.unsandboxed ?? false,
    ask: options.ask ?? true,
    allowUnasked: options.allowUnasked ?? false,
    limits,
  }
}

function checkPackages(packages: readonly string[], cache: string | undefined): void {
  const odd = packages.find((name) => !/^(?:@[a-z\d][\w.-]*\/)?[a-z\d][\w.-]*$/i.test(name))
  if (odd !== undefined) throw wrong('packages', `takes names of packages, not "${odd}"`)
  if (packages.length > 0 && cache === undefined) {
    throw wrong('packages', 'needs the folder that they are in: option "packageCache"')
  }
  if (cache !== undefined && !isAbsolute(cache)) throw wrong('packageCache', 'takes the absolute path of a folder')
}

function wrong(option: string, message: string): PorticoError {
  return new PorticoError('invalid-definition', `run: option "${option}" ${message}`)
}
