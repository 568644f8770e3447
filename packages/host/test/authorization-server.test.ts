/** The embedded authorization server and a protected server, by the whole flow: register, sign in, consent, token, use. */

import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { requireBearer } from '@portico/sdk/bearer'
import { type HttpServer, serveHttp } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'
import { describe, expect, it } from 'vitest'
import { createAuthorizationServer } from '../src/authorization-server/server.ts'
import {
  authorizationUrl,
  closers,
  goThrough,
  issuer,
  REDIRECT,
  RESOURCE,
  register,
  signIn,
  start,
  token,
} from './authorization-world.ts'
import { Browser, type Page } from './browser.ts'

async function serveTools(extra: object = {}): Promise<HttpServer> {
  const server = createServer({
    name: 'protected',
    version: '1',
    tools: {
      whoami: tool({}, (_, ctx) => JSON.stringify({ id: ctx.principal?.id, roles: ctx.principal?.claims?.roles })),
      write: tool({ scopes: ['write'], challenge: 'step-up' }, () => 'written'),
    },
  })
  const http = await serveHttp(server, { port: 0, auth: requireBearer({ issuer, resource: RESOURCE, ...extra }) })
  closers.unshift(() => http.close())
  return http
}

async function use(
  http: HttpServer,
  name: string,
  accessToken: string,
): Promise<{ status: number; text: string; challenge: string }> {
  const response = await fetch(http.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
      authorization: `Bearer ${accessToken}`,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name,
        arguments: {},
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  })
  return {
    status: response.status,
    text: await response.text(),
    challenge: response.headers.get('www-authenticate') ?? '',
  }
}

describe('the whole flow', () => {
  it('register, sign in, allow, redeem, call; then step up', async () => {
    await start()
    const http = await serveTools()
    const browser = new Browser()
    const tokens = await signIn('read', browser)
    const first = await use(http, 'whoami', tokens.access_token)
    expect(JSON.parse(JSON.parse(first.text).result.content[0].text)).toEqual({
      id: `${issuer} alice`,
      roles: ['editor'],
    })
    const weak = await use(http, 'write', tokens.access_token)
    expect([weak.status, /scope="([^"]+)"/.exec(weak.challenge)?.[1]]).toEqual([403, 'write'])
    const stronger = await signIn('read write', browser, tokens.client)
    expect((await use(http, 'write', stronger.access_token)).status).toBe(200)
  })

  it('a client that names no scope gets a token that says who it is for, and no more', async () => {
    await start()
    const http = await serveTools()
    const { client_id: id } = await register()
    const { url, verifier } = authorizationUrl(id, { scope: undefined })
    const code = (await goThrough(new Browser(), url)).searchParams.get('code') ?? ''
    const redeemed = { grant_type: 'authorization_code', code, client_id: id, redirect_uri: REDIRECT }
    const tokens = await token({ ...redeemed, code_verifier: verifier, resource: RESOURCE })
    expect((await use(http, 'whoami', tokens.access_token)).status).toBe(200)
    expect((await use(http, 'write', tokens.access_token)).status).toBe(403)
  })

  it('refresh tokens rotate, and one that is used twice ends its family (sec-81)', async () => {
    await start()
    const { client, refresh_token: first } = await signIn()
    const refresh = (refreshToken: string) =>
      token({ grant_type: 'refresh_token', refresh_token: refreshToken, client_id: client })
    const second = await refresh(first)
    expect(second.refresh_token).not.toBe(first)
    expect((await refresh(first)).error).toBe('invalid_grant')
    expect((await refresh(second.refresh_token)).error).toBe('invalid_grant')
  })

  it('signing out ends the refresh tokens of the session', async () => {
    await start()
    const browser = new Browser()
    const { client, refresh_token: refreshToken } = await signIn('read', browser)
    const page = await browser.open(`${issuer}/session/end`)
    expect([page.headers.get('x-frame-options'), page.html.includes('Sign out?')]).toEqual(['DENY', true])
    const done = await browser.submit(page, { logout: 'yes' })
    expect(done.html).toContain('Signed out')
    expect((await token({ grant_type: 'refresh_token', refresh_token: refreshToken, client_id: client })).error).toBe(
      'invalid_grant',
    )
  })

  it('a revoked token stops working at a server that asks', async () => {
    const resourceClient = {
      client_id: 'rs',
      client_secret: 'a secret of a server',
      redirect_uris: [],
      grant_types: [],
      response_types: [],
    }
    await start({ tokenFormat: 'opaque', clients: [resourceClient] })
    const introspection = {
      endpoint: `${issuer}/token/introspection`,
      clientId: 'rs',
      clientSecret: 'a secret of a server',
    }
    const http = await serveTools({ introspection, cacheMs: 0 })
    const { access_token: accessToken, client } = await signIn()
    expect((await use(http, 'whoami', accessToken)).status).toBe(200)
    const body = new URLSearchParams({ token: accessToken, client_id: client })
    expect((await fetch(`${issuer}/token/revocation`, { method: 'POST', body })).status).toBe(200)
    const refused = await use(http, 'whoami', accessToken)
    expect([refused.status, refused.challenge.includes('invalid_token')]).toEqual([401, true])
  })

  it('a client known by its document needs no registration, and its host is shown as proven', async () => {
    const id = 'https://client.example/oauth.json'
    const document = {
      client_id: id,
      client_name: 'Documented',
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
    }
    await start({ fetch: (async () => Response.json(document)) as typeof fetch })
    const page = await new Browser().open(authorizationUrl(id).url)
    expect(page.html).toContain('Documented')
    expect((await signIn('read', new Browser(), id)).access_token).toBeDefined()
  })
})

