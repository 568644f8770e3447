/**
 * Which package a command fetches before it runs: `npx`, `uvx` and the like download a program by name, and the next
 * download may be another program. `inspect-command.ts` flags those that say no exact version; `resolve-package.ts` asks
 * the registry which one it would be.
 */

import type { ServerTarget } from '../server-config.ts'

/** The package that a command downloads before it runs it, as the command names it. */
export interface PackageReference {
  readonly registry: 'npm' | 'pypi' | 'docker'
  readonly name: string
  /** As written: a version, a range, a tag or a digest. */
  readonly version?: string
  /** Whether what is written can only ever mean one content. */
  readonly pinned: boolean
  /** Fetched from a repository or an address instead of a registry. */
  readonly remote: boolean
}

/** A package, and what the command says about where it is from. */
export interface PackageLaunch {
  readonly reference: PackageReference
  /** Options of the launcher itself with their values: `--registry`. */
  readonly options: ReadonlyMap<string, string>
  /** Variables that `env` sets before it. */
  readonly env: { readonly [name: string]: string }
}

/**
 * Tells which package a server's command downloads (`npx`, `uvx`, `docker run` and the like); undefined for a command
 * that downloads nothing, or names nothing.
 *
 * @example
 * ```ts
 * import { packageOf } from '@portico/host/config'
 *
 * packageOf({ kind: 'stdio', command: 'npx', args: ['-y', 'some-server@1.2.3'], env: {} })
 * // { registry: 'npm', name: 'some-server', version: '1.2.3', pinned: true, remote: false }
 * ```
 */
export function packageOf(target: ServerTarget): PackageReference | undefined {
  return target.kind === 'stdio' ? launchOf(target)?.reference : undefined
}

export function launchOf({
  command,
  args,
}: Pick<ServerTarget & { readonly kind: 'stdio' }, 'command' | 'args'>): PackageLaunch | undefined {
  const all = [command, ...args]
  const words = unwrap(all)
  const launcher = LAUNCHERS.find(({ start }) => start.every((word, at) => words[at] === word))
  if (launcher === undefined) return undefined
  const own = words.slice(launcher.start.length)
  const spec = findSpec(own, launcher)
  if (spec === undefined) return undefined
  const before = all.slice(0, all.length - words.length)
  return { reference: READERS[launcher.registry](spec), options: optionsIn(own, launcher), env: variablesIn(before) }
}

/** Up to the package; `npm exec` takes its own options behind it as well, up to `--`. */
function optionsIn(words: readonly string[], { start, valued }: Launcher): ReadonlyMap<string, string> {
  const options = new Map<string, string>()
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word === '--') break
    if (!word.startsWith('-')) {
      if (start[0] === 'npm') continue
      break
    }
    const [option = '', value] = splitOption(word)
    const isSplit = value === undefined && (valued.includes(option) || isScopeOption(option))
    const given = isSplit ? words[++at] : value
    if (given !== undefined) options.set(option, given)
  }
  return options
}

function isScopeOption(option: string): boolean {
  return /^--@[^:]+:registry$/.test(option)
}

