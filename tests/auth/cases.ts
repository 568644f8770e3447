/** What the lab tries: our client, our server, and between them an authorization server that others wrote. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import {
  authFailureOf,
  authorizationCode,
  clientCredentials,
  createAuthorizer,
  createMemoryTokenStore,
  type OAuthOptions,
  type TokenStore,
} from '@portico/sdk/auth'
import { createFileTokenStore } from '@portico/sdk/auth-node'
import { type Client, connect } from '@portico/sdk/client'
import { exportJWK, generateKeyPair } from 'jose'
import type { Trial } from '../support/suite.ts'
import { officialClientSignsIn, officialServerTakesToken } from './official.ts'
import { createPerson } from './person.ts'
import { CLIENT_DOCUMENT, JOB, type Lab, type LabOptions, startLab } from './provider.ts'

interface Case {
  readonly name: string
  readonly options?: LabOptions | (() => Promise<LabOptions>)
  run(lab: Lab): Promise<void>
}

async function withClient<T>(lab: Lab, auth: OAuthOptions, use: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect(lab.url, { auth, negotiations: false })
  try {
    return await use(client)
  } finally {
    await client.close()
  }
}

const count = (lab: Lab, what: string) => lab.asked.filter((line) => line === what).length
const expire = (store: TokenStore): TokenStore => ({
  ...store,
  get: async (key) => (await store.get(key))?.replace(/"expiresAt":\d+/, '"expiresAt":1'),
})
const signer = await generateKeyPair('ES256', { extractable: true })

const cases: readonly Case[] = [
  {
    name: 'registration, login, consent, code with PKCE, call',
    async run(lab) {
      const person = createPerson('alice')
      await withClient(lab, { grant: authorizationCode({ userAgent: person }) }, async (client) => {
        assert.deepEqual((await client.callTool('look')).content, [{ type: 'text', text: 'seen' }])
      })
      assert.deepEqual(person.shown, ['login', 'consent'])
      assert.equal(count(lab, 'POST /reg'), 1)
    },
  },
  {
    name: 'the example prints the page where there is no browser, and waits for the person',
    async run(lab) {
      const home = await mkdtemp(join(tmpdir(), 'lab-'))
      try {
        const example = fileURLToPath(new URL('../../examples/sign-in.ts', import.meta.url))
        // Without a path there is no browser to be found.
        const env = { ...process.env, HOME: home, USERPROFILE: home, PATH: '' }
        const child = spawn(process.execPath, [...process.execArgv, example, lab.url, 'look'], { env })
        const ended = new Promise((resolve) => child.once('exit', resolve))
        let said = ''
        child.stdout.on('data', (text) => {
          said += text
        })
        for await (const line of createInterface({ input: child.stderr })) {
          const page = /https?:\S+/.exec(line)?.[0]
          if (page === undefined) continue
          const params = await createPerson('alice').open(new URL(page), new AbortController().signal)
          await fetch(`${new URL(page).searchParams.get('redirect_uri')}?${params}`)
        }
        assert.equal(await ended, 0)
        assert.match(said, /look\n[\s\S]*seen/)
      } finally {
        await rm(home, { recursive: true, force: true })
      }
    },
  },
  {
    name: 'client metadata document instead of registration',
    async run(lab) {
      const grant = authorizationCode({ userAgent: createPerson('alice'), clientMetadataUrl: CLIENT_DOCUMENT })
      await withClient(lab, { grant }, (client) => client.callTool('look'))
      assert.equal(count(lab, 'POST /reg'), 0)
    },
  },
  {
    name: 'refresh with rotation, by one of many connections',
    async run(lab) {
      const folder = await mkdtemp(join(tmpdir(), 'lab-'))
      try {
        const person = createPerson('alice')
        const grant = authorizationCode({ userAgent: person })
        await withClient(lab, { grant, store: createFileTokenStore({ folder }) }, (client) => client.callTool('look'))
        for (let round = 1; round <= 3; round++) {
          const late = new Set<string>()
          const makeStore = (): TokenStore => {
            const store = createFileTokenStore({ folder })
            return {
              get: (key) => (late.size > 0 ? store : expire(store)).get(key),
              set: (key, value) => store.set(key, value).then(() => void late.add(key)),
              delete: (key) => store.delete(key),
              withLock: (key, action) => store.withLock(key, action),
            }
          }
          await Promise.all(
            [1, 2, 3, 4].map(() => withClient(lab, { grant, store: makeStore() }, (client) => client.callTool('look'))),
          )
          assert.equal(count(lab, 'POST /token refresh_token'), round)
        }
        assert.deepEqual(person.shown, ['login', 'consent'])
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  },
  {
    name: 'one refresh among processes that share a store',
    async run(lab) {
      const folder = await mkdtemp(join(tmpdir(), 'lab-'))
      try {
        const store = createFileTokenStore({ folder })
        const kept = new Map<string, string>()
        const watched: TokenStore = {
          get: (key) => store.get(key),
          delete: (key) => store.delete(key),
          withLock: (key, action) => store.withLock(key, action),
          set: (key, value) => {
            kept.set(key, value)
            return store.set(key, value)
          },
        }
        const grant = authorizationCode({ userAgent: createPerson('alice') })
        await withClient(lab, { grant, store: watched }, (client) => client.callTool('look'))
        // As if the time of the token had run out.
        for (const [key, value] of kept) await store.set(key, value.replace(/"expiresAt":\d+/, '"expiresAt":1'))
        const ends = await Promise.all([1, 2, 3].map(() => runWorker(lab.url, folder)))
        assert.deepEqual(ends, [0, 0, 0])
        assert.equal(count(lab, 'POST /token refresh_token'), 1)
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  },
  {
    name: 'step-up when a tool needs another scope',
    async run(lab) {
      const person = createPerson('alice')
      await withClient(lab, { grant: authorizationCode({ userAgent: person }) }, async (client) => {
        await client.callTool('look')
        assert.deepEqual((await client.callTool('change')).content, [{ type: 'text', text: 'changed' }])
        // The scopes of both: what was possible before still is.
        await client.callTool('look')
      })
      assert.equal(count(lab, 'POST /token authorization_code'), 2)
    },
  },
  {
    name: 'sign-out revokes, and the next call signs in again',
    async run(lab) {
      const person = createPerson('alice')
      const authorizer = createAuthorizer(new URL(lab.url), { grant: authorizationCode({ userAgent: person }) })
      const client = await connect(lab.url, { auth: authorizer, negotiations: false })
      try {
        await client.callTool('look')
        await authorizer.signOut()
        assert.equal(count(lab, 'POST /token/revocation'), 2)
        await client.callTool('look')
        assert.equal(count(lab, 'POST /token authorization_code'), 2)
      } finally {
        await client.close()
      }
    },
  },
  {
    name: 'a refresh token that was revoked leads to a new sign-in',
    async run(lab) {
      const store = createMemoryTokenStore()
      const grant = authorizationCode({ userAgent: createPerson('alice') })
      await withClient(lab, { grant, store }, (client) => client.callTool('look'))
      const spoiled: TokenStore = {
        ...expire(store),
        get: async (key) => {
          const value = await expire(store).get(key)
          return count(lab, 'POST /token refresh_token') === 0
            ? value?.replace(/"refreshToken":"[^"]+"/, '"refreshToken":"revoked"')
            : store.get(key)
        },
      }
      await withClient(lab, { grant, store: spoiled }, (client) => client.callTool('look'))
      assert.equal(count(lab, 'POST /token authorization_code'), 2)
    },
  },
  {
    name: 'client credentials with a secret',
    async run(lab) {
      await withClient(lab, { grant: clientCredentials(JOB) }, (client) => client.callTool('look'))
      assert.equal(count(lab, 'POST /token client_credentials'), 1)
    },
  },
  {
    name: 'client credentials with a wrong secret',
    async run(lab) {
      const grant = clientCredentials({ ...JOB, clientSecret: 'wrong' })
      const failed = await withClient(lab, { grant }, async () => undefined).catch(authFailureOf)
      assert.deepEqual(failed, { reason: 'token-refused', error: 'invalid_client' })
    },
  },
  {
    name: 'client credentials with a private key',
    options: async () => ({ signer: { ...(await exportJWK(signer.publicKey)), alg: 'ES256', use: 'sig' } }),
    async run(lab) {
      const grant = clientCredentials({ clientId: 'signer', privateKey: signer.privateKey })
      await withClient(lab, { grant }, (client) => client.callTool('look'))
    },
  },
  {
    name: 'tokens bound to a key',
    options: { dpopRequired: true },
    run: useBoundTokens,
  },
  {
    name: 'tokens bound to a key, with nonces at both servers',
    options: { dpopRequired: true, nonces: true },
    run: useBoundTokens,
  },
  { name: 'the official client signs in to our server', run: officialClientSignsIn },
  { name: "our client signs in to a server behind the official SDK's middleware", run: officialServerTakesToken },
]

async function useBoundTokens(lab: Lab): Promise<void> {
  const store = createMemoryTokenStore()
  const person = createPerson('alice')
  const grant = authorizationCode({ userAgent: person })
  await withClient(lab, { grant, store, dpop: 'require' }, async (client) => {
    for (let call = 0; call < 3; call++) await client.callTool('look')
  })
  // The key is kept with the token, and is the one that the refresh is bound to.
  let late = true
  const expired: TokenStore = {
    ...store,
    get: (key) => (late ? expire(store) : store).get(key),
    set: async (key, value) => {
      late = false
      await store.set(key, value)
    },
  }
  await withClient(lab, { grant, store: expired, dpop: 'require' }, (client) => client.callTool('look'))
  assert.deepEqual(person.shown, ['login', 'consent'])
  assert.ok(count(lab, 'POST /token refresh_token') >= 1)
}

/** Starts the worker in the way that this process was started; its exit code. */
function runWorker(url: string, folder: string): Promise<number | null> {
  const script = fileURLToPath(new URL('worker.ts', import.meta.url))
  const child = spawn(process.execPath, [...process.execArgv, script, url, folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
}

export const trials: readonly Trial[] = cases.map((one) => ({ name: one.name, run: () => runCase(one) }))

async function runCase({ options, run }: Case): Promise<void> {
  const lab = await startLab(typeof options === 'function' ? await options() : options)
  try {
    await run(lab)
  } finally {
    await lab.stop()
  }
}
