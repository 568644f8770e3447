/** Servers behind `requireBearer`: which tokens pass, what those that do not are told, where clients learn the rest. */

import { once } from 'node:events'
import { createServer as createNodeServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SignJWT, UnsecuredJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createFetchHandler } from '../src/serve/adapters/fetch-handler.ts'
import { createHttpHandler } from '../src/serve/adapters/http.ts'
import { requireBearer } from '../src/serve/bearer/bearer.ts'
import { endpointOf } from '../src/server/server.ts'
import {
  bearer,
  callTool,
  challengeOf,
  createIssuer,
  get,
  type Issuer,
  type Protected,
  RESOURCE,
  serveProtected,
} from './auth-server-fixture.ts'
import { legacy, modern, send } from './http-fixture.ts'

const METADATA = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp'

/** In seconds, as claims have it. */
const now = () => Math.floor(Date.now() / 1000)

let issuer: Issuer
let served: Protected

beforeEach(async () => {
  issuer = await createIssuer()
})

afterEach(async () => {
  await served?.http.close()
  await issuer.close()
})

describe('a good token', () => {
  it('passes, and its principal is issuer and subject', async () => {
    served = await serveProtected({ issuer: issuer.url })
    const answer = await callTool(served.port, 'whoami', bearer(await issuer.sign()))
    expect([answer.status, answer.json?.result.content[0].text]).toEqual([200, `${issuer.url} alice`])
  })

  it.each([
    ['the resource among several audiences', () => ({ aud: ['https://other.example', RESOURCE] })],
    ['an upper-case host in the audience (sec-63)', () => ({ aud: 'HTTPS://MCP.Example.com/mcp' })],
    ['an array of scopes', () => ({ scope: undefined, scp: ['read'] })],
    ['clocks a little apart', () => ({ exp: now() - 2 })],
    ['a client that acts for itself', () => ({ sub: undefined, client_id: 'robot' })],
  ])('may have %s', async (_, claims) => {
    served = await serveProtected({ issuer: issuer.url })
    expect((await callTool(served.port, 'read', bearer(await issuer.sign(claims())))).status).toBe(200)
  })

  it('is verified once while it is kept, and its issuer asked for keys once', async () => {
    served = await serveProtected({ issuer: issuer.url })
    const token = await issuer.sign()
    await Promise.all([1, 2, 3].map(() => callTool(served.port, 'whoami', bearer(token))))
    await callTool(served.port, 'whoami', bearer(await issuer.sign({ sub: 'bob' })))
    expect(issuer.asked).toEqual(['/.well-known/oauth-authorization-server', '/jwks'])
    expect(new Set(served.ran)).toEqual(new Set([`${issuer.url} alice`, `${issuer.url} bob`]))
  })

  it('may be of any of several issuers, and subjects of two issuers are two principals', async () => {
    const other = await createIssuer('RS256')
    served = await serveProtected({ issuer: [issuer.url, other.url], jwksUri: { [other.url]: `${other.url}/jwks` } })
    for (const one of [issuer, other]) await callTool(served.port, 'whoami', bearer(await one.sign()))
    expect(served.ran).toEqual([`${issuer.url} alice`, `${other.url} alice`])
    expect(other.asked).toEqual(['/jwks'])
    await other.close()
  })
})

