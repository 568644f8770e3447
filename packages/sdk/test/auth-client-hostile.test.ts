/** Servers and authorization servers that mean harm: what they get is an error here, and nothing else. */

import { inspect } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { authFailureOf } from '../src/auth/client/failure.ts'
import { authorizationCode } from '../src/auth/client/grant-code.ts'
import { createMemoryTokenStore } from '../src/auth/client/token-store.ts'
import type { UserAgent } from '../src/auth/user-agent/user-agent.ts'
import { connect } from '../src/connect/connect.ts'
import { type Vices, World } from './auth-client-world.ts'

const worlds: World[] = []
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.stop()
})

async function start(vices: Vices): Promise<World> {
  const world = await World.start(vices)
  worlds.push(world)
  return world
}

async function failureOf(world: World, userAgent: UserAgent): Promise<Error> {
  const auth = { grant: authorizationCode({ userAgent }) }
  const client = await connect(world.server, { auth, negotiations: false }).catch((error: Error) => error)
  if (client instanceof Error) return client
  await client.close()
  throw new Error('the client has connected')
}

interface Case {
  readonly title: string
  readonly vices: (canary: string) => Vices
  readonly reason: string
  /** How far it may get: whether a page may be shown, whether a code may be sent. */
  readonly shown?: boolean
  readonly redeemed?: boolean
}

const param = (name: string, value: string) => ({ callback: (params: URLSearchParams) => params.set(name, value) })
const without = (name: string) => ({ callback: (params: URLSearchParams) => params.delete(name) })

