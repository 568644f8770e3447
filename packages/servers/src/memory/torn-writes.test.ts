/** A memory whose last write was torn, at every page and in the middle of it: all that was kept is there, and it goes on. */

import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MemoryFile } from './database.ts'
import { MEMORY_LIMITS } from './limits.ts'
import { MemoryStore } from './store.ts'

const OWNER = 'ada'
/** Of SQLite's log beside the file: its head, and a page with the head of its own. */
const LOG_HEAD = 32
const PAGE = 4096 + 24

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-torn-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function open(path: string) {
  const file = await MemoryFile.open(path)
  const store = new MemoryStore(file, MEMORY_LIMITS)
  return {
    keep: (one: number) => store.remember(OWNER, [{ entity: 'numbers', text: `${one}` }]),
    kept: async () => ((await store.entity(OWNER, 'numbers'))?.facts ?? []).map(({ text }) => Number(text)).sort(),
    found: async () => (await store.search(OWNER, 'numbers', 10)).length,
    close: () => file.close(),
  }
}

test('reliability disks: memory, its writes torn at every page, has all that was kept, and goes on', async () => {
  const path = join(folder, 'memory.db')
  const whole = await open(path)
  const log = `${path}-wal`
  const ends = [(await stat(log)).size]
  for (const one of [1, 2, 3]) {
    await whole.keep(one)
    ends.push((await stat(log)).size)
  }
  // As a process leaves them that is killed now.
  const killed = join(folder, 'killed.db')
  await copyFile(path, killed)
  const bytes = await readFile(log)
  whole.close()

  const [made = 0, ...keeps] = ends
  const cuts = [bytes.length]
  // While its tables are made nothing is kept yet: a few of those pages will do.
  const few = Math.floor((made - LOG_HEAD) / PAGE / 4)
  for (let at = LOG_HEAD; at < made; at += few * PAGE) cuts.push(at + PAGE / 2)
  for (let at = made; at < bytes.length; at += PAGE) cuts.push(at, at + PAGE / 2)
  expect(cuts.length).toBeGreaterThan(10)
  for (const cut of cuts) {
    const torn = join(folder, `torn-${cut}.db`)
    await copyFile(killed, torn)
    await writeFile(`${torn}-wal`, bytes.subarray(0, cut))
    const again = await open(torn)
    const expected = keeps.flatMap((end, index) => (end <= cut ? [index + 1] : []))
    expect(await again.kept(), `cut at ${cut} of ${bytes.length}, made at ${made}`).toEqual(expected)
    await again.keep(9)
    again.close()
    const after = await open(torn)
    expect(await after.kept()).toEqual([...expected, 9])
    expect(await after.found()).toBe(1)
    after.close()
  }
})
