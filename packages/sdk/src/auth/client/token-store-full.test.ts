/** The lock of the token store on a disk that is full: nothing stays open, and nobody waits for a lock that names nobody. */

import type { PathLike } from 'node:fs'
import { mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFileTokenStore } from './token-store-file.ts'

const disk = vi.hoisted(() => ({ isFull: false, open: 0 }))

vi.mock(import('node:fs/promises'), async (original) => {
  const real = await original()
  const open: typeof real.open = async (path: PathLike, ...rest) => {
    const handle = await real.open(path, ...rest)
    disk.open++
    const close = handle.close.bind(handle)
    handle.close = async () => {
      disk.open--
      await close()
    }
    if (disk.isFull) {
      handle.writeFile = async () => {
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' })
      }
    }
    return handle
  }
  return { ...real, open, default: { ...real, open } }
})

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tokens-full-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('a lock that cannot be written is closed and taken away', async () => {
  const store = createFileTokenStore({ folder, key: new Uint8Array(32) })
  disk.isFull = true
  await expect(store.withLock('k', async () => 1)).rejects.toMatchObject({ code: 'ENOSPC' })
  expect([disk.open, await readdir(folder)]).toEqual([0, []])
  disk.isFull = false
  expect(await store.withLock('k', async () => 2)).toBe(2)
  expect(disk.open).toBe(0)
})

test('a key that was cut short is named, with what to do', async () => {
  await writeFile(join(folder, 'key'), new Uint8Array(32))
  await truncate(join(folder, 'key'), 31)
  await expect(createFileTokenStore({ folder }).get('k')).rejects.toThrow(
    `${join(folder, 'key')}, is damaged: it has 31 bytes in place of 32. Remove it`,
  )
})
