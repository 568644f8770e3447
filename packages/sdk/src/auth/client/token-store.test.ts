import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createMemoryTokenStore, type TokenStore } from './token-store.ts'
import { createFileTokenStore } from './token-store-file.ts'

const folders: string[] = []
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
})

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tokens-'))
  folders.push(folder)
  return folder
}

/** Two views of one store, as two connections or processes have them. */
const kinds: readonly [string, () => Promise<readonly [TokenStore, TokenStore]>][] = [
  [
    'memory',
    async () => {
      const store = createMemoryTokenStore()
      return [store, store]
    },
  ],
  [
    'file',
    async () => {
      const folder = await newFolder()
      return [createFileTokenStore({ folder }), createFileTokenStore({ folder })]
    },
  ],
]

test.each(kinds)('%s: what one has set the other gets, until it is deleted', async (_, make) => {
  const [one, other] = await make()
  expect(await other.get('k')).toBeUndefined()
  await one.set('k', 'first')
  await one.set('k', 'second ü')
  await one.set('l', 'else')
  expect(await other.get('k')).toBe('second ü')
  await other.delete('k')
  await other.delete('k')
  expect(await one.get('k')).toBeUndefined()
  expect(await one.get('l')).toBe('else')
})

test.each(kinds)('%s: the lock of a key lets one in at a time', async (_, make) => {
  const stores = await make()
  let inside = 0
  let most = 0
  let runs = 0
  await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      stores[at % 2]!.withLock('k', async () => {
        most = Math.max(most, ++inside)
        await stores[0].get('k')
        runs++
        inside--
      }),
    ),
  )
  expect([most, runs]).toEqual([1, 20])
})

test.each(kinds)('%s: a lock is let go when its holder fails', async (_, make) => {
  const [one, other] = await make()
  await expect(one.withLock('k', () => Promise.reject(new Error('x')))).rejects.toThrow('x')
  expect(await other.withLock('k', async () => 1)).toBe(1)
})

test.each(kinds)('%s: locks of different keys do not wait for each other', async (_, make) => {
  const [one, other] = await make()
  expect(await one.withLock('a', () => other.withLock('b', async () => 1))).toBe(1)
})

test('sec-81: nothing can be read from the files, and nobody else may read them', async () => {
  const folder = await newFolder()
  await createFileTokenStore({ folder }).set('principal server', 'very secret')
  const names = await readdir(folder)
  expect(names).toHaveLength(2)
  for (const name of names) {
    expect(name).not.toContain('principal')
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
    expect((await readFile(join(folder, name))).includes('secret')).toBe(false)
  }
})

test('sec-81: a record that was altered, moved or sealed with another key counts as absent', async () => {
  const folder = await newFolder()
  const store = createFileTokenStore({ folder })
  const fileOf = async () => join(folder, (await readdir(folder)).find((name) => name !== 'key') ?? '')
  await store.set('a', 'value')
  const path = await fileOf()
  const sealed = await readFile(path)
  expect(await createFileTokenStore({ folder, key: new Uint8Array(32) }).get('a')).toBeUndefined()
  await writeFile(
    path,
    sealed.map((byte, at) => (at === 20 ? byte ^ 1 : byte)),
  )
  expect(await store.get('a')).toBeUndefined()
  await writeFile(path, 'short')
  expect(await store.get('a')).toBeUndefined()
  await rm(path)
  await store.set('b', 'other')
  await rename(await fileOf(), path)
  expect(await store.get('a')).toBeUndefined()
})

test('the lock of a process that died is broken', async () => {
  const folder = await newFolder()
  const store = createFileTokenStore({ folder, staleMs: 1_000 })
  await store.withLock('k', async () => {
    const [lock = ''] = (await readdir(folder)).filter((name) => name.endsWith('.lock'))
    // As if its holder had been silent since then.
    await utimes(join(folder, lock), new Date(0), new Date(0))
    expect(await createFileTokenStore({ folder, staleMs: 1_000 }).withLock('k', async () => 'mine')).toBe('mine')
  })
  expect((await readdir(folder)).filter((name) => name.includes('lock'))).toEqual([])
})

test('a key of another length is refused', () => {
  expect(() => createFileTokenStore({ folder: 'x', key: new Uint8Array(16) })).toThrow('32 bytes')
})

test('file: a folder that cannot be used for now is used as soon as it can, and leaves nothing behind', async () => {
  const folder = await newFolder()
  const place = join(folder, 'tokens')
  const store = createFileTokenStore({ folder: place })
  await writeFile(place, 'in the way')
  await expect(store.set('k', 'v')).rejects.toMatchObject({ code: 'EEXIST' })
  await rm(place)
  await store.set('k', 'v')
  expect(await store.get('k')).toBe('v')
  // A record cannot be put where a folder is.
  const [record = ''] = (await readdir(place)).filter((name) => name !== 'key')
  await rm(join(place, record))
  await mkdir(join(place, record, 'x'), { recursive: true })
  await expect(store.set('k', 'w')).rejects.toThrow()
  expect((await readdir(place)).sort()).toEqual([record, 'key'].sort())
})
