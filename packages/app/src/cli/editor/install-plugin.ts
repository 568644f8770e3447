/**
 * `portico host --install`: the plugins for editors come with this package. That of Neovim is put where Neovim looks for it; that of
 * VS Code is one file, which the editor itself installs. Nothing is written before a yes, and a yes is for what is ours: what somebody
 * else put there, or changed by hand, is never replaced.
 */

import type { Stats } from 'node:fs'
import { cp, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CliError } from '../../exit-codes.ts'
import { ownVersion } from '../../web/own-version.ts'
import { confirm } from '../terminal/confirm.ts'
import type { Io } from '../terminal/io.ts'
import { changesIn, readList, writeList } from './installed-files.ts'
import { neovimData } from './neovim-places.ts'

/** The editors that there is a plugin for. */
export const EDITORS = ['neovim', 'vscode'] as const

interface InstallWish {
  readonly editor: (typeof EDITORS)[number]
  /** Where to, in place of where the editor looks. */
  readonly to: string | undefined
  readonly yes: boolean
  /** The file of the extension; that which comes with this package unless given. */
  readonly vsix?: string
}

/** What a plugin for Neovim consists of. */
const NEOVIM_PARTS = ['lua', 'plugin', 'doc', 'LICENSE', 'README.md']
const REMEDY = 'Take it away, or name another folder with --to.'
const MOST_NAMES = 5

export function installPlugin(wish: InstallWish, io: Io): Promise<void> {
  return wish.editor === 'neovim' ? installNeovim(wish, io) : writeVsix(wish, io)
}

async function installNeovim({ to, yes }: InstallWish, io: Io): Promise<void> {
  const source = await findPart('editors/neovim/', '../../neovim/')
  const home = io.env.HOME ?? homedir()
  const usual = join(neovimData(io.env, home), 'site', 'pack', 'portico', 'start', 'portico')
  const target = to === undefined ? usual : resolve(io.cwd, to)
  const before = await whatIsAt(target)
  const instead = before === undefined ? '' : ` in place of ${before}`
  if (!yes) await confirm(`Write the plugin ${ownVersion()} for Neovim into ${target}${instead}?`, io)
  await makeFolder(dirname(target))
  // A folder of its own, whose name nobody can have taken before, and which Neovim does not load.
  const making = await mkdtemp(join(dirname(target), `.${basename(target)}-`))
  const [fresh, old] = [join(making, 'new'), join(making, 'old')]
  try {
    for (const part of NEOVIM_PARTS) await cp(join(source, part), join(fresh, part), { recursive: true })
    await writeList(fresh, ownVersion())
    await replaceFolder(target, fresh, old)
  } finally {
    await rm(making, { recursive: true, force: true })
  }
  io.out(target)
  if (to !== undefined) io.say("Neovim finds it there once that folder is in its 'runtimepath' (:help runtimepath).")
  io.say('Start Neovim and say :Portico; `:helptags ALL` once makes :help portico work.')
}

/** What is there goes aside first, and comes back where its successor cannot take its place. */
async function replaceFolder(target: string, fresh: string, old: string): Promise<void> {
  const isThere = (await lookAt(target)) !== undefined
  if (isThere) await rename(target, old)
  try {
    await rename(fresh, target)
  } catch (error) {
    if (isThere) await rename(old, target)
    throw error
  }
}

async function writeVsix({ to, yes, vsix }: InstallWish, io: Io): Promise<void> {
  const source = await readFile(
    vsix ?? (await findPart('editors/portico-vscode.vsix', '../../vscode/dist/portico-vscode.vsix')),
  )
  const target = join(resolve(io.cwd, to ?? '.'), `portico-vscode-${ownVersion()}.vsix`)
  if (!(await isSameFile(target, source))) {
    if (!yes) await confirm(`Write the extension for VS Code as ${target}?`, io)
    await makeFolder(dirname(target))
    // Fails where something has come there since, were it a link to nothing.
    await writeFile(target, source, { flag: 'wx' })
  }
  io.out(target)
  io.say(`Have the editor install it: code --install-extension "${target}"`)
}

/** False where nothing is; what is there and is another file stays. */
async function isSameFile(target: string, bytes: Buffer): Promise<boolean> {
  const found = await lookAt(target)
  if (found === undefined) return false
  if (found.isSymbolicLink()) throw new CliError('failed', `${target} is a link to somewhere else`, REMEDY)
  if (found.isFile() && found.size === bytes.length && (await readFile(target)).equals(bytes)) return true
  throw new CliError('failed', `${target} is there, and is not this extension`, REMEDY)
}

/** The version of the plugin that is there; undefined where nothing is. What is not ours stays. */
async function whatIsAt(target: string): Promise<string | undefined> {
  const found = await lookAt(target)
  if (found === undefined) return undefined
  if (found.isSymbolicLink()) throw new CliError('failed', `${target} is a link to somewhere else`, REMEDY)
  if (found.isDirectory() && (await readdir(target)).length === 0) return undefined
  const installed = found.isDirectory() ? await readList(target) : undefined
  if (installed === undefined)
    throw new CliError('failed', `${target} holds something that this command did not put there`, REMEDY)
  const changed = await changesIn(target, installed)
  if (changed.length === 0) return installed.version
  const names = [...changed.slice(0, MOST_NAMES), ...(changed.length > MOST_NAMES ? ['…'] : [])].join(', ')
  throw new CliError('failed', `${target} was changed by hand: ${names}`, REMEDY)
}

/** Links are not followed. What cannot be looked at is not nothing. */
async function lookAt(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new CliError('failed', `${path} cannot be looked at: ${(error as Error).message}`, REMEDY)
  }
}

/** Step by step: asked for all at once, Node tries for ever where a system's own folder takes none. */
async function makeFolder(path: string): Promise<void> {
  if ((await lstat(path).catch(() => undefined)) !== undefined) return
  await makeFolder(dirname(path))
  try {
    await mkdir(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
    throw new CliError('failed', `The folder ${path} cannot be made`, 'Name another folder with --to.', error)
  }
}

/** In the package, or in a checkout of the repository. */
async function findPart(packed: string, inCheckout: string): Promise<string> {
  const root = new URL('../../', import.meta.url)
  for (const place of [packed, inCheckout]) {
    const path = fileURLToPath(new URL(place, root))
    if ((await lstat(path).catch(() => undefined)) !== undefined) return path
  }
  throw new CliError('failed', 'The plugin does not come with this copy of portico', 'Build it: `npm run build`.')
}
