/**
 * Runs before the package is packed: puts the built workbench page beside the program that serves it, the plugins for editors
 * beside the command that installs them, and refuses to pack what has not been built. `npm run build` in the repository's root builds the program.
 */

import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const own = dirname(fileURLToPath(import.meta.url))
const page = join(own, '..', 'ui')
const target = join(own, 'dist', 'ui')

if (!existsSync(join(own, 'dist', 'cli', 'main.js'))) fail('The program is not built: run `npm run build` in the root.')
if (!existsSync(join(page, 'dist', 'index.html'))) buildPage()
rmSync(target, { recursive: true, force: true })
cpSync(join(page, 'dist'), target, { recursive: true })

await packEditors()

async function packEditors() {
  const [neovim, code] = [join(own, '..', 'neovim'), join(own, '..', 'vscode')]
  const editors = join(own, 'dist', 'editors')
  rmSync(editors, { recursive: true, force: true })
  mkdirSync(editors, { recursive: true })
  for (const part of ['lua', 'plugin', 'doc', 'LICENSE', 'README.md'])
    cpSync(join(neovim, part), join(editors, 'neovim', part), { recursive: true })
  const { status } = spawnSync(process.execPath, [join(code, 'build.mjs')], { stdio: ['ignore', 2, 2] })
  if (status !== 0) fail('The extension for VS Code could not be built.')
  cpSync(join(code, 'dist', 'portico-vscode.vsix'), join(editors, 'portico-vscode.vsix'))
}

function buildPage() {
  const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin', 'vite.js')
  // Standard output belongs to whoever packs.
  const { status } = spawnSync(process.execPath, [vite, 'build', page, '--logLevel', 'warn'], {
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) fail('The page of the workbench could not be built.')
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
