/** Credentials belong to one issuer, one server and one principal, and nobody takes the room that others need. */

import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { Credentials } from '../src/auth/client/credentials.ts'
import { authFailureOf, plain } from '../src/auth/client/failure.ts'
import { authorizationCode } from '../src/auth/client/grant-code.ts'
import { clientCredentials } from '../src/auth/client/grant-machine.ts'
import { createMemoryTokenStore, type TokenStore } from '../src/auth/client/token-store.ts'
import { homeOf, mayReach } from '../src/auth/network/guarded-target.ts'
import type { NetworkZone } from '../src/auth/network/network-zone.ts'
import { createIntrospector } from '../src/auth/verify/verify-introspection.ts'
import { ReplayMemory } from '../src/auth/verify/verify-replay.ts'
import { connect } from '../src/connect/connect.ts'
import type { ConnectOptions } from '../src/connect/options.ts'
import { createPrincipalMaker } from '../src/serve/bearer/bearer-principal.ts'
import { type Vices, World } from './auth-client-world.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function start(vices?: Vices): Promise<World> {
  const world = await World.start(vices)
  cleanups.push(() => world.stop())
  return world
}

async function call(server: string, auth: ConnectOptions['auth'], more: ConnectOptions = {}): Promise<void> {
  const client = await connect(server, { auth: auth!, negotiations: false, ...more })
  cleanups.push(() => client.close())
  await client.callTool('hello')
}

const SECRET = { clientId: 'me', clientSecret: 'TOPSECRET' }

describe('sec-193, security D5: a client secret goes to the issuer that it belongs to', () => {
  const stores: [string, () => () => TokenStore][] = [
    [
      'one store',
      () => {
        const store = createMemoryTokenStore()
        return () => store
      },
    ],
    ['a store for each server', () => createMemoryTokenStore],
  ]
  const ways = ['client credentials', 'a sign-in'].flatMap((what) =>
    stores.map(([kept, make]) => ({ what, kept, make })),
  )

  test.each(ways)('$what, $kept: another server names another issuer, which learns nothing', async (way) => {
    const [honest, hostile] = [await start(), await start()]
    const client = { ...SECRET }
    const grantOf = (world: World) =>
      way.what === 'client credentials'
        ? clientCredentials(client)
        : authorizationCode({ client, userAgent: world.person })
    const storeOf = way.make()
    await call(honest.server, { grant: grantOf(honest), store: storeOf() })
    const failure = await call(hostile.server, { grant: grantOf(hostile), store: storeOf() }).catch((error) => error)
    expect(authFailureOf(failure.cause ?? failure)?.reason ?? String(failure)).toContain('no-client')
    const sent = JSON.stringify(hostile.toIssuer.map(({ headers, body }) => [headers.authorization, body]))
    expect([sent.includes(btoa('me:TOPSECRET')), sent.includes('TOPSECRET')]).toEqual([false, false])
  })

  test('a store remembers it for clients that are made anew', async () => {
    const [honest, hostile] = [await start(), await start()]
    const store = createMemoryTokenStore()
    await call(honest.server, { grant: clientCredentials({ ...SECRET }), store })
    await expect(call(hostile.server, { grant: clientCredentials({ ...SECRET }), store })).rejects.toThrow()
    expect(hostile.grants('client_credentials')).toEqual([])
  })

  test('an issuer that is named decides', async () => {
    const [first, second] = [await start(), await start()]
    const store = createMemoryTokenStore()
    await call(first.server, { grant: clientCredentials({ ...SECRET }), store })
    await call(second.server, { grant: clientCredentials({ ...SECRET, issuer: second.issuer }), store })
    expect(second.grants('client_credentials')).toHaveLength(1)
  })
})

