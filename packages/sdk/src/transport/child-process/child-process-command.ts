/**
 * What to hand to `spawn` for a command as a user writes it. On POSIX that is the command itself, never through a shell.
 * On Windows `npx` and its like are batch files, which only `cmd.exe` can run: they are looked up and quoted here, so
 * that no argument can end the command line it is part of.
 */

import { statSync } from 'node:fs'
import { win32 } from 'node:path'
import { PorticoError } from '../../jsonrpc/errors.ts'
import type { Environment } from './child-process-environment.ts'

interface SpawnCommand {
  readonly file: string
  readonly args: readonly string[]
  /** The arguments are quoted already. */
  readonly verbatim: boolean
}

interface CommandSurroundings {
  readonly platform: string
  readonly environment: Environment
  readonly cwd: string
  readonly isFile: (path: string) => boolean
}

export function toSpawnCommand(
  command: string,
  args: readonly string[],
  environment: Environment,
  surroundings: Partial<CommandSurroundings> = {},
): SpawnCommand {
  const { cwd = process.cwd(), platform = process.platform, isFile = existsAsFile } = surroundings
  if (platform !== 'win32') return { file: command, args, verbatim: false }
  const file = findOnWindows(command, { platform, environment, cwd, isFile }) ?? command
  if (!/\.(cmd|bat)$/i.test(file)) return { file, args, verbatim: false }
  for (const part of [file, ...args]) {
    if (/[\r\n\0]/.test(part)) {
      throw new PorticoError('connect-failed', `cannot start "${command}": a batch file takes no line breaks`)
    }
  }
  const line = [escapeMeta(win32.normalize(file)), ...args.map(quoteForBatch)].join(' ')
  return {
    file: lookUp(environment, 'COMSPEC') ?? 'cmd.exe',
    args: ['/d', '/s', '/c', `"${line}"`],
    verbatim: true,
  }
}

function findOnWindows(command: string, around: CommandSurroundings): string | undefined {
  const extensions = (lookUp(around.environment, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';').filter(Boolean)
  const hasExtension = extensions.some((extension) => command.toLowerCase().endsWith(extension.toLowerCase()))
  const names = hasExtension ? [command] : extensions.map((extension) => command + extension)
  // Only what is on the path: the working directory, which Windows would search first, may belong to anybody.
  const folders = /[\\/]/.test(command)
    ? [around.cwd]
    : (lookUp(around.environment, 'PATH') ?? '').split(';').filter(Boolean)
  for (const folder of folders) {
    for (const name of names) {
      const path = win32.resolve(around.cwd, folder, name)
      if (around.isFile(path)) return path
    }
  }
  return undefined
}

function lookUp(environment: Environment, name: string): string | undefined {
  const found = Object.keys(environment).find((key) => key.toUpperCase() === name)
  return found === undefined ? undefined : environment[found]
}

/** Quoted for the program, then escaped twice: `cmd.exe` reads the line, and the batch file's `%*` is read again. */
function quoteForBatch(arg: string): string {
  const quoted = `"${arg.replace(/(?<!\\)(\\*)"/g, '$1$1\\"').replace(/(?<!\\)(\\+)$/, '$1$1')}"`
  return escapeMeta(escapeMeta(quoted))
}

function escapeMeta(text: string): string {
  return text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&')
}

function existsAsFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}
