/** A folder of a trial's own with two servers and a model, and Neovim with the plugin in it. */

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Script, startScriptedProvider } from '@portico/host/model'
import { BINARY } from '../cli/binary.ts'
import { missingTmux } from '../support/tmux.ts'

const LAB = fileURLToPath(new URL('./lab-server.ts', import.meta.url))
export const PLUGIN = fileURLToPath(new URL('../../packages/neovim/', import.meta.url))

/** Installed on first use where that is possible without asking anybody; a word why not elsewhere. */
export function missingNeovim(): string | undefined {
  if (isThere()) return missingTmux()
  const canInstall =
    process.platform === 'linux' && process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0
  if (!canInstall) return 'there is no Neovim (apt-get install neovim tmux)'
  console.log('hosts: installing neovim and tmux with apt-get (first use)')
  const quiet = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const
  if (spawnSync('apt-get', ['install', '-y', 'neovim', 'tmux'], quiet).status !== 0) {
    spawnSync('apt-get', ['update'], quiet)
    spawnSync('apt-get', ['install', '-y', 'neovim', 'tmux'], quiet)
  }
  return isThere() ? missingTmux() : 'Neovim could not be installed (apt-get install neovim tmux)'
}

function isThere(): boolean {
  return spawnSync('nvim', ['--version']).status === 0
}

export function neovimVersion(): string {
  return execFileSync('nvim', ['--version'], { encoding: 'utf8' }).split('\n')[0] ?? ''
}

export interface NeovimPlace {
  readonly folder: string
  readonly env: { readonly [name: string]: string }
  /** What the lab server has written. */
  readonly notes: string
}

export async function inNeovim(script: Script, work: (place: NeovimPlace) => Promise<void>): Promise<void> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'portico-nvim-')))
  const provider = await startScriptedProvider(script)
  const notes = join(folder, 'notes.log')
  const lab = (...words: string[]) => ({ command: process.execPath, args: [...process.execArgv, LAB, ...words] })
  await mkdir(join(folder, 'config'))
  await writeFile(
    join(folder, 'config', 'portico.json'),
    JSON.stringify({
      servers: { lab: lab(notes), shelf: lab() },
      models: { scripted: { provider: 'openai-compatible', model: 'scripted', baseUrl: provider.url } },
    }),
  )
  await writeFile(join(folder, 'draft.txt'), 'first line\n')
  await writeFile(join(folder, 'init.lua'), toInit([process.execPath, BINARY, 'host']))
  const { PATH = '' } = process.env
  const env = {
    PATH,
    HOME: folder,
    LANG: 'C.UTF-8',
    PORTICO_STATE_DIR: join(folder, 'state'),
    PORTICO_CONFIG_DIR: join(folder, 'config'),
  }
  try {
    await work({ folder, env, notes })
  } finally {
    await provider.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
  }
}

/** Settings for Neovim with the plugin and this command. */
export function toInit(command: readonly string[]): string {
  const words = command.map((word) => JSON.stringify(word)).join(', ')
  return [
    `vim.opt.runtimepath:append(${JSON.stringify(PLUGIN)})`,
    'vim.opt.swapfile, vim.opt.shortmess = false, "filnxtToOFIc"',
    'vim.opt.modeline, vim.opt.modelines = true, 5',
    `require("portico").setup({ command = { ${words} } })`,
  ].join('\n')
}
