/** Bundles the extension into the one file that is packaged, and packages it. The editor brings `vscode` itself. */
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { writeVsix } from './vsix.mjs'

await build({
  absWorkingDir: fileURLToPath(new URL('.', import.meta.url)),
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.cjs',
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node18',
  external: ['vscode'],
  minify: true,
  legalComments: 'none',
})

writeVsix(fileURLToPath(new URL('dist/portico-vscode.vsix', import.meta.url)))