test('sec-194: what is kept for one issuer, server and principal is found under no other', async () => {
  const place = fc.record({
    principal: fc.constantFrom('', 'a', 'b', 'a","https://h/mcp'),
    server: fc.constantFrom('https://h/mcp', 'https://h/mcp?x', 'https://i/mcp', 'http://h/mcp'),
    issuer: fc.constantFrom('https://as', 'https://as/', 'https://as2', ''),
  })
  type Place = { principal: string; server: string; issuer: string }
  const key = ({ principal, server, issuer }: Place) => JSON.stringify([principal, server, issuer])
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(place, { selector: key, maxLength: 8 }), place, async (kept, asked) => {
      const store = createMemoryTokenStore()
      const of = ({ principal, server }: Place) => new Credentials(store, principal, new URL(server))
      for (const one of kept) {
        await of(one).keepGrant(one.issuer, { accessToken: key(one), type: 'bearer', scopes: [] })
        await of(one).keepRegistration(one.issuer, { clientId: key(one) })
      }
      const expected = kept.some((one) => key(one) === key(asked)) ? key(asked) : undefined
      expect((await of(asked).grant(asked.issuer))?.accessToken).toBe(expected)
      expect((await of(asked).registration(asked.issuer))?.clientId).toBe(expected)
    }),
  )
})

describe('sec-55, sec-195, security D13: a server that says nothing about who issues its tokens', () => {
  async function visit(options: ConnectOptions, metadata?: object): Promise<{ paths: string[]; reason: unknown }> {
    const world = await start()
    const paths: string[] = []
    const origin = await world.listen((req, res) => {
      paths.push(req.url ?? '')
      if (req.url === '/mcp') res.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
      else if (metadata !== undefined && req.url === '/.well-known/oauth-authorization-server') {
        res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ issuer: origin, ...metadata }))
      } else res.writeHead(404).end()
    })
    const grant = authorizationCode({ userAgent: world.person })
    const failure = await call(`${origin}/mcp`, { grant }, options).catch((error) => error)
    return { paths, reason: authFailureOf(failure.cause ?? failure)?.reason }
  }

  test.each<[ConnectOptions['versions'], boolean]>([
    ['2026-07-28', false],
    [['2026-07-28', '2025-11-25'], false],
    ['2025-06-18', false],
    ['2025-03-26', true],
    [['2026-07-28', '2025-03-26'], true],
    [undefined, true],
  ])('versions %j: the fixed paths of its origin are used: %s', async (versions, used) => {
    const { paths, reason } = await visit(versions === undefined ? {} : { versions })
    expect(paths.includes('/register')).toBe(used)
    if (!used) expect(reason).toBe('no-metadata')
  })

  test('metadata that says nothing of PKCE does not do (sec-77)', async () => {
    const endpoints = { authorization_endpoint: 'http://127.0.0.1:1/a', token_endpoint: 'http://127.0.0.1:1/t' }
    expect((await visit({ versions: '2025-03-26' }, endpoints)).reason).toBe('pkce-unsupported')
  })
})

