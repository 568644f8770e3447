/**
 * One repository and the only way to run git in it. Before each run the repository's settings are listed, which starts
 * nothing, and what could start a program is overridden.
 */

import { lstat, readFile, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { PorticoError, ToolError } from '@portico/sdk/server'
import { isInside } from '../machine/path-text.ts'
import { findProgram, type Outcome, plainEnvironment, runProgram } from '../machine/program.ts'
import { gitEnvironment, type Setting, toOverrides } from './environment.ts'
import type { GitSettings } from './options.ts'
import { redact } from './redact.ts'
import { checkRevision } from './refs.ts'

export interface GitRun {
  readonly signal?: AbortSignal
  readonly input?: string
  readonly env?: { readonly [name: string]: string }
  /** Exit codes that are no failure; 0 unless given. */
  readonly codes?: readonly number[]
}

export interface GitOutput {
  readonly text: string
  readonly code: number | null
  /** The output was longer than `maxBytes` and is not whole. */
  readonly truncated: boolean
}

export class Repository {
  /** How tools and URIs call it. */
  readonly name: string
  readonly workTree: string
  readonly gitDirectory: string
  readonly #program: string
  readonly #settings: GitSettings
  /** Every file, but for included ones, that a setting or the name of a submodule can come from. */
  readonly #sources: readonly string[]
  #known: { readonly stamp: string; readonly overrides: readonly Setting[] } | undefined
  #writing: Promise<unknown> = Promise.resolve()

  constructor(place: Place, name: string, program: string, settings: GitSettings) {
    this.name = name
    this.workTree = place.workTree
    this.gitDirectory = place.gitDirectory
    this.#program = program
    this.#settings = settings
    const { gitDirectory, shared, workTree } = place
    const own = ['config.worktree', 'index', 'HEAD'].map((name) => join(gitDirectory, name))
    this.#sources = [join(shared, 'config'), ...own, join(workTree, '.gitmodules')]
  }

  /** Runs git. Every argument that came from outside was judged before, or stands behind `--`. */
  async run(args: readonly string[], options: GitRun = {}): Promise<GitOutput> {
    const outcome = await this.#spawn(args, await this.#overrides(options.signal), options)
    const { code, truncated } = outcome
    const text = outcome.stdout.toString('utf8')
    if (truncated || (options.codes ?? [0]).includes(code ?? -1)) return { text, code, truncated }
    throw this.#failure(args[0] ?? 'git', outcome)
  }

  /** Changes to one repository happen one after the other. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#writing.then(work)
    this.#writing = done.catch(() => {})
    return done
  }

  /** The hash of the commit that a revision means: all that later commands ever see of it. */
  async commitOf(revision: string, signal?: AbortSignal): Promise<string> {
    const checked = checkRevision(revision)
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${checked}^{commit}`]
    const { text, code } = await this.run(args, { codes: [0, 1, 128], ...(signal && { signal }) })
    const hash = text.trim()
    if (code === 0 && /^[0-9a-f]{40,64}$/.test(hash)) return hash
    throw new ToolError(
      `There is no commit ${JSON.stringify(checked)} in ${this.name}. The tool "branches" lists what there is`,
    )
  }

  /** Listed again whenever a file that settings come from has changed. */
  async #overrides(signal: AbortSignal | undefined): Promise<readonly Setting[]> {
    const stamp = await this.#stamp()
    if (this.#known?.stamp === stamp) return this.#known.overrides
    const list = async (args: string[]): Promise<string[]> => {
      const options = signal === undefined ? {} : { signal }
      const outcome = await this.#spawn(['config', '--list', '--name-only', '-z', ...args], [], options)
      if (outcome.truncated) throw new ToolError(`The configuration of ${this.name} is larger than "maxBytes" allows`)
      return outcome.code === 0 ? outcome.stdout.toString('utf8').split('\0').filter(Boolean) : []
    }
    // Submodules are named in a file of the tree or, where it is missing, of the index.
    const [own, tree, index] = await Promise.all([
      list(['--includes']),
      list(['--no-includes', '--file', join(this.workTree, '.gitmodules')]),
      list(['--no-includes', '--blob', ':.gitmodules']),
    ])
    const overrides = toOverrides([...own, ...tree, ...index])
    // Included files may be anywhere; with any, the list is made anew each time.
    this.#known = own.some((key) => /^include(?:if)?\./i.test(key)) ? undefined : { stamp, overrides }
    return overrides
  }

  async #stamp(): Promise<string> {
    const stamps = await Promise.all(
      this.#sources.map(async (path) => {
        const stats = await lstat(path, { bigint: true }).catch(() => undefined)
        return stats === undefined ? '-' : `${stats.ino} ${stats.size} ${stats.mtimeNs}`
      }),
    )
    return stamps.join(', ')
  }

  async #spawn(args: readonly string[], found: readonly Setting[], options: GitRun): Promise<Outcome> {
    const { maxBytes, timeoutMs } = this.#settings
    const outcome = await runProgram(this.#program, {
      args: ['--no-pager', ...args],
      cwd: this.workTree,
      env: { ...gitEnvironment(this, found), ...options.env },
      maxBytes,
      timeoutMs,
      ...(options.signal && { signal: options.signal }),
      ...(options.input !== undefined && { input: options.input }),
    })
    if (outcome.timedOut) {
      throw new ToolError(`git ${args[0]} took longer than the option "timeoutMs" (${timeoutMs}) allows and was ended`)
    }
    return outcome
  }

  #failure(command: string, { stderr, stdout }: Outcome): ToolError {
    const said = (stderr.trim() || stdout.toString('utf8', 0, 2000).trim()).split('\n').slice(0, 8).join('\n')
    return new ToolError(`git ${command} failed: ${redact(said.slice(0, 1500)) || 'it gave no reason'}`)
  }
}

/** Opens every configured repository; one that borrows from outside of all of them is refused. */
export async function openRepositories(settings: GitSettings): Promise<Repository[]> {
  const program = await findProgram('git')
  if (program === undefined)
    throw new PorticoError('invalid-definition', 'git: there is no git on the path of this machine')
  await requireVersion(program)
  const places = await Promise.all(settings.repositories.map(findPlace))
  const trees = places.map(({ workTree }) => workTree)
  for (const place of places) await requireOwn(place, trees)
  const names = new Map<string, number>()
  return places.map((place) => {
    const plain =
      basename(place.workTree)
        .replace(/[^A-Za-z0-9._-]+/g, '-')
        .toLowerCase() || 'repository'
    const count = (names.get(plain) ?? 0) + 1
    names.set(plain, count)
    return new Repository(place, count === 1 ? plain : `${plain}-${count}`, program, settings)
  })
}

/** Older ones do not know the variables that settings are overridden by, and would run what they should not. */
const OLDEST = [2, 31] as const

async function requireVersion(program: string): Promise<void> {
  const run = { args: ['version'], cwd: dirname(program), env: plainEnvironment(), maxBytes: 1_000, timeoutMs: 10_000 }
  const { stdout } = await runProgram(program, run)
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(stdout.toString('utf8'))?.map(Number) ?? []
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return
  throw new PorticoError('invalid-definition', `git: this server needs git ${OLDEST.join('.')} or newer`)
}

interface Place {
  readonly workTree: string
  readonly gitDirectory: string
  /** What several working trees have in common; the same unless there are several. */
  readonly shared: string
}

async function findPlace(given: string): Promise<Place> {
  const path = resolve(given)
  try {
    const workTree = await realpath(path)
    const marker = join(workTree, '.git')
    if ((await lstat(marker)).isFile()) {
      const [, target] = /^gitdir: (.+?)\s*$/.exec(await readFile(marker, 'utf8')) ?? []
      if (target === undefined) throw new Error('no gitdir')
      return await withShared(workTree, await realpath(resolve(workTree, target)))
    }
    return await withShared(workTree, await realpath(marker))
  } catch (cause) {
    throw new PorticoError('invalid-definition', `git: ${path} is not the top of a working tree (it has no .git)`, {
      cause,
    })
  }
}

/** What of a repository may be elsewhere by a link or a file that says so. */
const PARTS = [
  'HEAD',
  'config',
  'config.worktree',
  'index',
  'objects',
  'refs',
  'packed-refs',
  'logs',
  'info',
  'modules',
]

/**
 * A repository that was handed over may be made to show another one: by a link, by `commondir` or by borrowed objects.
 * All of it has to lie in the configured repositories.
 */
async function requireOwn({ workTree, gitDirectory, shared }: Place, trees: readonly string[]): Promise<void> {
  const isOwn = (path: string): boolean => trees.some((tree) => isInside(path, tree))
  const objects = join(shared, 'objects')
  const borrowed = (await readPaths(join(objects, 'info', 'alternates'))).map((line) => resolve(objects, line))
  const parts = [gitDirectory, shared].flatMap((folder) => [folder, ...PARTS.map((part) => join(folder, part))])
  for (const path of [...parts, ...borrowed]) {
    const real = await realpath(path).catch(() => undefined)
    if (real === undefined || isOwn(real)) continue
    throw new PorticoError(
      'invalid-definition',
      `git: ${workTree} keeps part of itself in ${dirname(real)}. Add that repository to "repositories" to allow this`,
    )
  }
}

async function withShared(workTree: string, gitDirectory: string): Promise<Place> {
  const [common] = await readPaths(join(gitDirectory, 'commondir'))
  return { workTree, gitDirectory, shared: common === undefined ? gitDirectory : resolve(gitDirectory, common) }
}

async function readPaths(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}
