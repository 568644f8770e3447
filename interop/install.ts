/**
 * Brings the programs that the suites talk to: the official packages and published servers of `package.json`, into this
 * folder's own `node_modules`, on first use and whenever the pinned versions change. `run.ts` calls it before any suite
 * is loaded.
 */

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export function installPeers(folder: string): void {
  const missing = missingPeers(folder)
  if (missing.length === 0) return
  console.log(`interop: installing ${missing.join(', ')} into interop/node_modules (first use)`)
  const locked = existsSync(join(folder, 'package-lock.json'))
  const args = [locked ? 'ci' : 'install', '--no-workspaces', '--no-audit', '--no-fund', '--prefix', folder]
  const { status, error } = spawnSync(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
  const left = missingPeers(folder)
  if (status === 0 && left.length === 0) return
  throw new Error(`npm could not install ${left.join(', ')}`, { cause: error })
}

function missingPeers(folder: string): string[] {
  const wanted = Object.entries(readJson(join(folder, 'package.json'))?.dependencies ?? {})
  return wanted
    .filter(([name, version]) => readJson(join(folder, 'node_modules', name, 'package.json'))?.version !== version)
    .map(([name, version]) => `${name}@${version}`)
}

function readJson(file: string): { version?: string; dependencies?: { [name: string]: string } } | undefined {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}
