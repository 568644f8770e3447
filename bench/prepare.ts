/**
 * Makes everything that is measured: installs the peers on first use, builds the packages and takes a copy of what would be
 * published, and compiles the programs, so that no measured process transpiles anything.
 */

import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { installedVersion, installPackages, pinnedPackages } from '../tests/support/install.ts'

export const benchFolder = dirname(fileURLToPath(import.meta.url))
export const rootFolder = dirname(benchFolder)
/** Compiled programs, with the copies of the packages as the nearest ones. */
export const workFolder = join(benchFolder, '.cache')

/** `bundled` names the programs of which one file is made as well. */
export async function prepare(bundled: readonly string[] = []): Promise<void> {
  installPackages(benchFolder)
  await buildSdk()
  for (const name of ['host', 'servers', 'app']) await buildPackage(name)
  await compile(join(benchFolder, 'programs'), join(workFolder, 'programs'))
  await bundle(bundled)
}

/** The exact versions that are measured, as installed. */
export function peerVersions(): { [name: string]: string } {
  const names = Object.keys(pinnedPackages(benchFolder))
  return Object.fromEntries(names.map((name) => [name, installedVersion(benchFolder, name) ?? 'missing']))
}

/** What `npm run build` makes of the SDK, and then the files that a user of the package would have. */
async function buildSdk(): Promise<void> {
  const target = join(workFolder, 'node_modules', '@portico', 'sdk')
  const source = join(rootFolder, 'packages', 'sdk')
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  cpSync(join(source, 'package.json'), join(target, 'package.json'))
  writeFileSync(join(workFolder, 'package.json'), '{ "type": "module" }\n')
  const compiler = join(rootFolder, 'node_modules', 'typescript', 'bin', 'tsc')
  // The types are measured too; faults in them are another check's business.
  if (!run(process.execPath, [compiler, '-b', source])) console.log('bench: the SDK has type errors')
  if (!run(process.execPath, [join(rootFolder, 'scripts', 'build', 'build-doors.mjs')]))
    throw new Error('the doors were not built')
  for (const folder of ['dist', 'src']) {
    cpSync(join(source, folder), join(target, folder), { recursive: true, filter: isPublished })
  }
}

/** The packages on top of the SDK, file by file as the compiler makes them; what they depend on is the repository's. */
async function buildPackage(name: string): Promise<void> {
  const source = join(rootFolder, 'packages', name)
  const manifest = readFileSync(join(source, 'package.json'), 'utf8')
  const target = join(workFolder, 'node_modules', JSON.parse(manifest).name)
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  writeFileSync(join(target, 'package.json'), manifest)
  cpSync(join(source, 'src'), join(target, 'src'), { recursive: true, filter: isPublished })
  await compile(join(source, 'src'), join(target, 'dist'))
}

function isPublished(path: string): boolean {
  return !/\.test\.|\.tsbuildinfo$/.test(path)
}

/** Every file by itself, as the compiler would: nothing is bundled. */
async function compile(source: string, target: string): Promise<void> {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  await build({
    absWorkingDir: benchFolder,
    entryPoints: files.filter((file) => file.endsWith('.ts') && isPublished(file)).map((file) => join(source, file)),
    outbase: source,
    outdir: target,
    format: 'esm',
    target: 'node20',
    plugins: [siblings],
    logLevel: 'error',
  })
}

/** One minified file each, from the compiled programs, so that packages are found where they will be at run time. */
async function bundle(programs: readonly string[]): Promise<void> {
  const folder = join(workFolder, 'programs')
  await build({
    absWorkingDir: folder,
    entryPoints: programs.map((program) => join(folder, `${program}.js`)),
    outbase: folder,
    outdir: join(folder, 'bundled'),
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Some packages are CommonJS inside and ask for `require` at run time.
    banner: { js: "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);" },
    logLevel: 'error',
  })
}

/** Imports of files beside a file have to name what was made of them. */
const siblings: Plugin = {
  name: 'compiled-siblings',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(/(from '|import\('|import ')(\.{1,2}\/[^']+)\.ts'/g, "$1$2.js'"),
      loader: 'ts',
    })),
}

function run(command: string, args: string[]): boolean {
  const stdio = ['ignore', 'ignore', 'inherit'] as const
  return spawnSync(command, args, { cwd: rootFolder, stdio: [...stdio] }).status === 0
}
