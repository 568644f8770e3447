/** Neovim on this machine, and its settings for a trial. */

import { execFileSync, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Script } from '@portico/host/model'
import { BINARY } from '../cli/binary.ts'
import { missingTmux } from '../support/tmux.ts'
import { inLab, type LabPlace } from './lab.ts'

const PLUGIN = fileURLToPath(new URL('../../packages/neovim/', import.meta.url))

/** The one of the machine; others are named with `--neovim`. */
export const NEOVIM = 'nvim'

/** Why Neovim cannot be tried here, with the line that would bring it. */
export function missingNeovim(program: string): string | undefined {
  return spawnSync(program, ['--version']).status === 0
    ? missingTmux()
    : `there is no Neovim ${program === NEOVIM ? '(apt-get install neovim tmux)' : `at ${program}`}`
}

/** `NVIM v0.7.2` */
export function neovimVersion(program: string): string {
  return execFileSync(program, ['--version'], { encoding: 'utf8' }).split('\n')[0] ?? ''
}

export function inNeovim(script: Script, work: (place: LabPlace) => Promise<void>): Promise<void> {
  return inLab(script, async (place) => {
    await writeFile(join(place.folder, 'init.lua'), toInit([process.execPath, BINARY, 'host']))
    await work(place)
  })
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
