/**
 * A registry on this machine that can be given our packages and fetches everything else from the one that npm uses here.
 * What it fetched stays in `tests/first-hour/.cache`, so that a second run needs no network.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../support/free-port.ts'
import { installedPackage, installPackages, runNpm } from '../support/install.ts'
import { ROOT } from './packages.ts'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const STORAGE = join(FOLDER, '.cache', 'storage')
// It wants a newer Node than we do, and brings that along.
const nodeFile = () => installedPackage(FOLDER, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
const verdaccioFile = () => installedPackage(FOLDER, 'verdaccio', 'bin', 'verdaccio')

export interface Registry {
  readonly url: string
  close(): Promise<void>
}

/** Installs it on first use; why that cannot be done, if it cannot. */
export function missingRegistry(): string | undefined {
  try {
    installPackages(FOLDER, { about: '250 MB' })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

export async function startRegistry(folder: string): Promise<Registry> {
  for (const ours of ['portico', '@portico']) rmSync(join(STORAGE, ours), { recursive: true, force: true })
  mkdirSync(STORAGE, { recursive: true })
  const config = join(folder, 'registry.yaml')
  writeFileSync(config, configuration(registryOf(ROOT)))
  const port = await freePort()
  const child = spawn(nodeFile(), [verdaccioFile(), '--config', config, '--listen', `127.0.0.1:${port}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  await untilListening(child)
  return { url: `http://127.0.0.1:${port}/`, close: () => end(child) }
}

/** The registry that npm uses; it does not say so inside a workspace. */
function registryOf(folder: string): string {
  const { status, stdout, stderr } = runNpm(['config', 'get', 'registry'], folder)
  if (status !== 0) throw new Error(`npm does not say which registry it uses:\n${stderr}`)
  return stdout.trim()
}

function configuration(upstream: string): string {
  return JSON.stringify({
    storage: STORAGE,
    uplinks: { npm: { url: upstream, maxage: '1d', timeout: '60s', max_fails: 10 } },
    packages: {
      portico: { access: '$all', publish: '$all' },
      '@portico/*': { access: '$all', publish: '$all' },
      '**': { access: '$all', proxy: 'npm' },
    },
    max_body_size: '200mb',
    log: { type: 'stdout', format: 'json', level: 'warn' },
    web: { enable: false },
  })
}

function untilListening(child: ChildProcess): Promise<void> {
  let said = ''
  return new Promise((resolve, reject) => {
    const hear = (chunk: Buffer): void => {
      said += chunk.toString()
      if (said.includes('http address')) resolve()
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`the registry ended:\n${said}`)))
  })
}

function end(child: ChildProcess): Promise<void> {
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill()
  return ended
}
