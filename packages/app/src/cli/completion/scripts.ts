/**
 * Completion scripts. Commands and options are written into the script; names of servers and of what they offer are
 * asked for while somebody types, since they change. Every word that goes into a script is ours; what the question brings
 * back is compared and handed to the shell, and never evaluated.
 */

import type { Command, Positional } from '../parse/command.ts'
import { COMMON_FLAGS } from '../parse/parse.ts'

export function bashScript(commands: readonly Command[]): string {
  const cases = commands.map((command) => {
    const words = positionalWords(command)
    const lines = [
      `    ${command.name})`,
      `      flags="${flagNames(command).join(' ')}"`,
      `      valued="${valuedFlags(command).join(' ')}"`,
      ...(words.length > 0 ? [`      words="${words.join(' ')}"`] : []),
      ...(asksNext(command) ? ['      asks=1'] : []),
      ...(choiceCases(command).length > 0 ? ['      case "$previous" in', ...choiceCases(command), '      esac'] : []),
      '      ;;',
    ]
    return lines.join('\n')
  })
  return `# bash completion for portico
_portico_next() {
  # Bash breaks words at = and :, and replaces only what stands behind the last of them.
  local line="\${COMP_LINE:0:COMP_POINT}" current="$1" word
  local whole="\${line##*[[:space:]]}"
  [[ "$current" == [=:] ]] && current=""
  local cut="\${whole%"$current"}"
  while IFS= read -r word; do
    [[ "$word" == "$whole"* ]] && COMPREPLY+=("\${word#"$cut"}")
  done < <(portico completion line -- "$line" 2>/dev/null)
  [[ "\${COMPREPLY[0]-}" == *= ]] && compopt -o nospace 2>/dev/null
}
_portico() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local flags="" valued="" words="" asks="" choices=""
  COMPREPLY=()
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
    return
  elif [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    [ -n "$asks" ] && _portico_next "$current"
  fi
}
# Where nothing is found, bash goes on with files, and quotes them itself.
complete -o bashdefault -o default -F _portico portico
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
_portico_next() {
  local -a found plain open
  found=(\${(f)"$(portico completion words -- "\${(@Q)words[1,CURRENT]}" 2>/dev/null)"})
  plain=(\${found:#*=})
  open=(\${(M)found:#*=})
  (( $#plain )) && compadd "$@" -a plain
  (( $#open )) && compadd "$@" -S '' -a open
  (( $#found )) || _files
}
_portico_servers() {
  _alternative 'servers:server:_portico_next' 'files:file:_files'
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
      ...(asksNext(command) ? [`complete -c portico ${when} -a '(__portico_next)'`] : []),
    ]
  })
  return `# fish completion for portico
function __portico_next
  set -l typed (commandline -opc)
  set -l current (commandline -ct)
  portico completion words -- $typed[2..-1] "$current" 2>/dev/null
end
${lines.join('\n')}
`
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

/** Whether words of it are known only while somebody types. */
function asksNext({ positionals }: Command): boolean {
  return positionals.some(isAsked)
}

function isAsked({ completes }: Positional): boolean {
  return typeof completes === 'string' && completes !== 'file' && completes !== 'command'
}

function zshAction(positional: Positional): string {
  const { completes } = positional
  if (completes === 'server') return '_portico_servers'
  if (isAsked(positional)) return '_portico_next'
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
