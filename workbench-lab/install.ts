/** Brings what `package.json` names into this folder's own `node_modules`, on first use, and finds a Chromium. */

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const NO_CHROMIUM = 'there is no Chromium; set CHROMIUM to its path, or install the system’s chromium package'

export function installTools(folder: string): void {
  const { dependencies } = readJson(join(folder, 'package.json'))
  const missing = Object.entries(dependencies ?? {}).filter(([name, version]) => {
    const manifest = join(folder, 'node_modules', name, 'package.json')
    return !existsSync(manifest) || readJson(manifest).version !== version
  })
  if (missing.length === 0) return
  console.log(`installing ${missing.map(([name]) => name).join(', ')} into workbench-lab/node_modules (first use)`)
  const { status } = spawnSync(
    process.platform === 'win32' ? 'npm.cmd' : 'npm',
    ['ci', '--no-workspaces', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder],
    { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' },
  )
  if (status !== 0) throw new Error('npm could not install the browser’s driver')
}

/** The system's own browser; brought by its package manager where this may be done. */
export function findChromium(): string | undefined {
  const found = lookForChromium()
  if (found !== undefined || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return found
  console.log('installing chromium with apt-get (first use)')
  spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=300', 'install', '-y', '--no-install-recommends', 'chromium'], {
    stdio: 'ignore',
  })
  return lookForChromium()
}

function lookForChromium(): string | undefined {
  const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
  return places.find((place) => place !== undefined && existsSync(place))
}

function readJson(file: string): { version?: string; dependencies?: { [name: string]: string } } {
  return JSON.parse(readFileSync(file, 'utf8'))
}