const cases: readonly Case[] = [
  {
    title: 'sec-77: no word of PKCE',
    reason: 'pkce-unsupported',
    vices: () => ({ issuer: () => ({ code_challenge_methods_supported: undefined }) }),
  },
  {
    title: 'sec-77: PKCE without S256',
    reason: 'pkce-unsupported',
    vices: () => ({ issuer: () => ({ code_challenge_methods_supported: ['plain'] }) }),
  },
  {
    title: 'sec-77: PKCE in the wrong shape',
    reason: 'pkce-unsupported',
    vices: () => ({ issuer: () => ({ code_challenge_methods_supported: 'S256' }) }),
  },
  {
    title: 'sec-56: metadata of another issuer',
    reason: 'issuer-mismatch',
    vices: () => ({ issuer: () => ({ issuer: 'https://honest.example' }) }),
  },
  {
    title: 'sec-56: a trailing slash',
    reason: 'issuer-mismatch',
    vices: () => ({ issuer: (issuer) => ({ issuer: `${issuer}/` }) }),
  },
  {
    title: 'sec-62: metadata of another resource',
    reason: 'resource-mismatch',
    vices: () => ({ resource: () => ({ resource: 'https://honest.example/mcp' }) }),
  },
  { title: 'sec-74: iss announced and missing', reason: 'response-refused', shown: true, vices: () => without('iss') },
  {
    title: 'sec-74: iss of another',
    reason: 'response-refused',
    shown: true,
    vices: () => param('iss', 'https://evil.example'),
  },
  {
    title: 'sec-74: iss of another, not announced',
    reason: 'response-refused',
    shown: true,
    vices: () => ({
      ...param('iss', 'https://evil.example'),
      issuer: () => ({ authorization_response_iss_parameter_supported: undefined }),
    }),
  },
  {
    title: 'sec-74: an empty iss, not announced',
    reason: 'response-refused',
    shown: true,
    vices: () => ({ ...param('iss', ''), issuer: () => ({ authorization_response_iss_parameter_supported: false }) }),
  },
  {
    title: 'sec-74: two of iss',
    reason: 'response-refused',
    shown: true,
    vices: () => ({ callback: (params) => params.append('iss', 'https://evil.example') }),
  },
  { title: 'sec-78: the wrong state', reason: 'response-refused', shown: true, vices: () => param('state', 'other') },
  { title: 'sec-78: no state', reason: 'response-refused', shown: true, vices: () => without('state') },
  {
    title: 'a code in duplicate',
    reason: 'token-refused',
    shown: true,
    vices: () => ({ callback: (params) => params.append('code', 'x') }),
  },
  { title: 'no code', reason: 'token-refused', shown: true, vices: () => without('code') },
  {
    title: 'sec-96: a page that is a script',
    reason: 'insecure-url',
    vices: () => ({ issuer: () => ({ authorization_endpoint: 'javascript:alert(1)//https://' }) }),
  },
  {
    title: 'sec-96: a page that is data',
    reason: 'insecure-url',
    vices: () => ({ issuer: () => ({ authorization_endpoint: 'data:text/html,x' }) }),
  },
  {
    title: 'sec-96: a page that is a file',
    reason: 'insecure-url',
    vices: () => ({ issuer: () => ({ authorization_endpoint: 'file:///etc/passwd' }) }),
  },
  {
    title: 'sec-96: a page in another program',
    reason: 'insecure-url',
    vices: () => ({ issuer: () => ({ authorization_endpoint: 'ms-msdt:/id' }) }),
  },
  {
    title: 'sec-96: a page without TLS',
    reason: 'insecure-url',
    vices: () => ({ issuer: () => ({ authorization_endpoint: 'http://as.example/authorize' }) }),
  },
  {
    title: 'sec-96: a page with a password',
    reason: 'insecure-url',
    vices: () => ({ issuer: () => ({ authorization_endpoint: 'https://a:b@as.example/' }) }),
  },
  {
    title: 'sec-96: no page',
    reason: 'insecure-url',
    vices: () => ({ issuer: () => ({ authorization_endpoint: undefined }) }),
  },
  {
    title: 'sec-80: a token endpoint without TLS',
    reason: 'insecure-url',
    shown: true,
    vices: () => ({ issuer: () => ({ token_endpoint: 'http://as.example/token' }) }),
  },
  {
    title: 'sec-80: a registration endpoint without TLS',
    reason: 'insecure-url',
    vices: () => ({ issuer: () => ({ registration_endpoint: 'http://as.example/register' }) }),
  },
  {
    title: 'sec-92: a token endpoint inward',
    reason: 'blocked-target',
    shown: true,
    vices: () => ({ issuer: () => ({ token_endpoint: 'https://169.254.169.254/token' }) }),
  },
  {
    title: 'sec-92: an issuer inward',
    reason: 'blocked-target',
    vices: () => ({ resource: () => ({ authorization_servers: ['https://10.0.0.1'] }) }),
  },
  {
    title: 'sec-92: metadata inward',
    reason: 'blocked-target',
    vices: () => ({ challenge: () => 'Bearer resource_metadata="https://192.168.0.1/x"' }),
  },
  {
    title: 'metadata that is no address',
    reason: 'no-metadata',
    vices: () => ({ challenge: () => 'Bearer resource_metadata="::"' }),
  },
  {
    title: 'metadata in a file',
    reason: 'insecure-url',
    vices: () => ({ challenge: () => 'Bearer resource_metadata="file:///etc/passwd"' }),
  },
  {
    title: 'sec-92: a redirect elsewhere',
    reason: 'blocked-target',
    vices: (canary) => ({ challenge: () => `Bearer resource_metadata="${canary}/away"` }),
  },
  {
    title: 'sec-92: a redirect in a circle',
    reason: 'blocked-target',
    vices: (canary) => ({ challenge: () => `Bearer resource_metadata="${canary}/circle"` }),
  },
  {
    title: 'sec-92: a document without end',
    reason: 'blocked-target',
    vices: (canary) => ({ challenge: () => `Bearer resource_metadata="${canary}/endless"` }),
  },
  {
    title: 'a token of an unknown type',
    reason: 'token-refused',
    shown: true,
    redeemed: true,
    vices: () => ({ token: () => ({ access_token: 'secret-access-1', token_type: 'mac' }) }),
  },
  {
    title: 'a token that is bound to nothing of ours',
    reason: 'token-refused',
    shown: true,
    redeemed: true,
    vices: () => ({ token: () => ({ access_token: 'secret-access-1', token_type: 'DPoP' }) }),
  },
  {
    title: 'a token with a line break',
    reason: 'token-refused',
    shown: true,
    redeemed: true,
    vices: () => ({ token: () => ({ access_token: 'secret-access-1\r\nx: y', token_type: 'Bearer' }) }),
  },
  {
    title: 'a token that is no text',
    reason: 'token-refused',
    shown: true,
    redeemed: true,
    vices: () => ({
      token: () => ({ access_token: { a: 1 }, token_type: 'Bearer', refresh_token: 'secret-refresh-1' }),
    }),
  },
]

