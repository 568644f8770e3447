/**
 * The server that a command is about, however it is named: a name in the configuration, a URL, a file with a definition,
 * or a command. Configured servers are reached through the host, past its rules; the others directly.
 */

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ProtocolVersion, RequestOptions } from '@portico/sdk/client'
import { CliError } from '../../exit-codes.ts'
import { withMemory } from '../completion/cache.ts'
import type { CommandInput } from '../parse/command.ts'
import { withoutCredentials } from '../say-error.ts'
import type { Io } from '../terminal/io.ts'
import type { OpenTarget, TargetOptions } from './open-target.ts'
import { toPathError } from './path-error.ts'
import { readTarget, type TargetKind, wordOf } from './target-kind.ts'

/** Takes the words as they were typed, or what `splitTarget` has made of them. */
export async function openTarget(
  named: readonly string[] | TargetKind,
  io: Io,
  options: TargetOptions = {},
): Promise<OpenTarget> {
  const target = await toReadyMade('kind' in named ? named : readTarget(named))
  return withMemory(await connectTarget(target, io, options), target, io)
}

async function connectTarget(target: TargetKind, io: Io, options: TargetOptions): Promise<OpenTarget> {
  if (target.kind === 'command' && target.args.length === 0) refuseFolder(target.command, io)
  if (target.kind === 'name') {
    const { openNamed } = await import('./configured-target.ts')
    return openNamed(target, io, options)
  }
  const { openDirectly } = await import('./direct-target.ts')
  return openDirectly(target, io, options)
}

/** A path to a folder would be taken for a program that may not be run. */
function refuseFolder(command: string, { cwd }: Io): void {
  const found = statSync(resolve(cwd, command), { throwIfNoEntry: false })
  if (found?.isDirectory() === true) throw toPathError(command, cwd)
}

/** A command whose program is one of the ready-made servers means that one; a path means the program. */
export async function toReadyMade(target: TargetKind): Promise<TargetKind> {
  if (target.kind !== 'command') return target
  const { isServerName } = await import('@portico/servers')
  return isServerName(target.command) ? { kind: 'name', name: target.command, args: target.args } : target
}

/** Opens the server, does the work, and leaves nothing open, whatever becomes of it. */
export async function withTarget<Result>(
  named: readonly string[] | TargetKind,
  io: Io,
  options: TargetOptions,
  work: (target: OpenTarget) => Promise<Result>,
): Promise<Result> {
  const target = 'kind' in named ? named : readTarget(named)
  const open = await openTarget(target, io, options)
  try {
    return await work(open)
  } catch (error) {
    if (io.signal.aborted) throw error
    const { withServer } = await import('../lost-server.ts')
    throw await withServer(error, target, open, { io, acts: options.acts === true })
  } finally {
    await open.close()
  }
}

export function targetOptionsOf({ flags }: CommandInput): TargetOptions {
  return {
    ...(typeof flags.config === 'string' && { config: flags.config }),
    ...(flags.yes === true && { yes: true }),
    headers: readHeaders(flags.header),
    // The parser has held it against the choices, which are the revisions.
    ...(typeof flags.protocol === 'string' && { versions: flags.protocol as ProtocolVersion }),
  }
}

/** The server as it may be typed again, with what it was reached by. Headers and passwords may be secret: they are not said. */
export function againOf(target: TargetKind, { flags }: CommandInput): string {
  const { config, protocol } = flags
  return [
    withoutCredentials(wordOf(target)),
    ...Object.keys(readHeaders(flags.header)).map((name) => `--header '${name}: …'`),
    ...(typeof config === 'string' ? [`--config ${/\s/.test(config) ? `'${config}'` : config}`] : []),
    ...(typeof protocol === 'string' ? [`--protocol ${protocol}`] : []),
  ].join(' ')
}

/** What `--timeout` and Ctrl-C mean for a single request. */
export function requestOptionsOf({ flags }: CommandInput, io: Io): RequestOptions {
  const { timeout } = flags
  return { signal: io.signal, ...(typeof timeout === 'number' && { timeoutMs: timeout * 1000 }) }
}

export function readHeaders(given: unknown): { readonly [name: string]: string } {
  const lines: string[] = Array.isArray(given) ? given : []
  const pairs = lines.map((line): [string, string] => {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/s.exec(line) ?? []
    if (name === undefined || value === undefined) {
      // What was given may be a token without its name: it is not repeated.
      throw new CliError('usage', '--header takes "Name: value", with a colon')
    }
    return [name, value]
  })
  return Object.fromEntries(pairs)
}
