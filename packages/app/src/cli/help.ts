/** Help, from the same declarations that the parser reads: for one command, and for all. */

import type { Command, Flag } from './command.ts'
import type { Paint } from './io.ts'
import { COMMON_FLAGS } from './parse.ts'

export function usageLine(command: Command): string {
  const words = command.positionals.map(({ name, optional, rest }) => {
    const word = rest === true ? `${name}…` : name
    return optional === true ? `[${word}]` : `<${word}>`
  })
  return ['portico', command.name, '[options]', ...words].join(' ')
}

export function commandHelp(command: Command, paint: Paint): string {
  const flags = Object.entries({ ...command.flags, ...COMMON_FLAGS })
  const sections = [
    `${command.about}\n\n${paint.bold('usage')}  ${usageLine(command)}`,
    ...(command.details === undefined ? [] : [command.details]),
    list(
      'arguments',
      command.positionals.map(({ name, about }) => [`<${name}>`, about]),
      paint,
    ),
    list(
      'options',
      flags.map(([name, flag]) => [flagWords(name, flag), flagAbout(flag)]),
      paint,
    ),
    list(
      'examples',
      command.examples.map(({ line, about }) => [line, about]),
      paint,
    ),
  ]
  return sections.filter((section) => section !== '').join('\n\n')
}

export function overview(
  groups: readonly { readonly title: string; readonly commands: readonly Command[] }[],
  paint: Paint,
): string {
  const sections = groups.map(({ title, commands }) =>
    list(
      title,
      commands.map(({ name, about }) => [name, about]),
      paint,
    ),
  )
  return [
    `${paint.bold('portico')}: the Model Context Protocol from one command`,
    `${paint.bold('usage')}  portico <command> [options]\n       portico              opens the workbench in the browser`,
    ...sections,
    'Servers are named by their name in the configuration, a URL, a file, or a command.\n`portico <command> --help` tells more. `portico --version` tells the version.',
  ].join('\n\n')
}

export function flagWords(name: string, flag: Flag): string {
  const short = flag.short === undefined ? '' : `-${flag.short}, `
  return flag.type === 'boolean' ? `${short}--${name}` : `${short}--${name} <${flag.value ?? flag.type}>`
}

export function flagAbout(flag: Flag): string {
  const choices = flag.choices === undefined ? '' : ` One of ${flag.choices.join(', ')}.`
  const many = flag.multiple === true ? ' May be given several times.' : ''
  const fallback = flag.fallback === undefined ? '' : ` (${flag.fallback})`
  return `${flag.about}${choices}${many}${fallback}`
}

function list(title: string, rows: readonly (readonly [string, string])[], paint: Paint): string {
  if (rows.length === 0) return ''
  const width = Math.min(34, Math.max(...rows.map(([left]) => left.length)))
  const lines = rows.map(([left, right]) =>
    left.length > width ? `  ${left}\n  ${' '.repeat(width)}  ${right}` : `  ${left.padEnd(width)}  ${right}`,
  )
  return `${paint.bold(title)}\n${lines.join('\n')}`
}
