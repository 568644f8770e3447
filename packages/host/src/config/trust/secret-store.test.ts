import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HostError } from '../../errors.ts'
import { createSecretStore } from './secret-store.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'secrets-'))
  file = join(folder, 'deep', 'secrets')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const KEY = new Uint8Array(32).fill(3)

describe('the secret store (sec-81)', () => {
  it('keeps, lists and deletes by name, across instances', async () => {
    const store = createSecretStore({ file, key: KEY })
    await store.set('b', 'two')
    await store.set('a', 'ü one')
    await store.set('__proto__', 'odd')
    const later = createSecretStore({ file, key: async () => KEY })
    expect(await later.list()).toEqual(['__proto__', 'a', 'b'])
    expect(await later.get('a')).toBe('ü one')
    expect(await later.delete('a')).toBe(true)
    expect(await later.delete('a')).toBe(false)
    expect(await store.get('a')).toBeUndefined()
  })

  it('shows neither names nor values in its files, which are for their owner alone', async () => {
    const store = createSecretStore({ file })
    await store.set('github-token', 'canary-value')
    for (const name of await readdir(join(folder, 'deep'))) {
      const path = join(folder, 'deep', name)
      expect((await readFile(path)).includes('canary')).toBe(false)
      expect((await readFile(path)).includes('github')).toBe(false)
      expect((await stat(path)).mode & 0o077).toBe(0)
    }
    expect((await stat(join(folder, 'deep'))).mode & 0o077).toBe(0)
    expect(await createSecretStore({ file }).get('github-token')).toBe('canary-value')
  })

  it.each([0, 1, 16, 31])(
    'begins anew with a key file that was cut to %i bytes, and says where it is (sec-832)',
    async (left) => {
      await createSecretStore({ file }).set('old', 'one')
      await truncate(`${file}.key`, left)
      const told: string[] = []
      const stores = [1, 2].map(() => createSecretStore({ file, onWarning: (message) => told.push(message) }))
      await Promise.all(stores.map((store, at) => store.set(`new${at}`, 'two')))
      expect(await createSecretStore({ file }).list()).toEqual(['new0', 'new1'])
      expect(told.filter((message) => message.startsWith(`${file}.key has ${left} bytes`))).toHaveLength(1)
      const aside = (await readdir(join(folder, 'deep'))).filter((name) => name.includes('.damaged-'))
      expect(aside.map((name) => name.startsWith('secrets.key'))).toContain(true)
    },
  )

  it('names the key file that cannot be read', async () => {
    await mkdir(`${file}.key`, { recursive: true })
    await expect(createSecretStore({ file }).set('a', 'b')).rejects.toThrow(`The key ${file}.key cannot be had`)
  })

  it('loses nothing when several write at once', async () => {
    const stores = [createSecretStore({ file, key: KEY }), createSecretStore({ file, key: KEY })]
    await Promise.all(Array.from({ length: 8 }, (_, at) => stores[at % 2]!.set(`s${at}`, String(at))))
    expect(await stores[0]!.list()).toHaveLength(8)
  })

  it.each([
    ['altered', async () => writeFile(file, (await readFile(file, 'utf8')).replace(/.{9}$/, 'AAAAAAAAA')), KEY],
    ['cut short', async () => writeFile(file, 'portico-secrets-1:'), KEY],
    ['of another kind', async () => writeFile(file, '{"a": "b"}'), KEY],
    ['sealed with another key', async () => {}, new Uint8Array(32)],
  ])('sets a file aside that was %s, and says so', async (_, damage, key) => {
    await createSecretStore({ file, key: KEY }).set('a', 'one')
    await damage()
    const warnings: string[] = []
    const store = createSecretStore({ file, key, onWarning: (message) => warnings.push(message) })
    expect(await store.get('a')).toBeUndefined()
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatch(/was set aside as .*\.damaged-/)
    await store.set('b', 'two')
    expect(await store.list()).toEqual(['b'])
  })

  it('does not take a missing key for a damaged store', async () => {
    await createSecretStore({ file, key: KEY }).set('a', 'one')
    const store = createSecretStore({ file, key: () => Promise.reject(new Error('locked')) })
    await expect(store.get('a')).rejects.toMatchObject({ code: 'secret-missing' })
    expect(await createSecretStore({ file, key: KEY }).get('a')).toBe('one')
    await expect(createSecretStore({ file, key: new Uint8Array(5) }).get('a')).rejects.toThrow(HostError)
  })

  it.each(['', 'a\nb', 'x}', 'a'.repeat(201)])('refuses the name %j', async (name) => {
    await expect(createSecretStore({ file, key: KEY }).set(name, 'x')).rejects.toMatchObject({ code: 'invalid-config' })
  })
})
