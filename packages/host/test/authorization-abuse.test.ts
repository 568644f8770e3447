/** The embedded authorization server in the hands of strangers: floods, borrowed names, guesses, curiosity. */

import { spawnSync } from 'node:child_process'
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { GuessLimit } from '../src/authorization-server/guess-limit.ts'
import { createMemoryStore } from '../src/authorization-server/memory-store.ts'
import { RateLimit } from '../src/authorization-server/rate-limit.ts'
import { toSource } from '../src/authorization-server/request-gate.ts'
import { createAuthorizationServer } from '../src/authorization-server/server.ts'
import { Users } from '../src/authorization-server/users.ts'
import { authorizationUrl, issuer, REDIRECT, RESOURCE, register, signIn, start } from './authorization-world.ts'
import { Browser } from './browser.ts'

/** With headers that `fetch` would not let through. */
function ask(
  path: string,
  headers: { [name: string]: string },
  method = 'GET',
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, issuer), { method, headers }, async (answer) => {
      let text = ''
      for await (const chunk of answer) text += chunk
      resolve({ status: answer.statusCode ?? 0, text })
    })
    sent.on('error', reject).end(method === 'POST' ? '{}' : undefined)
  })
}

const PATHS = [
  '/.well-known/oauth-authorization-server',
  '/reg',
  '/auth?x=1',
  '/token',
  '/jwks',
  '/interaction/x',
  '/me',
]

describe('sec-188, security D10: requests for another host', () => {
  it.each(PATHS)("%s is not answered under a name that is not the issuer's", async (path) => {
    await start()
    const { port } = new URL(issuer)
    const hosts = ['evil.example', `evil.example:${port}`, `localhost:${port}`]
    for (const host of hosts) expect((await ask(path, { host })).status).toBe(421)
  })

  it("a forwarded host is believed only where a proxy is trusted, and must be the issuer's there, too", async () => {
    await start()
    const [path = ''] = PATHS
    const untrusted = await ask(path, { 'x-forwarded-host': 'evil.example' })
    expect([untrusted.status, untrusted.text.includes('evil')]).toEqual([200, false])
  })

  it('a trusted proxy that forwards another host is refused', async () => {
    await start({ trustProxy: true })
    expect((await ask(PATHS[0] ?? '', { 'x-forwarded-host': 'evil.example' })).status).toBe(421)
    expect((await ask(PATHS[0] ?? '', { 'x-forwarded-host': new URL(issuer).host })).status).toBe(200)
  })
})

/** As it stands in the request line: `URL` would make it canonical. */
function statusOf(target: string, method: string): Promise<number> {
  const { hostname, port, host } = new URL(issuer)
  return new Promise((resolve, reject) => {
    const headers = { host, 'content-type': 'application/json' }
    const sent = request({ hostname, port, path: target, method, headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
    })
    sent.on('error', reject).end(method === 'POST' ? '{}' : undefined)
  })
}

describe('sec-291: a path has one spelling', () => {
  const LIMITED = [
    ['/reg', 'POST', 400],
    ['/auth', 'GET', 400],
    ['/request', 'POST', 400],
  ] as const
  const spellings = (path: string): string[] => [
    path.toUpperCase(),
    `${path}/`,
    `/${path}`,
    `/.${path}`,
    `/x/..${path}`,
    `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`,
    `${path}%20`,
    `${path};x=1`,
    `${path}%3Fx`,
    `${path}#x`,
    `${issuer}${path}`,
    `${issuer}${path.toUpperCase()}/`,
  ]

  it.each(LIMITED)('nothing that a limit counts is reached past it: %s', async (path, method, answered) => {
    await start()
    expect(await statusOf(path, method)).toBe(answered)
    expect(await statusOf(`${path}?x=1`, method)).toBe(answered)
    for (const spelled of spellings(path)) {
      expect([spelled, await statusOf(spelled, method)]).toEqual([spelled, 404])
    }
  })

  it('one source makes no client of another go, not even of one that has made many', async () => {
    let source = 'ada'
    const clients = createMemoryStore({ maxEntries: 40, source: () => source })('Client')
    const kept = async (): Promise<string[]> => {
      const ids = Array.from({ length: 25 }, (_, at) => `hers ${at}`)
      const found = await Promise.all(ids.map((id) => clients.find(id)))
      return ids.filter((_, at) => found[at] !== undefined)
    }
    for (let at = 0; at < 25; at++) await clients.upsert(`hers ${at}`, {}, 0)
    const before = await kept()
    expect(before).toContain('hers 24')
    source = 'eve'
    for (let at = 0; at < 200; at++) await clients.upsert(`eve ${at}`, {}, 0)
    expect(await kept()).toEqual(before)
  })
})

