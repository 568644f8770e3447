/**
 * Programs on standard input and output as JavaScript, made once for all tests of a file: each of their many processes
 * then starts in a moment, without compiling the same sources again.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { examplesFolder } from './stdio-example.ts'

export interface BuiltPrograms {
  /** The file to give to Node. */
  fileOf(name: string): string
  remove(): void
}

export async function buildPrograms(names: readonly string[]): Promise<BuiltPrograms> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-programs-'))
  const entries = join(folder, 'entries')
  mkdirSync(entries)
  for (const name of names) {
    const source = JSON.stringify(join(examplesFolder, 'programs', `${name}.ts`))
    const lines = [
      `import server from ${source}`,
      "import { serveStdio } from '@portico/sdk/stdio'",
      'serveStdio(server)',
    ]
    writeFileSync(join(entries, `${name}.ts`), lines.join('\n'))
  }
  await build({
    entryPoints: names.map((name) => join(entries, `${name}.ts`)),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['portico-source'],
    nodePaths: [join(examplesFolder, '..', 'node_modules')],
    logLevel: 'error',
  })
  return {
    fileOf: (name) => join(folder, `${name}.mjs`),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
