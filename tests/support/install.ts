/**
 * Brings what a suite's `package.json` names into `node_modules`: on first use, and whenever a pinned version changes. All suites
 * share one lockfile and one tree beside it, and each installs its own part of it. Suites call this before they load anything that
 * needs those packages.
 */

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { withLock } from './lock.ts'

export interface InstallOptions {
  /** Said beside the names while npm works: a size, say. */
  readonly about?: string
  /** Optional packages, as for one kind of machine, that this one cannot do without. */
  readonly needs?: readonly string[]
}

/** A folder that is a workspace of one above it shares that one's tree; any other has its own. */
export function installPackages(folder: string, { about = '', needs = [] }: InstallOptions = {}): void {
  if (missingPackages(folder, needs).length === 0) return
  const name = basename(folder)
  const home = homeOf(folder)
  withLock(join(home, '.installing'), () => {
    // Another suite may have brought them in the meantime.
    const missing = missingPackages(folder, needs)
    if (missing.length === 0) return
    console.log(
      `${name}: installing ${missing.join(', ')} into ${basename(home)}/node_modules (first use${about && `, ${about}`})`,
    )
    const part = home === folder ? [] : ['--workspace', relative(home, folder)]
    // Not `ci`: that would take away what the other suites have, and the lockfile lacks binaries for some platforms.
    const words = ['install', '--no-save', '--prefix', home, ...part]
    const { status, error, stderr } = runNpm(words, home)
    const left = missingPackages(folder, needs)
    if (status === 0 && left.length === 0) return
    throw new Error(`npm could not install ${left.join(', ') || `the packages of ${name}`}:\n${stderr}`, {
      cause: error,
    })
  })
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

/** Where an installed package of a suite is, whether or not it is there: its own place, or that which it shares. */
export function installedPackage(folder: string, ...path: readonly string[]): string {
  const own = join(folder, 'node_modules', ...path)
  return existsSync(own) ? own : join(homeOf(folder), 'node_modules', ...path)
}

/** The version that is there, if the package is. */
export function installedVersion(folder: string, name: string): string | undefined {
  return readManifest(installedPackage(folder, name, 'package.json'))?.version
}

export function pinnedPackages(folder: string): { readonly [name: string]: string } {
  return readManifest(join(folder, 'package.json'))?.dependencies ?? {}
}

function missingPackages(folder: string, needs: readonly string[]): string[] {
  const pinned = Object.entries(pinnedPackages(folder))
    // Under an alias (`npm:zod@4.0.17`) the version is what follows the name.
    .filter(([name, version]) => installedVersion(folder, name) !== version.replace(/^npm:.*@/, ''))
    .map(([name, version]) => `${name}@${version}`)
  return [...pinned, ...needs.filter((name) => installedVersion(folder, name) === undefined)]
}

/** The folder whose lockfile and `node_modules` hold a suite's packages. */
function homeOf(folder: string): string {
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above)) {
    const workspaces = readManifest(join(above, 'package.json'))?.workspaces ?? []
    if (workspaces.includes(relative(above, folder).replaceAll('\\', '/'))) return above
  }
  return folder
}

interface Manifest {
  readonly version?: string
  readonly dependencies?: { readonly [name: string]: string }
  readonly workspaces?: readonly string[]
}

function readManifest(file: string): Manifest | undefined {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}