function variablesIn(words: readonly string[]): { readonly [name: string]: string } {
  const assignments = words.flatMap((word) => {
    const [, name, value] = /^([A-Za-z_][\w@:./-]*)=(.*)$/s.exec(word) ?? []
    return name === undefined || value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(assignments)
}

/** `npx` for `C:\tools\npx.cmd` and `/usr/bin/npx`. */
export function programOf(command: string): string {
  const name = command.split(/[/\\]/).at(-1) ?? command
  return name.replace(/\.(?:exe|cmd|bat|ps1|com)$/i, '').toLowerCase()
}

/** Without what only passes the command on: `cmd /c`, which Windows needs for scripts, and `env` with its variables. */
function unwrap(words: readonly string[]): readonly string[] {
  let current = words
  // Nobody wraps deeper for a good reason.
  for (let depth = 0; depth < 4; depth++) {
    const [first = '', ...rest] = current
    const program = programOf(first)
    const passed = program === 'cmd' ? /^\/\w$/ : /^-|=/
    const start = program === 'cmd' || program === 'env' ? rest.findIndex((word) => !passed.test(word)) : -1
    if (start === -1) return [program, ...rest]
    current = rest.slice(start)
  }
  return current
}

interface Launcher {
  readonly start: readonly string[]
  readonly registry: PackageReference['registry']
  /** Options that name the package themselves. */
  readonly naming: readonly string[]
  /** Other options that are followed by a value. */
  readonly valued: readonly string[]
}

const NPM = {
  registry: 'npm',
  naming: ['-p', '--package'],
  valued: [
    '-c',
    '--call',
    '--registry',
    '--reg',
    '--scope',
    '--prefix',
    '-w',
    '--workspace',
    '--cache',
    '--userconfig',
    '--globalconfig',
  ],
} as const
const PYPI = {
  registry: 'pypi',
  naming: ['--from', '--spec'],
  valued: ['--with', '--python', '-p', '--index-url', '--index', '--default-index', '--extra-index-url', '--directory'],
} as const
const DOCKER = {
  registry: 'docker',
  naming: [],
  valued: [
    '-e',
    '--env',
    '-v',
    '--volume',
    '--mount',
    '--name',
    '-p',
    '--publish',
    '--network',
    '--net',
    '--env-file',
    '-w',
    '--workdir',
    '-u',
    '--user',
    '--entrypoint',
    '--platform',
    '-h',
    '--hostname',
    '--add-host',
    '--cpus',
    '-m',
    '--memory',
    '--cap-add',
    '--cap-drop',
    '--security-opt',
    '-l',
    '--label',
    '--pull',
    '--gpus',
    '--device',
    '--tmpfs',
    '--ulimit',
    '--restart',
    '--log-driver',
    '--pids-limit',
    '--shm-size',
    '--dns',
  ],
} as const

const LAUNCHERS: readonly Launcher[] = [
  { start: ['npx'], ...NPM },
  { start: ['bunx'], ...NPM },
  { start: ['pnpx'], ...NPM },
  { start: ['npm', 'exec'], ...NPM },
  { start: ['npm', 'x'], ...NPM },
  { start: ['bun', 'x'], ...NPM },
  { start: ['pnpm', 'dlx'], ...NPM },
  { start: ['pnpm', 'exec'], ...NPM },
  { start: ['yarn', 'dlx'], ...NPM },
  { start: ['uvx'], ...PYPI },
  { start: ['uv', 'tool', 'run'], ...PYPI },
  { start: ['pipx', 'run'], ...PYPI },
  { start: ['docker', 'run'], ...DOCKER },
  { start: ['docker', 'container', 'run'], ...DOCKER },
  { start: ['podman', 'run'], ...DOCKER },
  { start: ['nerdctl', 'run'], ...DOCKER },
]

/** The word that names what is fetched: after a naming option, else the first that is no option. */
function findSpec(words: readonly string[], { naming, valued }: Launcher): string | undefined {
  for (let at = 0; at < words.length; at++) {
    const word = words[at]
    if (word === undefined || word === '--') continue
    const [option = '', value] = splitOption(word)
    if (naming.includes(option)) return value ?? words[at + 1]
    if (!word.startsWith('-')) return hasNaming(words, at, naming) ?? word
    if ((valued.includes(option) || isScopeOption(option)) && value === undefined) at++
  }
  return undefined
}

/** `npx server --package x` gives `x` to the server, so that only what stands before counts. */
function hasNaming(words: readonly string[], end: number, naming: readonly string[]): string | undefined {
  const before = words.slice(0, end).findIndex((word) => naming.includes(word))
  return before === -1 ? undefined : words[before + 1]
}

function splitOption(word: string): readonly [string, string?] {
  const cut = word.startsWith('--') ? word.indexOf('=') : -1
  return cut === -1 ? [word] : [word.slice(0, cut), word.slice(cut + 1)]
}

const EXACT = /^v?\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/

const READERS: { readonly [registry in PackageReference['registry']]: (spec: string) => PackageReference } = {
  npm(spec) {
    if (
      /^(?:git[+:@]|https?:|ssh:|file:|github:|gitlab:|bitbucket:|[./~])/i.test(spec) ||
      /^[\w.-]+\/[\w.-]+(?:#|$)/.test(spec)
    ) {
      // Only a whole commit cannot be moved.
      return {
        registry: 'npm',
        name: spec,
        pinned: /#[\da-f]{40}$/i.test(spec),
        remote: !/^(?:file:|[./~])/.test(spec),
      }
    }
    const cut = spec.indexOf('@', 1)
    const name = cut === -1 ? spec : spec.slice(0, cut)
    const version = cut === -1 ? undefined : spec.slice(cut + 1)
    return { registry: 'npm', name, pinned: EXACT.test(version ?? ''), remote: false, ...(version && { version }) }
  },
  pypi(spec) {
    if (/^(?:git\+|https?:|[./~])/i.test(spec) || spec.includes(' @ ')) {
      const pinned = /@[\da-f]{40}(?:#|$)/i.test(spec)
      return { registry: 'pypi', name: spec, pinned, remote: !/^[./~]/.test(spec) }
    }
    const [, name = spec, operator, version] =
      /^([\w.-]+(?:\[[\w.,-]*\])?)\s*(===?|@|[<>~!]=?)?\s*(.*)$/.exec(spec) ?? []
    const isExact = /^(?:===?|@)$/.test(operator ?? '') && /^\d[\w.!+-]*$/.test(version ?? '')
    return { registry: 'pypi', name, pinned: isExact, remote: false, ...(version && { version }) }
  },
  docker(spec) {
    const [name = spec, digest] = spec.split('@', 2)
    const tag = /:([\w.-]+)$/.exec(name)?.[1]
    const version = digest ?? tag
    const plain = tag === undefined ? name : name.slice(0, -tag.length - 1)
    const pinned = /^sha256:[\da-f]{64}$/.test(digest ?? '')
    return { registry: 'docker', name: plain, pinned, remote: false, ...(version && { version }) }
  },
}
