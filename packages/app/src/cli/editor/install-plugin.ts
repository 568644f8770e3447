/**
 * `portico host --install`: the plugins for editors come with this package. That of Neovim is put where Neovim looks for it; that of
 * VS Code is one file, which the editor itself installs. Nothing is written before a yes, and nothing that is not ours is replaced.
 */

import { copyFile, cp, lstat, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CliError } from '../../exit-codes.ts'
import { ownVersion } from '../../web/own-version.ts'
import { confirm } from '../terminal/confirm.ts'
import type { Io } from '../terminal/io.ts'
import { neovimData } from './neovim-places.ts'

/** The editors that there is a plugin for. */
export const EDITORS = ['neovim', 'vscode'] as const

interface InstallWish {
  readonly editor: (typeof EDITORS)[number]
  /** Where to, in place of where the editor looks. */
  readonly to: string | undefined
  readonly yes: boolean
}

/** What a plugin for Neovim consists of. */
const NEOVIM_PARTS = ['lua', 'plugin', 'doc', 'LICENSE', 'README.md']
const MARK = join('lua', 'portico', 'init.lua')

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
  const making = `${target}.new-${process.pid}`
  try {
    await mkdir(making, { recursive: true })
    for (const part of NEOVIM_PARTS) await cp(join(source, part), join(making, part), { recursive: true })
    await rm(target, { recursive: true, force: true })
    await rename(making, target)
  } finally {
    await rm(making, { recursive: true, force: true })
  }
  io.out(target)
  io.say('Start Neovim and say :Portico; `:helptags ALL` once makes :help portico work.')
}

async function writeVsix({ to, yes }: InstallWish, io: Io): Promise<void> {
  const source = await findPart('editors/portico-vscode.vsix', '../../vscode/dist/portico-vscode.vsix')
  const target = join(resolve(io.cwd, to ?? '.'), `portico-vscode-${ownVersion()}.vsix`)
  if (!yes) await confirm(`Write the extension for VS Code as ${target}?`, io)
  await mkdir(dirname(target), { recursive: true })
  const making = `${target}.new-${process.pid}`
  await copyFile(source, making)
  await rename(making, target)
  io.out(target)
  io.say(`Have the editor install it: code --install-extension "${target}"`)
}

/** The version of the plugin that is there; undefined where nothing is. What is not ours stays. */
async function whatIsAt(target: string): Promise<string | undefined> {
  const found = await lstat(target).catch(() => undefined)
  if (found === undefined) return undefined
  const remedy = 'Take it away, or name another folder with --to.'
  if (found.isSymbolicLink()) throw new CliError('failed', `${target} is a link to somewhere else`, remedy)
  if (found.isDirectory() && (await readdir(target)).length === 0) return undefined
  const text = await readFile(join(target, MARK), 'utf8').catch(() => undefined)
  if (text === undefined) throw new CliError('failed', `${target} holds something that is not this plugin`, remedy)
  return /version = "([^"]+)"/.exec(text)?.[1] ?? 'another version'
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