describe('sec-187, security D9: registration', () => {
  it('is limited per source: the 61st within a minute waits', async () => {
    await start()
    const statuses = new Map<number, number>()
    for (let batch = 0; batch < 7; batch++) {
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => ask('/reg', { 'content-type': 'application/json' }, 'POST')),
      )
      for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    expect(Object.fromEntries(statuses)).toEqual({ 400: 60, 429: 10 })
  })

  it.each([
    ['a name of 200 characters', { client_name: 'x'.repeat(200) }, true],
    ['a name of 201 characters', { client_name: 'x'.repeat(201) }, false],
    ['20 redirects', { redirect_uris: Array.from({ length: 20 }, (_, at) => `${REDIRECT}/${at}`) }, true],
    ['21 redirects', { redirect_uris: Array.from({ length: 21 }, (_, at) => `${REDIRECT}/${at}`) }, false],
    ['a redirect of 20 kB', { redirect_uris: [`${REDIRECT}?${'x'.repeat(20_000)}`] }, false],
    ['contacts without end', { contacts: Array.from({ length: 2000 }, (_, at) => `a${at}@example.com`) }, false],
  ])('with %s is taken: %#', async (_, metadata, taken) => {
    await start()
    expect('client_id' in (await register(metadata))).toBe(taken)
  })

  it("never makes a client go that somebody has allowed, nor a signed-in person's things for a stranger's", async () => {
    const store = createMemoryStore({ maxEntries: 10 })
    const [clients, grants, sessions] = [store('Client'), store('Grant'), store('Session')]
    await clients.upsert('used', { clientId: 'used' }, 0)
    await grants.upsert('g', { clientId: 'used', accountId: 'alice' }, 60)
    await sessions.upsert('hers', { accountId: 'alice' }, 60)
    for (let at = 0; at < 100; at++) {
      await clients.upsert(`stranger ${at}`, { clientId: `stranger ${at}` }, 0)
      await sessions.upsert(`stranger ${at}`, {}, 60)
    }
    expect(await clients.find('used')).toBeDefined()
    expect(await sessions.find('hers')).toBeDefined()
    expect([await clients.find('stranger 0'), await clients.find('stranger 99')]).toEqual([
      undefined,
      expect.anything(),
    ])
  })

  it('is refused when all that there is room for is in use', async () => {
    const store = createMemoryStore({ maxEntries: 2 })
    for (const id of ['a', 'b']) {
      await store('Client').upsert(id, { clientId: id }, 0)
      await store('Grant').upsert(`g ${id}`, { clientId: id, accountId: 'alice' }, 60)
    }
    await expect(store('Client').upsert('c', { clientId: 'c' }, 0)).rejects.toThrow('as much as it may')
  })
})

describe('sec-189, security D22: codes over the network without TLS', () => {
  it.each([
    ['http://evil.example/cb', false],
    ['http://10.0.0.1/cb', false],
    ['http://127.0.0.1.evil.example/cb', false],
    ['http://localhost.evil.example/cb', false],
    ['https://user@client.example/cb', false],
    ['https://client.example/cb', true],
    ['http://127.0.0.1:7777/cb', true],
    ['http://[::1]:7777/cb', true],
    ['http://localhost/cb', true],
  ])('%s may be registered: %s', async (uri, taken) => {
    await start()
    for (const application_type of ['web', ...(uri.startsWith('https') ? [] : ['native'])]) {
      expect('client_id' in (await register({ redirect_uris: [uri], application_type }))).toBe(taken)
    }
    const logout = { post_logout_redirect_uris: [uri], application_type: 'web' }
    expect('client_id' in (await register({ redirect_uris: ['https://c.example/cb'], ...logout }))).toBe(taken)
  })

  it('nor may be configured', () => {
    const client = { client_id: 'c', redirect_uris: ['http://intranet.example/cb'] }
    const options = { issuer, resources: [RESOURCE], password: 'open sesame', clients: [client] }
    expect(() => createAuthorizationServer(options)).toThrow('c: redirect_uris must be https')
  })
})

describe('sec-190, security D23: guessing passwords', () => {
  it('attack 8: sec-252: is limited per name and source, and only slow for a name from everywhere', () => {
    const limit = new GuessLimit(['alice'])
    for (let at = 0; at < 5; at++) expect(limit.take('alice', 's', 0)).toBe(0)
    expect(limit.take('alice', 's', 0)).toBeUndefined()
    expect(limit.take('alice', 'another', 0)).toBe(0)
    expect(limit.take('alice', 's', 60_000)).toBe(0)
  })

  it('attack 8: sec-252: many guesses for one name slow it down, and no other names make it forget', () => {
    const limit = new GuessLimit(['alice'])
    for (let at = 0; at < 100; at++) expect(limit.take('alice', `s${at}`, 0)).toBe(0)
    for (let at = 0; at < 20_000; at++) limit.take(`name ${at}`, `t${at}`, 0)
    expect(limit.take('alice', 'another', 0)).toBeGreaterThan(0)
    expect(limit.take('alice', 'another', 60_000)).toBe(0)
  })

  it('is limited per source, whatever names it tries; what was right does not count', () => {
    const limit = new GuessLimit(['alice'])
    for (let at = 0; at < 30; at++) {
      expect(limit.take('alice', 's', 0)).toBe(0)
      limit.giveBack('alice', 's')
    }
    for (let at = 0; at < 20; at++) expect(limit.take(`name ${at}`, 's', 0)).toBe(0)
    expect([limit.take('alice', 's', 0), limit.take('alice', 'other', 0)]).toEqual([undefined, 0])
  })

  it('attack 8: sec-252: whoever knows the password gets in from elsewhere, however many guess', async () => {
    const users = new Users({ alice: 'correct horse' })
    for (let at = 0; at < 5; at++) expect(await users.signIn('alice', 'x', 's')).toBe('wrong')
    expect(await users.signIn('alice', 'correct horse', 's')).toBe('too-often')
    expect(await users.signIn('alice', 'correct horse', 'home')).toBe('ok')
  })

  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::6', '2001:db8:1:2'],
    ['2001:db8::6', '2001:db8:0:0'],
  ])('%s counts as %s', (address, source) => expect(toSource(address)).toBe(source))

  it.each([1, 4, 5, 6])('a limit of 5 lets through of %i what it may', (tries) => {
    const limit = new RateLimit(5)
    const taken = Array.from({ length: tries }, () => limit.take('k', 0)).filter(Boolean)
    expect(taken).toHaveLength(Math.min(tries, 5))
    expect(limit.take('other', 0)).toBe(true)
  })
})

