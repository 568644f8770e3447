/** One repository and the only way to run git in it: over the view of it that `view.ts` makes. */

import { basename, dirname, join } from 'node:path'
import { PorticoError, ToolError } from '@portico/sdk/server'
import { findProgram, type Outcome, plainEnvironment, runProgram } from '../machine/program.ts'
import { bareEnvironment, FIXED_SETTINGS, gitEnvironment } from './environment.ts'
import type { GitSettings } from './options.ts'
import { findPlace, type Place, requireOwn } from './place.ts'
import { redact } from './redact.ts'
import { checkRevision } from './refs.ts'
import { RepositoryView } from './view.ts'

interface GitRun {
  readonly signal?: AbortSignal
  readonly input?: string
  readonly env?: { readonly [name: string]: string }
  /** Bytes of output where the option "maxBytes" is about something else. */
  readonly maxBytes?: number
  /** Exit codes that are no failure; 0 unless given. */
  readonly codes?: readonly number[]
}

export interface GitOutput {
  readonly text: string
  readonly code: number | null
  /** The output was longer than `maxBytes` and is not whole. */
  readonly truncated: boolean
}

interface RepositoryParts {
  readonly name: string
  /** Where git is. */
  readonly program: string
  readonly settings: GitSettings
  readonly view: RepositoryView
}

export class Repository {
  /** How tools and URIs call it. */
  readonly name: string
  readonly workTree: string
  readonly gitDirectory: string
  readonly #program: string
  readonly #settings: GitSettings
  readonly #view: RepositoryView
  readonly #env: { readonly [name: string]: string }
  readonly #config: string
  readonly #main: string
  #writing: Promise<unknown> = Promise.resolve()

  constructor(place: Place, { name, program, settings, view }: RepositoryParts) {
    this.name = name
    this.workTree = place.workTree
    this.gitDirectory = place.gitDirectory
    this.#program = program
    this.#settings = settings
    this.#view = view
    this.#config = join(place.shared, 'config')
    this.#main = place.shared === place.gitDirectory ? place.workTree : dirname(place.shared)
    this.#env = gitEnvironment({ ...place, objects: join(place.shared, 'objects'), shared: view.folder })
  }

  /** Runs git. Every argument that came from outside was judged before, or stands behind `--`. */
  async run(args: readonly string[], options: GitRun = {}): Promise<GitOutput> {
    await this.#view.refresh((file) => this.#list(file))
    const outcome = await this.#spawn(args, this.#env, options)
    const { code, truncated } = outcome
    const text = outcome.stdout.toString('utf8')
    if (truncated || (options.codes ?? [0]).includes(code ?? -1)) return { text, code, truncated }
    throw this.#failure(args[0] ?? 'git', outcome)
  }

  /** Runs git where it would freshen the index by the way, which is no business of somebody who looks. */
  look(args: readonly string[], options: GitRun = {}): Promise<GitOutput> {
    return this.#view.withIndex((env) => this.run(args, { ...options, env: { ...options.env, ...env } }))
  }

  /** Runs several commands over one copy of the index. */
  overIndex<T>(work: (env: { readonly [name: string]: string }) => Promise<T>): Promise<T> {
    return this.#view.withIndex(work)
  }

  /** Runs git where the objects that it makes are of no use afterwards: they go to a folder that is removed. */
  tryOut(args: readonly string[], options: GitRun = {}): Promise<GitOutput> {
    return this.#view.withObjects((folder) => {
      const { GIT_OBJECT_DIRECTORY: real = '' } = this.#env
      // Quoted, since a path may hold what separates paths there.
      const env = { GIT_OBJECT_DIRECTORY: folder, GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(real) }
      return this.run(args, { ...options, env: { ...options.env, ...env } })
    })
  }

  /**
   * Writes files as they were in a commit. `git restore` would look whether submodules are changed, and for that run git inside of
   * them; an index of our own has nothing to compare.
   */
  writeOut(hash: string, files: readonly string[]): Promise<GitOutput> {
    return this.#view.withIndex(async (env) => {
      await this.run(['read-tree', hash], { env })
      const input = `${files.join('\0')}\0`
      return this.run(['checkout-index', '--force', '--quiet', '-z', '--stdin'], { env, input })
    })
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
    const head = await this.run(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], {
      codes: [0, 1, 128],
      ...(signal && { signal }),
    })
    throw new ToolError(
      head.code === 0
        ? `There is no commit ${JSON.stringify(checked)} in ${this.name}. The tool "branches" lists what there is`
        : `There are no commits yet on the current branch of ${this.name}. The tool "status" shows what could be committed`,
    )
  }

  close(): Promise<void> {
    return this.#view.close()
  }

  /** How many settings each run has; more can be numbered after them. */
  get fixedSettings(): number {
    return FIXED_SETTINGS
  }

  /** The folder of the first working tree. */
  get mainTree(): string {
    return this.#main
  }

  /** Where a remote is, as the repository says; nobody has judged that. */
  async addressOf(remote: string): Promise<string> {
    const key = `remote.${remote}.url`
    const args = ['config', '--file', this.#config, '--no-includes', '--null', '--get', key]
    const { code, stdout } = await this.#spawn(args, bareEnvironment(), {})
    const address = stdout.toString('utf8').replace(/\0.*$/s, '')
    if (code === 0 && address !== '') return address
    throw new ToolError(`There is no remote ${JSON.stringify(remote)} in ${this.name}`)
  }

  /** What a file of settings says, without what it includes, read where there is no repository. */
  async #list(file: string): Promise<Buffer> {
    const args = ['config', '--file', file, '--no-includes', '--null', '--list']
    const { code, truncated, stdout } = await this.#spawn(args, bareEnvironment(), {})
    if (truncated) throw new ToolError(`The configuration of ${this.name} is larger than "maxBytes" allows`)
    if (code !== 0) throw new ToolError(`The configuration of ${this.name} cannot be read`)
    return stdout
  }

  async #spawn(args: readonly string[], env: { readonly [name: string]: string }, options: GitRun): Promise<Outcome> {
    const { timeoutMs } = this.#settings
    const { maxBytes = this.#settings.maxBytes } = options
    const outcome = await runProgram(this.#program, {
      args: ['--no-pager', ...args],
      cwd: this.workTree,
      env: { ...env, ...options.env },
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
    return new ToolError(`git ${command} failed: ${redact(said).slice(0, 1500) || 'it gave no reason'}`)
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
  const open = async (place: Place): Promise<Repository> => {
    const plain =
      basename(place.workTree)
        .replace(/[^A-Za-z0-9._-]+/g, '-')
        .toLowerCase() || 'repository'
    const count = (names.get(plain) ?? 0) + 1
    names.set(plain, count)
    const view = await RepositoryView.open(place, settings.write)
    return new Repository(place, { name: count === 1 ? plain : `${plain}-${count}`, program, settings, view })
  }
  return Promise.all(places.map(open))
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
