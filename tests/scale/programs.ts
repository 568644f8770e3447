/** Programs of this suite in files of their own: many processes are started from each, and a file starts in a third of a second. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Below the suite's own packages, so that libraries of databases are found from there. */
const FOLDER = fileURLToPath(new URL('node_modules/.portico', import.meta.url))

/** The file to give to Node; `entry` is a path from this folder. */
export async function bundleProgram(entry: string): Promise<string> {
  const name = entry.replace(/^(\.\.\/)+/, '').replace(/\.ts$/, '')
  const folder = join(FOLDER, name.replaceAll('/', '-'))
  mkdirSync(folder, { recursive: true })
  await build({
    entryPoints: { main: fileURLToPath(new URL(entry, import.meta.url)) },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // What is loaded when it is needed stays so.
    splitting: true,
    platform: 'node',
    format: 'esm',
    // Not the form of a library that asks for its own parts while it runs.
    mainFields: ['module', 'main'],
    target: 'node20',
    conditions: ['portico-source'],
    external: ['redis', 'pg', 'better-sqlite3', 'bullmq', 'jiti'],
    // Some of the libraries are of the older kind, which asks for others by `require`.
    banner: { js: "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);" },
    logLevel: 'error',
  })
  return join(folder, 'main.mjs')
}
