/** Brings what `package.json` names into this folder's own `node_modules`, on first use. */

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))

/** Why the trials that need them cannot run; undefined when everything is there. */
export function missingGuests(): string | undefined {
  const { dependencies = {} } = readJson(join(FOLDER, 'package.json'))
  const missing = Object.entries(dependencies).filter(([name, version]) => {
    const manifest = join(FOLDER, 'node_modules', name, 'package.json')
    return !existsSync(manifest) || readJson(manifest).version !== version
  })
  if (missing.length === 0) return undefined
  console.log(`installing ${missing.map(([name]) => name).join(', ')} into cli-lab/node_modules (first use)`)
  const { status } = runNpm(['ci', '--no-workspaces', '--no-audit', '--no-fund', '--loglevel=error'], FOLDER)
  return status === 0 ? undefined : 'npm could not install the programs of cli-lab/package.json'
}

/** npm, quiet but for what goes wrong. */
export function runNpm(words: readonly string[], cwd: string, env: { readonly [name: string]: string } = {}) {
  return spawnSync(process.platform === 'win32' ? 'npm.cmd' : 'npm', [...words], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  })
}

function readJson(file: string): { version?: string; dependencies?: { [name: string]: string } } {
  return JSON.parse(readFileSync(file, 'utf8'))
}
