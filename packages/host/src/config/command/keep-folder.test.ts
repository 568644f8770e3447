import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { keepFolder } from './keep-folder.ts'

it('newcomer 3: only words that mean something in the folder keep it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portico-folder-'))
  await writeFile(join(folder, 'server.mjs'), '')
  await mkdir(join(folder, 'docs'))
  const kept = (command: string, ...args: string[]) =>
    keepFolder({ kind: 'stdio', command, args, env: {} }, folder) as { cwd?: string }
  expect(kept('node', 'server.mjs').cwd).toBe(folder)
  expect(kept('npx', '-y', 'server-files', 'docs').cwd).toBe(folder)
  expect(kept('./not-yet-built').cwd).toBe(folder)
  // A script means its folder even before it is written, and when the folder was mistaken (first hour, low).
  for (const script of ['crash.mjs', 'src/crash.py', 'my server.ts']) expect(kept('node', script).cwd).toBe(folder)
  for (const other of ['@scope/server.js', 'https://a.test/x.js', 'server-files@1.2.0', '--loader=x.mjs', 'next.js@1'])
    expect(kept('npx', other).cwd, other).toBeUndefined()
  expect(kept('npx', '-y', 'server-files', '..').cwd).toBe(folder)
  expect(kept('node', join(folder, 'server.mjs')).cwd).toBeUndefined()
  expect(kept('npx', '-y', 'server-files', '').cwd).toBeUndefined()
  const own = { kind: 'stdio', command: './x', args: [], env: {}, cwd: '/elsewhere' } as const
  expect(keepFolder(own, folder)).toBe(own)
  await rm(folder, { recursive: true })
})