describe('sec-191, security D24: who may ask what a token says', () => {
  const resourceServer = {
    client_id: 'rs',
    client_secret: 'of the resource',
    grant_types: [],
    redirect_uris: [],
    response_types: [],
  }
  const webApp = { client_id: 'web', client_secret: 'of the web app', redirect_uris: ['https://web.example/cb'] }

  async function introspect(token: string, id: unknown, secret: unknown): Promise<unknown> {
    const body = new URLSearchParams({ token, client_id: String(id), client_secret: String(secret) })
    const response = await fetch(`${issuer}/token/introspection`, { method: 'POST', body })
    return ((await response.json()) as { active?: boolean }).active
  }

  it('a configured resource server; not a stranger with a secret, nor another application', async () => {
    const post = { token_endpoint_auth_method: 'client_secret_post' }
    await start({
      tokenFormat: 'opaque',
      clients: [
        { ...resourceServer, ...post },
        { ...webApp, ...post },
      ],
    })
    const { access_token: token } = await signIn()
    const stranger = await register({ ...post, grant_types: ['authorization_code'] })
    expect(await introspect(token, 'rs', 'of the resource')).toBe(true)
    expect(await introspect(token, 'web', 'of the web app')).toBe(false)
    expect(await introspect(token, stranger.client_id, stranger.client_secret)).toBe(false)
  })
})

describe('sec-277: codes without a question', () => {
  const HTTPS = 'https://client.example/cb'
  const SCHEME = 'com.example.app:/cb'

  it.each([
    { kind: 'web', redirect: REDIRECT, asked: true },
    { kind: 'web', redirect: 'http://localhost:7777/cb', asked: true },
    { kind: 'web', redirect: 'http://[::1]:7777/cb', asked: true },
    { kind: 'web', redirect: 'https://127.0.0.1:7777/cb', asked: true },
    { kind: undefined, redirect: REDIRECT, asked: true },
    { kind: 'native', redirect: REDIRECT, asked: true },
    { kind: 'native', redirect: SCHEME, asked: true },
    { kind: 'web', redirect: HTTPS, asked: false },
  ])('a $kind client at $redirect is asked about each time: $asked', async ({ kind, redirect, asked }) => {
    await start()
    const { client_id: id } = await register({ redirect_uris: [redirect], application_type: kind })
    const browser = new Browser()
    const open = (extra = {}) => browser.open(authorizationUrl(id, { redirect_uri: redirect, ...extra }).url)
    let page = await open()
    page = await browser.submit(page, { name: 'alice', password: 'correct horse', decision: 'login' })
    page = await browser.submit(page, { decision: 'allow' })
    expect(new URL(page.url).searchParams.get('code')).not.toBeNull()
    // Another program on this machine begins with the same client's name.
    const again = await open()
    expect(again.html.includes('Allow access?')).toBe(asked)
    const silent = new URL((await open({ prompt: 'none' })).url)
    expect(silent.searchParams.get('error')).toBe(asked ? 'interaction_required' : null)
  })
})

describe('sec-192, security D25: a client is never a user', () => {
  it.each([
    ['users', { users: { alice: 'correct horse' } }, 'alice'],
    ['the only user', { password: 'open sesame' }, 'owner'],
  ])('a client called like one of %s is no definition', (_, people, id) => {
    const clients = [{ client_id: id, redirect_uris: [REDIRECT] }]
    const options = { issuer, resources: [RESOURCE], ...people, clients }
    expect(() => createAuthorizationServer(options)).toThrow('is both a client and a user')
  })
})

it('newcomer B17: says nothing about the runtime where it is loaded', () => {
  const door = new URL('../src/doors/authorization-server.ts', import.meta.url).href
  const words = ['--conditions=portico-source', '--import=tsx', '--input-type=module', '-e', `import '${door}'`]
  const { stderr, status } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
})
