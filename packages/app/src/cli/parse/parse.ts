/** From the words of a command line to what a command is given. Everything wrong is one clear line with what to do. */

import { parseArgs } from 'node:util'
import { nearestName } from '@portico/host/text'
import { CliError } from '../../exit-codes.ts'
import type { Command, CommandInput, FlagValue } from './command.ts'

/** Every command has these. */
export const COMMON_FLAGS = {
  json: { type: 'boolean', about: 'Write JSON to standard output, for programs.' },
  help: { type: 'boolean', short: 'h', about: 'Show this help.' },
} as const satisfies Command['flags']

export function parseCommand(command: Command, words: readonly string[]): CommandInput & { readonly help: boolean } {
  const flags: Command['flags'] = { ...command.flags, ...COMMON_FLAGS }
  const [own, rest] = splitRest(command, flags, words)
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [
      name,
      {
        type: flag.type === 'boolean' ? ('boolean' as const) : ('string' as const),
        ...(flag.short !== undefined && { short: flag.short }),
        ...(flag.multiple === true && { multiple: true }),
      },
    ]),
  )
  refuseValues(command, flags, own)
  let parsed: { values: { [name: string]: unknown }; positionals: string[] }
  try {
    parsed = parseArgs({
      args: [...own],
      options: { ...negatives(flags), ...options },
      allowPositionals: true,
      strict: true,
    })
  } catch (error) {
    throw badOption(command, flags, own, error)
  }
  const values = Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [
      name,
      readValue(command, name, flag, given(flags, name, parsed.values)),
    ]),
  )
  const positionals = [...parsed.positionals, ...rest]
  const dashed = words.includes('--') ? rest : []
  if (values.help !== true) checkPositionals(command, dashed.length > 0 ? [...parsed.positionals, '--'] : positionals)
  return { positionals, dashed, flags: values, json: values.json === true, help: values.help === true }
}

/** With the option that was likely meant; for commands whose words are key=value, with that way of writing it. */
function badOption(command: Command, flags: Command['flags'], words: readonly string[], error: unknown): CliError {
  const message = error instanceof Error ? (error.message.split('. ')[0] ?? error.message) : String(error)
  const name = /^Unknown option '--?([^'=]+)/.exec(message)?.[1]
  if (name === undefined) return badValue(command, words, message)
  const open = Object.entries(flags).filter(([one, flag]) => flag.multiple === true || !isGiven(one, words))
  const near = nearestName(
    name,
    open.map(([one]) => one),
  )
  if (near !== undefined) return usage(command, message, `Did you mean \`--${near}\`?`)
  if (!command.positionals.some(({ about }) => about.startsWith('key=value'))) return usage(command, message)
  const value = words[words.indexOf(`--${name}`) + 1]
  return usage(command, message, `Arguments are written key=value: \`${name}=${value ?? '…'}\`.`)
}

/** An option whose value is missing, is not taken, or begins as an option does: Node says so in its own words. */
function badValue(command: Command, words: readonly string[], message: string): CliError {
  const [, short, long] = /^Option '(?:(-\w), )?(--[\w-]+)/.exec(message) ?? []
  if (long === undefined) return usage(command, message.split('\n')[0] ?? message)
  if (message.includes('does not take')) return usage(command, `${long} is a switch and takes no value`)
  const value = words[words.findIndex((word) => word === long || word === short) + 1]
  if (value === undefined || !message.includes('ambiguous'))
    return usage(command, `${long} takes a value, and none is given`)
  return usage(
    command,
    `${long} takes a value, and "${value}" looks like an option`,
    `Write \`${long}=${value}\` if it is meant.`,
  )
}

/** `--ask false` would be a switch that is on, and a word that nobody meant. */
function refuseValues(command: Command, flags: Command['flags'], words: readonly string[]): void {
  words.forEach((word, at) => {
    const next = words[at + 1]
    const name = word.replace(/^--(?:no-)?/, '')
    if (!word.startsWith('--') || flags[name]?.type !== 'boolean' || (next !== 'true' && next !== 'false')) return
    const meant = next === 'true' ? word : word === `--no-${name}` ? `--${name}` : `--no-${name}`
    throw usage(command, `${word} is a switch and takes no value`, `Write \`${meant}\`.`)
  })
}

function isGiven(name: string, words: readonly string[]): boolean {
  return words.some((word) => word === `--${name}` || word.startsWith(`--${name}=`))
}

/**
 * `--no-x` says no to the switch `x`, unless a switch is itself called `no-x`. Node's own way (`allowNegative`) takes every
 * word that begins so for a no.
 */
function negatives(flags: Command['flags']): { [name: string]: { type: 'boolean' } } {
  const switches = Object.entries(flags).filter(([, { type }]) => type === 'boolean')
  return Object.fromEntries(switches.map(([name]) => [`no-${name}`, { type: 'boolean' }]))
}

function given(flags: Command['flags'], name: string, values: { readonly [name: string]: unknown }): unknown {
  const isRefused = flags[`no-${name}`] === undefined && values[`no-${name}`] === true
  return isRefused ? false : values[name]
}

/** Splits off what belongs to another program: `portico call npx some-server --its-flag`. A bare `--` does so anywhere. */
function splitRest(
  command: Command,
  flags: Command['flags'],
  words: readonly string[],
): [readonly string[], readonly string[]] {
  const dashes = words.indexOf('--')
  if (dashes >= 0) return [words.slice(0, dashes), words.slice(dashes + 1)]
  if (command.passesRest !== true) return [words, []]
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (!word.startsWith('-') || word === '-') return [words.slice(0, at), words.slice(at)]
    const name = word.startsWith('--')
      ? word.slice(2)
      : Object.entries(flags).find(([, { short }]) => short === word.slice(1))?.[0]
    const isSwitch = [name, name?.replace(/^no-/, '')].some((one) => flags[one ?? '']?.type === 'boolean')
    if (!word.includes('=') && !isSwitch) at++
  }
  return [words, []]
}

function readValue(command: Command, name: string, flag: Command['flags'][string], value: unknown): FlagValue {
  if (value === undefined) return undefined
  if (Array.isArray(value)) return value as string[]
  if (flag.type === 'number') {
    const number = Number(value)
    if (value === '' || !Number.isFinite(number)) throw usage(command, `--${name} takes a number, not "${value}"`)
    return number
  }
  if (flag.choices !== undefined && !flag.choices.includes(String(value))) {
    throw usage(command, `--${name} takes one of ${flag.choices.join(', ')}, not "${value}"`)
  }
  // `parseArgs` gives strings and booleans, by the type it was told.
  return value as string | boolean
}

/** A program after `--` counts as one, however many words it has. */
function checkPositionals(command: Command, given: readonly string[]): void {
  const missing = command.positionals.filter(({ optional }) => optional !== true)[given.length]
  if (missing !== undefined) throw usage(command, `<${missing.name}> is missing: ${missing.about}`)
  const open = command.positionals.some(({ rest }) => rest === true)
  const extra = open ? undefined : given[command.positionals.length]
  if (extra !== undefined) throw usage(command, `"${extra}" is one argument too many`)
}

function usage(command: Command, message: string, hint?: string): CliError {
  const help = `See \`portico ${command.name} --help\`.`
  return new CliError('usage', `${command.name}: ${message}`, hint === undefined ? help : `${hint} ${help}`)
}
