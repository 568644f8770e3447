/** Brings what `package.json` names into this folder's own `node_modules`, on first use. */

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export function installLab(folder: string): void {
  const { dependencies } = readJson(join(folder, 'package.json'))
  const missing = Object.entries(dependencies ?? {}).filter(([name, version]) => {
    const manifest = join(folder, 'node_modules', name, 'package.json')
    return !existsSync(manifest) || readJson(manifest).version !== version
  })
  if (missing.length === 0) return
  console.log(`installing ${missing.map(([name]) => name).join(', ')} into servers-lab/node_modules (first use)`)
  const { status } = spawnSync(
    process.platform === 'win32' ? 'npm.cmd' : 'npm',
    ['ci', '--no-workspaces', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder],
    { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' },
  )
  if (status !== 0) throw new Error('npm could not install what the lab needs')
}

function readJson(file: string): { version?: string; dependencies?: { [name: string]: string } } {
  return JSON.parse(readFileSync(file, 'utf8'))
}
