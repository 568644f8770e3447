/** The command in a checkout that nobody has built, and the names by which its messages call it. */

import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createFolder, runCli, startCli } from './cli.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const run = promisify(execFile)
let checkout: string

/** The sources without anything built, linked as npm links them. */
beforeAll(() => {
  checkout = mkdtempSync(join(tmpdir(), 'portico-checkout-'))
  const isSource = (path: string): boolean => !/[\\/](node_modules|dist)$/.test(path)
  for (const part of ['packages', 'scripts', 'package.json', 'tsconfig.base.json']) {
    cpSync(join(ROOT, part), join(checkout, part), { recursive: true, filter: isSource })
  }
  const modules = join(checkout, 'node_modules')
  mkdirSync(join(modules, '@portico'), { recursive: true })
  symlinkSync(join(checkout, 'packages', 'app'), join(modules, 'portico'), 'junction')
  for (const name of ['sdk', 'host', 'servers']) {
    symlinkSync(join(checkout, 'packages', name), join(modules, '@portico', name), 'junction')
  }
  symlinkSync(join(ROOT, 'node_modules', 'tsx'), join(modules, 'tsx'), 'junction')
})
afterAll(() => rmSync(checkout, { recursive: true, force: true }))

it('newcomer A4: the bin that npm links is there before anything is built, and answers from source', async () => {
  const { default: manifest } = await import('../package.json', { with: { type: 'json' } })
  const bin = join(checkout, 'packages', 'app', manifest.bin.portico)
  expect(existsSync(bin)).toBe(true)
  expect(manifest.files).toContain(manifest.bin.portico.replace('./', ''))
  const { stdout } = await run(process.execPath, [bin, '--version'], { cwd: tmpdir() })
  expect(stdout.trim()).toBe(manifest.version)
})

it('newcomer A4: an exit code passes through the bin', async () => {
  const bin = join(checkout, 'packages', 'app', 'bin.mjs')
  await expect(run(process.execPath, [bin, 'nonsense'])).rejects.toMatchObject({ code: 2 })
})

it.each([
  ['portico', {}, 'Did you mean `portico list`?'],
  ['npx', { npm_command: 'exec', npm_lifecycle_event: 'npx' }, 'Did you mean `npx portico list`?'],
  ['npm start', { npm_lifecycle_event: 'start' }, 'Did you mean `npx portico list`?'],
])('newcomer A4: whoever came by %s is told commands that they have', async (_way, env, words) => {
  const wrong = await runCli(['lsit'], { env })
  expect(wrong.stderr).toContain(words)
  const help = await runCli(['help', 'list'], { env })
  expect(help.stdout.includes('npx portico list')).toBe(words.includes('npx'))
})

it.each([
  [{}, '`portico` gives another'],
  [{ npm_lifecycle_event: 'start' }, '`npm start` gives another'],
])('newcomer A4: the workbench says how to get another link (%o)', async (env, words) => {
  const folder = await createFolder()
  const running = startCli(['start', '--no-open', '--port', '0'], { env: { ...folder.env, ...env }, cwd: folder.path })
  try {
    expect((await running.until('stderr', /The link works once; .*/))[0]).toContain(words)
  } finally {
    running.interrupt()
    await running.ended
    await folder.close()
  }
})
