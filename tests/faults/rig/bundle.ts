/** The programs of the suite as single files, so that one of them starts in a fraction of the time that its sources take. */

import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, stop } from 'esbuild'

const HERE = dirname(dirname(fileURLToPath(import.meta.url)))
const WATCHDOG = 'src/upstream/connection/watchdog-process.mjs'
/** What the programs do not use of the host's libraries stays out. */
const EXTERNAL = ['ws', 'libsql', 'pg', 'redis', 'bullmq', 'ioredis', '@cedar-policy/*', '@napi-rs/*']

/** Makes them in a folder of their own, inside the repository since libraries are found from there. */
export async function bundlePrograms(): Promise<{ readonly folder: string; remove(): void }> {
  mkdirSync(join(HERE, '.cache'), { recursive: true })
  const folder = mkdtempSync(join(HERE, '.cache', 'programs-'))
  await build({
    entryPoints: ['server', 'gateway'].map((name) => join(HERE, 'programs', `${name}.ts`)),
    // The host looks for its watchdog three folders up.
    outdir: join(folder, 'as', 'in', 'package'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['portico-source'],
    external: EXTERNAL,
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    logLevel: 'warning',
  }).finally(stop)
  cpSync(join(HERE, '..', '..', 'packages', 'host', WATCHDOG), join(folder, WATCHDOG))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

export function programPath(name: 'server' | 'gateway'): string {
  const folder = process.env.PORTICO_FAULT_PROGRAMS
  if (folder === undefined) throw new Error('PORTICO_FAULT_PROGRAMS does not say where the programs are')
  return join(folder, 'as', 'in', 'package', `${name}.mjs`)
}