describe('hostile tokens (sec-66, sec-91)', () => {
  const cases: [string, () => Promise<string> | string][] = [
    ['another audience', () => issuer.sign({ aud: 'https://other.example/mcp' })],
    ['the origin alone as audience', () => issuer.sign({ aud: 'https://mcp.example.com' })],
    ['an audience that begins like ours', () => issuer.sign({ aud: `${RESOURCE}.evil.example` })],
    ['no audience', () => issuer.sign({ aud: undefined })],
    ['an audience that is no string', () => issuer.sign({ aud: [{ toString: RESOURCE }] })],
    ['an expiry in the past', () => issuer.sign({ exp: now() - 60 })],
    ['no expiry', () => issuer.sign({ exp: undefined })],
    ['a beginning in the future', () => issuer.sign({ nbf: now() + 120 })],
    ['another issuer in the claims', () => issuer.sign({ iss: 'https://evil.example' })],
    ['the issuer with a slash more', () => issuer.sign({ iss: `${issuer.url}/` })],
    ['no subject and no client', () => issuer.sign({ sub: undefined })],
    ['a binding that is not understood', () => issuer.sign({ cnf: { kid: 'x' } })],
    ['an empty binding', () => issuer.sign({ cnf: {} })],
    ['the type of a DPoP proof', () => issuer.sign({}, { typ: 'dpop+jwt' })],
    ['an unknown key id', () => issuer.sign({}, { kid: 'nobody' })],
    ['another key', async () => (await createForeign()).sign({ iss: issuer.url })],
    ['its own key in jku, jwk and x5u', async () => (await createForeign()).sign({ iss: issuer.url }, hostileHeader())],
    ['no signature (alg none)', () => unsecured()],
    ['HS256 with the public key as the secret', () => symmetric()],
    ['an altered payload', async () => altered(await issuer.sign())],
    ['nothing of a JWT', () => 'opaque-token'],
  ]
  const foreign: Issuer[] = []
  afterEach(async () => {
    for (const one of foreign.splice(0)) {
      expect(one.asked, 'the foreign issuer was asked').toEqual([])
      await one.close()
    }
  })

  async function createForeign(): Promise<Issuer> {
    const one = await createIssuer()
    foreign.push(one)
    return one
  }
  const hostileHeader = () => ({ jku: `${foreign.at(-1)?.url}/jwks`, x5u: `${foreign.at(-1)?.url}/x5u`, kid: 'key-1' })
  const claims = () => ({ iss: issuer.url, aud: RESOURCE, sub: 'alice', scope: 'read', exp: now() + 300 })
  const unsecured = () => new UnsecuredJWT(claims()).encode().replace(/\.$/, '.AA')
  const symmetric = () =>
    new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid: 'key-1' }).sign(issuer.publicPem)
  const altered = (token: string) => {
    const [head, body = '', signature] = token.split('.')
    const changed = { ...JSON.parse(atob(body.replaceAll('-', '+').replaceAll('_', '/'))), sub: 'root' }
    return [head, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join('.')
  }

  it.each(cases)('%s: 401, no handler, nothing of the token in the answer', async (_, make) => {
    served = await serveProtected({ issuer: issuer.url })
    const token = await make()
    const answer = await callTool(served.port, 'whoami', bearer(token))
    expect(answer.status).toBe(401)
    expect(challengeOf(answer)).toMatchObject({ scheme: 'Bearer', error: 'invalid_token', resource_metadata: METADATA })
    expect(served.ran).toEqual([])
    const told = answer.text + JSON.stringify(answer.headers)
    for (const part of token.split('.')) expect(told.includes(part) && part.length > 4).toBe(false)
  })

  it('refuses symmetric algorithms and none where they are configured', () => {
    for (const algorithm of ['none', 'HS256', 'dir', '']) {
      expect(() => requireBearer({ issuer: issuer.url, resource: RESOURCE, algorithms: [algorithm] })).toThrow(
        /asymmetric/,
      )
    }
  })

  it('accepts only the algorithms that were named', async () => {
    served = await serveProtected({ issuer: issuer.url, algorithms: ['RS256'] })
    expect((await callTool(served.port, 'whoami', bearer(await issuer.sign()))).status).toBe(401)
  })
})

describe('refusals (sec-49, sec-51, sec-67)', () => {
  it('without a token: 401 with metadata and scopes, and no error', async () => {
    served = await serveProtected({ issuer: issuer.url, scopes: ['read', 'list'] })
    const answer = await callTool(served.port, 'whoami')
    expect(answer.status).toBe(401)
    expect(answer.headers['www-authenticate']).toBe(`Bearer scope="read list", resource_metadata="${METADATA}"`)
    expect(issuer.asked).toEqual([])
  })

  it.each([
    ['another scheme', { authorization: 'Basic YTpi' }, 401, undefined],
    ['an empty token', { authorization: 'Bearer ' }, 400, 'invalid_request'],
    ['two tokens', { authorization: 'Bearer a, Bearer b' }, 400, 'invalid_request'],
    ['a token with a line in it', { authorization: 'Bearer a"b' }, 400, 'invalid_request'],
  ])('%s', async (_, headers, status, error) => {
    served = await serveProtected({ issuer: issuer.url })
    const answer = await callTool(served.port, 'whoami', headers)
    expect([answer.status, challengeOf(answer).error]).toEqual([status, error])
  })

  it('takes no token from the query (sec-64)', async () => {
    served = await serveProtected({ issuer: issuer.url })
    const token = await issuer.sign()
    const answer = await send(served.port, { ...modern('tools/list'), path: `/mcp?access_token=${token}` })
    expect(answer.status).toBe(401)
  })

  it('asks for the scopes that every request needs, all at once (sec-68)', async () => {
    served = await serveProtected({ issuer: issuer.url, scopes: ['read', 'list'] })
    const answer = await callTool(served.port, 'whoami', bearer(await issuer.sign()))
    expect(answer.status).toBe(403)
    expect(challengeOf(answer)).toMatchObject({ error: 'insufficient_scope', scope: 'read list' })
  })

  it.each(['POST', 'GET', 'DELETE'])(
    'verifies every request: a session is no authentication on %s (sec-34)',
    async (method) => {
      served = await serveProtected({ issuer: issuer.url })
      const headers = { accept: 'text/event-stream', 'mcp-session-id': 'abc', 'mcp-protocol-version': '2025-11-25' }
      expect((await send(served.port, { method, headers })).status).toBe(401)
      const expired = bearer(await issuer.sign({ exp: 1 }))
      expect((await send(served.port, { method, headers: { ...headers, ...expired } })).status).toBe(401)
    },
  )

  it('also on the paths of the old transport', async () => {
    served = await serveProtected({ issuer: issuer.url })
    expect((await send(served.port, get('/sse', { accept: 'text/event-stream' }))).status).toBe(401)
    const post = { ...legacy({ jsonrpc: '2.0', id: 1, method: 'ping' }), path: '/messages?session=00' }
    expect((await send(served.port, post)).status).toBe(401)
  })
})

