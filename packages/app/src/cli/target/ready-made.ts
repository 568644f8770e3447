/** The ready-made servers with the arguments that they take on a command line: `files ./docs`, `sql ./shop.db --max-rows 5`. */

import { isServerName, loadEntry, type ReadyServer, type ServerEntry, type ServerName } from '@portico/servers'
import { CliError } from '../../exit-codes.ts'
import type { Command, CommandInput, Flag } from '../parse/command.ts'
import { parseCommand } from '../parse/parse.ts'

/** Makes one from the words that stood after its name. */
export async function createReadyMade(name: ServerName, words: readonly string[]): Promise<ReadyServer> {
  const entry = await loadEntry(name)
  const command = describeReadyMade(`run ${name}`, entry.about, flagsOf(entry), entry.positional)
  const { flags, positionals } = parseCommand(command, words.map(toKebabFlag))
  try {
    return await entry.create(valuesOf(entry, flags, positionals))
  } catch (error) {
    if (words.length > 0 || entry.positional === undefined) throw explainUnmade(error, name)
    const message = error instanceof Error ? error.message.replace(/,? as in `[^`]*`$/, '') : String(error)
    const remedy = `Name it after the server, as in \`portico list ${name} ./docs\`, with \`./\` in front. \`portico run ${name} --help\` shows what it takes.`
    throw new CliError('usage', `${name}: ${message}`, remedy, error)
  }
}

/** The option that was not given and with which a server has the tool. */
export async function optionThatAdds(
  name: string,
  words: readonly string[],
  tool: string,
): Promise<string | undefined> {
  if (!isServerName(name)) return undefined
  const { options } = await loadEntry(name)
  for (const option of ADDING.filter((one) => Object.hasOwn(options, one))) {
    const made = await createReadyMade(name, [...words, `--${option}`]).catch(() => undefined)
    const adds = made?.server.catalogue().tools.some((one) => one.name === tool)
    await made?.close()
    if (adds === true) return `--${option}`
  }
  return undefined
}

/** Options that add tools which change something. */
const ADDING = ['write', 'mutations']

/** A server that cannot be made of what was given: a folder that is not there, a description that cannot be read. */
export function explainUnmade(error: unknown, name: ServerName): unknown {
  const { code } = (error ?? {}) as { code?: unknown }
  if (!(error instanceof Error) || (code !== 'invalid-definition' && code !== 'ENOENT')) return error
  const message = error.message.startsWith(`${name}: `) ? error.message : `${name}: ${error.message}`
  const remedy = `Correct what stands after "${name}". \`portico run ${name} --help\` shows what it takes.`
  return new CliError(code === 'ENOENT' ? 'not-found' : 'usage', message, remedy, error)
}

/** The options of an entry, by the names it has for them. */
export function valuesOf(
  entry: ServerEntry,
  flags: CommandInput['flags'],
  positionals: readonly string[],
): Parameters<ServerEntry['create']>[0] {
  // The parser has read each by the type that the entry gives it.
  const values = Object.fromEntries(Object.keys(entry.options).map((option) => [option, flags[toKebab(option)]])) as {
    [option: string]: Parameters<ServerEntry['create']>[0][string]
  }
  const { positional } = entry
  if (positional !== undefined && positionals.length > 0) {
    // A list takes them all; a single value takes the one there is.
    values[positional] = entry.options[positional]?.multiple === true ? positionals : positionals[0]
  }
  return values
}

export function flagsOf({ options }: ServerEntry): { readonly [name: string]: Flag } {
  return Object.fromEntries(
    Object.entries(options).map(([name, { type, multiple, about, fallback }]): [string, Flag] => [
      toKebab(name),
      { type, about: `${about}.`, ...(multiple && { multiple }), ...(fallback !== undefined && { fallback }) },
    ]),
  )
}

/** As a command of its own, for the parser and for help. */
export function describeReadyMade(
  name: string,
  about: string,
  own: Command['flags'],
  positional: string | undefined,
): Command {
  const multiple = own[toKebab(positional ?? '')]?.multiple === true
  const first = positional === undefined ? undefined : own[toKebab(positional)]
  return {
    name,
    about,
    positionals:
      positional === undefined ? [] : [{ name: positional, about: first?.about ?? '', optional: true, rest: multiple }],
    flags: own,
    examples: [],
    load: () => Promise.reject(new Error('shown, not run')),
  }
}

/** Options are named `maxRows` in code and in files; on a command line both that and `--max-rows` will do. */
export function toKebabFlag(word: string): string {
  return /^--[a-z]/.test(word) ? word.replace(/^--[\w-]+/, toKebab) : word
}

function toKebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