describe('sec-196, security D12: tokens that are made up', () => {
  const rules = {
    claims: {
      issuers: new Set(['https://as']),
      defaultIssuer: 'https://as',
      isAudience: () => true,
      clockToleranceSeconds: 5,
      expiryRequired: false,
    },
    allowHttp: false,
    timeoutMs: 5000,
    maxBytes: 10_000,
    maxPending: 8,
  }

  function open() {
    const asked: string[] = []
    const waiting: (() => void)[] = []
    const state = { hold: false }
    const fetch = async (_url: unknown, init?: { body?: unknown }) => {
      const token = new URLSearchParams(String(init?.body)).get('token') ?? ''
      asked.push(token)
      if (state.hold) await new Promise<void>((resolve) => waiting.push(resolve))
      const sub = token === 'good' ? 'alice' : /^good of (\w+)/.exec(token)?.[1]
      return Response.json(sub === undefined ? { active: false } : { active: true, sub, aud: 'x' })
    }
    const options = { endpoint: 'https://as/introspect' }
    return { asked, waiting, state, verify: createIntrospector(options, { ...rules, fetch: fetch as never }) }
  }

  test('the same one is asked about once', async () => {
    const { asked, verify } = open()
    for (let at = 0; at < 5; at++) expect(await verify('bogus')).toMatchObject({ fault: 'invalid' })
    expect(asked).toEqual(['bogus'])
  })

  test('leave room for a token that was good before', async () => {
    const { state, waiting, verify } = open()
    expect(await verify('good')).toMatchObject({ subject: 'alice' })
    state.hold = true
    const flood = Array.from({ length: 50 }, (_, at) => verify(`bogus ${at}`))
    await expect.poll(() => waiting.length).toBe(4)
    const good = verify('good')
    await expect.poll(() => waiting.length).toBe(5)
    state.hold = false
    for (const release of waiting) release()
    expect(await good).toMatchObject({ subject: 'alice' })
    const outcomes = await Promise.all(flood)
    expect(outcomes.filter((outcome) => 'fault' in outcome && outcome.fault === 'unavailable')).toHaveLength(46)
  })

  test('sec-273: however many tokens strangers make up and one principal has, another is asked about', async () => {
    const steps = fc.array(fc.constantFrom('bogus', 'good of eve'), { minLength: 1, maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(steps, async (kinds) => {
        const { state, waiting, verify } = open()
        expect(await verify('good')).toMatchObject({ subject: 'alice' })
        for (const at of kinds.keys()) await verify(`good of eve ${at}`)
        state.hold = true
        const flood = kinds.map((kind, at) => verify(`${kind} ${at}`))
        const good = verify('good')
        state.hold = false
        for (const release of waiting) release()
        expect(await good).toMatchObject({ subject: 'alice' })
        await Promise.all(flood)
      }),
      // One principal up to the last place, and a stranger who wants that one.
      { numRuns: 20, examples: [[[...Array<'good of eve'>(7).fill('good of eve'), 'bogus']]] },
    )
  })
})

test('sec-197, security D16: however many keys one principal has, others can present proofs', () => {
  fc.assert(
    fc.property(fc.integer({ min: 10, max: 200 }), fc.integer({ min: 1, max: 400 }), (max, tries) => {
      const memory = new ReplayMemory({ keepMs: 1000, max, maxPerOwner: max })
      for (let at = 0; at < tries; at++) memory.remember('greedy', `key ${at}`, 'x', 0)
      for (const other of ['a', 'b']) expect(memory.remember(other, `key of ${other}`, 'x', 0)).toBe('new')
      expect(memory.size).toBeLessThanOrEqual(max)
    }),
  )
})

test('sec-192, security D25: a client that acts for itself is no user of the same name', () => {
  const make = createPrincipalMaker({ options: {} } as never, {} as never)
  const base = { issuer: 'https://as', scopes: [], claims: {}, expiresAt: undefined, binding: undefined }
  const user = make({ ...base, subject: 'robot', clientId: 'app' } as never)
  const client = make({ ...base, subject: 'robot', clientId: 'robot' } as never)
  const other = make({ ...base, subject: undefined, clientId: 'robot' } as never)
  expect(user.id).toBe('https://as robot')
  expect(client.id).toBe(other.id)
  expect(client.id).not.toBe(user.id)
})

const ZONES: readonly NetworkZone[] = ['public', 'private', 'link-local', 'loopback', 'reserved']

test('sec-92, sec-198, security D26: a host with addresses in several zones is at home in none', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...ZONES), { minLength: 1, maxLength: 4 }),
      fc.constantFrom(...ZONES),
      (all, to) => {
        const alike = all.every((zone) => zone === to)
        expect(mayReach(to, homeOf(all))).toBe(to === 'public' || (alike && to !== 'reserved'))
      },
    ),
  )
})

test('sec-199, security D31: text of strangers turns nothing around and hides nothing', () => {
  const unseen = [
    0x202e, 0x202d, 0x2066, 0x2069, 0x200b, 0x200e, 0x061c, 0xfeff, 0x00ad, 0x2028, 0x3164, 0xfe0f, 0xe0041, 0x1b, 0x9b,
  ]
  for (const code of unseen) expect(plain(`a${String.fromCodePoint(code)}b`)).toBe('a b')
  expect(plain('Größe 漢字 שלום 😀')).toBe('Größe 漢字 שלום 😀')
})