describe('what it publishes', () => {
  it('says what clients need to know (sec-48, sec-75)', async () => {
    await start()
    const metadata = await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json()
    expect(metadata).toMatchObject({
      issuer,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      registration_endpoint: `${issuer}/reg`,
      response_types_supported: ['code'],
      scopes_supported: expect.arrayContaining(['read', 'write', 'offline_access']),
    })
  })

  it('names itself in answers, errors included (RFC 9207)', async () => {
    await start()
    const { client_id: client } = await register()
    const { url } = authorizationUrl(client)
    const answer = await goThrough(new Browser(), url)
    expect([answer.origin + answer.pathname, answer.searchParams.get('iss'), answer.searchParams.get('state')]).toEqual(
      [REDIRECT, issuer, 'st'],
    )
    const browser = new Browser()
    const refused = await browser.submit(await browser.open(url), { decision: 'cancel' })
    expect([new URL(refused.url).searchParams.get('error'), new URL(refused.url).searchParams.get('iss')]).toEqual([
      'access_denied',
      issuer,
    ])
  })
})

describe('what it refuses', () => {
  it.each([
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a resource it does not know', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
  ])('%s', async (_, extra, error) => {
    await start()
    const { client_id: client } = await register()
    const page = await new Browser().open(authorizationUrl(client, extra).url)
    // In the fragment where the response type would have had its answer there.
    const { search, hash } = new URL(page.url)
    expect(new URLSearchParams(search || hash.slice(1)).get('error')).toBe(error)
  })

  it.each([
    'http://127.0.0.1:7777/callback/',
    'http://127.0.0.1:7777/other',
    'http://127.0.0.1@evil.example/callback',
    'https://evil.example/callback',
    `${REDIRECT}?x=1`,
  ])('the redirect %s: no redirect at all (sec-79, sec-89)', async (redirect) => {
    await start()
    const { client_id: client } = await register()
    const page = await new Browser().open(authorizationUrl(client, { redirect_uri: redirect }).url)
    expect([page.status, new URL(page.url).origin]).toEqual([400, issuer])
  })

  it('a code that was used before, and a verifier that does not fit', async () => {
    await start()
    const { client_id: client } = await register()
    const { url, verifier } = authorizationUrl(client)
    const code = (await goThrough(new Browser(), url)).searchParams.get('code') ?? ''
    const redeem = (codeVerifier: string) =>
      token({
        grant_type: 'authorization_code',
        code,
        client_id: client,
        redirect_uri: REDIRECT,
        code_verifier: codeVerifier,
      })
    expect((await redeem('x'.repeat(43))).error).toBe('invalid_grant')
    expect((await redeem(verifier)).access_token).toBeDefined()
    expect((await redeem(verifier)).error).toBe('invalid_grant')
  })

  it('a definition without users, with a weak password, or without TLS for the world', () => {
    const base = { issuer: 'http://localhost:9', resources: [RESOURCE] }
    expect(() => createAuthorizationServer(base)).toThrow(/users or password/)
    expect(() => createAuthorizationServer({ ...base, password: 'short' })).toThrow(/8 characters/)
    expect(() => createAuthorizationServer({ ...base, issuer: 'http://as.example', password: 'long enough' })).toThrow(
      /https/,
    )
  })
})

