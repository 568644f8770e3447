/** Puts an entry and all it imports into one file, for a runtime that is given nothing else. */

import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

export const folder = fileURLToPath(new URL('.', import.meta.url))

/** Code for the web's standards fails to build when something of Node is in it. */
export async function bundle(name: string, platform: 'node' | 'web'): Promise<string> {
  const outfile = join(folder, 'dist', `${name}.mjs`)
  mkdirSync(join(folder, 'dist'), { recursive: true })
  await build({
    entryPoints: [join(folder, 'entries', `${name}.ts`)],
    outfile,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    platform: platform === 'node' ? 'node' : 'browser',
    conditions: ['portico-source'],
    logLevel: 'warning',
    // Packages of the older module system look for this at run time.
    banner: { js: platform === 'node' ? `import { createRequire } from 'node:module'; ${REQUIRE}` : '' },
  })
  const config = join(folder, 'entries', `${name}.capnp`)
  if (existsSync(config)) copyFileSync(config, join(folder, 'dist', `${name}.capnp`))
  return outfile
}

const REQUIRE = 'const require = createRequire(import.meta.url);'
