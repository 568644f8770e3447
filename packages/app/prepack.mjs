/**
 * Runs before the package is packed: puts the built workbench page beside the program that serves it, the plugins for editors
 * beside the command that installs them, the files to deploy a gateway with, and refuses to pack what has not been built. `npm run build` in the repository's root builds the program.
 */

import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const own = dirname(fileURLToPath(import.meta.url))
const page = join(own, '..', 'ui')
const target = join(own, 'dist', 'ui')

if (!existsSync(join(own, 'dist', 'cli', 'main.js'))) fail('The program is not built: run `npm run build` in the root.')
if (!existsSync(join(page, 'dist', 'index.html'))) buildPage()
mirror(join(page, 'dist'), target)
mirror(join(own, '..', '..', 'examples', 'deploy'), join(own, 'dist', 'deploy'))

await packEditors()

async function packEditors() {
  const [neovim, code] = [join(own, '..', 'neovim'), join(own, '..', 'vscode')]
  const editors = join(own, 'dist', 'editors')
  for (const part of ['lua', 'plugin', 'doc']) mirror(join(neovim, part), join(editors, 'neovim', part))
  for (const part of ['LICENSE', 'README.md']) cpSync(join(neovim, part), join(editors, 'neovim', part))
  const { status } = spawnSync(process.execPath, [join(code, 'build.mjs')], { stdio: ['ignore', 2, 2] })
  if (status !== 0) fail('The extension for VS Code could not be built.')
  cpSync(join(code, 'dist', 'portico-vscode.vsix'), join(editors, 'portico-vscode.vsix'))
}

/** Without a moment in which files are missing: what runs from here goes on. */
function mirror(source, to) {
  cpSync(source, to, { recursive: true })
  const names = readdirSync(to, { recursive: true, encoding: 'utf8' })
  for (const name of names)
    if (!existsSync(join(source, name))) rmSync(join(to, name), { recursive: true, force: true })
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
