/**
 * The packages as they are published: packed, installed into an empty folder, and used there. Nothing of this repository
 * is in reach: what is missing from a tarball is missing here.
 */

import assert from 'node:assert/strict'
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from '@portico/sdk/client'
import { runNpm } from './install.ts'
import type { Trial } from './trial.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const PACKAGES = ['sdk', 'host', 'servers', 'app']

let packed: Promise<{ readonly folder: string; readonly tarballs: readonly string[] }> | undefined

/** The tarballs, made once for all trials. */
function pack(): NonNullable<typeof packed> {
  packed ??= (async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portico-tarballs-'))
    process.once('exit', () =>
      spawnSync(process.execPath, ['-e', `fs.rmSync(${JSON.stringify(folder)},{recursive:true,force:true})`]),
    )
    for (const name of PACKAGES) {
      succeeded(
        runNpm(['pack', '--silent', '--pack-destination', folder], join(ROOT, 'packages', name)),
        `npm pack ${name}`,
      )
    }
    const tarballs = (await readdir(folder)).map((name) => join(folder, name))
    assert.equal(tarballs.length, PACKAGES.length)
    return { folder, tarballs }
  })()
  return packed
}

function succeeded(ran: SpawnSyncReturns<string>, what: string): string {
  assert.equal(ran.status, 0, `${what} failed:\n${ran.stdout}\n${ran.stderr}`)
  return ran.stdout
}

/** An empty folder with the tarballs installed, as a person who has just met us would have it. */
async function withInstalled(
  work: (folder: string, env: { readonly [name: string]: string }) => Promise<void>,
): Promise<void> {
  const { tarballs } = await pack()
  const home = await mkdtemp(join(tmpdir(), 'portico-installed-'))
  const folder = join(home, 'project')
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }\n')
  const env = { PORTICO_STATE_DIR: join(home, 'state'), PORTICO_CONFIG_DIR: join(home, 'config'), NO_COLOR: '1' }
  try {
    succeeded(install(folder, tarballs), 'npm install')
    await work(folder, env)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

function install(folder: string, tarballs: readonly string[], more: readonly string[] = []): SpawnSyncReturns<string> {
  return runNpm(
    ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', ...tarballs, ...more],
    folder,
  )
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

export const trials: readonly Trial[] = [
  {
    name: 'pack: from tarballs in an empty folder, the version, a ready-made server and the workbench',
    run: () =>
      withInstalled(async (folder, env) => {
        assert.match(succeeded(npx(['portico', '--version'], folder, env), 'portico --version'), /^\d+\.\d+\.\d+\s*$/)
        assert.match(succeeded(npx(['portico', '--help'], folder, env), 'portico --help'), /workbench/)
        const main = join(folder, 'node_modules', 'portico', 'dist', 'cli', 'main.js')
        const client = await connect({ command: process.execPath, args: [main, 'run', 'time'], cwd: folder, env })
        assert.ok((await client.listTools()).length > 0)
        await client.close()
        assert.ok(existsSync(join(folder, 'node_modules', 'portico', 'dist', 'ui', 'index.html')))
      }),
  },
  {
    name: 'pack: from tarballs in an empty folder, a typed server compiles and runs',
    run: () =>
      withInstalled(async (folder, env) => {
        succeeded(install(folder, ['typescript@5', '@types/node@20']), 'npm install typescript')
        await writeFile(join(folder, 'server.ts'), SERVER)
        const flags = ['--module', 'nodenext', '--target', 'es2022', '--strict', '--outDir', 'out', 'server.ts']
        succeeded(npx(['tsc', ...flags], folder, env), 'tsc')
        const ran = spawnSync(process.execPath, [join('out', 'server.js')], { cwd: folder, encoding: 'utf8' })
        assert.equal(ran.stdout.trim(), '42', ran.stderr)
      }),
  },
  {
    name: 'pack: from tarballs, portico new, then its own test, its types, and portico run',
    run: () =>
      withInstalled(async (folder, env) => {
        succeeded(npx(['portico', 'new', 'weather'], folder, env), 'portico new')
        const made = join(folder, 'weather')
        const { tarballs } = await pack()
        succeeded(install(made, tarballs), 'npm install in the new folder')
        succeeded(runNpm(['test'], made, env), 'npm test')
        succeeded(runNpm(['run', 'check'], made, env), 'npm run check')
        const main = join(made, 'node_modules', 'portico', 'dist', 'cli', 'main.js')
        const client = await connect({ command: process.execPath, args: [main, 'run', 'server.ts'], cwd: made, env })
        const { content } = await client.callTool('to_fahrenheit', { celsius: 100 })
        assert.match(JSON.stringify(content), /212/)
        await client.close()
        assert.equal(dirname(made), folder)
      }),
  },
]
