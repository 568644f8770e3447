import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { requireProgram } from './program.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-program-'))
  await mkdir(join(folder, 'bin'))
  await writeFile(join(folder, 'bin', 'here'), '#!/bin/sh\n')
  await chmod(join(folder, 'bin', 'here'), 0o755)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const at = (...names: string[]) => join(folder, ...names)

describe.skipIf(process.platform === 'win32')('a program', () => {
  const found = [
    ['by its whole path', () => ({ command: at('bin', 'here') })],
    ['by a path from the working directory', () => ({ command: './bin/here', cwd: folder })],
    ['on the path that it is given', () => ({ command: 'here', env: { PATH: `${at('none')}:${at('bin')}` } })],
    ['on the path of this process', () => ({ command: 'sh' })],
    ['in a folder of the path that is not absolute', () => ({ command: 'here', cwd: folder, env: { PATH: 'bin' } })],
  ] as const
  it.each(found)('is found %s', async (_how, target) => {
    await expect(requireProgram(target())).resolves.toBeUndefined()
  })

  const missing = [
    ['at its path', () => ({ command: at('bin', 'gone') })],
    ['behind a file', () => ({ command: at('bin', 'here', 'gone') })],
    ['from the working directory', () => ({ command: './here', cwd: folder })],
    ['on the path', () => ({ command: 'here', env: { PATH: at('none') } })],
  ] as const
  it.each(missing)('is missing %s, in the words of a start that fails', async (_how, target) => {
    await expect(requireProgram(target())).rejects.toMatchObject({
      code: 'connect-failed',
      message: expect.stringContaining('not found on the path'),
      delivery: 'not-sent',
      cause: { code: 'ENOENT' },
    })
  })

  const left = [
    ['a missing working directory', () => ({ command: './here', cwd: at('none') })],
    ['a path that the system chooses', () => ({ command: 'here', env: { PATH: undefined } })],
    ['a URL', () => 'http://127.0.0.1:1/mcp'],
  ] as const
  it.each(left)('is left to the start with %s', async (_what, target) => {
    await expect(requireProgram(target())).resolves.toBeUndefined()
  })
})
