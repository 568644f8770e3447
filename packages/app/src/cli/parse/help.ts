/** Help, from the same declarations that the parser reads: for one command, and for all. */

import type { Paint } from '../terminal/io.ts'
import type { Command, Flag } from './command.ts'
import { COMMON_FLAGS } from './parse.ts'
import { wrapWords } from './wrap-words.ts'

/** A line for each order that its words may have. */
export function usageLine(command: Command): string {
  const words = command.positionals.map(({ name, optional, rest }) => {
    const word = rest === true ? `${name}…` : name
    return optional === true ? `[${word}]` : `<${word}>`
  })
  const start = `portico ${command.name} [options]`
  const usual = [start, ...words].join(' ')
  return command.otherUsage === undefined ? usual : `${usual}\n${start} ${command.otherUsage}`
}

/** Lines are broken at `columns`, where it is given. */
export function commandHelp(command: Command, paint: Paint, columns?: number): string {
  const flags = Object.entries({ ...command.flags, ...COMMON_FLAGS })
  const sections = [
    `${command.about}\n\n${paint.bold('usage')}  ${usageLine(command).replaceAll('\n', '\n       ')}`,
    ...(command.details === undefined ? [] : [wrapped(command.details, columns)]),
    list(
      'arguments',
      command.positionals.map(({ name, about }) => [`<${name}>`, about]),
      paint,
      columns,
    ),
    list(
      'options',
      flags.map(([name, flag]) => [flagWords(name, flag), flagAbout(flag)]),
      paint,
      columns,
    ),
    list(
      'examples',
      command.examples.map(({ line, about }) => [line, about]),
      paint,
      columns,
    ),
  ]
  return sections.filter((section) => section !== '').join('\n\n')
}

export function overview(
  groups: readonly { readonly title: string; readonly commands: readonly Command[] }[],
  paint: Paint,
  columns?: number,
): string {
  const sections = groups.map(({ title, commands }) =>
    list(
      title,
      commands.map(({ name, about }) => [name, about]),
      paint,
      columns,
    ),
  )
  return [
    `${paint.bold('portico')}: the Model Context Protocol from one command`,
    `${paint.bold('usage')}  portico <command> [options]\n       portico              opens the workbench in the browser`,
    ...sections,
    wrapped(CLOSING, columns),
  ].join('\n\n')
}

export function flagWords(name: string, flag: Flag): string {
  const short = flag.short === undefined ? '' : `-${flag.short}, `
  if (isOn(flag)) return `${short}--${name}, --no-${name}`
  return flag.type === 'boolean' ? `${short}--${name}` : `${short}--${name} <${flag.value ?? flag.type}>`
}

export function flagAbout(flag: Flag): string {
  const choices = flag.choices === undefined ? '' : ` One of ${flag.choices.join(', ')}.`
  const many = flag.multiple === true ? ' May be given several times.' : ''
  const fallback = flag.fallback === undefined ? '' : ` (${isOn(flag) ? 'on unless switched off' : flag.fallback})`
  return `${flag.about}${choices}${many}${fallback}`
}

/** A switch that is on by itself: how it is switched off is what a reader looks for. */
function isOn({ type, fallback }: Flag): boolean {
  return type === 'boolean' && fallback === 'true'
}

const CLOSING =
  'Servers are named by their name in the configuration, a URL, a file, or a command.\n`portico <command> --help` tells more. `portico --version` tells the version.'

/** Narrower than this, a second column is of no use. */
const MIN_COLUMN = 20

function list(title: string, rows: readonly (readonly [string, string])[], paint: Paint, columns?: number): string {
  if (rows.length === 0) return ''
  const width = Math.min(34, Math.max(...rows.map(([left]) => left.length)))
  const beside = columns === undefined ? undefined : columns - width - 4
  const isNarrow = beside !== undefined && beside < MIN_COLUMN
  const margin = ' '.repeat(isNarrow ? 4 : width + 4)
  const lines = rows.map(([left, right]) => {
    const text = wrapped(right, isNarrow ? (columns ?? 0) - 4 : beside).replaceAll('\n', `\n${margin}`)
    return left.length > width || isNarrow ? `  ${left}\n${margin}${text}` : `  ${left.padEnd(width)}  ${text}`
  })
  return `${paint.bold(title)}\n${lines.join('\n')}`
}

function wrapped(text: string, columns: number | undefined): string {
  return columns === undefined ? text : wrapWords(text, columns)
}
