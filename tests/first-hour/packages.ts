/** Our packages as they are published: built, packed, and put into a registry. */

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runNpm } from '../support/install.ts'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PACKAGES = ['sdk', 'host', 'servers', 'app']

/** All that is published: the packages, unless `npm test` has just built them, and the page. */
export function buildPackages(): void {
  const tsc = ['node_modules/typescript/bin/tsc', '-b', 'packages/sdk', 'packages/app/tsconfig.build.json']
  const page = "process.exitCode = await (await import('./scripts/start.mjs')).buildPage()"
  const packages = process.env.PORTICO_BUILT === '1' ? [] : [tsc, ['scripts/build/build-doors.mjs']]
  for (const step of [...packages, ['--input-type=module', '--eval', page]]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, step, { cwd: ROOT, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${step.join(' ')} failed:\n${stdout}${stderr}`)
  }
}

/** Packs and publishes them; nobody's login is asked for there. */
export function publishPackages(registry: string): void {
  if (!existsSync(join(ROOT, 'packages', 'app', 'dist', 'cli', 'main.js'))) buildPackages()
  const workspaces = PACKAGES.flatMap((name) => ['-w', `packages/${name}`])
  const token = `--${registry.replace(/^\w+:/, '')}:_authToken=anybody`
  const { status, stderr } = runNpm(['publish', ...workspaces, '--registry', registry, token], ROOT)
  if (status !== 0) throw new Error(`npm publish failed:\n${stderr}`)
}
