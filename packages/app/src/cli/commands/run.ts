/** `portico run`: serves a definition, or one of the ready-made servers by name. */

import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { nearestName } from '@portico/host/text'
import { isServerName, loadEntry, type ReadyServer, SERVER_NAMES } from '@portico/servers'
import { isDefinitionFile } from '../../definition/file-name.ts'
import { CliError } from '../../exit-codes.ts'
import { acceptOwnToken } from '../gateway/caller-identity.ts'
import { serveUntilEnd, wishesOf } from '../gateway/serving.ts'
import type { Command, CommandInput } from '../parse/command.ts'
import { commandHelp } from '../parse/help.ts'
import { parseCommand } from '../parse/parse.ts'
import { SERVING_FLAGS } from '../parse/serving-flags.ts'
import { createEntry, describeReadyMade, flagsOf, toKebabFlag, valuesOf } from '../target/ready-made.ts'
import { isPathOrUrl } from '../target/target-kind.ts'
import type { Io } from '../terminal/io.ts'

export async function run(input: CommandInput, io: Io): Promise<number> {
  const [named = '', ...rest] = input.positionals
  const found = await (isDefinitionFile(named) || (await isFile(named, io))
    ? fromFile(named, rest, io)
    : fromName(named, rest, io))
  if (found === undefined) return 0
  const { flags, json, open } = found
  // What is wrong with the server comes before where it is served.
  const { server, close } = await open()
  try {
    const wishes = wishesOf({ ...input.flags, ...given(flags) }, io, 'run', directly([named, ...found.words]))
    const guard = found.guarded && flags['allow-anonymous'] !== true ? acceptOwnToken(io.env) : undefined
    const onPort = wishes.http !== undefined || wishes.websocket !== undefined
    await serveUntilEnd(server, wishes, io, {
      json: json || input.json,
      ...(found.guarded && { name: named }),
      ...(guard !== undefined && onPort && { protection: { auth: guard.protection }, note: guard.note }),
    })
  } finally {
    await close()
  }
  return 0
}

/** How its tools are called without serving it. */
function directly([name = '', ...words]: readonly string[]): string {
  const line = words.every(isPathOrUrl)
    ? `${[name, ...words].join(' ')} <tool>`
    : `<tool> -- ${[name, ...words].join(' ')}`
  return `\`portico call ${line}\` calls it directly.`
}

/** What was understood of the words after the name, and how to make the server. */
interface Wanted {
  /** Those that are no options. */
  readonly words: readonly string[]
  readonly flags: CommandInput['flags']
  readonly json: boolean
  /** On a port, callers need a token: a ready-made server reaches this machine's files, databases and screen. */
  readonly guarded: boolean
  open(): Promise<ReadyServer>
}

async function fromFile(file: string, rest: readonly string[], io: Io): Promise<Wanted | undefined> {
  const command = describe(file, `Serves ${file}.`, {}, undefined)
  const { flags, json, help } = parseCommand(command, rest)
  if (help) return showHelp(command, io)
  if (!(await isFile(file, io))) throw new CliError('not-found', `There is no file ${file}`, 'Check its path.')
  return {
    flags,
    words: [],
    json,
    guarded: false,
    open: async () => (await import('../../definition/load.ts')).loadDefinition(file, io),
  }
}

async function fromName(name: string, rest: readonly string[], io: Io): Promise<Wanted | undefined> {
  if (!isServerName(name)) {
    const near = nearestName(name, SERVER_NAMES)
    const hint = near === undefined ? '' : `Did you mean "${near}"? `
    const remedy = `${hint}Ready-made are ${SERVER_NAMES.join(', ')}.`
    throw new CliError('not-found', `There is no file and no ready-made server "${name}"`, remedy)
  }
  const entry = await loadEntry(name)
  const own = flagsOf(entry)
  const command = describe(name, `${entry.about}.`, { ...own, ...ANYBODY }, entry.positional)
  const { flags, positionals, json, help } = parseCommand(command, rest.map(toKebabFlag))
  if (help) return showHelp(command, io)
  const values = valuesOf(entry, flags, positionals)
  const serving = Object.fromEntries(Object.entries(flags).filter(([flag]) => !Object.hasOwn(own, flag)))
  return {
    flags: serving,
    words: positionals,
    json,
    guarded: true,
    open: () => createEntry(entry, values, `portico run ${name}`),
  }
}

const ANYBODY = {
  'allow-anonymous': { type: 'boolean', about: 'On a port, serve whoever reaches it, without a token.' },
} as const

function describe(name: string, about: string, own: Command['flags'], positional: string | undefined): Command {
  return { ...describeReadyMade(`run ${name}`, about, own, positional), flags: { ...SERVING_FLAGS, ...own } }
}

function showHelp(command: Command, io: Io): undefined {
  io.out(commandHelp(command, io.paint, io.columns))
}

function given(flags: CommandInput['flags']): CommandInput['flags'] {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined))
}

async function isFile(word: string, io: Io): Promise<boolean> {
  return (await stat(resolve(io.cwd, word)).catch(() => undefined))?.isFile() ?? false
}
