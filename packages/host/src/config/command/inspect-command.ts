/**
 * Looks at what a server's entry would start, before anybody approves it: what it downloads, what code it carries in its
 * arguments, what it does to the machine. Findings are words for a person; none of them forbids anything, and a command
 * without any is not thereby safe.
 */

import { resolve } from 'node:path'
import type { ServerTarget } from '../server-config.ts'
import { launchOf, type PackageLaunch, programOf } from '../trust/package-reference.ts'
import { ENVIRONMENT_PATTERN, INLINE_CODE, LINE_PATTERNS } from './danger-patterns.ts'
import { installedPackageOf } from './installed-package.ts'
import { makeVisible } from './show-command.ts'
import { toPieces } from './variables.ts'

/** Something about a server's command or address that a person should know before they let it be used. */
export interface CommandFinding {
  /** Stable, for rules and tests: `unpinned-package`, `administrator`. */
  readonly code: string
  readonly level: 'danger' | 'caution'
  /** One line, for the person who decides. */
  readonly message: string
  readonly remedy?: string
}

/**
 * Looks for what is risky in a server's command or address: a package without an exact version, inline code, a plain `http`
 * URL and the like. Returns the most dangerous findings first, and runs nothing.
 *
 * @example
 * ```ts
 * import { inspectCommand } from '@portico/host/config'
 *
 * const [finding] = inspectCommand({ kind: 'stdio', command: 'npx', args: ['-y', 'some-server'], env: {} })
 * finding?.message // 'Fetches whatever version of some-server is there at the start'
 * ```
 */
export function inspectCommand(target: ServerTarget): readonly CommandFinding[] {
  if (target.kind === 'in-process') return []
  const findings = target.kind === 'stdio' ? inspectProgram(target) : inspectUrl(target.url)
  return findings.sort((a, b) => Number(a.level !== 'danger') - Number(b.level !== 'danger'))
}

type Program = Extract<ServerTarget, { kind: 'stdio' }>

function inspectProgram(target: Program): CommandFinding[] {
  const whole = [target.command, ...target.args].join(' ')
  const line = whole.slice(0, MAX_CHARS)
  const findings: CommandFinding[] = LINE_PATTERNS.filter(({ pattern }) => pattern.test(line)).map(
    ({ code, level, message }) => ({ code, level, message }),
  )
  return [
    ...(whole.length > MAX_CHARS ? [TOO_LONG] : []),
    ...findings,
    ...inspectPackage(target),
    ...inspectInline(target),
    ...inspectEnvironment(target),
    ...inspectPlace(target.command),
    ...inspectVariable(target),
    ...inspectFolder(target.cwd),
    ...inspectCharacters(whole),
  ]
}

const MAX_CHARS = 262_144
const TOO_LONG: CommandFinding = {
  code: 'too-long',
  level: 'danger',
  message: `Has more than ${MAX_CHARS} characters; those after that were not looked at`,
}

function inspectPackage(target: Program): CommandFinding[] {
  const launch = launchOf(target)
  if (launch === undefined || launch.reference.pinned || isFixed(target, launch)) return []
  const { reference } = launch
  const shown = makeVisible(reference.name)
  if (reference.remote) {
    const message = `Fetches ${shown}, which can be another program tomorrow`
    return [{ code: 'unpinned-source', level: 'danger', message, remedy: 'Name a whole commit, or a release' }]
  }
  const isImage = reference.registry === 'docker'
  return [
    {
      code: 'unpinned-package',
      level: 'caution',
      message: `Fetches whatever version of ${shown} is there at the start`,
      remedy: isImage ? 'Name the image by its digest: image@sha256:…' : 'Name an exact version: package@1.2.3',
    },
  ]
}

/** What the project has installed is not fetched, and who runs this program has chosen its package already. */
function isFixed(target: Program, { reference, options, env }: PackageLaunch): boolean {
  const isOwn = reference.registry === 'npm' && reference.name === OWN_PACKAGE && reference.version === undefined
  // Another registry may have another package of that name.
  if (isOwn && options.size === 0 && Object.keys({ ...env, ...target.env }).length === 0) return true
  const { cwd = '.' } = target
  return !isVariable(cwd) && installedPackageOf(target, resolve(cwd)) !== undefined
}