describe('the pages (sec-85, sec-87)', () => {
  async function consent(): Promise<{ browser: Browser; page: Page }> {
    await start()
    const { client_id: client } = await register()
    const browser = new Browser()
    const login = await browser.open(authorizationUrl(client, { scope: 'read write' }).url)
    const page = await browser.submit(login, { name: 'alice', password: 'correct horse', decision: 'login' })
    return { browser, page }
  }

  it('show who asks, for what, and where the answer goes; names are escaped', async () => {
    const { page } = await consent()
    for (const text of [
      'Test &#60;b&#62;client',
      'nobody has checked it',
      'alice',
      RESOURCE,
      '<code>write</code>',
      '127.0.0.1:7777',
      'on this computer',
    ]) {
      expect(page.html).toContain(text)
    }
    expect(page.html).not.toMatch(/<script|<b>client/)
  })

  it('cannot be framed, run no scripts, and post only here and to the client', async () => {
    const { page } = await consent()
    expect(page.headers.get('x-frame-options')).toBe('DENY')
    const policy = page.headers.get('content-security-policy') ?? ''
    for (const part of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'self' http://127.0.0.1:7777"]) {
      expect(policy).toContain(part)
    }
    expect(page.headers.get('cache-control')).toBe('no-store')
  })

  it.each([
    ['without the token', { csrf: '' }, {}],
    ['with another token', { csrf: 'x'.repeat(43) }, {}],
    ['from another origin', {}, { origin: 'https://evil.example' }],
  ])('a form %s is not accepted', async (_, fields, headers) => {
    const { browser, page } = await consent()
    const answer = await browser.submit(page, { decision: 'allow', ...fields }, headers)
    expect(answer.status).toBe(403)
  })

  it('a form from another browser is not accepted', async () => {
    const { page } = await consent()
    expect((await new Browser().submit(page, { decision: 'allow' })).status).toBe(400)
  })

  it('cookies are out of reach of scripts and other sites', async () => {
    const { browser } = await consent()
    const set = browser.received.filter((line) => !/^[^=]+=;/.test(line))
    expect(set.length).toBeGreaterThan(0)
    for (const line of set) expect(line).toMatch(/httponly/i)
    for (const line of set) expect(line).toMatch(/samesite=lax/i)
  })

  it('cookies behind TLS are bound to the host and to TLS (sec-88)', async () => {
    const client = {
      client_id: 'known',
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    }
    const outside = 'https://as.example'
    const options = {
      issuer: outside,
      resources: [RESOURCE],
      scopes: ['read'],
      password: 'open sesame',
      trustProxy: true,
    }
    const { handler } = createAuthorizationServer({ ...options, clients: [client] })
    const node = createHttpServer(handler).listen(0, '127.0.0.1')
    await once(node, 'listening')
    // A server that listens on a port has an address of this form.
    const inside = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
    closers.push(async () => void node.close())
    const browser = new Browser({ outside, inside })
    const login = await browser.open(authorizationUrl('known').url.replace(issuer, outside))
    await browser.submit(login, { password: 'open sesame', decision: 'login' })
    const set = browser.received.filter((line) => !/^[^=]+=;/.test(line))
    expect(set.some((line) => /^__Host-portico_session=.*; path=\/;/i.test(line))).toBe(true)
    for (const line of set) expect(line).toMatch(/^__(Host|Secure)-.*; secure/i)
  })

  it('a second client sees consent of its own in the same browser (sec-86)', async () => {
    await start()
    const browser = new Browser()
    await signIn('read', browser)
    const { client_id: other } = await register({ client_name: 'Other' })
    const page = await browser.open(authorizationUrl(other).url)
    expect(page.html).toContain('Allow access?')
    expect(page.html).toContain('Other')
  })

  it('wrong passwords are refused alike for all names, and slowed down', async () => {
    await start()
    const { client_id: client } = await register()
    const browser = new Browser()
    let page = await browser.open(authorizationUrl(client).url)
    const attempt = async (name: string, password: string) => {
      page = await browser.submit(page, { name, password, decision: 'login' })
      return [page.status, /role="alert">([^<]+)/.exec(page.html)?.[1]]
    }
    expect(await attempt('nobody', 'x')).toEqual(await attempt('bob', 'x'))
    for (let round = 0; round < 4; round++) await attempt('bob', 'x')
    expect(await attempt('bob', 'battery staple')).toEqual([401, 'Too many attempts. Wait a minute.'])
    expect(
      (await browser.submit(page, { name: 'alice', password: 'correct horse', decision: 'login' })).html,
    ).toContain('Allow access?')
  })

  it('ask the only user for a password alone', async () => {
    await start({ users: undefined, password: 'open sesame' })
    const { client_id: client } = await register()
    const browser = new Browser()
    const login = await browser.open(authorizationUrl(client).url)
    expect(login.html).not.toContain('name="name"')
    expect((await browser.submit(login, { password: 'open sesame', decision: 'login' })).html).toContain('owner')
  })
})
