/** The embedded authorization server against OAuth's security best practice (RFC 9700 and OAuth 2.1), row by row. */

import { decodeJwt } from 'jose'
import { expect, it } from 'vitest'
import { createConfiguration } from '../src/authorization-server/configuration.ts'
import { Users } from '../src/authorization-server/users.ts'
import {
  authorizationUrl,
  goThrough,
  issuer,
  REDIRECT,
  RESOURCE,
  register,
  signIn,
  start,
  token,
} from './authorization-world.ts'
import { Browser } from './browser.ts'

const LOGIN = { name: 'alice', password: 'correct horse', decision: 'login' }

/** The answer itself, wherever it leads. */
function ask(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { redirect: 'manual', ...init })
}

async function metadata(): Promise<{ [name: string]: unknown }> {
  const response = await fetch(`${issuer}/.well-known/oauth-authorization-server`)
  // A document of this form is what the endpoint is for.
  return (await response.json()) as { [name: string]: unknown }
}

async function getCode(client: string, extra: { [name: string]: string | undefined } = {}) {
  const { url, verifier } = authorizationUrl(client, extra)
  const answer = await goThrough(new Browser(), url)
  const code = answer.searchParams.get('code') ?? ''
  const redeem = { grant_type: 'authorization_code', code, client_id: client, redirect_uri: REDIRECT }
  return { answer, redeem: { ...redeem, code_verifier: verifier, resource: RESOURCE } }
}

async function errorOf(extra: { [name: string]: string | undefined }): Promise<string | null> {
  const { client_id: client } = await register()
  const page = await new Browser().open(authorizationUrl(client, extra).url)
  const { search, hash } = new URL(page.url)
  return new URLSearchParams(search || hash.slice(1)).get('error')
}

