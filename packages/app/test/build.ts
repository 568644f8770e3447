/**
 * The command line as it is published, made anew for tests in well under a second: every source file of the packages as
 * JavaScript of its own, in folders like theirs, without type checks. Kept until a source changes, so that the files of a
 * test run share it.
 */

import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const PACKAGES = { sdk: '@portico/sdk', host: '@portico/host', servers: '@portico/servers', app: 'portico' }
const OLD_MS = 3_600_000

/** The file to give to Node. */
export function buildCli(): string {
  const shelf = join(ROOT, 'node_modules', '.cache', 'portico-cli')
  const sources = Object.keys(PACKAGES).flatMap((name) => listFiles(join(ROOT, 'packages', name, 'src')))
  const stamp = createHash('sha256')
    .update(sources.map((file) => `${file} ${statSync(file).mtimeMs}`).join('\n'))
    .digest('hex')
  const folder = join(shelf, stamp.slice(0, 16))
  const main = join(folder, 'packages', 'app', 'dist', 'cli', 'main.js')
  if (existsSync(main)) return main
  const making = `${folder}.${process.pid}.${Math.random().toString(36).slice(2)}`
  make(making, sources)
  try {
    renameSync(making, folder)
  } catch {
    // Another test file was quicker; its work is as good.
    rmSync(making, { recursive: true, force: true })
  }
  forgetOld(shelf)
  return main
}

function make(folder: string, sources: readonly string[]): void {
  for (const [name, published] of Object.entries(PACKAGES)) {
    const from = join(ROOT, 'packages', name)
    const to = join(folder, 'packages', name)
    mkdirSync(to, { recursive: true })
    cpSync(join(from, 'package.json'), join(to, 'package.json'))
    if (name === 'app') cpSync(join(from, 'bin.mjs'), join(to, 'bin.mjs'))
    const link = join(folder, 'node_modules', published)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(relative(dirname(link), to), link, 'junction')
    const own = sources.filter((file) => file.startsWith(`${join(from, 'src')}/`))
    for (const file of own.filter((one) => !one.endsWith('.ts'))) cpSync(file, join(to, relative(from, file)))
    transpile(
      own.filter((file) => /(?<!\.test|\.d)\.ts$/.test(file)),
      join(from, 'src'),
      join(to, 'dist'),
    )
  }
}

function transpile(files: readonly string[], from: string, to: string): void {
  const { outputFiles } = buildSync({
    entryPoints: [...files],
    outbase: from,
    outdir: to,
    bundle: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    write: false,
    logLevel: 'error',
  })
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text.replace(/((?:\bfrom|\bimport)\s*\(?\s*["'])(\.{1,2}\/[^"'\n]+)\.ts(["'])/g, '$1$2.js$3'))
  }
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? listFiles(path) : [path]
  })
}

/** Those that no test can be using any more. */
function forgetOld(shelf: string): void {
  for (const name of readdirSync(shelf)) {
    const { mtimeMs } = statSync(join(shelf, name), { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() }
    if (Date.now() - mtimeMs > OLD_MS) rmSync(join(shelf, name), { recursive: true, force: true })
  }
}
