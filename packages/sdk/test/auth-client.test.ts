/** Signing in, end to end over real sockets: what is sent to whom, and how often. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { authFailureOf } from '../src/auth/client/failure.ts'
import { authorizationCode } from '../src/auth/client/grant-code.ts'
import { clientCredentials } from '../src/auth/client/grant-machine.ts'
import type { OAuthOptions } from '../src/auth/client/token-source.ts'
import { createMemoryTokenStore, type TokenStore } from '../src/auth/client/token-store.ts'
import { createFileTokenStore } from '../src/auth/client/token-store-file.ts'
import { withOAuth } from '../src/auth/client/with-oauth.ts'
import type { UserAgent } from '../src/auth/user-agent/user-agent.ts'
import type { Client } from '../src/client/client.ts'
import { connect } from '../src/connect/connect.ts'
import { type Vices, World } from './auth-client-world.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function start(vices?: Vices): Promise<World> {
  const world = await World.start(vices)
  cleanups.push(() => world.stop())
  return world
}

async function join_(world: World, auth: OAuthOptions): Promise<Client> {
  const client = await connect(world.server, { auth, negotiations: false })
  cleanups.push(() => client.close())
  return client
}

const reasonOf = (error: unknown) => authFailureOf(rootOf(error))?.reason

function rootOf(error: unknown): unknown {
  return authFailureOf(error) === undefined && error instanceof Error && error.cause !== undefined
    ? rootOf(error.cause)
    : error
}

test('a challenge leads to a sign-in and the call to its answer', async () => {
  const world = await start()
  const { person } = world
  const client = await join_(world, { grant: authorizationCode({ userAgent: person, clientName: 'Tester' }) })
  expect((await client.callTool('hello')).content).toMatchObject([{ text: 'hello' }])
  expect(person.pages).toHaveLength(1)
  // sec-61: a client on this machine says that it is one.
  expect(JSON.parse(world.asked('/register')[0]!.body)).toMatchObject({
    application_type: 'native',
    client_name: 'Tester',
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
  })
  // sec-62: in both requests, exactly as published.
  expect(person.pages[0]!.searchParams.get('resource')).toBe(world.server)
  expect(world.grants('authorization_code')[0]!.form.get('resource')).toBe(world.server)
  expect(person.pages[0]!.searchParams.get('code_challenge_method')).toBe('S256')
})

test('a client with a fetch of its own signs in as well', async () => {
  const world = await start()
  const auth = { grant: authorizationCode({ userAgent: world.person }) }
  const client = await connect(world.server, { auth, negotiations: false, fetch: (url, init) => fetch(url, init) })
  cleanups.push(() => client.close())
  await client.callTool('hello')
})

test.each(['2025-11-25', '2025-03-26'] as const)(
  'servers of %s are signed in to, their session and stream too',
  async (versions) => {
    const world = await start()
    const auth = { grant: authorizationCode({ userAgent: world.person }) }
    const client = await connect(world.server, { auth, versions, negotiations: false })
    await client.callTool('hello')
    world.tokens.clear()
    await client.callTool('hello')
    await client.close()
    const calls = world.toServer.filter(({ url }) => url.pathname === '/mcp')
    expect(calls.slice(1).every(({ headers }) => headers.authorization !== undefined)).toBe(true)
  },
)

test.each(['ws://127.0.0.1:1/mcp', 'tcp://127.0.0.1:1', 'unix:/x'])(
  '%s is not connected to without the sign-in that was asked for',
  async (url) => {
    const auth = { grant: clientCredentials({ clientId: 'x' }) }
    await expect(connect(url, { auth })).rejects.toMatchObject({ code: 'connect-failed' })
  },
)

test('sec-64: every request but the first carries the token, in the header and nowhere else', async () => {
  const world = await start()
  const client = await join_(world, { grant: authorizationCode({ userAgent: world.person }) })
  await client.listTools()
  await client.callTool('hello')
  const calls = world.toServer.filter(({ url }) => url.pathname === '/mcp')
  expect(calls.slice(1).every(({ headers }) => headers.authorization?.startsWith('Bearer secret-access-'))).toBe(true)
  const urls = [...world.toServer, ...world.toIssuer].map(({ url }) => url.href)
  expect(urls.filter((url) => url.includes('secret-'))).toEqual([])
})

test('sec-65: metadata is fetched without a token, and other origins get none', async () => {
  const world = await start()
  const seen: (string | null)[] = []
  const store = createMemoryTokenStore()
  const grant = authorizationCode({ userAgent: world.person })
  const fetchIn = withOAuth(
    async (input, init) => {
      seen.push(new Headers(init?.headers).get('authorization'))
      return fetch(input, init)
    },
    { server: world.server, grant, store },
  )
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  await fetchIn(world.server, { method: 'POST', headers, body })
  await fetchIn(world.issuer)
  expect(seen.map((value) => value !== null)).toEqual([false, true, false])
  const others = [...world.toIssuer, ...world.toServer.filter(({ url }) => url.pathname !== '/mcp')]
  expect(others.filter(({ headers }) => headers.authorization !== undefined)).toEqual([])
})

async function stores(): Promise<readonly [string, () => TokenStore][]> {
  const folder = await mkdtemp(join(tmpdir(), 'tokens-'))
  cleanups.push(() => rm(folder, { recursive: true, force: true }))
  const memory = createMemoryTokenStore()
  return [
    ['memory', () => memory],
    ['file', () => createFileTokenStore({ folder })],
  ]
}

test.each([0, 1])('50 calls with an expired token make one refresh and 50 successes (store %s)', async (kind) => {
  const world = await start()
  const [, makeStore] = (await stores())[kind]!
  const { person } = world
  const grant = authorizationCode({ userAgent: person })
  // Connections that share nothing but the store.
  const clients = [await join_(world, { grant, store: makeStore() }), await join_(world, { grant, store: makeStore() })]
  expect(person.pages).toHaveLength(1)
  world.tokens.clear()
  const answers = await Promise.all(Array.from({ length: 50 }, (_, at) => clients[at % 2]!.callTool('hello')))
  expect(answers).toHaveLength(50)
  expect(world.grants('refresh_token')).toHaveLength(1)
  expect(person.pages).toHaveLength(1)
})

test('a token is renewed before it is sent too late', async () => {
  const world = await start()
  const inner = createMemoryTokenStore()
  let late = false
  const store: TokenStore = {
    ...inner,
    // As if the time had passed.
    get: async (key) => (await inner.get(key))?.replace(/"expiresAt":\d+/, late ? '"expiresAt":1' : '$&'),
    set: (key, value) => {
      late = false
      return inner.set(key, value)
    },
  }
  const grant = authorizationCode({ userAgent: world.person })
  await join_(world, { grant, store })
  late = true
  const before = world.toServer.length
  const client = await join_(world, { grant, store })
  await client.callTool('hello')
  expect(world.grants('refresh_token')).toHaveLength(1)
  // Nothing was sent in vain: discovery and the call.
  expect(world.toServer.length - before).toBe(2)
})

test('a token that is said to last no time at all is used all the same', async () => {
  const world = await start({ expiresIn: 0 })
  const client = await join_(world, { grant: authorizationCode({ userAgent: world.person }) })
  await client.callTool('hello')
})

test('sec-81: refresh tokens rotate, and one that is used up leads to a new sign-in', async () => {
  const world = await start()
  const { person } = world
  const client = await join_(world, { grant: authorizationCode({ userAgent: person }) })
  for (let round = 0; round < 3; round++) {
    world.tokens.clear()
    await client.callTool('hello')
  }
  const used = world.grants('refresh_token').map(({ form }) => form.get('refresh_token'))
  expect(new Set(used).size).toBe(3)
  world.tokens.clear()
  world.refreshTokens.clear()
  await client.callTool('hello')
  expect(person.pages).toHaveLength(2)
})

test('tokens outlive the process that got them', async () => {
  const world = await start()
  const [, makeStore] = (await stores())[1]!
  const { person } = world
  for (let run = 0; run < 2; run++) {
    const client = await join_(world, { grant: authorizationCode({ userAgent: person }), store: makeStore() })
    await client.callTool('hello')
  }
  expect(person.pages).toHaveLength(1)
})

test('sec-57: principals that share a store share no tokens', async () => {
  const world = await start()
  const store = createMemoryTokenStore()
  const { person } = world
  const grant = authorizationCode({ userAgent: person })
  await join_(world, { grant, store, principal: 'a' })
  await join_(world, { grant, store, principal: 'b' })
  expect(person.pages).toHaveLength(2)
  expect(new Set(world.asked('/register').map(({ url }) => url.href)).size).toBe(1)
  expect(world.asked('/register')).toHaveLength(2)
})

test('sec-72: a call that needs more steps up by union, once', async () => {
  const world = await start({
    challenge: (metadata) => `Bearer resource_metadata="${metadata}"`,
    resource: () => ({ scopes_supported: ['read'] }),
    scopeFor: (method) => (method === 'tools/call' ? 'write' : 'read'),
  })
  const { person } = world
  const client = await join_(world, { grant: authorizationCode({ userAgent: person }) })
  await Promise.all([client.callTool('hello'), client.callTool('hello')])
  expect(person.pages.map(({ searchParams }) => searchParams.get('scope'))).toEqual(['read', 'read write'])
  // A first sign-in is told from one that adds to it.
  expect(person.added).toEqual([undefined, ['write']])
})

test('the clock of a call stands still while a person signs in', async () => {
  const world = await start({ scopeFor: (method) => (method === 'tools/call' ? 'write' : undefined) })
  const { person } = world
  const slow = {
    ...person,
    async open(page: URL, signal: AbortSignal) {
      if (person.pages.length > 0) await new Promise((resolve) => setTimeout(resolve, 400))
      return person.open(page, signal)
    },
  }
  const auth = { grant: authorizationCode({ userAgent: slow }) }
  const client = await connect(world.server, { auth, negotiations: false, timeouts: { callMs: 200 } })
  cleanups.push(() => client.close())
  await client.callTool('hello')
})

test('sec-72: a server that is never content is left alone after a few attempts', async () => {
  const world = await start({
    scopeFor: (method) => (method === 'tools/call' ? 'more' : undefined),
    token: (form) => {
      if (form.get('grant_type') !== 'authorization_code') return undefined
      world.tokens.set('secret-access-x', new Set())
      return { access_token: `secret-access-x`, token_type: 'Bearer' }
    },
  })
  const { person } = world
  const client = await join_(world, { grant: authorizationCode({ userAgent: person }) })
  for (let call = 0; call < 4; call++)
    await expect(client.callTool('hello')).rejects.toMatchObject({ code: 'http-status' })
  expect(person.pages.length).toBeLessThanOrEqual(3)
})

test('sec-76: offline access is asked for where the authorization server lists it', async () => {
  const world = await start({
    issuer: () => ({ scopes_supported: ['read', 'offline_access'] }),
    resource: () => ({ scopes_supported: ['read'] }),
  })
  const { person } = world
  await join_(world, { grant: authorizationCode({ userAgent: person }) })
  const { searchParams } = person.pages[0]!
  expect([searchParams.get('scope'), searchParams.get('prompt')]).toEqual(['read offline_access', 'consent'])
})

test('sec-59: the metadata document is the client where the authorization server reads such', async () => {
  const world = await start({ issuer: () => ({ client_id_metadata_document_supported: true }) })
  const { person } = world
  const clientMetadataUrl = 'https://client.example/oauth.json'
  await join_(world, { grant: authorizationCode({ userAgent: person, clientMetadataUrl }) })
  expect(person.pages[0]!.searchParams.get('client_id')).toBe(clientMetadataUrl)
  expect(world.asked('/register')).toEqual([])
})

test.each([
  'http://client.example/x',
  'https://client.example',
  'https://client.example/',
  'https://a:b@client.example/x',
  'https://client.example/x#y',
  'https://client.example/a/../x',
  'x',
])('sec-59: %s is no metadata document', async (clientMetadataUrl) => {
  const world = await start({ issuer: () => ({ client_id_metadata_document_supported: true }) })
  const { person } = world
  const failed = await join_(world, { grant: authorizationCode({ userAgent: person, clientMetadataUrl }) }).catch(
    reasonOf,
  )
  expect([failed, person.pages.length]).toEqual(['no-client', 0])
})

test('sec-58: without any other way the person is asked, and the answer kept', async () => {
  const world = await start({ issuer: () => ({ registration_endpoint: undefined }) })
  let asked = 0
  const ask = async () => {
    asked++
    return { clientId: 'by-hand' }
  }
  const store = createMemoryTokenStore()
  const { person } = world
  const grant = authorizationCode({ userAgent: person, ask })
  await join_(world, { grant, store })
  world.tokens.clear()
  world.refreshTokens.clear()
  await join_(world, { grant, store })
  expect(person.pages.map(({ searchParams }) => searchParams.get('client_id'))).toEqual(['by-hand', 'by-hand'])
  expect(asked).toBe(1)
  const none = authorizationCode({ userAgent: person })
  expect(await join_(world, { grant: none, principal: 'x' }).catch(reasonOf)).toBe('no-client')
})

test('sec-57: a client registered beforehand is not shown to another authorization server', async () => {
  const world = await start()
  const client = { clientId: 'mine', clientSecret: 'secret-of-mine', issuer: 'https://as.example' }
  const { person } = world
  expect(await join_(world, { grant: authorizationCode({ userAgent: person, client }) }).catch(reasonOf)).toBe(
    'no-client',
  )
  expect(await join_(world, { grant: clientCredentials(client) }).catch(reasonOf)).toBe('no-client')
  expect(person.pages).toEqual([])
  expect(JSON.stringify(world.toIssuer)).not.toContain('secret-of-mine')
})

test('sec-61: a refused registration says why', async () => {
  const register = () => ({
    status: 400,
    body: { error: 'invalid_redirect_uri', error_description: 'no loopback\nplease' },
  })
  const world = await start({ register })
  const failed = await join_(world, { grant: authorizationCode({ userAgent: world.person }) }).catch(rootOf)
  expect(authFailureOf(failed)).toEqual({ reason: 'registration-refused', error: 'invalid_redirect_uri' })
  expect((failed as Error).message).toContain('no loopback please')
})

test('a registration that the authorization server has forgotten is made anew', async () => {
  let forgotten = true
  const world = await start({
    token: () => {
      if (!forgotten) return undefined
      forgotten = false
      return { error: 'invalid_client' }
    },
  })
  await join_(world, { grant: authorizationCode({ userAgent: world.person }) })
  expect(world.asked('/register')).toHaveLength(2)
})

test('signing out revokes both tokens and forgets them', async () => {
  const world = await start()
  const { person } = world
  const { createAuthorizer } = await import('../src/auth/client/authorizer.ts')
  const authorizer = createAuthorizer(new URL(world.server), { grant: authorizationCode({ userAgent: person }) })
  const client = await connect(world.server, { auth: authorizer, negotiations: false })
  cleanups.push(() => client.close())
  await authorizer.signOut()
  expect([world.tokens.size, world.refreshTokens.size]).toEqual([0, 0])
  await client.callTool('hello')
  expect(person.pages).toHaveLength(2)
})

test('a token that is refused although it is new ends the attempt', async () => {
  const world = await start({ token: () => ({ access_token: 'secret-access-unknown', token_type: 'Bearer' }) })
  const { person } = world
  expect(await join_(world, { grant: authorizationCode({ userAgent: person }) }).catch(reasonOf)).toBe('token-rejected')
  expect(person.pages).toHaveLength(1)
})

test('a sign-in goes on while somebody waits for it, and ends when nobody does', async () => {
  const world = await start()
  const { person } = world
  const signals: AbortSignal[] = []
  const lost: UserAgent = {
    ...person,
    open: (_page, signal) =>
      new Promise((_, reject) => {
        signals.push(signal)
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        shown.resolve()
      }),
  }
  const shown = deferred()
  const fetchIn = withOAuth(fetch, { server: world.server, grant: authorizationCode({ userAgent: lost }) })
  const [one, other] = [new AbortController(), new AbortController()]
  const calls = [one, other].map(({ signal }) => fetchIn(world.server, { signal }).catch(reasonOf))
  await shown.promise
  one.abort()
  expect(await calls[0]).toBe('cancelled')
  expect(signals[0]!.aborted).toBe(false)
  other.abort()
  expect(await Promise.all(calls)).toEqual(['cancelled', 'cancelled'])
  expect(signals).toHaveLength(1)
})

test('a sign-in that fails fails for all who wait for it, and is not begun again at once', async () => {
  const world = await start({ callback: (params) => params.set('error', 'access_denied') })
  const { person } = world
  const fetchIn = withOAuth(fetch, { server: world.server, grant: authorizationCode({ userAgent: person }) })
  const all = await Promise.all(Array.from({ length: 10 }, () => fetchIn(world.server).catch(reasonOf)))
  expect(new Set(all)).toEqual(new Set(['denied']))
  expect(await fetchIn(world.server).catch(reasonOf)).toBe('denied')
  expect(person.pages).toHaveLength(1)
})

function deferred(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve: () => resolve() }
}