describe('keys', () => {
  it('are not fetched for every unknown key id', async () => {
    served = await serveProtected({ issuer: issuer.url, jwksUri: `${issuer.url}/jwks` })
    await callTool(served.port, 'whoami', bearer(await issuer.sign()))
    const unknown = await Promise.all(['a', 'b', 'c'].map((kid) => issuer.sign({ jti: kid }, { kid })))
    for (const token of unknown) expect((await callTool(served.port, 'whoami', bearer(token))).status).toBe(401)
    expect(issuer.asked).toEqual(['/jwks'])
  })

  it('follow a rotation once the cooldown is over', async () => {
    served = await serveProtected({ issuer: issuer.url, jwksUri: `${issuer.url}/jwks` })
    await callTool(served.port, 'whoami', bearer(await issuer.sign()))
    await issuer.rotate()
    const token = await issuer.sign()
    expect((await callTool(served.port, 'whoami', bearer(token))).status).toBe(401)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 })
    try {
      expect((await callTool(served.port, 'whoami', bearer(token))).status).toBe(200)
    } finally {
      vi.useRealTimers()
    }
    expect(issuer.asked).toEqual(['/jwks', '/jwks'])
  })

  it.each([
    ['an error', { status: 500, body: '' }],
    ['a redirect', { status: 302, body: '' }],
    ['something that is no key set', { status: 200, body: '[]' }],
    ['a document beyond the bound', { status: 200, body: ' '.repeat(300 * 1024) }],
  ])('that come as %s: 503, not 401, and no stampede', async (_, fault) => {
    const errors: unknown[] = []
    served = await serveProtected({
      issuer: issuer.url,
      jwksUri: `${issuer.url}/jwks`,
      onError: (error) => errors.push(error),
    })
    issuer.fault = fault
    const tokens = await Promise.all(['a', 'b', 'c'].map((jti) => issuer.sign({ jti })))
    for (const token of tokens) {
      const answer = await callTool(served.port, 'whoami', bearer(token))
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5'])
    }
    expect(errors).toHaveLength(3)
    expect(JSON.stringify(errors.map(String))).not.toContain(tokens[0]?.split('.')[1])
  })

  it('are not taken from metadata of another issuer, nor from an address without TLS (sec-80)', async () => {
    const lying = {
      fetch: async () => Response.json({ issuer: 'https://evil.example', jwks_uri: `${issuer.url}/jwks` }),
    }
    served = await serveProtected({ issuer: issuer.url, ...lying })
    expect((await callTool(served.port, 'whoami', bearer(await issuer.sign()))).status).toBe(503)
    expect(() => requireBearer({ issuer: 'http://as.example.com', resource: RESOURCE })).toThrow(/https/)
  })
})