const OWN_PACKAGE = 'portico'

function inspectInline({ command, args }: Program): CommandFinding[] {
  const words = [command, ...args]
  // On Windows, `cmd /c npx …` is how a script is started: that is one command, not code.
  const isOneCommand = !args.some((word) => /[&|<>^;]/.test(word))
  // Launchers such as `env` come before the program, so every word may be one.
  for (const [at, word] of words.entries()) {
    const program = programOf(word)
    if (!INLINE_CODE.has(program) || (program === 'cmd' && isOneCommand) || !takesCode(program, words, at + 1)) continue
    const message = `Carries code for ${program} in its arguments instead of a program that can be looked at`
    return [{ code: 'inline-code', level: 'danger', message, remedy: 'Put the code into a file and start that' }]
  }
  if (args.some((arg) => /[;|&`]|\$\(|>/.test(arg) && /\s/.test(arg))) {
    return [{ code: 'shell-syntax', level: 'caution', message: 'An argument looks like commands for a shell' }]
  }
  return []
}

/** Whether the options before the program's own file hold code. */
function takesCode(program: string, words: readonly string[], start: number): boolean {
  // PowerShell's options have values, and what follows its file is seldom an option of its own.
  const isLoose = program === 'powershell' || program === 'pwsh'
  for (let at = start; at < Math.min(words.length, start + 20); at++) {
    const word = words[at] ?? ''
    if (INLINE_CODE.get(program)?.test(word)) return true
    const isValue = at > start && /^(?:-r|-W|-X|-I|--require|--import|--loader|--conditions)$/.test(words[at - 1] ?? '')
    if (word === '-m' || (!isLoose && !isValue && !/^[-/]/.test(word))) return false
  }
  return false
}

function inspectEnvironment({ env }: Program): CommandFinding[] {
  return Object.keys(env)
    .filter((name) => ENVIRONMENT_PATTERN.test(name))
    .map((name) => {
      const message = `Sets ${makeVisible(name)}, which changes what programs do before their own code runs`
      return { code: 'environment', level: 'danger' as const, message }
    })
}

const ODD_PLACE =
  /^(?:\/tmp\/|\/var\/tmp\/|\/dev\/shm\/)|[/\\](?:Downloads|Temp|\.cache|AppData[/\\]Local[/\\]Temp)[/\\]/i

function inspectPlace(command: string): CommandFinding[] {
  if (!ODD_PLACE.test(command)) return []
  return [{ code: 'odd-place', level: 'caution', message: 'The program is in a folder where anything may be put' }]
}

function inspectVariable({ command }: Program): CommandFinding[] {
  if (!isVariable(command)) return []
  const message = 'Which program is started depends on a variable'
  return [{ code: 'variable-program', level: 'danger', message, remedy: 'Write the program out' }]
}

/** The files of the folder that a program is started in may decide what it does. */
function inspectFolder(cwd: string | undefined): CommandFinding[] {
  if (cwd === undefined) return []
  if (ODD_PLACE.test(`${cwd}/`)) {
    return [{ code: 'odd-folder', level: 'caution', message: 'Is started in a folder where anything may be put' }]
  }
  if (!isVariable(cwd) && /^(?:[/\\~]|[a-z]:)/i.test(cwd)) return []
  const message = 'Is started in a folder that is not the same everywhere'
  return [{ code: 'variable-folder', level: 'caution', message, remedy: 'Write the whole path out' }]
}

function isVariable(text: string): boolean {
  return toPieces(text).some((piece) => typeof piece !== 'string')
}

function inspectCharacters(line: string): CommandFinding[] {
  if (makeVisible(line) === line) return []
  const message = 'Holds characters that cannot be seen or change the order of what is seen'
  return [{ code: 'hidden-characters', level: 'danger', message }]
}

function inspectUrl(url: string): CommandFinding[] {
  const findings = inspectCharacters(url)
  if (!/^(?:http|ws):\/\/(?!(?:localhost|127(?:\.\d+){3}|\[::1\])(?:[:/?#]|$))/i.test(url)) return findings
  return [...findings, { code: 'clear-text', level: 'caution', message: 'Is talked to without encryption' }]
}
