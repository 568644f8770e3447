/**
 * The client's door in a bundle by webpack for browsers, from the package as it is published. Other bundlers are tried by the SDK's
 * own tests; this one is too large for everybody to install.
 */

import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import webpack from 'webpack'
import type { Trial } from '../../support/suite.ts'
import { folder } from '../bundle.ts'

export const bundlerSuites: Trial[] = [
  {
    name: 'browser bundle · webpack',
    run: async (report) => {
      const app = await install()
      await report.checkIn('modern', 'the client bundles, and says what a browser cannot reach', () => tryOut(app), {
        limitMs: LIMIT_MS,
      })
    },
  },
]

const LIMIT_MS = 180_000
const ROOT = join(folder, '..', '..')
const SDK = join(ROOT, 'packages', 'sdk')
const ENTRY = `import { connect } from '@portico/sdk/client'
globalThis.attempt = connect({ command: 'node' }).catch((error) => error.code + ': ' + error.message)`

/** A project that has installed the package and what it depends on. */
async function install(): Promise<string> {
  const app = join(folder, 'dist', 'webpack')
  rmSync(app, { recursive: true, force: true })
  const sdk = join(app, 'node_modules', '@portico', 'sdk')
  mkdirSync(sdk, { recursive: true })
  cpSync(join(SDK, 'package.json'), join(sdk, 'package.json'))
  for (const name of ['jose', 'oauth4webapi', 'ws']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(app, 'node_modules', name), 'junction')
  }
  // Named at run time: the tool has no types.
  const tool = new URL('../../../scripts/build/build-doors.mjs', import.meta.url).href
  const { buildDoors } = (await import(tool)) as { buildDoors(folder: string, target: string): Promise<unknown> }
  await buildDoors(SDK, join(sdk, 'dist'))
  writeFileSync(join(app, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  writeFileSync(join(app, 'entry.js'), ENTRY)
  return app
}

async function tryOut(app: string): Promise<void> {
  const plugins = [new webpack.optimize.LimitChunkCountPlugin({ maxChunks: 1 })]
  const output = { path: join(app, 'out'), filename: 'all.js' }
  const optimization = { minimize: false }
  const settings = { target: 'web', context: app, entry: './entry.js', output, plugins, optimization }
  const compiler = webpack({ mode: 'production', ...settings })
  const problems = await new Promise<unknown[]>((resolve, reject) => {
    compiler?.run((error, stats) => {
      if (error) reject(error)
      else resolve([...(stats?.compilation.errors ?? []), ...(stats?.compilation.warnings ?? [])])
    })
  })
  // How large it is the budgets of the SDK say.
  assert.deepEqual(
    problems.map(String).filter((problem) => !/size limit|performance/i.test(problem)),
    [],
  )
  const web = { AbortController, AbortSignal, TextDecoder, TextEncoder, URL, crypto, performance, console }
  const page = createContext({ ...web, setTimeout, clearTimeout, queueMicrotask, fetch, Headers, Response })
  runInContext('globalThis.self = globalThis', page)
  runInContext(readFileSync(join(output.path, output.filename), 'utf8'), page)
  const said = 'connect-failed: Programs cannot be reached from here: that needs Node, Bun or Deno'
  assert.equal(await runInContext('attempt', page), said)
}