test.each(cases)('$title: $reason', async ({ vices, reason, shown = false, redeemed = false }) => {
  const strays: string[] = []
  const host = new World()
  worlds.push(host)
  const beyond = await host.listen((req, res) => {
    strays.push(req.url ?? '')
    res.end('{}')
  })
  const canary = await host.listen((req, res) => {
    if (req.url === '/away') res.writeHead(302, { location: `${beyond}/taken` }).end()
    else if (req.url === '/circle') res.writeHead(302, { location: '/circle' }).end()
    else res.end('x'.repeat(2_000_000))
  })
  const world = await start(vices(canary))
  const { person } = world
  const error = await failureOf(world, person)
  expect(authFailureOf(error)?.reason).toBe(reason)
  expect(person.pages.length > 0).toBe(shown)
  expect(world.grants('authorization_code').length > 0).toBe(redeemed)
  expect(strays).toEqual([])
  // Neither token nor code may be read from what is thrown.
  const told = inspect(error, { depth: 10, showHidden: true })
  expect(told).not.toMatch(/secret-|code_verifier|Authorization/)
})

test('sec-74: what came with a wrong issuer is not shown', async () => {
  const world = await start({
    callback: (params) => {
      params.set('iss', 'https://evil.example')
      params.set('error', 'access_denied')
      params.set('error_description', 'call this number')
      params.set('error_uri', 'https://evil.example/help')
    },
  })
  const told = inspect(await failureOf(world, world.person), { depth: 10 })
  expect(told).not.toMatch(/access_denied|call this number|evil\.example/)
})

test('sec-78: an answer of an earlier sign-in is worth nothing', async () => {
  const world = await start({})
  const { person } = world
  let first: URLSearchParams | undefined
  const replaying: UserAgent = {
    ...person,
    async open(page, signal) {
      first ??= await person.open(page, signal)
      return first
    },
  }
  const store = createMemoryTokenStore()
  const auth = { grant: authorizationCode({ userAgent: replaying }), store }
  await (await connect(world.server, { auth, negotiations: false })).close()
  world.tokens.clear()
  world.refreshTokens.clear()
  const again = await connect(world.server, { auth, negotiations: false }).catch((error: unknown) => error)
  expect(authFailureOf(again)?.reason).toBe('response-refused')
  expect(world.grants('authorization_code')).toHaveLength(1)
})

test('sec-79: a redirect URI that is neither https nor on this machine is not used', async () => {
  const world = await start({})
  for (const uri of [
    'http://evil.example/cb',
    'http://127.0.0.1@evil.example/',
    'http://localhost.evil.example/',
    'javascript:x',
    'x',
  ]) {
    const error = await failureOf(world, { ...world.person, redirectUri: () => uri })
    expect([uri, authFailureOf(error)?.reason]).toEqual([uri, 'insecure-url'])
  }
  expect(world.asked('/register')).toEqual([])
})

test('a refusal that asks for something else than a token is left as it is', async () => {
  const world = await start({ challenge: () => 'Basic realm="x"' })
  const { person } = world
  const error = await failureOf(world, person)
  expect(error).toMatchObject({ code: 'http-status', data: { status: 401 } })
  expect(person.pages).toEqual([])
})
