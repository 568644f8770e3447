import { mkdir, mkdtemp, readdir, rm, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SavedJson } from './saved-json.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-saved-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

function open(onWarning: (message: string) => void = () => {}) {
  // Only this test writes to it.
  return SavedJson.open<number[]>({
    file: join(folder, 'kept.json'),
    read: (value) => value as number[],
    empty: [],
    onWarning,
  })
}

test('reliability disks: what cannot be read for now is an error, and not written over', async () => {
  const file = join(folder, 'kept.json')
  // Opens, and cannot be read.
  await mkdir(file)
  await expect(open()).rejects.toMatchObject({ code: expect.stringMatching(/^E/) })
  expect(await readdir(folder)).toEqual(['kept.json'])
  await rmdir(file)
  const saved = await open()
  saved.set([1])
  await saved.flush()
  expect((await open()).value).toEqual([1])
})

test('reliability disks: a damaged file is kept aside, with a word', async () => {
  await writeFile(join(folder, 'kept.json'), '[1, 2')
  const warnings: string[] = []
  const saved = await open((message) => warnings.push(message))
  expect(saved.value).toEqual([])
  expect(warnings).toEqual([expect.stringContaining('is damaged')])
  saved.set([3])
  await saved.flush()
  expect((await readdir(folder)).filter((name) => name.startsWith('kept.json.damaged-'))).toHaveLength(1)
})
