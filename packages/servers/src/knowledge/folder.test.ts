import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Folder } from './folder.ts'

let base = ''
let folder: Folder

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'folder-test-')))
  await mkdir(join(base, 'in', 'sub'), { recursive: true })
  await mkdir(join(base, 'out'))
  await writeFile(join(base, 'in', 'sub', 'a.md'), 'inside')
  await writeFile(join(base, 'out', 'a.md'), 'outside')
  folder = await Folder.open(join(base, 'in'), ['md'])
})

afterEach(() => rm(base, { recursive: true, force: true }))

it('reads a file, and no more of it than allowed', async () => {
  const { bytes } = await folder.read('sub/a.md', 6)
  expect(new TextDecoder().decode(bytes)).toBe('inside')
  await expect(folder.read('sub/a.md', 5)).rejects.toThrow('maxFileBytes')
})

it.each(['../out/a.md', 'sub/../../out/a.md', 'sub'])('does not read %s (sec-131)', async (path) => {
  await expect(folder.read(path, 100)).rejects.toThrow()
})

it('does not read through a link, be it the file or a folder above it (sec-131)', async () => {
  await symlink(join(base, 'out', 'a.md'), join(base, 'in', 'link.md'))
  await symlink(join(base, 'out'), join(base, 'in', 'linked'))
  for (const path of ['link.md', 'linked/a.md']) await expect(folder.read(path, 100)).rejects.toThrow()
  await rename(join(base, 'in', 'sub'), join(base, 'in', 'moved'))
  await symlink(join(base, 'out'), join(base, 'in', 'sub'))
  await expect(folder.read('sub/a.md', 100)).rejects.toThrow('leads out')
})

it.skipIf(process.platform === 'win32')('does not wait for a pipe', async () => {
  expect(spawnSync('mkfifo', [join(base, 'in', 'pipe.md')]).status).toBe(0)
  await expect(folder.read('pipe.md', 100)).rejects.toThrow('not a plain file')
  const found: string[] = []
  for await (const { path, refused } of folder.walk()) found.push(`${path}: ${refused ?? 'taken'}`)
  expect(found).toEqual(['pipe.md: not a plain file', 'sub/a.md: taken'])
})
