/**
 * Brings the runtimes, frameworks and the browser driver of `package.json` into this folder's own `node_modules`, on
 * first use and whenever the pinned versions change. `run.ts` calls it before any suite is loaded.
 */

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export function installRuntimes(folder: string): void {
  const missing = missingPackages(folder)
  if (missing.length === 0) return
  console.log(`runtimes: installing ${missing.length} packages into runtimes/node_modules (first use, about 1.3 GB)`)
  // Not `ci`: the lockfile lacks binaries for platforms that its maker's registry did not have.
  const args = [
    'install',
    '--no-save',
    '--no-workspaces',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--prefix',
    folder,
  ]
  const { status, error } = spawnSync(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
  const left = missingPackages(folder)
  if (status === 0 && left.length === 0) return
  throw new Error(`npm could not install ${left.join(', ') || 'the packages of runtimes/package.json'}`, {
    cause: error,
  })
}

function missingPackages(folder: string): string[] {
  const wanted = Object.entries(readJson(join(folder, 'package.json'))?.dependencies ?? {})
  return wanted
    .filter(([name, version]) => readJson(join(folder, 'node_modules', name, 'package.json'))?.version !== version)
    .map(([name, version]) => `${name}@${version}`)
}

function readJson(file: string): { version?: string; dependencies?: { [name: string]: string } } | undefined {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}
