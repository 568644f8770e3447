/**
 * The packages as they are published: packed, installed into an empty folder, and used there. Nothing of this repository
 * is in reach: what is missing from a tarball is missing here.
 */

import assert from 'node:assert/strict'
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from '@portico/sdk/client'
import { runNpm } from '../support/install.ts'
import type { Trial } from '../support/suite.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PACKAGES = ['sdk', 'host', 'servers', 'app']

let packed: Promise<{ readonly folder: string; readonly tarballs: readonly string[] }> | undefined

/** The tarballs, made once for all trials. */
function pack(): NonNullable<typeof packed> {
  packed ??= (async () => {
    const folder = await createFolder('portico-tarballs-')
    const each = PACKAGES.flatMap((name) => ['--workspace', `packages/${name}`])
    succeeded(runNpm(['pack', '--silent', '--pack-destination', folder, ...each], ROOT), 'npm pack')
    const tarballs = (await readdir(folder)).map((name) => join(folder, name))
    assert.equal(tarballs.length, PACKAGES.length)
    return { folder, tarballs }
  })()
  return packed
}

function succeeded(ran: SpawnSyncReturns<string>, what: string): string {
  const { status, signal, error } = ran
  const how = [status ?? signal, error?.message].filter((part) => part != null).join(', ')
  assert.equal(status, 0, `${what} failed (${how}):\n${ran.stdout}\n${ran.stderr}`)
  return ran.stdout
}

let installed: Promise<Installed> | undefined

interface Installed {
  readonly folder: string
  readonly env: { readonly [name: string]: string }
}

/** An empty folder with the tarballs installed, as a person who has just met us would have it. Made once. */
export function install(): Promise<Installed> {
  installed ??= (async () => {
    const { tarballs } = await pack()
    const home = await createFolder('portico-installed-')
    const folder = join(home, 'project')
    await mkdir(folder)
    await writeFile(join(folder, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }\n')
    add(folder, [...tarballs, 'typescript@5', '@types/node@20'])
    const env = { PORTICO_STATE_DIR: join(home, 'state'), PORTICO_CONFIG_DIR: join(home, 'config'), NO_COLOR: '1' }
    return { folder, env }
  })()
  return installed
}

/** Goes when the lab does. */
async function createFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function add(folder: string, packages: readonly string[]): void {
  const words = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
  succeeded(runNpm([...words, ...packages], folder), 'npm install')
}

function npx(
  words: readonly string[],
  folder: string,
  env: { readonly [name: string]: string },
): SpawnSyncReturns<string> {
  return runNpm(['exec', '--offline', '--', ...words], folder, env)
}

const SERVER = `import { createServer, tool } from '@portico/sdk/server'
import { connect } from '@portico/sdk/client'

const input = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const
const server = createServer({ name: 'typed', version: '1.0.0', tools: { double: tool({ input }, ({ n }) => String(n * 2)) } })

const client = await connect<typeof server>(server)
const doubled: unknown = await client.tools.double({ n: 21 })
// @ts-expect-error: the argument's type comes with the tool
client.tools.double({ n: 'x' }).catch(() => {})
console.log(doubled)
await client.close()
`

async function usePackages(): Promise<void> {
  const { folder, env } = await install()
  assert.match(succeeded(npx(['portico', '--version'], folder, env), 'portico --version'), /^\d+\.\d+\.\d+\s*$/)
  assert.match(succeeded(npx(['portico', '--help'], folder, env), 'portico --help'), /workbench/)
  const client = await connect({ command: process.execPath, args: [mainIn(folder), 'run', 'time'], cwd: folder, env })
  assert.ok((await client.listTools()).length > 0)
  await client.close()
  assert.ok(existsSync(join(folder, 'node_modules', 'portico', 'dist', 'ui', 'index.html')))
  assert.ok(existsSync(join(folder, 'node_modules', 'portico', 'dist', 'deploy', 'docker', 'Dockerfile')))
}

/** A newcomer has the packages and no copy of the repository: the plugins come with them. */
async function installPlugins(): Promise<void> {
  const { folder, env } = await install()
  const home = await createFolder('portico-editors-')
  const own = { ...env, HOME: home, XDG_DATA_HOME: join(home, 'data') }
  const refused = npx(['portico', 'host', '--install', 'neovim'], folder, own)
  assert.notEqual(refused.status, 0, 'nothing is written without a yes')
  const written = succeeded(
    npx(['portico', 'host', '--install', 'neovim', '--yes'], folder, own),
    '--install neovim',
  ).trim()
  assert.equal(written, join(home, 'data', 'nvim', 'site', 'pack', 'portico', 'start', 'portico'))
  const loads = spawnSync('nvim', ['--headless', '+lua print(require("portico").version)', '+q'], {
    env: { PATH: process.env.PATH, ...own },
    encoding: 'utf8',
  })
  if (loads.error === undefined) assert.match(loads.stdout + loads.stderr, /\d+\.\d+\.\d+/, 'Neovim finds it')
  const vsix = succeeded(
    npx(['portico', 'host', '--install', 'vscode', '--to', home, '--yes'], folder, own),
    '--install vscode',
  )
  assert.match(vsix.trim(), /portico-vscode-\d+\.\d+\.\d+\.vsix$/)
  assert.ok(existsSync(vsix.trim()))
  const said = npx(['portico', 'doctor', '--json'], folder, own).stdout
  if (loads.error === undefined) assert.match(said, /with the plugin/)
}

async function compileServer(): Promise<void> {
  const { folder, env } = await install()
  await writeFile(join(folder, 'server.ts'), SERVER)
  const flags = ['--module', 'nodenext', '--target', 'es2022', '--strict', '--outDir', 'out', 'server.ts']
  succeeded(npx(['tsc', ...flags], folder, env), 'tsc')
  const ran = spawnSync(process.execPath, [join('out', 'server.js')], { cwd: folder, encoding: 'utf8' })
  assert.equal(ran.stdout.trim(), '42', ran.stderr)
}

async function makeServer(): Promise<void> {
  const { folder, env } = await install()
  const { tarballs } = await pack()
  const home = await createFolder('portico-new-')
  const made = join(home, 'weather')
  succeeded(npx(['portico', 'new', made], folder, env), 'portico new')
  add(made, tarballs)
  succeeded(runNpm(['test'], made, env), 'npm test')
  succeeded(runNpm(['run', 'check'], made, env), 'npm run check')
  const called = npx(['portico', 'call', 'server.ts', 'to_fahrenheit', 'celsius=21'], made, env)
  assert.equal(succeeded(called, 'portico call').trim(), '21 °C is 69.8 °F')
  const client = await connect({ command: process.execPath, args: [mainIn(made), 'run', 'server.ts'], cwd: made, env })
  const { content } = await client.callTool('to_fahrenheit', { celsius: 100 })
  assert.match(JSON.stringify(content), /212/)
  await client.close()
}

export function mainIn(folder: string): string {
  return join(folder, 'node_modules', 'portico', 'dist', 'cli', 'main.js')
}

export const trials: readonly Trial[] = [
  {
    name: 'pack: from tarballs in an empty folder, the version, a ready-made server, the workbench and the files to deploy with',
    run: usePackages,
  },
  {
    name: 'pack: the plugins for editors come with the package, and are installed from it (host 25)',
    run: installPlugins,
  },
  { name: 'pack: from tarballs in an empty folder, a typed server compiles and runs', run: compileServer },
  // The tutorial's first block does nearly the same.
  {
    name: 'pack: from tarballs, portico new, then its own test, its types, and portico run',
    long: true,
    run: makeServer,
  },
]
