/**
 * Brings what a lab's `package.json` names into that folder's own `node_modules`: on first use, and whenever a pinned
 * version changes. Labs call it before they load anything that needs those packages.
 */

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

export interface InstallOptions {
  /** Said beside the names while npm works: a size, say. */
  readonly about?: string
  /** `install` where the lockfile lacks binaries of other platforms; `ci` otherwise. */
  readonly command?: 'ci' | 'install'
}

export function installPackages(folder: string, { about = '', command = 'ci' }: InstallOptions = {}): void {
  const missing = missingPackages(folder)
  if (missing.length === 0) return
  const name = basename(folder)
  console.log(`${name}: installing ${missing.join(', ')} into ${name}/node_modules (first use${about && `, ${about}`})`)
  const words = [command, ...(command === 'install' ? ['--no-save'] : []), '--no-workspaces', '--prefix', folder]
  const { status, error, stderr } = runNpm(words, folder)
  const left = missingPackages(folder)
  if (status === 0 && left.length === 0) return
  throw new Error(`npm could not install ${left.join(', ') || `the packages of ${name}`}:\n${stderr}`, { cause: error })
}

/** npm, quiet but for what goes wrong. */
export function runNpm(words: readonly string[], cwd: string, env: { readonly [name: string]: string } = {}) {
  const windows = process.platform === 'win32'
  return spawnSync(windows ? 'npm.cmd' : 'npm', ['--no-audit', '--no-fund', '--loglevel=error', ...words], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: windows,
  })
}

/** The version that is there, if the package is. */
export function installedVersion(folder: string, name: string): string | undefined {
  return readManifest(join(folder, 'node_modules', name, 'package.json'))?.version
}

export function pinnedPackages(folder: string): { readonly [name: string]: string } {
  return readManifest(join(folder, 'package.json'))?.dependencies ?? {}
}

function missingPackages(folder: string): string[] {
  return Object.entries(pinnedPackages(folder))
    .filter(([name, version]) => installedVersion(folder, name) !== version)
    .map(([name, version]) => `${name}@${version}`)
}

function readManifest(file: string): { version?: string; dependencies?: { [name: string]: string } } | undefined {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}
