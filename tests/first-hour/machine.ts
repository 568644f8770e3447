/** A machine that has Node and nothing of ours: the registry, and for each page a home and an empty folder. */

import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { runNpm } from '../support/install.ts'
import type { Page } from './blocks.ts'
import { publishPackages, ROOT } from './packages.ts'
import { startRegistry } from './registry.ts'
import { Shell } from './shell.ts'

export interface Machine {
  open(page: Page): Shell
  close(): Promise<void>
}

export async function startMachine(): Promise<Machine> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-first-hour-'))
  const registry = await startRegistry(folder)
  publishPackages(registry.url)
  const shared = join(folder, 'shared')
  let installed = false
  const install = (): void => {
    if (installed) return
    installed = true
    const words = ['install', '--global', '--prefix', shared, '--registry', registry.url, 'portico']
    const { status, stderr } = runNpm(words, folder, { npm_config_cache: join(folder, 'npm') })
    if (status !== 0) throw new Error(`npm install -g portico failed:\n${stderr}`)
  }
  const folders: string[] = []
  const removals: Promise<void>[] = []
  return {
    open(page) {
      // One reader at a time: the one before has left, and much to delete behind.
      removals.push(...folders.slice(-1).map(remove))
      const own = join(folder, `${folders.length}`)
      folders.push(own)
      const home = join(own, 'home')
      const project = join(own, 'project')
      mkdirSync(home, { recursive: true })
      if (page.inCheckout) copyRepository(project)
      else mkdirSync(project)
      if (page.installed) install()
      const prefix = page.installed ? shared : join(home, '.npm-global')
      mkdirSync(join(prefix, 'lib'), { recursive: true })
      return new Shell(join(own, 'shell'), project, {
        HOME: home,
        PORTICO_CONFIG_DIR: join(home, '.config', 'portico'),
        PATH: [join(prefix, 'bin'), dirname(process.execPath), process.env.PATH].join(':'),
        LANG: 'C.UTF-8',
        NO_COLOR: '1',
        npm_config_registry: registry.url,
        npm_config_prefix: prefix,
        npm_config_cache: join(folder, 'npm'),
        npm_config_update_notifier: 'false',
        npm_config_audit: 'false',
        // The cache began empty, so nothing in it is older than this run.
        npm_config_prefer_offline: 'true',
      })
    },
    async close() {
      await registry.close()
      await Promise.all(removals)
      await remove(folder)
    },
  }
}

function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 3 })
}

/** What a clone would have, with what is not committed yet. */
function copyRepository(target: string): void {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  const files = execFileSync('git', list, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 26 }).split('\0')
  for (const file of files) {
    if (file !== '') cpSync(join(ROOT, file), join(target, file), { recursive: true, dereference: false })
  }
}
