/** Neovim before a host that is hostile: text that could act, names that could be commands, lines that are no messages. */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Trial } from '../support/suite.ts'
import { missingNeovim, neovimVersion, toInit } from './neovim-place.ts'

const HOST = fileURLToPath(new URL('./hostile-host.mjs', import.meta.url))
const CHECKS = fileURLToPath(new URL('./neovim-hostile.lua', import.meta.url))

async function facesHost(program: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-hostile-'))
  try {
    const init = join(folder, 'init.lua')
    await writeFile(init, toInit([process.execPath, HOST]))
    const { PATH = '' } = process.env
    const { stdout, stderr } = spawnSync(program, ['--headless', '-u', init, '-c', `luafile ${CHECKS}`], {
      cwd: folder,
      env: { PATH, HOME: folder, LANG: 'C.UTF-8' },
      encoding: 'utf8',
      timeout: 120_000,
    })
    assert.match(stdout, /^ALL HOLDS$/m, `${stdout}\n${stderr}`)
    assert.doesNotMatch(stderr, /E5\d{3}:|attempt to|stack traceback/)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Of one Neovim. */
export function hostileTrial(program: string): Trial {
  return {
    name: `neovim before a hostile host (${program}): no text acts, no name is a command, no yes is given unseen (sec-498, sec-499)`,
    missing: () => missingNeovim(program),
    run(report) {
      report.note = neovimVersion(program)
      return facesHost(program)
    },
  }
}
