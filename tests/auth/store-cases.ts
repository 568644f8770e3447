/** The token store in Redis against a real engine, and keys from a real keyring where this machine has one. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AsyncEntry, Entry } from '@napi-rs/keyring'
import { createKeyringKey, createRedisTokenStore, type RedisTokenStoreOptions } from '@portico/host/tokens'
import { authorizationCode, type TokenStore } from '@portico/sdk/auth'
import { connect } from '@portico/sdk/client'
import { tokenStoreContract } from '@portico/sdk/testing'
import type { Trial } from '../support/suite.ts'
import { createPerson } from './person.ts'
import { startLab } from './provider.ts'
import { type Engine, startEngine } from './redis-engine.ts'

const CALLS_PER_PROCESS = 25

export const storeTrials: readonly Trial[] = [
  inRedis('keeps the contract of every token store', async ({ open }) => {
    const [one, other] = [await open(), await open()]
    for (const { run } of tokenStoreContract(async () => [one, other])) await run()
  }),
  inRedis('sec-81: whoever reads or alters the database learns nothing and is not believed', async (place) => {
    const { open, send } = place
    const store = await open()
    await store.set('alice at server', 'very secret')
    const [name = ''] = (await send('KEYS', '*')) as string[]
    const sealed = String(await send('GET', name))
    assert.doesNotMatch(name + sealed + Buffer.from(sealed, 'base64').toString('latin1'), /alice|secret/)
    const stranger = await open({ key: randomBytes(32), prefix: 'x:' })
    await send('SET', `x:${name.slice(name.lastIndexOf(':') + 1)}`, sealed)
    assert.equal(await stranger.get('alice at server'), undefined)
    for (const planted of ['', 'plain', `${sealed.slice(0, -8)}AAAAAAA=`, 'A'.repeat(2_000_000)]) {
      await send('SET', name, planted)
      assert.equal(await store.get('alice at server'), undefined)
    }
  }),
  inRedis('an entry that nobody renews goes away', async ({ open, send }) => {
    await (await open({ keepMs: 60_000 })).set('k', 'v')
    const [name = ''] = (await send('KEYS', '*')) as string[]
    const left = Number(await send('PTTL', name))
    assert.ok(left > 0 && left <= 60_000, `${left}`)
  }),
  inRedis('the lock lets one in at a time, and is let go when its holder fails', async ({ open, send }) => {
    const stores = [await open(), await open()] as const
    let inside = 0
    let most = 0
    await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        stores[at % 2 === 0 ? 0 : 1].withLock('k', async () => {
          most = Math.max(most, ++inside)
          await stores[0].get('k')
          inside--
        }),
      ),
    )
    assert.equal(most, 1)
    await assert.rejects(
      stores[0].withLock('k', () => Promise.reject(new Error('x'))),
      /^Error: x$/,
    )
    assert.equal(await stores[1].withLock('k', () => stores[0].withLock('other', async () => 1)), 1)
    assert.deepEqual(await send('KEYS', '*:lock'), [])
  }),
  inRedis('the lock of a holder that lives is kept beyond its time, one of a dead holder is not', async (place) => {
    const { open, send } = place
    const [one, other] = [await open({ staleMs: 200 }), await open({ staleMs: 200, waitMs: 600 })]
    await one.withLock('k', async () => {
      // Three times as long as a lock holds without a sign of life.
      await assert.rejects(
        other.withLock('k', async () => 'mine'),
        { code: 'timeout' },
      )
      const [name = ''] = (await send('KEYS', '*:lock')) as string[]
      // Its holder has fallen silent, and somebody else has it for a while.
      await send('SET', name, 'another', 'PX', '400')
    })
    assert.equal(((await send('KEYS', '*:lock')) as string[]).length, 1, 'a lock of another was released')
    assert.equal(await other.withLock('k', async () => 'mine'), 'mine')
  }),
  inRedis('50 calls of two processes with a token that has run out make one refresh', async ({ open, port, key }) => {
    const lab = await startLab()
    try {
      const store = await open()
      const kept = new Map<string, string>()
      const watched: TokenStore = {
        get: (name) => store.get(name),
        delete: (name) => store.delete(name),
        withLock: (name, action) => store.withLock(name, action),
        set: (name, value) => {
          kept.set(name, value)
          return store.set(name, value)
        },
      }
      const auth = { grant: authorizationCode({ userAgent: createPerson('alice') }), store: watched }
      const client = await connect(lab.url, { auth, negotiations: false })
      await client.callTool('look')
      await client.close()
      for (const [name, value] of kept) await store.set(name, value.replace(/"expiresAt":\d+/, '"expiresAt":1'))
      assert.deepEqual(await Promise.all([1, 2].map(() => runWorker(lab.url, port, key))), [0, 0])
      assert.equal(lab.asked.filter((line) => line === 'POST /token refresh_token').length, 1)
    } finally {
      await lab.stop()
    }
  }),
  {
    name: 'keyring: a key from before moves into it and stays the same (the kernel’s keyring)',
    missing: missingKeyring,
    async run() {
      const folder = await mkdtemp(join(tmpdir(), 'lab-'))
      const service = `portico-lab-${randomUUID()}`
      try {
        const keyFile = join(folder, 'key')
        const before = randomBytes(32)
        await writeFile(keyFile, before, { mode: 0o600 })
        const onFallback = (reason: string) => assert.fail(reason)
        const options = { keyFile, onFallback, linuxStore: 'keyutils', library: async () => ({ AsyncEntry }) } as const
        const keys = await Promise.all([1, 2, 3].map(() => createKeyringKey(service, options)))
        for (const key of keys) assert.deepEqual(Buffer.from(key), before)
        assert.equal(existsSync(keyFile), false)
      } finally {
        await rm(folder, { recursive: true, force: true })
        await new AsyncEntry(service, 'token-store-key', { linux: { store: 'keyutils' } }).deleteCredential()
      }
    },
  },
  {
    name: 'keyring: where it does not answer the key is in a file, and the program is told',
    missing: () => (process.env.DBUS_SESSION_BUS_ADDRESS ? 'this machine may have a Secret Service' : notLinux()),
    async run() {
      const folder = await mkdtemp(join(tmpdir(), 'lab-'))
      try {
        const reasons: string[] = []
        const options = { keyFile: join(folder, 'key'), library: async () => ({ AsyncEntry }) }
        const key = await createKeyringKey('portico-lab', { ...options, onFallback: (why) => reasons.push(why) })
        assert.deepEqual([key.length, reasons], [32, ['the system’s keyring does not answer']])
        assert.ok(existsSync(options.keyFile))
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  },
]

interface Place extends Engine {
  readonly key: Uint8Array
  open(options?: Partial<RedisTokenStoreOptions>): Promise<TokenStore>
}

function inRedis(name: string, run: (place: Place) => Promise<void>): Trial {
  return {
    name: `redis: ${name}`,
    async run() {
      const engine = await startEngine()
      const key = randomBytes(32)
      try {
        const open = async (options: Partial<RedisTokenStoreOptions> = {}) =>
          createRedisTokenStore(await engine.connect(), { key, ...options })
        await run({ ...engine, key, open })
      } finally {
        await engine.stop()
      }
    },
  }
}

function runWorker(url: string, port: number, key: Uint8Array): Promise<number | null> {
  const script = fileURLToPath(new URL('redis-worker.ts', import.meta.url))
  const child = spawn(
    process.execPath,
    [...process.execArgv, script, url, String(port), String(CALLS_PER_PROCESS)],
    // Not among the arguments, which everybody on the machine can see.
    { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, TOKEN_KEY: Buffer.from(key).toString('hex') } },
  )
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
}

function notLinux(): string | undefined {
  return process.platform === 'linux' ? undefined : 'the kernel’s keyring is Linux’s'
}

function missingKeyring(): string | undefined {
  if (process.platform !== 'linux') return notLinux()
  try {
    const entry = new Entry('portico-lab', 'probe', { linux: { store: 'keyutils' } })
    entry.setSecret(new Uint8Array(1))
    entry.deleteCredential()
    return undefined
  } catch {
    return 'the kernel lets nothing be kept in its keyring here'
  }
}
