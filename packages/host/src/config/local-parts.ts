/**
 * What the folder that a program is started in, and the search path, decide about what runs: `node server.mjs` and
 * `npx tool` are other programs in other projects, however alike the words are. What is found here is part of what is
 * approved; a command that means the same everywhere has nothing of it.
 */

import { access } from 'node:fs/promises'
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { inspectCommand } from './inspect-command.ts'
import { packageOf, programOf } from './package-reference.ts'
import type { ConcreteTarget } from './resolve-target.ts'

export interface LocalParts {
  /** Where the program is that the name means. */
  readonly program?: string
  /** The working folder, where it matters. */
  readonly folder?: string
  /** A package that is taken from a project instead of being fetched. */
  readonly package?: string
}

export async function localPartsOf(
  target: ConcreteTarget,
  platform: NodeJS.Platform = process.platform,
): Promise<LocalParts> {
  if (target.kind !== 'stdio') return {}
  const folder = resolve(target.cwd ?? '.')
  const [program, found, matters] = await Promise.all([
    findProgram(target, folder, platform),
    findPackage(target, folder),
    isBoundTo(target, folder),
  ])
  return {
    ...(program !== undefined && { program }),
    ...(matters && { folder }),
    ...(found !== undefined && { package: found }),
  }
}

type Program = Extract<ConcreteTarget, { kind: 'stdio' }>

/** As the system looks it up. Windows looks into the folder itself first, and knows programs without their endings. */
async function findProgram(
  { command, env }: Program,
  folder: string,
  platform: NodeJS.Platform,
): Promise<string | undefined> {
  const isWindows = platform === 'win32'
  const path = (Object.hasOwn(env, 'PATH') ? env.PATH : process.env.PATH) ?? ''
  const isPath = command.includes('/') || (isWindows && command.includes('\\'))
  const folders = isPath ? ['.'] : [...(isWindows ? ['.'] : []), ...path.split(delimiter)]
  const endings = isWindows ? ['', ...(process.env.PATHEXT ?? '.COM;.EXE;.BAT;.CMD').split(';')] : ['']
  for (const place of folders) {
    for (const ending of endings) {
      const file = resolve(folder, place, `${command}${ending}`)
      if (command !== '' && (await isThere(file))) return file
    }
  }
  return undefined
}

/** `npx` and the like take what the project has installed before they fetch anything. */
async function findPackage(target: Program, folder: string): Promise<string | undefined> {
  const reference = packageOf(target)
  if (reference?.registry !== 'npm' || reference.remote || !/^[@\w]/.test(reference.name)) return undefined
  for (let at = folder; ; at = dirname(at)) {
    const place = join(at, 'node_modules', reference.name)
    if (await isThere(place)) return place
    if (dirname(at) === at) return undefined
  }
}

/** Programs that do what a project's own files say. */
const BY_PROJECT = new Set(
  'npm pnpm yarn bun deno make just task cargo go uv poetry pdm hatch rake bundle gradle mvn dotnet docker-compose'.split(
    ' ',
  ),
)
const SHELLS = new Set('sh bash zsh dash ksh fish cmd powershell pwsh'.split(' '))
/** What interpreters add to the name of a script or module by themselves. */
const ENDINGS = ['', '.js', '.mjs', '.cjs', '.ts', '.py', '.rb', '.json']

async function isBoundTo(target: Program, folder: string): Promise<boolean> {
  const { command, args } = target
  if (/[/\\]/.test(command) && !isAbsolute(command)) return true
  const fetched = packageOf(target) !== undefined
  const programs = [command, ...args].map(programOf)
  if (!fetched && programs.some((name) => BY_PROJECT.has(name) || SHELLS.has(name))) return true
  if (programs[0] === 'docker' && args.includes('compose')) return true
  if (inspectCommand({ ...target }).some(({ code }) => code === 'inline-code' || code === 'shell-syntax')) return true
  for (const word of args.flatMap((arg) => [arg, ...arg.split('=').slice(1)])) {
    if (await isRelative(word, folder)) return true
  }
  return false
}

/** Names something that is there, as seen from the folder. */
async function isRelative(word: string, folder: string): Promise<boolean> {
  if (word === '' || word.length > MAX_WORD || isAbsolute(word) || /^(?:-|[a-z][\w+.-]+:)/i.test(word)) return false
  const names = ENDINGS.map((ending) => `${word}${ending}`)
  // A module of Python is named with dots for its folders.
  if (/^\w+(?:\.\w+)+$/.test(word)) names.push(word.replaceAll('.', '/'), `${word.replaceAll('.', '/')}.py`)
  for (const name of names) if (await isThere(resolve(folder, name))) return true
  return false
}

const MAX_WORD = 4_096

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch {
    return false
  }
}