describe('metadata of the resource (sec-50)', () => {
  it.each(['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-protected-resource'])(
    'is at %s for every page',
    async (path) => {
      served = await serveProtected({
        issuer: issuer.url,
        scopes: ['read'],
        name: 'Notes',
        dpop: { required: true },
        documentation: 'https://docs.example',
      })
      const answer = await send(served.port, get(path, { origin: 'https://app.example' }))
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, '*'])
      expect(JSON.parse(answer.text)).toMatchObject({
        resource: RESOURCE,
        authorization_servers: [issuer.url],
        scopes_supported: ['read'],
        bearer_methods_supported: ['header'],
        resource_name: 'Notes',
        dpop_bound_access_tokens_required: true,
      })
    },
  )

  it('takes preflights and nothing but reading', async () => {
    served = await serveProtected({ issuer: issuer.url })
    const path = '/.well-known/oauth-protected-resource'
    expect((await send(served.port, { method: 'OPTIONS', path })).status).toBe(204)
    expect((await send(served.port, { method: 'POST', path })).status).toBe(405)
    expect((await send(served.port, get('/.well-known/other'))).status).toBe(404)
  })

  it('asks for no offline_access (sec-76) and insists on a usable resource', () => {
    const options = { issuer: 'https://as.example.com', resource: RESOURCE }
    expect(() => requireBearer({ ...options, scopes: ['offline_access'] })).toThrow(/offline_access/)
    expect(() => requireBearer({ ...options, scopes: ['a b'] })).toThrow(/Not a scope/)
    for (const resource of ['mcp.example.com', 'https://mcp.example.com#x', 'file:///x', 'https://u:p@x.example']) {
      expect(() => requireBearer({ ...options, resource })).toThrow(/resource/)
    }
  })

  it('is served by a mounted handler, too, which passes other paths on', async () => {
    served = await serveProtected({ issuer: issuer.url })
    const auth = requireBearer({ issuer: issuer.url, resource: RESOURCE })
    const handler = createHttpHandler(served.server, { path: '/mcp', auth })
    const node = createNodeServer((req, res) => handler(req, res, () => res.writeHead(418).end())).listen(
      0,
      '127.0.0.1',
    )
    await once(node, 'listening')
    // A server that listens on a port has an address of this form.
    const { port } = node.address() as AddressInfo
    const paths = ['/.well-known/oauth-protected-resource/mcp', '/mcp', '/.well-known/other']
    const statuses = await Promise.all(paths.map(async (path) => (await send(port, get(path))).status))
    expect(statuses).toEqual([200, 401, 418])
    node.close()
  })

  it('is served by serveFetch, too, where every path is the endpoint', async () => {
    served = await serveProtected({ issuer: issuer.url })
    const auth = requireBearer({ issuer: issuer.url, resource: RESOURCE })
    const handler = createFetchHandler(endpointOf(served.server), { auth, allowedHosts: ['mcp.example.com'] })
    expect(await (await handler.fetch(new Request(METADATA))).json()).toMatchObject({ resource: RESOURCE })
    const { headers, body } = modern('tools/list')
    // The fixture makes single-valued headers here.
    const request = new Request(RESOURCE, {
      method: 'POST',
      headers: headers as { [name: string]: string },
      body: String(body),
    })
    expect((await handler.fetch(request)).status).toBe(401)
    await handler.close(0)
  })
})

describe('introspection (RFC 7662)', () => {
  const introspection = () => ({ endpoint: `${issuer.url}/introspect`, clientId: 'rs', clientSecret: 's:cret' })
  const active = () => ({ aud: RESOURCE, sub: 'alice', scope: 'read' })

  it('lets active tokens pass, and no longer once they are revoked', async () => {
    served = await serveProtected({ issuer: issuer.url, introspection: introspection(), cacheMs: 0 })
    issuer.active.set('opaque', active())
    expect((await callTool(served.port, 'read', bearer('opaque'))).status).toBe(200)
    issuer.active.delete('opaque')
    expect((await callTool(served.port, 'read', bearer('opaque'))).status).toBe(401)
  })

  it('is asked once for many requests at a time', async () => {
    served = await serveProtected({ issuer: issuer.url, introspection: introspection() })
    issuer.active.set('opaque', active())
    const answers = await Promise.all(Array.from({ length: 20 }, () => callTool(served.port, 'read', bearer('opaque'))))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(issuer.asked).toEqual(['/introspect'])
  })

  it.each([
    ['another audience', { aud: 'https://other.example' }],
    ['no audience', { aud: undefined }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['an expiry in the past', { exp: 1 }],
    ['a beginning in the future', { nbf: 9_999_999_999 }],
  ])('does not help a token with %s', async (_, claims) => {
    served = await serveProtected({ issuer: issuer.url, introspection: introspection() })
    issuer.active.set('opaque', { ...active(), ...claims })
    expect((await callTool(served.port, 'read', bearer('opaque'))).status).toBe(401)
  })

  it('that fails is 503', async () => {
    const wrong = { ...introspection(), clientSecret: 'wrong' }
    served = await serveProtected({ issuer: issuer.url, introspection: wrong })
    expect((await callTool(served.port, 'read', bearer('opaque'))).status).toBe(503)
  })
})
