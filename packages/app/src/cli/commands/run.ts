/** `portico run`: serves a definition, or one of the ready-made servers by name. */

import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isServerName, loadEntry, type ReadyServer, SERVER_NAMES, type ServerEntry } from '@portico/servers'
import { isDefinitionFile } from '../../definition/file-name.ts'
import { acceptOwnToken } from '../caller-identity.ts'
import type { Command, CommandInput, Flag } from '../command.ts'
import { CliError } from '../exit-codes.ts'
import { commandHelp } from '../help.ts'
import type { Io } from '../io.ts'
import { parseCommand } from '../parse.ts'
import { serveUntilEnd, wishesOf } from '../serving.ts'
import { SERVING_FLAGS } from '../serving-flags.ts'

export async function run(input: CommandInput, io: Io): Promise<number> {
  const [named = '', ...rest] = input.positionals
  const found = await (isDefinitionFile(named) || (await isFile(named, io))
    ? fromFile(named, rest, io)
    : fromName(named, rest, io))
  if (found === undefined) return 0
  const { flags, json, open } = found
  const wishes = wishesOf({ ...input.flags, ...given(flags) }, io, 'run')
  const guard = found.guarded && flags['allow-anonymous'] !== true ? acceptOwnToken(io.env) : undefined
  const onPort = wishes.http !== undefined || wishes.websocket !== undefined
  const { server, close } = await open()
  try {
    await serveUntilEnd(server, wishes, io, {
      json: json || input.json,
      ...(guard !== undefined && onPort && { protection: { auth: guard.protection }, note: guard.note }),
    })
  } finally {
    await close()
  }
  return 0
}

/** What was understood of the words after the name, and how to make the server. */
interface Wanted {
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
  return {
    flags,
    json,
    guarded: false,
    open: async () => (await import('../../definition/load.ts')).loadDefinition(file, io),
  }
}

async function fromName(name: string, rest: readonly string[], io: Io): Promise<Wanted | undefined> {
  if (!isServerName(name)) {
    const known = SERVER_NAMES.join(', ')
    throw new CliError('not-found', `There is no file and no ready-made server "${name}"`, `Ready-made are ${known}.`)
  }
  const entry = await loadEntry(name)
  const own = flagsOf(entry)
  const command = describe(name, `${entry.about}.`, { ...own, ...ANYBODY }, entry.positional)
  const { flags, positionals, json, help } = parseCommand(command, rest.map(toKebabFlag))
  if (help) return showHelp(command, io)
  const values = Object.fromEntries(Object.keys(entry.options).map((option) => [option, flags[toKebab(option)]]))
  const { positional } = entry
  if (positional !== undefined && positionals.length > 0) {
    // A list takes them all; a single value takes the one there is.
    values[positional] = entry.options[positional]?.multiple === true ? positionals : positionals[0]
  }
  const serving = Object.fromEntries(Object.entries(flags).filter(([flag]) => !Object.hasOwn(own, flag)))
  return { flags: serving, json, guarded: true, open: () => entry.create(values) }
}

const ANYBODY = {
  'allow-anonymous': { type: 'boolean', about: 'On a port, serve whoever reaches it, without a token.' },
} as const

function describe(name: string, about: string, own: Command['flags'], positional: string | undefined): Command {
  const multiple = own[toKebab(positional ?? '')]?.multiple === true
  const first = positional === undefined ? undefined : own[toKebab(positional)]
  return {
    name: `run ${name}`,
    about,
    positionals:
      positional === undefined ? [] : [{ name: positional, about: first?.about ?? '', optional: true, rest: multiple }],
    flags: { ...SERVING_FLAGS, ...own },
    examples: [],
    load: () => Promise.reject(new Error('shown, not run')),
  }
}

function showHelp(command: Command, io: Io): undefined {
  io.out(commandHelp(command, io.paint))
}

function flagsOf({ options }: ServerEntry): { readonly [name: string]: Flag } {
  return Object.fromEntries(
    Object.entries(options).map(([name, { type, multiple, about, fallback }]): [string, Flag] => [
      toKebab(name),
      { type, about: `${about}.`, ...(multiple && { multiple }), ...(fallback !== undefined && { fallback }) },
    ]),
  )
}

/** Options are named `maxRows` in code and in files; on a command line both that and `--max-rows` will do. */
function toKebabFlag(word: string): string {
  return /^--[a-z]/.test(word) ? word.replace(/^--[\w-]+/, toKebab) : word
}

function toKebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

function given(flags: CommandInput['flags']): CommandInput['flags'] {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined))
}

async function isFile(word: string, io: Io): Promise<boolean> {
  return (await stat(resolve(io.cwd, word)).catch(() => undefined))?.isFile() ?? false
}
