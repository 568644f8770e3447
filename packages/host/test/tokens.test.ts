/** Keys and seals of the token stores. The store in Redis is tried against a real engine in the authorization lab. */

import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFileTokenStore } from '@portico/sdk/auth-node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createKeyringKey } from '../src/tokens/keyring-key.ts'
import { createRedisTokenStore } from '../src/tokens/redis-store.ts'
import { createTextSeal } from '../src/tokens/sealed-text.ts'

const KEY = new Uint8Array(32).fill(7)

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tokens-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('what leaves the process for a store that others can read (sec-81)', () => {
  const { nameOf, seal, unseal } = createTextSeal(KEY)

  it('tells neither key nor value, and is never twice the same', () => {
    const sealed = seal('alice at server', 'very secret ü')
    expect(unseal('alice at server', sealed)).toBe('very secret ü')
    expect(Buffer.from(sealed, 'base64').includes('secret')).toBe(false)
    expect(seal('alice at server', 'very secret ü')).not.toBe(sealed)
    expect(nameOf('alice at server')).toMatch(/^[\w-]{43}$/)
  })

  it('has names that only the holder of the key can compute', () => {
    expect(nameOf('k')).toBe(createTextSeal(KEY).nameOf('k'))
    expect(nameOf('k')).not.toBe(createTextSeal(new Uint8Array(32)).nameOf('k'))
  })

  const sealed = seal('a', 'value')
  it.each([
    ['moved to another key', 'b', sealed],
    ['altered', 'a', (sealed[0] === 'A' ? 'B' : 'A') + sealed.slice(1)],
    ['cut short', 'a', sealed.slice(0, -4)],
    ['not sealed at all', 'a', 'value'],
    ['empty', 'a', ''],
    ['sealed with another key', 'a', createTextSeal(new Uint8Array(32)).seal('a', 'value')],
  ])('counts as absent when it was %s', (_, key, text) => {
    expect(unseal(key, text)).toBeUndefined()
  })

  it('needs a key of 32 bytes', () => {
    const client = { sendCommand: () => Promise.resolve(null) }
    expect(() => createRedisTokenStore(client, { key: new Uint8Array(16) })).toThrow('32 bytes')
  })
})

describe('a key where no keyring answers', () => {
  const reasons: string[] = []
  const make = (service = 'portico-test') =>
    createKeyringKey(service, { keyFile: join(folder, 'deep', 'key'), onFallback: (reason) => reasons.push(reason) })

  it('is in a file for its owner alone, says so, and stays the same (sec-81)', async () => {
    const key = await make()
    expect(key).toHaveLength(32)
    expect(reasons.join()).toMatch(/keyring/)
    expect((await stat(join(folder, 'deep'))).mode & 0o777).toBe(0o700)
    expect((await stat(join(folder, 'deep', 'key'))).mode & 0o777).toBe(0o600)
    expect(await make()).toEqual(key)
    expect(await readdir(join(folder, 'deep'))).toEqual(['key'])
  })

  it('is made once by those who begin at the same time', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => make()))
    expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(1)
  })

  it('is what a store of files can be opened with', async () => {
    const tokens = join(folder, 'tokens')
    await createFileTokenStore({ folder: tokens, key: await make() }).set('k', 'kept')
    expect(await createFileTokenStore({ folder: tokens, key: await make() }).get('k')).toBe('kept')
    expect(await readdir(tokens)).toHaveLength(1)
  })

  it('in a file that others could read is put right', async () => {
    const key = await make()
    await writeFile(join(folder, 'open'), key, { mode: 0o644 })
    const again = await createKeyringKey('portico-test', { keyFile: join(folder, 'open'), onFallback: () => {} })
    expect([again, (await stat(join(folder, 'open'))).mode & 0o777]).toEqual([Buffer.from(key), 0o600])
  })

  it('in a file that is damaged is an error, and the file stays as it is', async () => {
    const keyFile = join(folder, 'short')
    await writeFile(keyFile, 'short')
    await expect(createKeyringKey('portico-test', { keyFile, onFallback: () => {} })).rejects.toThrow('damaged')
    expect(await readFile(keyFile, 'utf8')).toBe('short')
  })

  it.each(['', '..', '../x', 'a/b', 'a b', 'x'.repeat(65)])('is refused to a service called %j', async (service) => {
    await expect(make(service)).rejects.toThrow('service')
  })
})

describe('a key where a keyring answers', () => {
  /** A keyring as the library shows it, since build machines have none; the lab tries a real one where it can. */
  function createKeyring() {
    const secrets = new Map<string, Uint8Array>()
    class AsyncEntry {
      readonly #name: string
      constructor(service: string, account: string) {
        this.#name = `${service} ${account}`
      }
      async getSecret() {
        return secrets.get(this.#name) ?? null
      }
      async setSecret(secret: Uint8Array) {
        secrets.set(this.#name, Uint8Array.from(secret))
      }
    }
    return { secrets, library: async () => ({ AsyncEntry }) }
  }
  const onFallback = (reason: string) => expect.unreachable(reason)

  it('is in the keyring alone, made once by those who begin at the same time', async () => {
    const { secrets, library } = createKeyring()
    const options = { keyFile: join(folder, 'key'), library, onFallback }
    const keys = await Promise.all(Array.from({ length: 5 }, () => createKeyringKey('portico-test', options)))
    expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(1)
    expect([secrets.size, await readdir(folder)]).toEqual([1, []])
  })

  it('moves there from the file of a time without one', async () => {
    const keyFile = join(folder, 'key')
    const before = await createKeyringKey('portico-test', { keyFile, onFallback: () => {} })
    const { library } = createKeyring()
    const after = await createKeyringKey('portico-test', { keyFile, library, onFallback })
    expect([Buffer.from(after), await readdir(folder)]).toEqual([Buffer.from(before), []])
  })

  it.each<[string, () => Promise<null>]>([
    ['never answers', () => new Promise<null>(() => {})],
    ['is locked', () => Promise.reject(new Error('locked'))],
  ])('is in a file when the keyring %s', async (_, getSecret) => {
    class AsyncEntry {
      getSecret = getSecret
      async setSecret() {}
    }
    const reasons: string[] = []
    const key = await createKeyringKey('portico-test', {
      keyFile: join(folder, 'key'),
      library: async () => ({ AsyncEntry }),
      timeoutMs: 20,
      onFallback: (reason) => reasons.push(reason),
    })
    expect([key.length, reasons]).toEqual([32, ['the system’s keyring does not answer']])
  })
})
