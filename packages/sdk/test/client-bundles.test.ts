/** The client's door goes into bundles for browsers, where there is nothing of Node. */

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import { build } from 'esbuild'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'

const SDK = dirname(dirname(fileURLToPath(import.meta.url)))
const ROOT = dirname(dirname(SDK))
let folder: string
let entry: string

/** A project that has installed the package as it is published. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'portico-bundle-'))
  const installed = join(folder, 'node_modules', '@portico', 'sdk')
  mkdirSync(installed, { recursive: true })
  for (const name of ['jose', 'oauth4webapi']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name), 'junction')
  }
  cpSync(join(SDK, 'package.json'), join(installed, 'package.json'))
  // Named at run time: the tool has no types.
  const tool = new URL('../../../scripts/build/build-doors.mjs', import.meta.url).href
  const { buildDoors } = (await import(tool)) as { buildDoors(folder: string, target: string): Promise<unknown> }
  await buildDoors(SDK, join(installed, 'dist'))
  entry = join(folder, 'entry.js')
  writeFileSync(
    entry,
    `import { connect } from '@portico/sdk/client'
     globalThis.attempts = Promise.all(
       [{ command: 'node' }, 'tcp://127.0.0.1:1', 'unix:/tmp/x'].map((target) =>
         connect(target).then(() => 'connected', (error) => error.code + ': ' + error.message)))`,
  )
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const BUNDLERS: [string, () => Promise<string>][] = [
  [
    'esbuild',
    async () => {
      const outfile = join(folder, 'esbuild.js')
      await build({
        entryPoints: [entry],
        bundle: true,
        platform: 'browser',
        format: 'iife',
        outfile,
        logLevel: 'silent',
      })
      return readFileSync(outfile, 'utf8')
    },
  ],
  [
    'rolldown',
    async () => {
      const bundle = await rolldown({ input: entry, platform: 'browser', cwd: folder, logLevel: 'silent' })
      const { output } = await bundle.generate({ format: 'iife', codeSplitting: false })
      return output[0].code
    },
  ],
]

test.each(BUNDLERS)('sdk D4: %s bundles it for browsers; what they cannot do is said in words', async (_, make) => {
  const code = await make()
  expect(code).not.toMatch(/(?:from|require\(|import\()\s*["']node:/)
  const web = {
    AbortController,
    AbortSignal,
    DOMException,
    TextDecoder,
    TextEncoder,
    URL,
    crypto,
    performance,
    console,
  }
  const global = createContext({ ...web, setTimeout, clearTimeout, queueMicrotask, fetch, Headers, Response })
  runInContext(code, global)
  const said = (await runInContext('attempts', global)) as string[]
  expect(said).toEqual([
    'connect-failed: Programs cannot be reached from here: that needs Node, Bun or Deno',
    'connect-failed: Sockets cannot be reached from here: that needs Node, Bun or Deno',
    'connect-failed: Sockets cannot be reached from here: that needs Node, Bun or Deno',
  ])
})