const ROWS: [source: string, rule: string, check: () => Promise<void>][] = [
  [
    'RFC 9700, 2.1.1',
    'PKCE is required',
    async () => {
      expect(await errorOf({ code_challenge: undefined, code_challenge_method: undefined })).toBe('invalid_request')
    },
  ],
  [
    'RFC 9700, 2.1.1',
    'PKCE is S256 alone, and said to be',
    async () => {
      expect(await errorOf({ code_challenge_method: 'plain' })).toBe('invalid_request')
      expect((await metadata()).code_challenge_methods_supported).toEqual(['S256'])
    },
  ],
  [
    'RFC 9700, 4.8.2',
    'PKCE is not left out half-way',
    async () => {
      const { redeem } = await getCode((await register()).client_id)
      const { code_verifier: _, ...without } = redeem
      expect((await token(without)).error).toBe('invalid_grant')
    },
  ],
  [
    'RFC 9700, 2.1.2',
    'no implicit grant',
    async () => {
      expect(await errorOf({ response_type: 'token' })).toBe('unsupported_response_type')
      expect((await metadata()).response_types_supported).toEqual(['code'])
    },
  ],
  [
    'RFC 9700, 2.4',
    'no password grant',
    async () => {
      const { client_id: client } = await register()
      const asked = { grant_type: 'password', username: 'alice', password: 'correct horse', client_id: client }
      expect((await token(asked)).error).toBe('unsupported_grant_type')
    },
  ],
  [
    'RFC 9700, 2.1',
    'redirects are compared letter by letter',
    async () => {
      const { client_id: client } = await register()
      for (const uri of [`${REDIRECT}/`, `${REDIRECT}?x`, `${REDIRECT}#x`, REDIRECT.replace('callback', 'Callback')]) {
        const answer = await ask(authorizationUrl(client, { redirect_uri: uri }).url)
        expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
      }
    },
  ],
  [
    'RFC 8252, 7.3',
    'but the port of a native client on loopback may be any',
    async () => {
      const { client_id: client } = await register()
      const other = authorizationUrl(client, { redirect_uri: REDIRECT.replace('7777', '8888') })
      expect((await ask(other.url)).status).toBe(303)
    },
  ],
  [
    'RFC 6749, 4.1.2.1',
    'an unknown client is not sent anywhere',
    async () => {
      const answer = await ask(authorizationUrl('nobody').url)
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
    },
  ],
  [
    'RFC 6749, 3.1',
    'no parameter twice',
    async () => {
      const { client_id: client } = await register()
      const answer = await ask(`${authorizationUrl(client).url}&redirect_uri=https%3A%2F%2Fevil.example%2F`)
      const { origin, searchParams } = new URL(answer.headers.get('location') ?? '')
      expect([origin, searchParams.get('error')]).toEqual([new URL(REDIRECT).origin, 'invalid_request'])
    },
  ],
  [
    'RFC 9700, 4.11',
    'no open redirect after signing out',
    async () => {
      const answer = await ask(`${issuer}/session/end?post_logout_redirect_uri=https%3A%2F%2Fevil.example%2F`)
      expect([answer.headers.get('location'), (await answer.text()).includes('evil')]).toEqual([null, false])
    },
  ],
  [
    'RFC 6749, 4.1.2',
    'a code is used once; used again, what came of it ends',
    async () => {
      const { client_id: client } = await register()
      const { redeem } = await getCode(client)
      const first = await token(redeem)
      expect((await token(redeem)).error).toBe('invalid_grant')
      const refresh = { grant_type: 'refresh_token', refresh_token: first.refresh_token, client_id: client }
      expect((await token(refresh)).error).toBe('invalid_grant')
    },
  ],
  [
    'RFC 6749, 4.1.3',
    'a code is for the client that asked for it',
    async () => {
      const { redeem } = await getCode((await register()).client_id)
      const { client_id: other } = await register()
      expect((await token({ ...redeem, client_id: other })).error).toBe('invalid_grant')
    },
  ],
  [
    'RFC 6749, 4.1.2',
    'a code lives for a minute',
    async () => {
      const users = new Users({ alice: 'correct horse' })
      const lists = { resources: [RESOURCE], scopes: [], clients: [] }
      const lifetimes = { accessTokenSeconds: 900, refreshTokenSeconds: 900 }
      const options = { issuer, ...lists, ...lifetimes, jwks: undefined, tokenFormat: 'jwt', users, fetch } as const
      expect(createConfiguration(options).ttl?.AuthorizationCode).toBeLessThanOrEqual(60)
    },
  ],
  [
    'RFC 9700, 2.2.2',
    'refresh tokens rotate, and reuse ends all',
    async () => {
      const { client, refresh_token: first } = await signIn()
      const refresh = (text: string) => token({ grant_type: 'refresh_token', refresh_token: text, client_id: client })
      const second = await refresh(first)
      expect((await refresh(first)).error).toBe('invalid_grant')
      expect((await refresh(second.refresh_token)).error).toBe('invalid_grant')
    },
  ],
  [
    'RFC 9207',
    'the issuer is named in the answer; the state comes back as it was',
    async () => {
      const state = 'a b&c=%20+"<>\u00e9'
      const { answer } = await getCode((await register()).client_id, { state })
      expect([answer.searchParams.get('iss'), answer.searchParams.get('state')]).toEqual([issuer, state])
      expect((await metadata()).authorization_response_iss_parameter_supported).toBe(true)
    },
  ],
  [
    'RFC 9700, 2.3',
    'a token is for one resource',
    async () => {
      expect(decodeJwt((await signIn()).access_token).aud).toBe(RESOURCE)
    },
  ],
  [
    'RFC 8707',
    'resources that it does not know get none',
    async () => {
      expect(await errorOf({ resource: 'https://other.example/mcp' })).toBe('invalid_target')
    },
  ],
  [
    'RFC 9700, 2.2.1',
    'tokens can be bound to a key',
    async () => {
      expect((await metadata()).dpop_signing_alg_values_supported).toContain('ES256')
    },
  ],
  [
    'RFC 9700, 4.3.2',
    'no token in a URL',
    async () => {
      const { access_token: text } = await signIn('openid')
      expect((await ask(`${issuer}/me?access_token=${text}`)).status).toBe(400)
    },
  ],
  [
    'RFC 6749, 5.1',
    'tokens are not kept by caches',
    async () => {
      const body = new URLSearchParams((await getCode((await register()).client_id)).redeem)
      const answer = await ask(`${issuer}/token`, { method: 'POST', body })
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
    },
  ],
  [
    'RFC 9700, 4.12',
    'forms are answered with 303',
    async () => {
      const { client_id: client } = await register()
      const browser = new Browser()
      const page = await browser.open(authorizationUrl(client).url)
      const consent = await browser.submit(page, LOGIN)
      const done = await browser.submit(consent, { decision: 'allow' })
      expect([done.status, done.url.startsWith(REDIRECT)]).toEqual([303, true])
    },
  ],
  [
    'RFC 9700, 4.16 and 4.2.4',
    'no page can be framed, nor tells others where it was',
    async () => {
      const { client_id: client } = await register()
      const shown = new Browser()
      const pages = [
        await shown.open(authorizationUrl(client).url),
        await shown.open(`${issuer}/session/end`),
        await shown.open(authorizationUrl('nobody').url),
        await shown.open(`${issuer}/interaction/none`),
      ]
      for (const { headers } of pages) {
        expect(headers.get('x-frame-options')).toBe('DENY')
        expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
        expect(headers.get('referrer-policy')).toBe('same-origin')
      }
    },
  ],
  [
    'RFC 9700, 2.6',
    'other origins reach the endpoints of their own clients alone, and no page',
    async () => {
      const origin = 'https://evil.example'
      const { client_id: client } = await register()
      const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x', client_id: client })
      const answers = [
        await ask(`${issuer}/token`, { method: 'POST', body, headers: { origin } }),
        await ask(authorizationUrl(client).url, { headers: { origin } }),
        await ask(`${issuer}/interaction/none`, { headers: { origin } }),
        await ask(`${issuer}/session/end`, { headers: { origin } }),
        await ask(`${issuer}/reg`, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } }),
      ]
      for (const { headers } of answers) expect(headers.get('access-control-allow-origin')).toBeNull()
      for (const { headers } of answers) expect(headers.get('access-control-allow-credentials')).toBeNull()
    },
  ],
  [
    'RFC 9700, 2.1',
    'the sign-in form must come from its page',
    async () => {
      const { client_id: client } = await register()
      const browser = new Browser()
      const page = await browser.open(authorizationUrl(client).url)
      expect((await browser.submit(page, { ...LOGIN, csrf: 'x' })).status).toBe(403)
      expect((await browser.submit(page, LOGIN, { origin: 'https://evil.example' })).status).toBe(403)
    },
  ],
  [
    'RFC 8252, 8.6',
    'a client that registered itself is asked about each time',
    async () => {
      const { client_id: client } = await register()
      const browser = new Browser()
      await goThrough(browser, authorizationUrl(client).url)
      expect((await browser.open(authorizationUrl(client).url)).html).toContain('Allow access?')
    },
  ],
  [
    'OpenID Connect, 3.1.2.1',
    'and cannot be had without a page',
    async () => {
      expect(await errorOf({ prompt: 'none' })).toBe('login_required')
    },
  ],
]

it.each(ROWS)('sec-201, %s: %s', async (_source, _rule, check) => {
  await start()
  await check()
})
