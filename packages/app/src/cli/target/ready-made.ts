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
  return createEntry(entry, valuesOf(entry, flags, positionals), `portico list ${name}`)
}

/** Makes one from its options; `typed` is what a person would write before the first of them. */
export async function createEntry(
  entry: ServerEntry,
  values: Parameters<ServerEntry['create']>[0],
  typed: string,
): Promise<ReadyServer> {
  try {
    return await entry.create(values)
  } catch (error) {
    const { name } = entry
    const example = isEmpty(values) ? FIRST_WORDS[name] : undefined
    if (example === undefined || !isAboutOptions(error)) throw explainUnmade(error, entry, values)
    const message = namedOnce(error.message.replace(/,? as in `[^`]*`$/, ''), name)
    const form = example.startsWith('./') ? ', with `./` in front' : ''
    const remedy = `Write it after the server, as in \`${typed} ${example}\`${form}. ${seeHelp(name)}`
    throw new CliError('usage', message, remedy, error)
  }
}

/** Servers that are nothing without the first word after them, and what it looks like. */
const FIRST_WORDS: { readonly [name: string]: string | undefined } = {
  editor: './project',
  files: './docs',
  git: './project',
  graphql: 'https://example.com/graphql',
  openapi: './openapi.json',
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
function explainUnmade(
  error: unknown,
  { name, options }: ServerEntry,
  values: Parameters<ServerEntry['create']>[0],
): unknown {
  const { code } = (error ?? {}) as { code?: unknown }
  if (!(error instanceof Error) || (code !== 'ENOENT' && !isAboutOptions(error))) return error
  const message = namedOnce(asTyped(error.message, options), name)
  // What a variable has to hold, or what has to be installed, is not to be typed.
  const isTyped = !isEmpty(values) && !ELSEWHERE.test(message)
  const remedy = isTyped ? `Correct what stands after "${name}". ${seeHelp(name)}` : seeHelp(name)
  return new CliError(code === 'ENOENT' ? 'not-found' : 'usage', message, remedy, error)
}

const ELSEWHERE = /\b[A-Z][A-Z\d]*_[A-Z\d_]+\b|\binstall/

function isEmpty(values: Parameters<ServerEntry['create']>[0]): boolean {
  return Object.values(values).every((value) => value === undefined)
}

function seeHelp(name: string): string {
  return `\`portico run ${name} --help\` shows what it takes.`
}

function isAboutOptions(error: unknown): error is Error {
  const { code } = (error ?? {}) as { code?: unknown }
  return error instanceof Error && (code === 'invalid-definition' || code === 'invalid-arguments')
}

/** Some errors begin with the server's name. */
function namedOnce(message: string, name: string): string {
  return message.toLowerCase().startsWith(name) ? message : `${name}: ${message}`
}

/** Options are named as in code; here they are typed. */
function asTyped(message: string, options: ServerEntry['options']): string {
  return message.replace(/(["`])([a-z]+[A-Z]\w*)\1/g, (all, _quote, option: string) =>
    Object.hasOwn(options, option) ? `\`--${toKebab(option)}\`` : all,
  )
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
