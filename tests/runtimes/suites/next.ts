/**
 * A Next application around the route of `frameworks/next`: built, and started in production mode. Next resolves
 * packages by itself, so the SDK is put where it looks for them, as an installed one would be.
 */

import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { build } from 'esbuild'
import { folder } from '../bundle.ts'
import type { Command } from '../program.ts'

export async function buildNext(): Promise<Command> {
  const app = join(folder, 'dist', 'next')
  rmSync(app, { recursive: true, force: true })
  cpSync(join(folder, 'frameworks', 'next', 'app'), join(app, 'app'), { recursive: true })
  await installSdk(join(app, 'node_modules', '@portico', 'sdk'))
  await build({
    entryPoints: [join(folder, 'frameworks', 'next', 'server.ts')],
    outfile: join(app, 'server.js'),
    bundle: true,
    format: 'esm',
    external: ['@portico/sdk/*'],
    logLevel: 'warning',
  })
  writeFileSync(join(app, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  writeFileSync(join(app, 'next.config.mjs'), CONFIG)
  // Its own, or the one of this folder would be read, which leads out of what Next may see.
  writeFileSync(join(app, 'tsconfig.json'), '{}')
  const next = createRequire(join(folder, 'package.json')).resolve('next/dist/bin/next')
  const env = { NEXT_TELEMETRY_DISABLED: '1', NODE_OPTIONS: '' }
  const built = spawnSync(process.execPath, [next, 'build', app], {
    cwd: app,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
  if (built.status !== 0) throw new Error(`next build failed\n${built.stdout}\n${built.stderr}`)
  return {
    file: process.execPath,
    args: [next, 'start', '-H', '127.0.0.1', '-p', String(await freePort())],
    cwd: app,
    env,
  }
}

const CONFIG = `import { join } from 'node:path'
export default { turbopack: { root: join(import.meta.dirname ?? '.', '..', '..', '..') }, typescript: { ignoreBuildErrors: true } }
`

async function installSdk(home: string): Promise<void> {
  mkdirSync(home, { recursive: true })
  const doors = ['fetch', 'server']
  await build({
    entryPoints: doors.map((door) => `@portico/sdk/${door}`),
    absWorkingDir: folder,
    outdir: home,
    entryNames: '[name]',
    bundle: true,
    splitting: true,
    format: 'esm',
    conditions: ['portico-source'],
    logLevel: 'warning',
  })
  const exports = Object.fromEntries(doors.map((door) => [`./${door}`, `./${door}.js`]))
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name: '@portico/sdk', type: 'module', exports }))
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
