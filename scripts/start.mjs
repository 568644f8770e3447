/**
 * `npm start`: opens the workbench from source. Builds the page first where it is missing or older than what it is made
 * of. Arguments go to `portico start`: `npm start -- --open --port 4000`; no browser is opened unless asked for.
 */
import { readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { runNode, toolPath } from './child.mjs'
import { repositoryRoot } from './report.mjs'

/** The newest change in a file or folder, 0 where there is none. */
export function newestIn(path) {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return 0
  if (!found.isDirectory()) return found.mtimeMs
  const names = readdirSync(path).filter((name) => !name.includes('.test.'))
  return Math.max(0, ...names.map((name) => newestIn(join(path, name))))
}

/** What the page takes from the SDK (its door `internal-text`), seen from the page. */
const TAKEN = ['text', 'schema/uri-template'].map((folder) => join('..', 'sdk', 'src', folder))

/** Undefined when the page can be used as it is; else why it is built. */
export function whyBuild(page) {
  const built = newestIn(join(page, 'dist', 'index.html'))
  if (built === 0) return 'The page is not built yet; this takes a moment.'
  const parts = ['src', 'public', 'index.html', 'vite.config.ts', 'package.json', ...TAKEN]
  const changed = Math.max(...parts.map((part) => newestIn(join(page, part))))
  return changed > built ? 'The page has changed since it was built; this takes a moment.' : undefined
}

/** Builds the page where it has to be; the exit code. */
export async function buildPage(page = join(repositoryRoot, 'packages', 'ui')) {
  const why = whyBuild(page)
  if (why === undefined) return 0
  console.error(why)
  const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin', 'vite.js')
  return runNode([vite, 'build', page, '--logLevel', 'warn'])
}

async function start(args) {
  const code = args.includes('--help') ? 0 : await buildPage()
  if (code !== 0) return code
  const portico = join(repositoryRoot, 'packages', 'app', 'src', 'cli', 'main.ts')
  const words = args.includes('--open') ? args : ['--no-open', ...args]
  return runNode([toolPath('run.mjs'), portico, 'start', ...words])
}

if (process.argv[1] === toolPath('start.mjs')) process.exitCode = await start(process.argv.slice(2))
