/**
 * Completion scripts. Commands and options are written into the script; names of servers are asked for while somebody
 * types, since they change. Every word that goes into a script is ours: nothing of a server's is in it.
 */

import type { Command, Positional } from './command.ts'
import { COMMON_FLAGS } from './parse.ts'

export function bashScript(commands: readonly Command[]): string {
  const cases = commands.map((command) => {
    const words = positionalWords(command)
    const lines = [
      `    ${command.name})`,
      `      flags="${flagNames(command).join(' ')}"`,
      `      valued="${valuedFlags(command).join(' ')}"`,
      ...(words.length > 0 ? [`      words="${words.join(' ')}"`] : []),
      ...(takesServer(command) ? ['      servers=1'] : []),
      ...(choiceCases(command).length > 0 ? ['      case "$previous" in', ...choiceCases(command), '      esac'] : []),
      '      ;;',
    ]
    return lines.join('\n')
  })
  return `# bash completion for portico
_portico() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local flags="" valued="" words="" servers="" choices=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${[...commands.map(({ name }) => name), 'help', '--help', '--version'].join(' ')}" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    help) words="${commands.map(({ name }) => name).join(' ')}" ;;
  esac
  if [ -n "$choices" ]; then
    COMPREPLY=($(compgen -W "$choices" -- "$current"))
  elif [[ " $valued " == *" $previous "* ]]; then
    COMPREPLY=($(compgen -f -- "$current"))
  elif [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  else
    [ -n "$servers" ] && words="$words $(portico completion servers 2>/dev/null)"
    COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
  fi
}
complete -o default -F _portico portico
`
}

export function zshScript(commands: readonly Command[]): string {
  const cases = commands.map((command) => {
    const flags = Object.entries(allFlags(command)).map(([name, flag]) => {
      const about = quoteZsh(flag.about)
      const value =
        flag.type === 'boolean' ? '' : `:${flag.value?.replace(/[:\s]+/g, ' ') ?? flag.type}:${zshValue(flag.choices)}`
      return `        '${flag.multiple === true ? '*' : ''}--${name}[${about}]${value}'`
    })
    const positionals = command.positionals.map((one) => {
      return `        '${one.rest === true ? '*' : ''}:${one.name}:${zshAction(one)}'`
    })
    return `    ${command.name})\n      _arguments \\\n${[...flags, ...positionals].join(' \\\n')}\n      ;;`
  })
  return `#compdef portico
# zsh completion for portico
_portico_servers() {
  local -a names
  names=(\${(f)"$(portico completion servers 2>/dev/null)"})
  _alternative 'servers:server:compadd -a names' 'files:file:_files'
}
_portico() {
  local -a commands
  commands=(
${commands.map(({ name, about }) => `    '${name}:${quoteZsh(about)}'`).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = "_portico" ]; then _portico "$@"; else compdef _portico portico; fi
`
}

export function fishScript(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => {
    const when = `-n '__fish_seen_subcommand_from ${command.name}'`
    const flags = Object.entries(allFlags(command)).map(([name, flag]) => {
      const short = flag.short === undefined ? '' : ` -s ${flag.short}`
      const value =
        flag.type === 'boolean' ? '' : flag.choices === undefined ? ' -r' : ` -x -a '${flag.choices.join(' ')}'`
      return `complete -c portico ${when} -l ${name}${short}${value} -d '${quoteFish(flag.about)}'`
    })
    const words = positionalWords(command)
    return [
      `complete -c portico -n __fish_use_subcommand -f -a ${command.name} -d '${quoteFish(command.about)}'`,
      ...flags,
      ...(words.length > 0 ? [`complete -c portico ${when} -a '${words.join(' ')}'`] : []),
      ...(takesServer(command) ? [`complete -c portico ${when} -a '(portico completion servers 2>/dev/null)'`] : []),
    ]
  })
  return `# fish completion for portico\n${lines.join('\n')}\n`
}

function allFlags(command: Command): Command['flags'] {
  return { ...command.flags, ...COMMON_FLAGS }
}

function flagNames(command: Command): string[] {
  return Object.keys(allFlags(command)).map((name) => `--${name}`)
}

/** Options that the next word belongs to. */
function valuedFlags(command: Command): string[] {
  return Object.entries(allFlags(command)).flatMap(([name, { type, short }]) =>
    type === 'boolean' ? [] : [`--${name}`, ...(short === undefined ? [] : [`-${short}`])],
  )
}

function choiceCases(command: Command): string[] {
  return Object.entries(command.flags).flatMap(([name, { choices, short }]) =>
    choices === undefined
      ? []
      : [`        --${name}${short === undefined ? '' : `|-${short}`}) choices="${choices.join(' ')}" ;;`],
  )
}

function positionalWords({ positionals }: Command): string[] {
  return positionals.flatMap(({ completes }) => (Array.isArray(completes) ? (completes as string[]) : []))
}

function takesServer({ positionals }: Command): boolean {
  return positionals.some(({ completes }) => completes === 'server')
}

function zshAction({ completes }: Positional): string {
  if (completes === 'server') return '_portico_servers'
  if (Array.isArray(completes)) return `(${completes.join(' ')})`
  return completes === 'file' || completes === 'command' ? '_files' : ' '
}

function zshValue(choices: readonly string[] | undefined): string {
  return choices === undefined ? '_files' : `(${choices.join(' ')})`
}

function quoteZsh(text: string): string {
  return text.replaceAll("'", `'\\''`).replace(/[[\]:]/g, (char) => `\\${char}`)
}

function quoteFish(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")
}
