/** The system's own browser, for the labs that need a real one. */

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

export const NO_CHROMIUM = 'there is no Chromium; set CHROMIUM to its path, or install the system’s chromium package'

let searched: { readonly path: string | undefined } | undefined

/** The one that is named, the system's, or on a build machine of root's the one that its package manager brings. */
export function findChromium(): string | undefined {
  searched ??= { path: installedChromium() ?? (installChromium() ? installedChromium() : undefined) }
  return searched.path
}

function installedChromium(): string | undefined {
  const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
  return places.find((place) => place !== undefined && existsSync(place))
}

function installChromium(): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false
  console.log('installing chromium with apt-get (first use)')
  const install = ['-o', 'DPkg::Lock::Timeout=300', 'install', '-y', '--no-install-recommends', 'chromium']
  const options = { stdio: 'ignore', timeout: 300_000 } as const
  if (spawnSync('apt-get', install, options).status === 0) return true
  return spawnSync('apt-get', ['update'], options).status === 0 && spawnSync('apt-get', install, options).status === 0
}
